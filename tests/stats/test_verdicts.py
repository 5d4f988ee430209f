"""Verdicts: their outcomes, Holm's correction, and how often they are wrong."""

import dataclasses

import numpy as np
import pytest
from scipy import stats

from perfstudies.errors import BadParameter
from perfstudies.experiment import Finding
from perfstudies.stats.regions import region_test
from perfstudies.stats.verdicts import apart, judge


def finding(low: float, high: float, name: str = "S1", **said: str) -> Finding:
    return Finding("step", name, "T1", "claim", "rule", "published", low, high, "ratio", **said)


def judged(cases):
    """Judge triples of a finding, its values and its scale."""
    cases = list(cases)
    findings = [dataclasses.replace(one, scale=scale) for one, _, scale in cases]
    return judge(findings, {one.id: values for one, values, _ in cases})


@pytest.mark.parametrize(("runs", "outcome"), [(3, "inconclusive"), (5, "inconclusive"), (6, "reproduced")])
def test_three_runs_that_agree_decide_nothing(runs, outcome):
    # Two tests a finding: 5 % are reached by six runs, 2 / 64, and not by five.
    assert judge([finding(0, 0)], {"S1": [0] * runs})[0].outcome == outcome
    assert judge([finding(1, np.inf)], {"S1": [0] * runs})[0].outcome == outcome.replace("rep", "not rep")


def test_what_is_not_tested_is_shown_and_not_corrected_for():
    values = np.random.default_rng(1).normal(0.5, 0.3, 6)
    alone = judge([finding(0, np.inf)], {"S1": values})[0]
    others = [
        finding(0, 1, "S2", untestable="the engine cannot be had"),
        finding(0, 0, "S3", kind="identity"),
        finding(0, 0, "S4", kind="identity"),
        finding(0, 0, "S5", kind="identity"),
    ]
    among = judge([finding(0, np.inf), *others], {"S1": values, "S2": values, "S3": [0, 0], "S4": [0, 1]})
    assert among[0] == alone
    assert [verdict.outcome for verdict in among[1:]] == ["not testable", "identity", "identity", "identity"]
    assert [verdict.note for verdict in among[1:]] == ["", "holds", "does not hold", ""]
    assert among[1].estimate == pytest.approx(values.mean()) and among[1].alone[0] < 0.05
    assert all(np.isnan([verdict.p_inside, verdict.p_outside]).all() for verdict in among[1:])


def test_a_run_that_has_no_value_is_left_out():
    values = [0.1, 0.2, 0.3, 0.1, 0.2, 0.25]
    assert judge([finding(0, 1)], {"S1": [np.nan, *values, np.nan]}) == judge([finding(0, 1)], {"S1": values})
    assert judge([finding(0, 1)], {"S1": [np.nan]})[0].outcome == "inconclusive"


def test_findings_without_a_published_value_are_counted_apart():
    none_given = dataclasses.replace(finding(0, 1), published="none given")
    assert apart(none_given) == "the study gives no value"
    assert apart(dataclasses.replace(none_given, apart="another container")) == "another container"
    assert apart(finding(0, 1)) == ""


def test_the_scale_of_a_finding_is_that_of_its_test():
    verdict = judge([finding(0, 50, scale="runs")], {"S1": [0] * 20})[0]
    assert (verdict.scale, verdict.p_inside) == ("runs", pytest.approx(2 * 0.5**20))


def test_the_three_outcomes_in_order():
    rng = np.random.default_rng(0)
    cases = [
        (finding(0.9, 1.1, "A"), rng.normal(1, 0.01, 10), "identity"),
        (finding(2, np.inf, "B"), rng.lognormal(0, 0.05, 10), "log"),
        (finding(0.99, 1.01, "C"), rng.normal(1, 0.5, 10), "identity"),
        (finding(0, 1, "D"), [0.5], "identity"),
        (finding(0, 1, "E"), [], "log"),
    ]
    verdicts = judged(cases)
    assert [v.finding.id for v in verdicts] == list("ABCDE")
    assert [v.outcome for v in verdicts] == ["reproduced", "not reproduced", *["inconclusive"] * 3]
    assert [v.runs for v in verdicts] == [10, 10, 10, 1, 0]
    assert (verdicts[3].estimate, verdicts[3].p_inside, verdicts[3].p_outside) == (0.5, 1, 1)
    assert np.isnan(verdicts[4].estimate)
    with pytest.raises(dataclasses.FrozenInstanceError):
        verdicts[0].outcome = "reproduced"


def test_holm_by_hand():
    rng = np.random.default_rng(9)
    cases = [(finding(0, np.inf, str(i)), rng.normal(0.8, 1, 8), "identity") for i in range(4)]
    raw = np.ravel([(t.p_inside, t.p_outside) for t in (region_test(v, f.low, f.high) for f, v, _ in cases)])
    order = np.argsort(raw)
    expected = np.empty(8)
    expected[order] = np.minimum(1, np.maximum.accumulate(raw[order] * np.arange(8, 0, -1)))
    got = np.ravel([(v.p_inside, v.p_outside) for v in judged(cases)])
    assert got == pytest.approx(expected)
    assert (expected > raw).any()


def test_missing_runs_do_not_help_the_other_findings():
    values = np.random.default_rng(1).normal(0.5, 0.3, 6)
    alone = judged([(finding(0, np.inf), values, "identity")])[0]
    among = judged([(finding(0, np.inf), values, "identity"), (finding(0, 1, "S2"), [0.5], "identity")])[0]
    assert among.p_inside == pytest.approx(2 * alone.p_inside)


# The most wrong verdicts that 400 studies may have if one in twenty is wrong: 99.9 % of the binomial.
MOST = int(stats.binom.ppf(0.999, 400, 0.05))


@pytest.mark.parametrize("region", [(1.0, 1.0), (1 / 1.02, 1.02)])
@pytest.mark.parametrize("runs", [3, 30])
def test_equal_settings_are_rarely_called_different(region, runs):
    """A against A: five ratios of settings that do not differ, 400 times."""
    rng = np.random.default_rng(20)
    wrong = 0
    for _ in range(400):
        ratios = np.exp(rng.normal(0, 0.03, (5, runs)) - rng.normal(0, 0.03, (5, runs)))
        verdicts = judged([(finding(*region, str(i)), row, "log") for i, row in enumerate(ratios)])
        wrong += any(verdict.outcome == "not reproduced" for verdict in verdicts)
    assert wrong <= MOST


@pytest.mark.parametrize("spread", [0.005, 0.03, 0.3])
def test_on_the_border_either_verdict_is_rare(spread):
    """The worst case of both null hypotheses: every mean lies on the border of its region."""
    rng = np.random.default_rng(21)
    reproduced = refuted = 0
    for _ in range(400):
        values = rng.normal(1.05, spread, (3, 5))
        verdicts = judged([(finding(0.95, 1.05, str(i)), row, "identity") for i, row in enumerate(values)])
        reproduced += any(verdict.outcome == "reproduced" for verdict in verdicts)
        refuted += any(verdict.outcome == "not reproduced" for verdict in verdicts)
    assert reproduced <= MOST and refuted <= MOST


def test_enough_runs_decide():
    rng = np.random.default_rng(22)
    cases = [(finding(10, 20, str(ratio)), rng.lognormal(np.log(ratio), 0.05, 30), "log") for ratio in (13.3, 1.1)]
    assert [verdict.outcome for verdict in judged(cases)] == ["reproduced", "not reproduced"]


@pytest.mark.parametrize(
    ("values", "low", "high", "scale", "message"),
    [
        ([1, np.inf], 0, 1, "identity", "number 1 of 2 is inf"),
        ([1, np.inf], 0, 1, "log", "number 1 of 2 is inf"),
        ([1, 0], 0, 1, "log", "logarithm"),
        ([1, 2], 2, 1, "identity", "must not exceed"),
        ([1, 2], np.nan, 1, "identity", "must not exceed"),
        ([1, 2], -np.inf, np.inf, "identity", "one must be finite"),
        ([1, 2], -2, 0, "log", "holds no value above 0"),
        ([1, 2], 0, 1, "logarithmic", "is not known"),
        ([1, 101], 0, 1, "percent", "between 0 and 100 %, not 1 to 101"),
        ([1, 2], 0, 100, "percent", "holds all shares"),
        ([1, 2], 101, 200, "percent", "holds no share"),
        ([0, 0.5], 0, 1, "runs", "a value is 1 or 0"),
    ],
)
def test_bad_input_is_named_with_the_finding(values, low, high, scale, message):
    with pytest.raises(BadParameter, match=f"finding S1.*{message}"):
        judged([(finding(low, high), values, scale)])


def test_no_findings_no_verdicts():
    assert judge([], {}) == []
