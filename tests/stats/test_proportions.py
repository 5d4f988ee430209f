import numpy as np
import pytest
from scipy import stats

from perfstudies.errors import BadParameter
from perfstudies.stats.proportions import compare_proportions, exact_interval, proportion_interval


def test_wilson_s_interval_is_that_of_the_closed_formula():
    found = proportion_interval(0.2, 50)
    z = 1.959964
    centre, half = 0.2 + z**2 / 100, z * np.sqrt(0.2 * 0.8 / 50 + z**2 / 4 / 50**2)
    assert (found.low, found.high) == pytest.approx(
        ((centre - half) / (1 + z**2 / 50), (centre + half) / (1 + z**2 / 50))
    )
    assert (found.estimate, found.n) == (0.2, 50)


def test_no_failure_leaves_an_upper_bound():
    found = proportion_interval(0.0, 1000)
    assert found.low == pytest.approx(0, abs=1e-12)
    assert 0 < found.high < 0.004


@pytest.mark.parametrize(("count", "runs"), [(0, 12), (1, 30), (5, 8), (12, 12)])
def test_the_exact_interval_is_clopper_and_pearson_s(count, runs):
    found = exact_interval(count, runs, 0.9)
    expected = stats.binomtest(count, runs).proportion_ci(0.9, "exact")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert (found.estimate, found.n) == (count / runs, runs)


def test_the_share_lies_in_its_interval_even_if_none_or_all_failed():
    # Wilson's formula puts an end of these 1e-17 beside the share for half of all numbers of requests.
    found = [proportion_interval(share, requests) for requests in range(1, 200) for share in (0.0, 1.0)]
    assert all(one.low <= one.estimate <= one.high for one in found)


def test_the_rule_of_three():
    assert exact_interval(0, 100, 0.9).high == pytest.approx(0.03, rel=0.02)


@pytest.mark.parametrize(("count", "runs"), [(0, 0), (-1, 3), (4, 3)])
def test_no_runs_have_no_share(count, runs):
    with pytest.raises(BadParameter, match=f"{count} of {runs} runs"):
        exact_interval(count, runs)


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_what_is_no_confidence_is_refused(confidence):
    for interval in (proportion_interval, exact_interval):
        with pytest.raises(BadParameter, match="confidence"):
            interval(0, 10, confidence)


def test_differences_are_those_of_scipy_s_contingency_table():
    failed, sent = np.array([30, 50, 45]), np.array([200, 300, 250])
    expected = stats.chi2_contingency([failed, sent - failed], correction=False)
    found = compare_proportions(failed / sent, sent, [1, 2, 3])
    assert (found.chi2, found.p_equal) == pytest.approx((expected.statistic, expected.pvalue))


def test_the_trend_is_the_correlation_of_outcome_and_score():
    failed, sent, scores = [30, 50, 70], [200, 300, 250], [0, 1, 4]
    outcome = np.concatenate([np.repeat([1, 0], [f, n - f]) for f, n in zip(failed, sent, strict=True)])
    score = np.repeat(scores, sent)
    found = compare_proportions(np.divide(failed, sent), sent, scores)
    assert found.z == pytest.approx(np.sqrt(750) * np.corrcoef(outcome, score)[0, 1])
    assert found.p_trend < found.p_equal  # a trend is found with one degree of freedom


def test_wrong_shares_are_refused():
    with pytest.raises(BadParameter, match="percentage"):
        proportion_interval(11.04, 100)
    with pytest.raises(BadParameter, match="all 0"):
        compare_proportions([0, 0], [10, 10], [1, 2])
    with pytest.raises(BadParameter, match="equal lengths"):
        compare_proportions([0.1, 0.2], [10], [1, 2])
