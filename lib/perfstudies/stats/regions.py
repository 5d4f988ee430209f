"""Tests of a region: does the mean of runs lie inside of it, outside, or can neither be said?

Two opposite null hypotheses are tested: that the mean lies outside the region, and that it lies inside. Absence of
evidence thus speaks for neither.

Values that all are the same have no spread to test with: of n runs that agree a sign test is what is left, exact, on
the run and not on the mean. Its p is never below one half to the n-th, so that three equal runs decide nothing. Where a
value is 1 or 0, as something happened in the run or did not, the tests are exact binomial ones on the share of runs: of
what is said never to happen one run is enough, and no number of clean ones proves it; "in at most so many of a hundred"
can be shown either way.

Sources: Schuirmann 1987 (outside, two one-sided tests); J. L. Hodges and E. L. Lehmann, "Testing the
approximate validity of statistical hypotheses", J. Royal Statistical Society B 16, 1954 (inside); W. J. Dixon and A. M.
Mood, "The statistical sign test", J. American Statistical Association 41, 1946; C. J. Clopper and E. S. Pearson, "The
use of confidence or fiducial limits illustrated in the case of the binomial", Biometrika 26, 1934.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from perfstudies.errors import BadParameter, require_one_of
from perfstudies.experiment import SCALES
from perfstudies.stats.intervals import ROUNDING, finite, mean_interval, positive
from perfstudies.stats.proportions import exact_interval


@dataclass(frozen=True)
class RegionTest:
    """Where a mean lies with respect to a region; p values not corrected.

    Fields are as in `perfstudies.stats.verdicts.Verdict`, for which they are found.
    """

    estimate: float
    low: float
    high: float
    confidence: float
    runs: int
    p_inside: float
    p_outside: float
    mean: float
    error: float
    note: str


def region_test(
    values: ArrayLike, low: float, high: float, scale: str = "identity", confidence: float = 0.95
) -> RegionTest:
    """Test on which side of a region's border the mean of runs lies.

    Parameters
    ----------
    values : array_like, shape (runs,)
        One value per run or block, in the region's unit. May be empty: then nothing is known.
    low, high : float
        The closed region; one end may be infinite.
    scale : {"identity", "log", "percent", "runs"}
        ``log`` for ratios and times: the geometric mean is tested. ``percent`` for shares in percent: the interval is
        cut at 0 and 100, and a border there is none, as no mean can pass it. ``runs`` for values 1 or 0, as something
        happened in a run or did not: the region is one of the share of runs, in percent, the interval that of Clopper
        and Pearson, and the tests are exact binomial ones at the region's borders.
    confidence : float
        Of the interval.

    Returns
    -------
    RegionTest
        With fewer than two values both p are 1, but on the scale of runs. If all values are equal they are those of an
        exact sign test: of n runs that agree 0.5 ** n for the side on which their value lies (on the border:
        inside), and 1 for the other.

    Raises
    ------
    BadParameter
        If a value is not finite (not above 0 on the log scale, not between 0 and 100 in percent, neither 0 nor 1 on
        that of runs), or the region is empty, unbounded on both sides, or holds nothing or all of what the scale has.
    """
    low, high = on_scale(low, high, scale)
    if np.size(values) == 0:
        return RegionTest(np.nan, np.nan, np.nan, confidence, 0, 1.0, 1.0, np.nan, np.nan, "")
    array = finite(values)
    if scale == "runs":
        if not np.isin(array, (0, 1)).all():
            raise BadParameter("on the scale of runs a value is 1 or 0, as it happened in the run or did not")
        shown = 100 * exact_interval(int(array.sum()), array.size, confidence)
        tested, error = shown.estimate, math.nan
        note = f"in {int(array.sum())} of {array.size} runs: exact binomial test"
    else:
        if scale == "log":
            array = np.log(positive(array))
        elif scale == "percent" and (array.min() < 0 or array.max() > 100):
            raise BadParameter(f"shares lie between 0 and 100 %, not {array.min():g} to {array.max():g}")
        interval = mean_interval(array, confidence)
        shown = interval.exp() if scale == "log" else interval.clipped(0, 100) if scale == "percent" else interval
        same = np.ptp(array) <= ROUNDING * (1.0 if scale == "log" else np.abs(array).max())
        tested = interval.estimate
        error = math.nan if array.size < 2 else 0.0 if same else float(stats.sem(array))
        note = f"no spread: exact binomial test over {array.size} runs" if error == 0 else ""
    p_inside, p_outside = _p_values(tested, error, array.size, low, high, scale)
    return RegionTest(
        shown.estimate, shown.low, shown.high, confidence, array.size, p_inside, p_outside, tested, error, note
    )


def summary_p(mean: float, error: float, runs: int, low: float, high: float, scale: str) -> tuple[float, float]:
    """Return the p values of `region_test` from a verdict's mean and error on the test's scale, for another region."""
    if not runs:
        return 1.0, 1.0
    return _p_values(mean, error, runs, *on_scale(low, high, scale), scale)


def inside(values: ArrayLike, low: float, high: float, rounding: float = 0) -> np.ndarray:
    """Whether values lie in a closed region; what differs from its border by rounding alone lies on it."""
    array = np.asarray(values, dtype=float)
    on_border = np.isclose(array, low, ROUNDING, rounding) | np.isclose(array, high, ROUNDING, rounding)
    return ((low <= array) & (array <= high)) | on_border


def on_scale(low: float, high: float, scale: str) -> tuple[float, float]:
    """Return a region's borders on the scale of the test; one that no statistic can pass is infinite."""
    require_one_of("scale", scale, SCALES)
    if not low <= high or not (np.isfinite(low) or np.isfinite(high)):
        raise BadParameter(f"region [{low}, {high}]: low must not exceed high, and one must be finite")
    if scale == "log":
        if high <= 0:
            raise BadParameter(f"region [{low}, {high}] holds no value above 0, as the log scale needs")
        return (math.log(low) if low > 0 else -math.inf), math.log(high)
    if scale in ("percent", "runs"):
        if low > 100 or high < 0 or (low <= 0 and high >= 100):
            raise BadParameter(
                f"region [{low}, {high}] holds {'all shares' if low <= 0 else 'no share'} from 0 to 100 %"
            )
        return (low if low > 0 else -math.inf), (high if high < 100 else math.inf)
    return low, high


def _p_values(mean: float, error: float, runs: int, low: float, high: float, scale: str) -> tuple[float, float]:
    if scale == "runs":
        return _binomial_p(round(mean * runs / 100), runs, low, high)
    if runs < 2:
        return 1.0, 1.0
    if error == 0:
        agree = float(stats.binomtest(runs, runs, 0.5, alternative="greater").pvalue)
        return (agree, 1.0) if inside(mean, low, high, ROUNDING if scale == "log" else 0) else (1.0, agree)
    return _t_p(mean, error, runs - 1, low, high)


def _t_p(mean: float, error: float, freedom: int, low: float, high: float) -> tuple[float, float]:
    above_low, below_high = (mean - low) / error, (high - mean) / error
    p_inside = max(special.stdtr(freedom, -above_low), special.stdtr(freedom, -below_high))
    # The largest p over all means inside the region belongs to the border that was passed. The second term is
    # the chance to pass the other border instead: it makes [a, a] the two-sided t test and vanishes if one
    # end is infinite.
    excess = -min(above_low, below_high)
    p_outside = special.stdtr(freedom, -excess) + special.stdtr(freedom, -excess - (high - low) / error)
    return float(p_inside), float(min(p_outside, 1.0))


def _binomial_p(count: int, runs: int, low: float, high: float) -> tuple[float, float]:
    """Test a share of runs at the borders of a region in percent; an infinite border is none."""

    def as_many(border: float) -> float:
        return float(stats.binomtest(count, runs, border / 100, alternative="greater").pvalue)

    def as_few(border: float) -> float:
        return float(stats.binomtest(count, runs, border / 100, alternative="less").pvalue)

    borders = [(as_many(low), as_few(low))] if np.isfinite(low) else []
    borders += [(as_few(high), as_many(high))] if np.isfinite(high) else []
    # Either border may have been passed: with two of them the smaller p counts twice, as in Clopper and Pearson's.
    passed = min(outside for _, outside in borders)
    return max(inside for inside, _ in borders), min(1.0, len(borders) * passed)
