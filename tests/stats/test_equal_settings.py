"""Rates of false verdicts against exact counts, and Holm's correction against that of the verdicts."""

import numpy as np
import pytest
from scipy import stats

from perfstudies.errors import BadParameter
from perfstudies.stats import equal_settings
from perfstudies.stats.verdicts import INCONCLUSIVE, NOT_REPRODUCED, REPRODUCED


def test_every_assignment_is_there_once_and_the_given_one_first():
    found = equal_settings.assignments([1.0, 2.0, 4.0])
    assert found[0].tolist() == [1, 2, 4]
    assert sorted(found.sum(axis=1)) == [-7, -5, -3, -1, 1, 3, 5, 7]


@pytest.mark.parametrize("wrong", [[1.0], np.ones(11), np.ones((2, 3))])
def test_an_experiment_has_some_pairs_and_not_too_many(wrong):
    with pytest.raises(BadParameter, match="2 to 10 pairs"):
        equal_settings.assignments(wrong)


def test_p_values_without_a_margin_are_those_of_the_t_test():
    log_ratios = np.array([0.1, 0.3, -0.05, 0.2])
    found = equal_settings.p_values(log_ratios)
    for signs, (_, p_outside) in zip(equal_settings.assignments(log_ratios), found, strict=True):
        assert p_outside == pytest.approx(stats.ttest_1samp(signs, 0).pvalue)


def test_the_rate_is_the_share_of_assignments_that_a_t_test_rejects():
    # Five nearly equal differences: of 32 assignments the two with one sign throughout are rejected at 5 %.
    rates = equal_settings.verdict_rates([[1.0, 1.01, 0.99, 1.02, 0.98]])
    assert rates[NOT_REPRODUCED].tolist() == [2 / 32]
    assert rates[REPRODUCED].tolist() == [0]
    assert rates[INCONCLUSIVE].tolist() == [30 / 32]


def test_small_differences_within_a_margin_are_confirmed():
    rates = equal_settings.verdict_rates([[0.001, 0.002, -0.001, 0.003]], 0.9, 1 / 0.9)
    assert rates[REPRODUCED].tolist() == [1]


def test_the_rate_on_independent_normal_pairs_is_the_level():
    pairs = np.random.default_rng(7).normal(0, 0.1, (400, 5))
    rates = equal_settings.verdict_rates(pairs)[NOT_REPRODUCED]
    error = rates.std(ddof=1) / np.sqrt(len(rates))
    assert abs(rates.mean() - 0.05) < 4 * error


def test_a_family_has_more_false_verdicts_without_its_correction():
    pairs = np.random.default_rng(5).normal(0, 0.1, (60, 6))
    alone = equal_settings.verdict_rates(pairs)[NOT_REPRODUCED].mean()
    wrong = equal_settings.family_rate(pairs, 20, 1000, seed=1)
    assert wrong.mean() < 0.1 < 1 - (1 - alone) ** 20
    assert (wrong == equal_settings.family_rate(pairs, 20, 1000, seed=1)).all()


def test_a_family_is_no_larger_than_the_experiments():
    with pytest.raises(BadParameter, match="1 to 3 of the experiments"):
        equal_settings.family_rate(np.zeros((3, 4)) + 0.1, 4, 10, seed=1)


def test_requests_that_share_a_runs_state_are_taken_for_a_difference():
    random = np.random.default_rng(11)
    found = [
        equal_settings.pooled_p(*(random.normal(random.normal(10, 1), 1, 200) for _ in range(2))) for _ in range(200)
    ]
    assert np.mean(np.array(found) < 0.05) > 0.5
