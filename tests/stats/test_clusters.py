import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from perfstudies.errors import BadParameter
from perfstudies.stats.clusters import clustered_share, odds_trend
from perfstudies.stats.intervals import share_interval


def test_runs_of_equal_length_give_student_s_interval_of_their_shares():
    failed, sent = np.array([3, 0, 2, 5]), np.full(4, 20)
    found, expected = clustered_share(failed, sent), share_interval(failed / sent)
    assert found.clustered.estimate == pytest.approx(expected.estimate)
    assert (found.clustered.low, found.clustered.high) == pytest.approx((expected.low, expected.high))


def test_runs_that_fail_altogether_are_as_uncertain_as_single_requests():
    # Ten requests that share one fate: the design effect is their number, times 4/3 for the three degrees of freedom.
    found = clustered_share([10, 0, 10, 0], [10] * 4)
    assert found.design_effect == pytest.approx(10 * 4 / 3)
    assert found.clustered.high == 1 and found.clustered.low == 0


def test_the_binomial_interval_is_exact_enough_to_hold_the_hypothesis_that_scipy_keeps():
    found = clustered_share([7, 5], [50, 50]).binomial
    assert (found.low, found.high) == pytest.approx(
        tuple(stats.binomtest(12, 100).proportion_ci(method="wilson")), rel=1e-6
    )


def test_no_failure_is_a_point_over_runs_and_a_bound_for_requests():
    found = clustered_share([0, 0, 0], [30, 30, 30])
    assert (found.clustered.low, found.clustered.high) == (0, 0)
    assert 0.03 < found.binomial.high < 0.05
    assert np.isnan(found.design_effect)


def test_in_percent_none_and_all_have_wilson_s_interval_and_others_that_over_runs():
    none, all_of_them, some = (clustered_share(failed, [30] * 3) for failed in ([0] * 3, [30] * 3, [3, 1, 2]))
    assert none.percent == 100 * none.binomial and none.percent.high > 3
    assert all_of_them.percent == 100 * all_of_them.binomial and all_of_them.percent.low < 97
    assert some.percent == 100 * some.clustered


def test_a_single_run_has_no_interval_over_runs():
    found = clustered_share([1], [10])
    assert np.isnan(found.clustered.low) and found.binomial.high > 0.1


def test_two_levels_give_the_odds_ratio_of_their_table():
    # 10 of 40 fail at 0, 24 of 40 at 1: odds 1/3 and 3/2.
    found = odds_trend([4, 6, 11, 13], [20] * 4, [0, 0, 1, 1], [0, 1, 0, 1])
    assert found.odds.estimate == pytest.approx(4.5)
    assert found.odds.n == 2 and np.isnan([found.odds.low, found.odds.high, found.p]).all()


def test_the_trend_s_error_is_the_sandwich_by_cluster():
    failed, sent = np.array([1, 4, 6, 2, 3, 9, 0, 5, 7, 1, 2, 8, 3, 3, 6.0]), np.full(15, 20.0)
    score, block = np.tile([0, 1, 2.0], 5), np.repeat(range(5), 3)
    found = odds_trend(failed, sent, score, block)
    design = np.column_stack([np.ones(15), score])
    fit = sm.GLM(np.column_stack([failed, sent - failed]), design, family=sm.families.Binomial()).fit()
    p = fit.fittedvalues
    bread = np.linalg.inv(design.T @ (design * (sent * p * (1 - p))[:, None]))
    scores = design * (failed - sent * p)[:, None]
    sums = np.array([scores[block == one].sum(axis=0) for one in range(5)])
    correction = 5 / 4 * (15 - 1) / (15 - 2)
    error = np.sqrt((bread @ (sums.T @ sums) @ bread)[1, 1] * correction)
    assert found.odds.estimate == pytest.approx(np.exp(fit.params[1]))
    margin = np.log(found.odds.high / found.odds.estimate)
    assert margin == pytest.approx(stats.t.ppf(0.975, 4) * error, rel=1e-6)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(fit.params[1]) / error, 4), rel=1e-6)


@pytest.mark.parametrize(
    "failed", [[0, 3, 0, 4], [0, 0, 0, 0], [10, 10, 10, 10]], ids=["parted", "none failed", "all failed"]
)
def test_where_no_finite_odds_fit_there_is_no_trend(failed):
    assert np.isnan(odds_trend(failed, [10] * 4, [0, 1, 0, 1], [0, 0, 1, 1]).p)


def test_impossible_counts_are_refused():
    with pytest.raises(BadParameter, match="no more can have failed"):
        clustered_share([3], [2])
    with pytest.raises(BadParameter, match="equal lengths"):
        odds_trend([1], [2], [0, 1], [0])
