"""Verdicts: is a study's finding reproduced, not reproduced, or is the evidence inconclusive?

A finding states a region for a statistic. The runs give one value each (or each block does), and two opposite null
hypotheses are tested (`perfstudies.stats.regions`): that the mean lies outside the region (rejected: reproduced), and
that it lies inside (rejected: not reproduced). Absence of evidence is thus never a verdict. All these tests of a study,
two for each finding, share one level of error by Holm's procedure.

A finding that cannot be tested here and an identity, which holds by construction, are shown and take no part.

Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian J. Statistics 6, 1979.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfstudies.errors import BadParameter
from perfstudies.experiment import Finding
from perfstudies.stats.holm import holm
from perfstudies.stats.regions import inside, region_test

REPRODUCED = "reproduced"
NOT_REPRODUCED = "not reproduced"
INCONCLUSIVE = "inconclusive"
NOT_TESTABLE = "not testable"
IDENTITY = "identity"
DECIDED = (REPRODUCED, NOT_REPRODUCED, INCONCLUSIVE)
"""What a test comes to; the other outcomes follow from what a finding says of itself."""

HOLDS, FAILS = "holds", "does not hold"
NO_VALUE = "none given"
"""What a finding has as published value where the study gives none."""


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
        Mean and its standard error on that scale, by which `perfstudies.stats.regions.summary_p` tests other regions.
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


def judge(findings: Iterable[Finding], values: Mapping[str, ArrayLike]) -> list[Verdict]:
    """Judge a study's findings together, with one wrong verdict or more among them in 5 %; intervals are at 95 %.

    Parameters
    ----------
    findings : iterable of Finding
        In the order of the verdicts.
    values : mapping
        From a finding's id to its statistic's values, one a run or block. What is missing is left out: a run that
        answered nothing has no value. A finding without any was not measured.

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
        measured = np.asarray(values.get(finding.id, ()), dtype=float).ravel()
        measured = measured[~np.isnan(measured)]
        try:
            test = region_test(measured, finding.low, finding.high, finding.scale)
        except BadParameter as error:
            raise BadParameter(f"finding {finding.id}: {error}") from error
        note = _holds(finding, measured) if _undecided(finding) == IDENTITY else test.note
        tests.append((finding, test, note))
    family = [(test.p_inside, test.p_outside) for finding, test, _ in tests if not _undecided(finding)]
    corrected = iter(outcomes(family))
    found = []
    for finding, test, note in tests:
        outcome = _undecided(finding)
        p_inside, p_outside, outcome = (math.nan, math.nan, outcome) if outcome else next(corrected)
        told = vars(test) | {"p_inside": p_inside, "p_outside": p_outside, "note": note, "scale": finding.scale}
        found.append(Verdict(finding, alone=(test.p_inside, test.p_outside), outcome=outcome, **told))
    return found


def share_left(found: Collection[str], level: float = 0.05) -> float:
    """Return each test's share of the level by Holm's procedure: what is left to those that did not reject.

    Parameters
    ----------
    found : collection of str
        The outcomes of all findings that are corrected for each other, each of which is tested in both directions;
        those that take no part do not count.
    level : float
        The probability of one wrong verdict or more among them all.
    """
    tested = [one for one in found if one in DECIDED]
    return level / max(len(tested) + tested.count(INCONCLUSIVE), 1)


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
    adjusted = holm(np.ravel(pairs)).reshape(-1, 2)
    return [(float(inside), float(outside), _outcome(inside, outside, level)) for inside, outside in adjusted]


def _undecided(finding: Finding) -> str:
    """Return the outcome of a finding that no test decides, or nothing."""
    return NOT_TESTABLE if finding.untestable else IDENTITY if finding.kind == "identity" else ""


def _holds(finding: Finding, values: ArrayLike) -> str:
    array = np.asarray(values, dtype=float)
    return "" if array.size == 0 else HOLDS if inside(array, finding.low, finding.high).all() else FAILS


def _outcome(p_inside: float, p_outside: float, level: float) -> str:
    if p_inside <= level:
        return REPRODUCED
    return NOT_REPRODUCED if p_outside <= level else INCONCLUSIVE
