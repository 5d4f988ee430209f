"""Intervals for a mean, a ratio, a share and any statistic, over runs.

Values without any spread give an interval of width zero; a single value gives an estimate with
missing bounds, because one run says nothing about the spread between runs.

Sources: Student (1908) for means; Fleming and Wallace, "How not to lie with statistics", CACM 29(3),
1986, for geometric means of ratios; Efron, "Better bootstrap confidence intervals", JASA 82, 1987.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from perfstudies.errors import BadParameter


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    Attributes
    ----------
    estimate, low, high : float
        In the statistic's unit; `low` and `high` are missing (NaN) if there is only one value.
    confidence : float
        Between 0 and 1.
    n : int
        How many values (runs or blocks) it rests on.
    """

    estimate: float
    low: float
    high: float
    confidence: float
    n: int

    def exp(self) -> Interval:
        """Return what this says of geometric means, if it was found from logarithms."""
        estimate, low, high = (float(np.exp(end)) for end in (self.estimate, self.low, self.high))
        return Interval(estimate, low, high, self.confidence, self.n)


def finite(values: ArrayLike, what: str = "values") -> np.ndarray:
    """Return values as a flat float array, or say which one is not a finite number.

    Raises
    ------
    BadParameter
        If a value is missing or infinite, or if there is none at all.
    """
    array = np.asarray(values, dtype=float).ravel()
    if array.size == 0:
        raise BadParameter(f"{what}: there are none")
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise BadParameter(f"{what}: number {bad[0]} of {array.size} is {array[bad[0]]}, not a finite number")
    return array


def positive(values: ArrayLike, what: str = "values") -> np.ndarray:
    """Return values as `finite` does, or say which one has no logarithm.

    Raises
    ------
    BadParameter
        If a value is not finite or not above zero.
    """
    array = finite(values, what)
    bad = np.flatnonzero(array <= 0)
    if bad.size:
        which = f"{what}: number {bad[0]} of {array.size} is {array[bad[0]]}"
        raise BadParameter(f"{which}; only values above 0 have a logarithm")
    return array


def mean_interval(values: ArrayLike, confidence: float = 0.95) -> Interval:
    """Student-t interval for the mean of runs.

    Parameters
    ----------
    values : array_like, shape (runs,)
        One value per run.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    Interval
        In the values' unit.

    Raises
    ------
    BadParameter
        If a value is not finite, there is none, or `confidence` is not between 0 and 1.
    """
    array = finite(values)
    _check_confidence(confidence)
    if array.size == 1:
        return Interval(float(array[0]), np.nan, np.nan, confidence, 1)
    if np.ptp(array) == 0:
        return _point(float(array[0]), confidence, array.size)
    mean = array.mean()
    margin = special.stdtrit(array.size - 1, (1 + confidence) / 2) * standard_error(array)
    return Interval(float(mean), float(mean - margin), float(mean + margin), confidence, array.size)


def ratio_interval(numerator: ArrayLike, denominator: ArrayLike, confidence: float = 0.95) -> Interval:
    """Interval for a ratio between two settings whose runs are paired by block.

    The estimate is the geometric mean of the blocks' ratios; the interval is Student's t on their
    logarithms. Swapping the two settings inverts all three numbers.

    Parameters
    ----------
    numerator, denominator : array_like, shape (blocks,)
        One value above 0 per block, in the same order of blocks and in the same unit.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    Interval
        Without unit.

    Raises
    ------
    BadParameter
        If the lengths differ or a value is not finite and above zero.
    """
    above, below = paired(positive(numerator, "numerator"), positive(denominator, "denominator"))
    return mean_interval(np.log(above / below), confidence).exp()


def share_interval(shares: ArrayLike, confidence: float = 0.95) -> Interval:
    """Student-t interval for the mean of per-run shares, cut at 0 and 1.

    The share of each run is one value: how requests vary inside a run does not enter. If every run has
    the same share (no request failed in any run, say) the interval is that point, which
    states what was seen and not that the share is exactly so.

    Parameters
    ----------
    shares : array_like, shape (runs,)
        Fractions between 0 and 1.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    Interval
        Fractions.

    Raises
    ------
    BadParameter
        If a share is not between 0 and 1.
    """
    array = finite(shares, "shares")
    if array.min() < 0 or array.max() > 1:
        span = f"{array.min()} to {array.max()}"
        raise BadParameter(f"shares lie between 0 and 1, not {span}; are they percentages?")
    whole = mean_interval(array, confidence)
    low, high = np.clip([whole.low, whole.high], 0.0, 1.0)
    return Interval(whole.estimate, float(low), float(high), confidence, whole.n)


def bootstrap_interval(
    values: ArrayLike | tuple[ArrayLike, ...],
    statistic: Callable[..., float] = np.median,
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = 9999,
) -> Interval:
    """Bootstrap interval (BCa) for a statistic of runs, such as a median or a ratio of means.

    Where the correction is undefined (leaving out any single run changes nothing, as for the
    median of heavily tied values) the plain percentile interval is given.

    Parameters
    ----------
    values : array_like, shape (runs,), or tuple of such
        One value per run. The arrays of a tuple are paired by block and resampled together.
    statistic : callable
        Takes the array, or the arrays, and returns a number.
    confidence : float
        Between 0 and 1.
    seed : int
        The same seed gives the same interval.
    resamples : int
        How often to resample.

    Returns
    -------
    Interval
        In the statistic's unit.

    Raises
    ------
    BadParameter
        If a value is not finite, lengths differ, or `confidence` is not between 0 and 1.
    """
    arrays = tuple(finite(each) for each in (values if isinstance(values, tuple) else (values,)))
    _check_confidence(confidence)
    for other in arrays[1:]:
        paired(arrays[0], other)
    n = arrays[0].size
    estimate = float(statistic(*arrays))
    if n == 1:
        return Interval(estimate, np.nan, np.nan, confidence, 1)
    if all(np.ptp(array) == 0 for array in arrays):
        return _point(estimate, confidence, n)
    leave_one_out = [float(statistic(*(np.delete(array, i) for array in arrays))) for i in range(n)]
    method: Literal["percentile", "BCa"] = "percentile" if np.ptp(leave_one_out) == 0 else "BCa"
    bounds = stats.bootstrap(
        arrays,
        statistic,
        paired=True,
        vectorized=False,
        confidence_level=confidence,
        n_resamples=resamples,
        method=method,
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Interval(estimate, float(bounds.low), float(bounds.high), confidence, n)


def standard_error(array: np.ndarray) -> float:
    """Return the standard error of a mean, from two values or more."""
    return float(array.std(ddof=1) / np.sqrt(array.size))


def paired(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return both arrays if they have the same length.

    Raises
    ------
    BadParameter
        If they do not, so that no pair is made up.
    """
    if first.size != second.size:
        raise BadParameter(f"paired values need equal lengths, not {first.size} and {second.size}")
    return first, second


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise BadParameter(f"confidence = {confidence!r} is not between 0 and 1")


def _point(value: float, confidence: float, n: int) -> Interval:
    return Interval(value, value, value, confidence, n)
