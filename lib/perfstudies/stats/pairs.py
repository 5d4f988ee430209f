"""All pairs of settings compared, with one error level for the whole family.

Both functions return a frame with a row per pair: first, second, difference (second minus first), low,
high, p.

Sources: J. W. Tukey, *The problem of multiple comparisons*, 1953, and C. Y. Kramer, Biometrics 12, 1956
(unequal numbers of runs); P. A. Games and J. F. Howell, "Pairwise multiple comparison procedures with
unequal n's and/or variances", J. Educational Statistics 1, 1976.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import optimize, stats
from statsmodels.regression.linear_model import RegressionResults
from statsmodels.stats.libqsturng import qsturng

COLUMNS = ["first", "second", "difference", "low", "high", "p"]


def tukey(settings: Sequence[str], fit: RegressionResults, confidence: float = 0.95) -> pd.DataFrame:
    """Compare all pairs by Tukey and Kramer, with the residual variance of a fitted model.

    A block in the model is thus taken out; without one the result is that of `scipy.stats.tukey_hsd`,
    which knows no blocks.

    Parameters
    ----------
    settings : sequence of str
        Names of the settings.
    fit : RegressionResults
        A linear model without intercept whose first parameters are the settings' means.
    confidence : float
        Of the family.

    Returns
    -------
    DataFrame
        In the response's unit.
    """
    count, freedom = len(settings), fit.df_resid
    critical = stats.studentized_range.ppf(confidence, count, freedom) / np.sqrt(2)
    rows = []
    for first, second in combinations(range(count), 2):
        contrast = np.zeros(len(fit.params))
        contrast[[first, second]] = -1.0, 1.0
        test = fit.t_test(contrast)
        difference, error = test.effect.item(), test.sd.item()
        p = stats.studentized_range.sf(np.sqrt(2) * abs(difference) / error, count, freedom)
        half = critical * error
        low, high = difference - half, difference + half
        rows.append((settings[first], settings[second], difference, low, high, float(p)))
    return pd.DataFrame(rows, columns=COLUMNS)


def games_howell(settings: Sequence[str], groups: Sequence[np.ndarray], confidence: float = 0.95) -> pd.DataFrame:
    """Compare all pairs by Games and Howell, each with its own variances.

    Parameters
    ----------
    settings : sequence of str
        Names of the settings.
    groups : sequence of arrays
        Two runs or more of each setting, in the same order. Two settings without any spread are
        compared exactly.
    confidence : float
        Of the family.

    Returns
    -------
    DataFrame
        In the response's unit.
    """
    with np.errstate(divide="ignore", invalid="ignore"):  # 0 / 0 between settings without spread: see below
        p_values = stats.tukey_hsd(*groups, equal_var=False).pvalue
    rows = []
    for first, second in combinations(range(len(settings)), 2):
        difference = groups[second].mean() - groups[first].mean()
        if np.ptp(groups[first]) == np.ptp(groups[second]) == 0:
            low, high, p = difference, difference, float(difference == 0)
        else:
            half = _half_width(groups[first], groups[second], len(settings), confidence)
            low, high, p = difference - half, difference + half, float(p_values[second, first])
        rows.append((settings[first], settings[second], difference, low, high, p))
    return pd.DataFrame(rows, columns=COLUMNS)


def _half_width(first: np.ndarray, second: np.ndarray, settings: int, confidence: float) -> float:
    """Return the half width of a Games-Howell interval.

    `scipy.stats.tukey_hsd` gives the same, but takes ten times as long as all the rest of an analysis.
    """
    parts = np.array([group.var(ddof=1) / len(group) for group in (first, second)])
    freedom = parts.sum() ** 2 / (parts**2 / [len(first) - 1, len(second) - 1]).sum()
    near = float(qsturng(confidence, settings, freedom))

    def excess(q: float) -> float:
        return stats.studentized_range.sf(q, settings, freedom) - (1 - confidence)

    return optimize.newton(excess, near, rtol=1e-8) * np.sqrt(parts.sum() / 2)
