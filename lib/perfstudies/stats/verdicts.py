"""Verdicts: is a study's finding reproduced, not reproduced, or is the evidence inconclusive?

A finding states a region for a statistic. The runs give one value each (or each block does), and two
opposite null hypotheses are tested: that the mean lies outside the region (rejected: reproduced), and
that it lies inside (rejected: not reproduced). Absence of evidence is thus never a verdict. All
these tests of a study, two for each finding, share one level of error by Holm's procedure.

Sources: Schuirmann 1987 (outside, two one-sided tests); J. L. Hodges and E. L. Lehmann, "Testing the
approximate validity of statistical hypotheses", J. Royal Statistical Society B 16, 1954 (inside); S. Holm,
"A simple sequentially rejective multiple test procedure", Scandinavian J. Statistics 6, 1979.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from statsmodels.stats.multitest import multipletests

from perfstudies.errors import BadParameter
from perfstudies.stats.intervals import finite, mean_interval, positive, standard_error

if TYPE_CHECKING:
    from perfstudies.experiment import Finding

REPRODUCED = "reproduced"
NOT_REPRODUCED = "not reproduced"
INCONCLUSIVE = "inconclusive"
SCALES = ("identity", "log")


@dataclass(frozen=True)
class RegionTest:
    """Where a mean lies with respect to a region; fields as in `Verdict`, p values not corrected."""

    estimate: float
    low: float
    high: float
    confidence: float
    runs: int
    p_inside: float
    p_outside: float


@dataclass(frozen=True)
class Verdict:
    """What the runs say about a finding.

    Attributes
    ----------
    finding : Finding
        The claim and its region.
    estimate, low, high : float
        The mean (geometric if tested on the log scale) and its interval, in the finding's unit.
    confidence : float
        Of that interval, which is not corrected for the number of findings.
    runs : int
        How many values it rests on.
    p_inside, p_outside : float
        Corrected by Holm. A small `p_inside` says the mean is inside the region, a small `p_outside` that
        it is not.
    alone : (float, float)
        The same two before the correction, for one over more findings than these (`outcomes`).
    outcome : str
        ``reproduced``, ``not reproduced`` or ``inconclusive``.
    """

    finding: Finding
    estimate: float
    low: float
    high: float
    confidence: float
    runs: int
    p_inside: float
    p_outside: float
    alone: tuple[float, float]
    outcome: str


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
    scale : {"identity", "log"}
        ``log`` for ratios and times: the geometric mean is tested.
    confidence : float
        Of the interval.

    Returns
    -------
    RegionTest
        With fewer than two values both p are 1. If all values are equal both p are 0 or 1, as
        the value is inside or not; a value on the border is inside. So are they if the region is [0, 0] and the values
        are counts, whole numbers from 0 up: of what must never be counted, one is enough.

    Raises
    ------
    BadParameter
        If a value is not finite (or not above 0 on the log scale), or the region is empty, unbounded
        on both sides, or (log scale) ends at or below 0.
    """
    if scale not in SCALES:
        raise BadParameter.choice("scale", scale, SCALES)
    if not low <= high or not (np.isfinite(low) or np.isfinite(high)):
        raise BadParameter(f"region [{low}, {high}]: low must not exceed high, and one must be finite")
    runs = np.size(values)
    if runs == 0:
        return RegionTest(np.nan, np.nan, np.nan, confidence, 0, 1.0, 1.0)
    inverse: Callable[[float], float] = float
    array = finite(values)
    if scale == "log":
        if high <= 0:
            raise BadParameter(f"region [{low}, {high}] holds no value above 0, as the log scale needs")
        array, inverse = np.log(positive(values)), np.exp
        low, high = (float(np.log(end)) if end > 0 else -np.inf for end in (low, high))
    interval = mean_interval(array, confidence)
    if runs == 1:
        p_inside = p_outside = 1.0
    elif np.ptp(array) == 0:
        p_outside = float(low <= array[0] <= high)
        p_inside = 1.0 - p_outside
    elif low == high == 0 and _counts(array):
        # Something is said never to occur, and has been counted: no chance can bring about what cannot be.
        p_inside, p_outside = 1.0, 0.0
    else:
        p_inside, p_outside = _p_values(array, low, high)
    estimate, lower, upper = (float(inverse(x)) for x in (interval.estimate, interval.low, interval.high))
    return RegionTest(estimate, lower, upper, confidence, runs, p_inside, p_outside)


def judge(
    cases: Iterable[tuple[Finding, ArrayLike, str]], level: float = 0.05, confidence: float = 0.95
) -> list[Verdict]:
    """Judge a study's findings together.

    Parameters
    ----------
    cases : iterable of (Finding, values, scale)
        The findings with their values per run or block, and the scale to test on, as in `region_test`.
    level : float
        The probability of one wrong verdict or more in the whole list.
    confidence : float
        Of the intervals shown.

    Returns
    -------
    list of Verdict
        In the order of `cases`. A finding with fewer than two values is inconclusive, and still counts
        in the correction: leaving it out would reward failed runs.

    Raises
    ------
    BadParameter
        As `region_test`, with the finding's id in front.
    """
    tests = []
    for finding, values, scale in cases:
        try:
            tests.append((finding, region_test(values, finding.low, finding.high, scale, confidence)))
        except BadParameter as error:
            raise BadParameter(f"finding {finding.id}: {error}") from error
    return [
        Verdict(
            finding,
            test.estimate,
            test.low,
            test.high,
            test.confidence,
            test.runs,
            p_inside,
            p_outside,
            (test.p_inside, test.p_outside),
            outcome,
        )
        for (finding, test), (p_inside, p_outside, outcome) in zip(
            tests, outcomes([(test.p_inside, test.p_outside) for _, test in tests], level), strict=True
        )
    ]


def outcomes(pairs: Sequence[tuple[float, float]], level: float = 0.05) -> list[tuple[float, float, str]]:
    """Correct the tests of many findings for each other, and say what each comes to.

    Parameters
    ----------
    pairs : sequence of (float, float), shape (findings, 2)
        Each finding's p values alone: of being inside its region, and of being outside.
    level : float
        The probability of one wrong verdict or more among them all.

    Returns
    -------
    list of (float, float, str)
        Both p values corrected by Holm's procedure, and the outcome.
    """
    if not len(pairs):
        return []
    adjusted = multipletests(np.ravel(pairs), alpha=level, method="holm")[1].reshape(-1, 2)
    return [(float(inside), float(outside), _outcome(inside, outside, level)) for inside, outside in adjusted]


def _counts(array: np.ndarray) -> bool:
    return bool((array >= 0).all() and (array == np.round(array)).all())


def _p_values(array: np.ndarray, low: float, high: float) -> tuple[float, float]:
    freedom, mean, error = array.size - 1, array.mean(), standard_error(array)
    above_low, below_high = (mean - low) / error, (high - mean) / error
    p_inside = max(special.stdtr(freedom, -above_low), special.stdtr(freedom, -below_high))
    # The largest p over all means inside the region belongs to the border that was passed. The second term is
    # the chance to pass the other border instead: it makes [a, a] the two-sided t test and vanishes if one
    # end is infinite.
    excess = -min(above_low, below_high)
    p_outside = special.stdtr(freedom, -excess) + special.stdtr(freedom, -excess - (high - low) / error)
    return float(p_inside), float(min(p_outside, 1.0))


def _outcome(p_inside: float, p_outside: float, level: float) -> str:
    if p_inside <= level:
        return REPRODUCED
    return NOT_REPRODUCED if p_outside <= level else INCONCLUSIVE
