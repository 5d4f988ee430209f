"""Verdicts: is a study's finding reproduced, not reproduced, or is the evidence inconclusive?

A finding states a region for a statistic. The runs give one value each (or each block does), and two
opposite null hypotheses are tested: that the mean lies outside the region (rejected: reproduced), and
that it lies inside (rejected: not reproduced). Absence of evidence is thus never a verdict. All
these tests of a study, two for each finding, share one level of error by Holm's procedure.

Values that all are the same have no spread to test with: of n runs that agree a sign test is what is left, exact, on
the run and not on the mean. Its p is never below one half to the n-th, so that three equal runs decide nothing. Where a
value is 1 or 0, as something happened in the run or did not, the tests are exact binomial ones on the share of runs: of
what is said never to happen one run is enough, and no number of clean ones proves it; "in at most so many of a hundred"
can be shown either way.

A finding that cannot be tested here and an identity, which holds by construction, are shown and take no part.

Sources: Schuirmann 1987 (outside, two one-sided tests); J. L. Hodges and E. L. Lehmann, "Testing the
approximate validity of statistical hypotheses", J. Royal Statistical Society B 16, 1954 (inside); S. Holm,
"A simple sequentially rejective multiple test procedure", Scandinavian J. Statistics 6, 1979; W. J. Dixon and A. M.
Mood, "The statistical sign test", J. American Statistical Association 41, 1946; C. J. Clopper and E. S. Pearson, "The
use of confidence or fiducial limits illustrated in the case of the binomial", Biometrika 26, 1934.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats
from statsmodels.stats.multitest import multipletests

from perfstudies.errors import BadParameter
from perfstudies.stats.interval import Interval
from perfstudies.stats.intervals import finite, mean_interval, positive, share_interval, standard_error
from perfstudies.stats.proportions import exact_interval

if TYPE_CHECKING:
    from perfstudies.experiment import Finding

REPRODUCED = "reproduced"
NOT_REPRODUCED = "not reproduced"
INCONCLUSIVE = "inconclusive"
NOT_TESTABLE = "not testable"
IDENTITY = "identity"
DECIDED = (REPRODUCED, NOT_REPRODUCED, INCONCLUSIVE)
"""What a test comes to; the other outcomes follow from what a finding says of itself."""

SCALES = ("identity", "log", "percent", "runs")
HOLDS, FAILS = "holds", "does not hold"
NO_VALUE = "none given"
"""What a finding has as published value where the study gives none."""

_ROUNDING = 1e-12


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
    mean: float
    error: float
    note: str


@dataclass(frozen=True)
class Verdict:
    """What the runs say about a finding.

    Attributes
    ----------
    finding : Finding
        The claim and its region.
    estimate, low, high : float
        The mean (geometric if tested on the log scale; the share of runs in percent on the scale of runs) and its
        interval, in the finding's unit.
    confidence : float
        Of that interval, which is not corrected for the number of findings.
    runs : int
        How many values it rests on.
    p_inside, p_outside : float
        Corrected by Holm. A small `p_inside` says the mean is inside the region, a small `p_outside` that
        it is not. Missing if the finding takes no part in the correction.
    alone : (float, float)
        The same two before the correction, for one over more findings than these (`outcomes`).
    outcome : str
        ``reproduced``, ``not reproduced`` or ``inconclusive``; ``not testable`` if the finding says so, or
        ``identity``.
    note : str
        How it was tested, if not by Student's t; of an identity whether it holds.
    scale : str
        Of the test, as of `region_test`.
    mean, error : float
        Mean and its standard error on that scale, by which other regions can be tested (`summary_p`).
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
    note: str = ""
    scale: str = "identity"
    mean: float = math.nan
    error: float = math.nan


def apart(finding: Finding) -> str:
    """Return why a finding is not counted with the study's own claims, or nothing: it says so, or has no published
    value."""
    return finding.apart or ("the study gives no value" if finding.published == NO_VALUE else "")


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
    low, high = _on_scale(low, high, scale)
    if np.size(values) == 0:
        return RegionTest(np.nan, np.nan, np.nan, confidence, 0, 1.0, 1.0, np.nan, np.nan, "")
    array = finite(values)
    if scale == "runs":
        if not np.isin(array, (0, 1)).all():
            raise BadParameter("on the scale of runs a value is 1 or 0, as it happened in the run or did not")
        share = exact_interval(int(array.sum()), array.size, confidence)
        shown = Interval(100 * share.estimate, 100 * share.low, 100 * share.high, confidence, array.size)
        tested, error = shown.estimate, math.nan
        note = f"in {int(array.sum())} of {array.size} runs: exact binomial test"
    else:
        if scale == "log":
            array = np.log(positive(array))
        elif scale == "percent" and (array.min() < 0 or array.max() > 100):
            raise BadParameter(f"shares lie between 0 and 100 %, not {array.min():g} to {array.max():g}")
        interval = mean_interval(array, confidence)
        shown = interval.exp() if scale == "log" else interval
        if scale == "percent":
            cut = share_interval(array / 100, confidence)
            shown = Interval(interval.estimate, 100 * cut.low, 100 * cut.high, confidence, cut.n)
        same = np.ptp(array) <= _ROUNDING * (1.0 if scale == "log" else np.abs(array).max())
        tested = interval.estimate
        error = math.nan if array.size < 2 else 0.0 if same else standard_error(array)
        note = f"no spread: exact binomial test over {array.size} runs" if error == 0 else ""
    p_inside, p_outside = _p_values(tested, error, array.size, low, high, scale)
    return RegionTest(
        shown.estimate, shown.low, shown.high, confidence, array.size, p_inside, p_outside, tested, error, note
    )


def summary_p(
    mean: float, error: float, runs: int, low: float, high: float, scale: str = "identity"
) -> tuple[float, float]:
    """Test a region as `region_test` does, from what is known of the values: for other regions of stored verdicts.

    Parameters
    ----------
    mean, error : float
        As in `Verdict`: on the scale of the test.
    runs : int
        How many values.
    low, high : float
        The region, in the finding's unit.
    scale : str
        As of `region_test`.

    Returns
    -------
    (float, float)
        P values of being inside and of being outside, each alone.
    """
    if not runs:
        return 1.0, 1.0
    return _p_values(mean, error, runs, *_on_scale(low, high, scale), scale)


def judge(
    findings: Iterable[Finding],
    values: Mapping[str, ArrayLike],
    level: float = 0.05,
    confidence: float = 0.95,
) -> list[Verdict]:
    """Judge a study's findings together.

    Parameters
    ----------
    findings : iterable of Finding
        In the order of the verdicts.
    values : mapping
        From a finding's id to its statistic's values, one a run or block; a finding without any was not measured.
    level : float
        The probability of one wrong verdict or more in the whole list.
    confidence : float
        Of the intervals shown.

    Returns
    -------
    list of Verdict
        In the order of `findings`. A finding with fewer than two values is inconclusive, and still counts
        in the correction: leaving it out would reward failed runs. One that cannot be tested and an identity do not.

    Raises
    ------
    BadParameter
        As `region_test`, with the finding's id in front; or if values belong to none of these findings.
    """
    findings = list(findings)
    known = [finding.id for finding in findings]
    if strange := set(values) - set(known):
        raise BadParameter(f"values of {', '.join(sorted(strange))}, which is none of the findings {', '.join(known)}")
    tests = []
    for finding in findings:
        measured = values.get(finding.id, ())
        try:
            test = region_test(measured, finding.low, finding.high, finding.scale, confidence)
        except BadParameter as error:
            raise BadParameter(f"finding {finding.id}: {error}") from error
        note = _holds(finding, measured) if _undecided(finding) == IDENTITY else test.note
        tests.append((finding, test, note))
    family = [(test.p_inside, test.p_outside) for finding, test, _ in tests if not _undecided(finding)]
    corrected = iter(outcomes(family, level))
    found = []
    for finding, test, note in tests:
        outcome = _undecided(finding)
        p_inside, p_outside, outcome = (math.nan, math.nan, outcome) if outcome else next(corrected)
        found.append(
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
                note,
                finding.scale,
                test.mean,
                test.error,
            )
        )
    return found


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


def _undecided(finding: Finding) -> str:
    """Return the outcome of a finding that no test decides, or nothing."""
    return NOT_TESTABLE if finding.untestable else IDENTITY if finding.kind == "identity" else ""


def _holds(finding: Finding, values: ArrayLike) -> str:
    array = np.asarray(values, dtype=float)
    return "" if array.size == 0 else HOLDS if _inside(array, finding.low, finding.high).all() else FAILS


def _inside(values: ArrayLike, low: float, high: float, rounding: float = 0) -> np.ndarray:
    """Whether values lie in a closed region; what differs from its border by rounding alone lies on it."""
    array = np.asarray(values, dtype=float)
    on_border = np.isclose(array, low, _ROUNDING, rounding) | np.isclose(array, high, _ROUNDING, rounding)
    return ((low <= array) & (array <= high)) | on_border


def _on_scale(low: float, high: float, scale: str) -> tuple[float, float]:
    """Return a region's borders on the scale of the test; one that no statistic can pass is infinite."""
    if scale not in SCALES:
        raise BadParameter.choice("scale", scale, SCALES)
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
        return (agree, 1.0) if _inside(mean, low, high, _ROUNDING if scale == "log" else 0) else (1.0, agree)
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


def _outcome(p_inside: float, p_outside: float, level: float) -> str:
    if p_inside <= level:
        return REPRODUCED
    return NOT_REPRODUCED if p_outside <= level else INCONCLUSIVE
