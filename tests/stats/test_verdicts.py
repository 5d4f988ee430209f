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
from perfstudies.stats.verdicts import apart, judge, region_test, summary_p


def finding(low: float, high: float, name: str = "S1", **said: str) -> Finding:
    return Finding("step", name, "T1", "claim", "rule", "published", low, high, "ratio", **said)


def judged(cases):
    """Judge triples of a finding, its values and its scale."""
    cases = list(cases)
    findings = [dataclasses.replace(one, scale=scale) for one, _, scale in cases]
    return judge(findings, {one.id: values for one, values, _ in cases})


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


def test_equal_values_are_a_sign_test_over_runs_and_need_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for scale in ("identity", "log", "percent"):
            for value, inside in ((2, True), (1, True), (3, True), (3.001, False), (0.5, False)):
                result = region_test([value] * 4, 1, 3, scale)
                agree = stats.binomtest(4, 4, 0.5, alternative="greater").pvalue
                assert agree == 0.0625
                assert (result.p_inside, result.p_outside) == ((agree, 1) if inside else (1, agree))
                assert result.low == result.high == result.estimate == pytest.approx(value)
                assert result.note == "no spread: exact binomial test over 4 runs"
    assert region_test(VALUES, 0.6, 0.71).note == ""


@pytest.mark.parametrize(("runs", "outcome"), [(3, "inconclusive"), (5, "inconclusive"), (6, "reproduced")])
def test_three_runs_that_agree_decide_nothing(runs, outcome):
    # Two tests a finding: 5 % are reached by six runs, 2 / 64, and not by five.
    assert judge([finding(0, 0)], {"S1": [0] * runs})[0].outcome == outcome
    assert judge([finding(1, np.inf)], {"S1": [0] * runs})[0].outcome == outcome.replace("rep", "not rep")


def test_what_differs_by_rounding_alone_has_no_spread_and_lies_on_the_border():
    for scale in ("identity", "log"):
        result = region_test([0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2], 0.1, 0.3, scale)
        assert (result.p_inside, result.p_outside) == (0.0625, 1)
    assert region_test([1 + 2e-16, 1, 1], 0.5, 1, "log").p_inside == 0.125


def test_shares_in_percent_are_cut_at_what_can_be_and_so_are_regions():
    shares = [0, 0, 0, 0, 0, 0.5]
    result = region_test(shares, -np.inf, 0.01, "percent")
    plain = region_test(shares, -np.inf, 0.01)
    assert plain.low < 0 == result.low and result.high == pytest.approx(plain.high)
    assert (result.p_inside, result.p_outside) == (plain.p_inside, plain.p_outside)
    # No mean passes 100, so that as the end of a region it is no border.
    high = [97, 99, 100, 99.5]
    assert region_test(high, 90, 100, "percent").p_inside == region_test(high, 90, np.inf).p_inside
    assert region_test(high, 90, 100, "percent").high == 100
    assert region_test(high, 90, 100).p_inside > region_test(high, 90, 100, "percent").p_inside


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 100), min_size=2, max_size=12))
def test_intervals_in_percent_hold_the_mean_and_stay_where_shares_can_be(values):
    result = region_test(values, 50, 100, "percent")
    assert -1e-9 <= result.low <= result.estimate + 1e-9 and result.estimate - 1e-9 <= result.high <= 100 + 1e-9


@pytest.mark.parametrize("bad", [1, 6, 11])
def test_counts_of_runs_are_judged_exactly_in_both_directions(bad):
    values = [1] * bad + [0] * (12 - bad)
    result = region_test(values, -np.inf, 25, "runs")
    assert result.p_inside == pytest.approx(stats.binomtest(bad, 12, 0.25, alternative="less").pvalue)
    assert result.p_outside == pytest.approx(stats.binomtest(bad, 12, 0.25, alternative="greater").pvalue)
    exact = stats.binomtest(bad, 12).proportion_ci(0.95, "exact")
    assert (result.low, result.high) == pytest.approx((100 * exact.low, 100 * exact.high))
    assert result.estimate == pytest.approx(100 * bad / 12)
    assert result.note == f"in {bad} of 12 runs: exact binomial test"
    # Counted by the other runs it is the same.
    mirrored = region_test([1 - value for value in values], 75, np.inf, "runs")
    assert (mirrored.p_inside, mirrored.p_outside) == pytest.approx((result.p_inside, result.p_outside))
    between = region_test(values, 25, 50, "runs")
    above = [stats.binomtest(bad, 12, share, alternative="greater").pvalue for share in (0.25, 0.5)]
    below = [stats.binomtest(bad, 12, share, alternative="less").pvalue for share in (0.25, 0.5)]
    assert between.p_inside == pytest.approx(max(above[0], below[1]))
    assert between.p_outside == pytest.approx(min(1, 2 * min(below[0], above[1])))


def test_never_is_refuted_by_one_run_and_proved_by_none_but_rarely_can_be_shown():
    one, none = (region_test([1] * bad + [0] * (30 - bad), 0, 0, "runs") for bad in (1, 0))
    assert (one.p_inside, one.p_outside) == (1, 0)
    assert (none.p_inside, none.p_outside) == (1, 1)
    always, once_not = (region_test([1] * (12 - bad) + [0] * bad, 100, 100, "runs") for bad in (0, 1))
    assert (always.p_inside, always.p_outside) == (1, 1) and (once_not.p_inside, once_not.p_outside) == (1, 0)
    rarely = region_test([0] * 30, 0, 10, "runs")
    assert rarely.p_inside == pytest.approx(0.9**30)
    assert region_test([True], 0, 0, "runs").p_outside == 0


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_on_the_border_exact_tests_keep_their_level(share):
    """All that can come out, by its probability: no more than 5 % of it is a wrong verdict, of either kind."""
    chances = stats.binom.pmf(range(21), 20, share)
    tests = [region_test([1] * bad + [0] * (20 - bad), 0, 100 * share, "runs") for bad in range(21)]
    assert sum(chances[i] for i, test in enumerate(tests) if test.p_inside <= 0.05) <= 0.05
    assert 0 < sum(chances[i] for i, test in enumerate(tests) if test.p_outside <= 0.05) <= 0.05


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 1), min_size=1, max_size=12),
    st.sampled_from(["identity", "log", "percent", "runs"]),
    st.floats(0.2, 0.9),
)
def test_other_regions_are_tested_from_what_a_verdict_keeps(values, scale, low):
    measured = values if scale == "runs" else [1 + value for value in values]
    kept = region_test(measured, 0.1, 3, scale)
    again = summary_p(kept.mean, kept.error, kept.runs, low, 1.5, scale)
    expected = region_test(measured, low, 1.5, scale)
    assert again == pytest.approx((expected.p_inside, expected.p_outside))


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
def test_equal_settings_are_rarely_called_different(region, runs, many_studies):
    """A against A: five ratios of settings that do not differ, 400 times."""
    rng = np.random.default_rng(20)
    wrong = 0
    for _ in range(400):
        ratios = np.exp(rng.normal(0, 0.03, (5, runs)) - rng.normal(0, 0.03, (5, runs)))
        verdicts = judged([(finding(*region, str(i)), row, "log") for i, row in enumerate(ratios)])
        wrong += any(verdict.outcome == "not reproduced" for verdict in verdicts)
    assert wrong <= MOST


@pytest.mark.parametrize("spread", [0.005, 0.03, 0.3])
def test_on_the_border_either_verdict_is_rare(spread, many_studies):
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
        ([1, np.nan], 0, 1, "identity", "number 1 of 2 is nan"),
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
