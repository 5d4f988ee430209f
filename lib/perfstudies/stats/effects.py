"""How large an effect of an analysis of variance is, with an interval from the noncentral F distribution.

Source: J. H. Steiger, "Beyond the F test: effect size confidence intervals and tests of close fit in the
analysis of variance and contrast analysis", Psychological Methods 9, 2004.
"""

from __future__ import annotations

import numpy as np
from scipy import optimize, special, stats

#: Beyond it the numerator's own spread no longer matters beside that of the residual's chi square.
LARGE = 1e6


def effect_interval(
    f: float, df_effect: float, df_residual: float, runs: int, confidence: float = 0.9
) -> tuple[float, float]:
    """Interval for the population's (partial) share of variance that an effect explains.

    The noncentrality is bounded by inverting the noncentral F distribution, and turned into a share as
    ``nc / (nc + runs)``. (statsmodels' `confint_noncentrality` stops at 10,000, which effects such as that
    of trace logging exceed.)

    Parameters
    ----------
    f : float
        The F statistic; may be infinite.
    df_effect, df_residual : float
        Its degrees of freedom.
    runs : int
        The number of runs analysed.
    confidence : float
        Two-sided.

    Returns
    -------
    tuple of float
        Low and high, between 0 and 1.
    """
    if np.isinf(f):
        return 1.0, 1.0
    tails = (1 + confidence) / 2, (1 - confidence) / 2
    low, high = (_noncentrality(f, df_effect, df_residual, tail) for tail in tails)
    return low / (low + runs), high / (high + runs)


def _noncentrality(f: float, df_effect: float, df_residual: float, quantile: float) -> float:
    """Return the noncentrality under which F stays below `f` with probability `quantile`."""
    if f * df_effect > LARGE:
        return f * df_effect * stats.chi2.ppf(1 - quantile, df_residual) / df_residual

    def excess(nc: float) -> float:
        return float(special.ncfdtr(df_effect, df_residual, nc, f)) - quantile

    if excess(0.0) <= 0:
        return 0.0
    top = 1.0
    while excess(top) > 0:
        top *= 2
    return optimize.brentq(excess, 0.0, top)
