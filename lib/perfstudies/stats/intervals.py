"""Intervals for a mean, a ratio and a share, over runs; and whole frames of them.

Values without any spread give an interval of width zero; a single value gives an estimate with
missing bounds, because one run says nothing about the spread between runs.

Sources: Student (1908) for means; Fleming and Wallace, "How not to lie with statistics", CACM 29(3),
1986, for geometric means of ratios.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from pandas.api.typing import DataFrameGroupBy, SeriesGroupBy
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from perfstudies.errors import BadParameter
from perfstudies.stats.interval import Interval

ROUNDING = 1e-12
"""Logarithms that differ by no more are of equal numbers."""


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
    check_confidence(confidence)
    if array.size == 1:
        return Interval(float(array[0]), np.nan, np.nan, confidence, 1)
    if np.ptp(array) == 0:
        return point(float(array[0]), confidence, array.size)
    described = DescrStatsW(array)
    low, high = described.tconfint_mean(1 - confidence)
    return Interval(float(described.mean), float(low), float(high), confidence, array.size)


def geometric_interval(values: ArrayLike, confidence: float = 0.95) -> Interval:
    """Student-t interval for the geometric mean of runs or blocks: of ratios, and of times that differ by factors.

    Arguments, result and errors as of `mean_interval`; values must be above 0.
    """
    return mean_interval(np.log(positive(values)), confidence).exp()


def estimates(
    values: pd.DataFrame | pd.Series | DataFrameGroupBy | SeriesGroupBy,
    how: Callable[..., Interval] = mean_interval,
    confidence: float = 0.95,
) -> Any:
    """Return the interval of each column over runs, within each group if values are grouped.

    Parameters
    ----------
    values : DataFrame, Series, or one of these grouped
        A row a run or block. Missing values are left out; where all are missing, so is the estimate.
    how : callable
        Makes an `Interval` of the values of one column: `mean_interval`, `geometric_interval`, `share_interval` ...
    confidence : float
        Of each interval.

    Returns
    -------
    Interval, Series or DataFrame
        Of a Series one interval, of a DataFrame a Series with one a column, of groups a row each.

    Raises
    ------
    BadParameter
        As `how`.
    """

    def one(column: pd.Series) -> Interval:
        known = column.dropna()
        return how(known, confidence=confidence) if len(known) else Interval(np.nan, np.nan, np.nan, confidence, 0)

    if isinstance(values, pd.Series):
        return one(values)
    if isinstance(values, pd.DataFrame):
        cells = pd.Series({name: one(values[name]) for name in values.columns}, dtype=object)
        return cells.rename_axis(values.columns.names) if values.columns.nlevels > 1 else cells
    return values.agg(one)


def difference_interval(first: ArrayLike, second: ArrayLike, confidence: float = 0.95) -> Interval:
    """Welch's interval for the mean of some runs less that of others, which are not paired with them.

    Parameters
    ----------
    first, second : array_like, shape (runs,)
        One value a run; the two may differ in number and spread.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    Interval
        In the values' unit; `n` is the smaller number of runs. Without bounds if that is 1.

    Raises
    ------
    BadParameter
        If a value is not finite, or a side has none.

    Notes
    -----
    B. L. Welch, "The generalization of Student's problem when several different population variances are involved",
    Biometrika 34, 1947.
    """
    check_confidence(confidence)
    sides = [DescrStatsW(finite(values, name)) for name, values in (("first", first), ("second", second))]
    n = int(min(side.nobs for side in sides))
    estimate = float(sides[0].mean - sides[1].mean)
    if n == 1:
        return Interval(estimate, np.nan, np.nan, confidence, n)
    if all(np.ptp(side.data) == 0 for side in sides):
        return point(estimate, confidence, n)
    low, high = CompareMeans(*sides).tconfint_diff(1 - confidence, usevar="unequal")
    return Interval(estimate, float(low), float(high), confidence, n)


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
    return geometric_interval(above / below, confidence)


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
    return mean_interval(array, confidence).clipped(0, 1)


def percent_interval(percents: ArrayLike, confidence: float = 0.95) -> Interval:
    """Return what `share_interval` does for shares in per cent: cut at 0 and 100."""
    return 100 * share_interval(finite(percents, "shares in %") / 100, confidence)


def count_interval(counts: ArrayLike, confidence: float = 0.95) -> Interval:
    """Return `mean_interval` of counts, one a run, cut at 0.

    Raises
    ------
    BadParameter
        If a count is negative.
    """
    array = finite(counts, "counts")
    if array.min() < 0:
        raise BadParameter(f"counts are not negative, as {array.min():g} is")
    return mean_interval(array, confidence).clipped(0, np.inf)


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


def check_confidence(confidence: float) -> None:
    """Refuse a confidence that is none.

    Raises
    ------
    BadParameter
        If it is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise BadParameter(f"confidence = {confidence!r} is not between 0 and 1")


def point(value: float, confidence: float, n: int) -> Interval:
    """Return the interval of values without any spread: a point."""
    return Interval(value, value, value, confidence, n)
