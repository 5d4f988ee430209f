"""Verdicts: exact p values, Holm's correction, and how often they are wrong."""

import dataclasses
import gc
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from perfstudies.errors import BadParameter
from perfstudies.experiment import Finding
from perfstudies.stats.verdicts import judge, region_test


def finding(low: float, high: float, name: str = "S1") -> Finding:
    return Finding("step", name, "T1", "claim", "rule", "published", low, high, "ratio")


@pytest.fixture
def many_studies():
    """Keep statsmodels' multipletests fast: it collects garbage at every call, through all that is loaded."""
    gc.freeze()
    yield
    gc.unfreeze()


VALUES = [0.68, 0.71, 0.70, 0.72, 0.69, 0.70]


def test_p_inside_is_the_larger_of_two_one_sided_tests():
    result = region_test(VALUES, 0.6, 0.71)
    low = stats.ttest_1samp(VALUES, 0.6, alternative="greater").pvalue
    high = stats.ttest_1samp(VALUES, 0.71, alternative="less").pvalue
    assert result.p_inside == pytest.approx(max(low, high))
    half = 2.5706 * np.std(VALUES, ddof=1) / np.sqrt(6)
    assert (result.low, result.high) == pytest.approx((0.7 - half, 0.7 + half), rel=1e-5)
    assert (result.estimate, result.runs) == (pytest.approx(0.7), 6)


def test_with_an_infinite_end_both_are_one_sided_t_tests():
    result = region_test(VALUES, -np.inf, 0.69)
    assert result.p_outside == pytest.approx(stats.ttest_1samp(VALUES, 0.69, alternative="greater").pvalue)
    assert result.p_inside == pytest.approx(1 - result.p_outside)
    result = region_test(VALUES, 0.71, np.inf)
    assert result.p_outside == pytest.approx(stats.ttest_1samp(VALUES, 0.71, alternative="less").pvalue)


def test_a_region_of_one_point_is_the_two_sided_t_test():
    for point in (0.68, 0.69, 0.72):
        p = stats.ttest_1samp(VALUES, point).pvalue
        assert region_test(VALUES, point, point).p_outside == pytest.approx(p)


def test_the_log_scale_tests_the_geometric_mean():
    result = region_test([1.0, 4.0, 16.0], 2, 8, scale="log")
    plain = region_test(np.log([1.0, 4.0, 16.0]), np.log(2), np.log(8))
    assert result.estimate == pytest.approx(4)
    assert (result.p_inside, result.p_outside) == (plain.p_inside, plain.p_outside)
    assert (result.low, result.high) == pytest.approx((np.exp(plain.low), np.exp(plain.high)))
    assert region_test([1.0, 4.0], 0, 8, scale="log").p_outside < 1


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.floats(0.1, 100), min_size=2, max_size=12),
    st.floats(0.1, 100),
    st.floats(1, 10),
    st.floats(0.01, 100),
)
def test_the_unit_does_not_matter(values, low, width, factor):
    values = np.array(values)
    for scale in ("identity", "log"):
        one = region_test(values, low, low * width, scale)
        other = region_test(values * factor, low * factor, low * width * factor, scale)
        if np.ptp(values) > 1e-6:
            before, after = (one.p_inside, one.p_outside), (other.p_inside, other.p_outside)
            assert after == pytest.approx(before, rel=1e-4, abs=1e-6)
        assert 0 <= one.p_inside <= 1 and 0 <= one.p_outside <= 1
        assert max(one.p_inside, one.p_outside) >= 0.5


def test_of_what_must_never_be_counted_one_is_enough():
    one, none = (region_test(values, 0, 0) for values in ([0, 0, 1, 0, 0, 0], [0] * 6))
    assert (one.p_inside, one.p_outside) == (1, 0) and (none.p_inside, none.p_outside) == (0, 1)
    # A difference may be negative, and what is not whole is no count: both are tested.
    assert 0.1 < region_test([-1, 0, 1, 1, -1, 1], 0, 0).p_outside < 1
    assert 0.1 < region_test([0, 0, 0.5, 0], 0, 0).p_outside < 1


def test_equal_values_are_decided_exactly_and_without_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for scale in ("identity", "log"):
            for value, inside in ((2, True), (1, True), (3, True), (3.001, False), (0.5, False)):
                result = region_test([value] * 4, 1, 3, scale)
                assert (result.p_inside, result.p_outside) == ((0, 1) if inside else (1, 0))
                assert result.low == result.high == result.estimate == pytest.approx(value)


def test_the_three_outcomes_in_order():
    rng = np.random.default_rng(0)
    cases = [
        (finding(0.9, 1.1, "A"), rng.normal(1, 0.01, 10), "identity"),
        (finding(2, np.inf, "B"), rng.lognormal(0, 0.05, 10), "log"),
        (finding(0.99, 1.01, "C"), rng.normal(1, 0.5, 10), "identity"),
        (finding(0, 1, "D"), [0.5], "identity"),
        (finding(0, 1, "E"), [], "log"),
    ]
    verdicts = judge(cases)
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
    got = np.ravel([(v.p_inside, v.p_outside) for v in judge(cases)])
    assert got == pytest.approx(expected)
    assert (expected > raw).any()


def test_missing_runs_do_not_help_the_other_findings():
    values = np.random.default_rng(1).normal(0.5, 0.3, 6)
    alone = judge([(finding(0, np.inf), values, "identity")])[0]
    among = judge([(finding(0, np.inf), values, "identity"), (finding(0, 1, "S2"), [0.5], "identity")])[0]
    assert among.p_inside == pytest.approx(2 * alone.p_inside)


# The most wrong verdicts that 400 studies may have if one in twenty is wrong: 99.9 % of the binomial.
MOST = int(stats.binom.ppf(0.999, 400, 0.05))


@pytest.mark.parametrize("region", [(1.0, 1.0), (1 / 1.02, 1.02)])
@pytest.mark.parametrize("runs", [3, 30])
def test_equal_settings_are_rarely_called_different(region, runs, many_studies):
    """A against A: five ratios of settings that do not differ, 400 times."""
    rng = np.random.default_rng(20)
    wrong = 0
    for _ in range(400):
        ratios = np.exp(rng.normal(0, 0.03, (5, runs)) - rng.normal(0, 0.03, (5, runs)))
        verdicts = judge([(finding(*region, str(i)), row, "log") for i, row in enumerate(ratios)])
        wrong += any(verdict.outcome == "not reproduced" for verdict in verdicts)
    assert wrong <= MOST


@pytest.mark.parametrize("spread", [0.005, 0.03, 0.3])
def test_on_the_border_either_verdict_is_rare(spread, many_studies):
    """The worst case of both null hypotheses: every mean lies on the border of its region."""
    rng = np.random.default_rng(21)
    reproduced = refuted = 0
    for _ in range(400):
        values = rng.normal(1.05, spread, (3, 5))
        verdicts = judge([(finding(0.95, 1.05, str(i)), row, "identity") for i, row in enumerate(values)])
        reproduced += any(verdict.outcome == "reproduced" for verdict in verdicts)
        refuted += any(verdict.outcome == "not reproduced" for verdict in verdicts)
    assert reproduced <= MOST and refuted <= MOST


def test_enough_runs_decide():
    rng = np.random.default_rng(22)
    cases = [(finding(10, 20), rng.lognormal(np.log(ratio), 0.05, 30), "log") for ratio in (13.3, 1.1)]
    assert [verdict.outcome for verdict in judge(cases)] == ["reproduced", "not reproduced"]


@pytest.mark.parametrize(
    ("values", "low", "high", "scale", "message"),
    [
        ([1, np.nan], 0, 1, "identity", "number 1 of 2 is nan"),
        ([1, np.inf], 0, 1, "log", "number 1 of 2 is inf"),
        ([1, 0], 0, 1, "log", "logarithm"),
        ([1, 2], 2, 1, "identity", "must not exceed"),
        ([1, 2], np.nan, 1, "identity", "must not exceed"),
        ([1, 2], -np.inf, np.inf, "identity", "one must be finite"),
        ([1, 2], -2, 0, "log", "holds no value above 0"),
        ([1, 2], 0, 1, "logarithmic", "scale"),
    ],
)
def test_bad_input_is_named_with_the_finding(values, low, high, scale, message):
    with pytest.raises(BadParameter, match=f"finding S1: .*{message}"):
        judge([(finding(low, high), values, scale)])


def test_no_findings_no_verdicts():
    assert judge([]) == []
