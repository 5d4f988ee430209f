"""Tests of a region against scipy's t and binomial tests, and the level of the exact ones."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from perfstudies.stats.regions import region_test, summary_p

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
