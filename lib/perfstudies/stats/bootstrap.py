"""Bootstrap intervals for any statistic of runs: a median, or a ratio of sums whose runs are paired by block.

Source: Efron, "Better bootstrap confidence intervals", JASA 82, 1987.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from perfstudies.stats.interval import Interval
from perfstudies.stats.intervals import check_confidence, finite, paired, point

FEWEST_RUNS = 5
"""With fewer there are at most 35 different resamples, whose ends are far too near."""


def bootstrap_interval(
    values: ArrayLike | tuple[ArrayLike, ...],
    statistic: Callable[..., float] = np.median,
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = 9999,
) -> Interval:
    """Bootstrap interval (BCa) for a statistic of runs, such as a median or a ratio of means.

    Where the correction is undefined (leaving out any one run changes nothing) the plain percentile interval is given.

    Parameters
    ----------
    values : array_like, shape (runs,), or tuple of such
        One value per run. The arrays of a tuple are paired by block and resampled together.
    statistic : callable
        Takes the array, or the arrays, and `axis`, as `numpy.median` does: all resamples are given to it at once.
    confidence : float
        Between 0 and 1.
    seed : int
        The same seed gives the same interval.
    resamples : int
        How often to resample.

    Returns
    -------
    Interval
        In the statistic's unit; with fewer than `FEWEST_RUNS` runs without bounds.

    Raises
    ------
    BadParameter
        If a value is not finite, lengths differ, or `confidence` is not between 0 and 1.
    """
    arrays = tuple(finite(each) for each in (values if isinstance(values, tuple) else (values,)))
    check_confidence(confidence)
    for other in arrays[1:]:
        paired(arrays[0], other)
    n = arrays[0].size
    estimate = float(statistic(*arrays, axis=-1))
    if n < FEWEST_RUNS:
        return Interval(estimate, np.nan, np.nan, confidence, n)
    if all(np.ptp(array) == 0 for array in arrays):
        return point(estimate, confidence, n)
    leave_one_out = [float(statistic(*(np.delete(array, i) for array in arrays), axis=-1)) for i in range(n)]
    method: Literal["percentile", "BCa"] = "percentile" if np.ptp(leave_one_out) == 0 else "BCa"
    bounds = stats.bootstrap(
        arrays,
        statistic,
        paired=True,
        confidence_level=confidence,
        n_resamples=resamples,
        method=method,
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Interval(estimate, float(bounds.low), float(bounds.high), confidence, n)
