"""A limit that each run only brackets: the largest size that succeeded and the smallest that failed.

Sizes grow by a factor from a random start: the same sizes in every run would be off in the same direction. Each run's
limit is known to lie in its bracket, and limits differ normally on the log scale. If one limit lies in all brackets, it
is between the largest size that ever succeeded and the smallest that ever failed.

Sources: J. C. Lindsey and L. M. Ryan, "Methods for interval-censored data", Statistics in Medicine 17, 1998; D. J.
Venzon and S. H. Moolgavkar, "A method for computing profile-likelihood-based confidence intervals", Applied Statistics
37, 1988.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special, stats

from perfstudies.errors import BadParameter
from perfstudies.stats.interval import Interval
from perfstudies.stats.intervals import finite, paired


def censored_limit(succeeded: ArrayLike, failed: ArrayLike, confidence: float = 0.95) -> Interval:
    """Estimate the limit by maximum likelihood from what each run knows of its own: an interval, on the log scale.

    Where all intervals have a size in common, the estimate is the geometric middle of what they have in common.

    Parameters
    ----------
    succeeded, failed : array_like, shape (runs,)
        The largest size that succeeded and the smallest that failed after it, any unit; missing or 0 if there was none.
        A run in which nothing failed knows that its limit is larger, one in which nothing succeeded that it is smaller.
    confidence : float
        Of the interval, by the profile likelihood of the median limit.

    Returns
    -------
    Interval
        The median (and geometric mean) of the runs' limits, `n` the number of runs that know something of theirs; all
        is missing if no run failed, or none succeeded.

    Raises
    ------
    BadParameter
        If lengths differ or a bracket is upside down.
    """
    lower, upper = paired(_sizes(succeeded), _sizes(failed))
    if (lower >= upper).any():
        raise BadParameter("a bracket's upper end must exceed its lower end")
    sizes = np.log([lower, upper])
    low, high = sizes[:, ~np.isnan(sizes).all(axis=0)]
    if np.isnan(low).all() or np.isnan(high).all():
        return Interval(np.nan, np.nan, np.nan, confidence, low.size)
    least, most = np.nanmin([low, high]), np.nanmax([low, high])
    low, high = np.nan_to_num(low, nan=-np.inf), np.nan_to_num(high, nan=np.inf)
    spreads = np.geomspace((most - least) * 1e-4, (most - least) * 10, 250)

    def lost(limit: float) -> float:
        """Return how far the best log likelihood with this limit is below 0."""
        return float(-_log_likelihood(limit, spreads, low, high).max())

    inner = sorted((low.max(), high.min()))
    if low.max() < high.min():
        best, smallest = float(np.mean(inner)), 0.0
    else:
        fitted = optimize.minimize_scalar(lost, bounds=(least, most), method="bounded", options={"xatol": 1e-7})
        best, smallest = float(fitted.x), float(fitted.fun)
    allowed = smallest + stats.chi2.ppf(confidence, 1) / 2
    ends = [_crossing(lost, best, side * (most - least), allowed) for side in (-1, 1)]
    return Interval(best, ends[0], ends[1], confidence, low.size).exp()


def _log_likelihood(limit: float, spreads: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the log probability that normal limits lie in these intervals, for each standard deviation."""
    below, above = (low - limit) / spreads[:, None], (high - limit) / spreads[:, None]
    # In the upper tail both probabilities are near 1; mirrored they are small, and their difference is exact.
    mirrored = below + above > 0
    below, above = np.where(mirrored, -above, below), np.where(mirrored, -below, above)
    with np.errstate(divide="ignore", invalid="ignore"):
        smaller, larger = special.log_ndtr(below), special.log_ndtr(above)
        each = larger + np.log1p(-np.exp(smaller - larger))
    return np.nan_to_num(each, nan=-np.inf).sum(axis=1)


def _crossing(lost: Callable[[float], float], inside: float, stride: float, allowed: float) -> float:
    """Return where, on one side of a point inside, more likelihood is lost than allowed; infinite if nowhere near."""
    outside = inside + stride
    for _ in range(20):
        if lost(outside) > allowed:
            return float(optimize.brentq(lambda at: lost(at) - allowed, inside, outside, xtol=1e-7))
        outside += stride
    return float(np.copysign(np.inf, stride))


def _sizes(values: ArrayLike) -> np.ndarray:
    array = np.asarray(values, dtype=float).ravel()
    finite(array[~np.isnan(array)] if (~np.isnan(array)).any() else [0.0], "sizes")
    return np.where(array > 0, array, np.nan)
