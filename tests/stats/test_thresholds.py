import numpy as np
import pytest

from perfstudies.errors import BadParameter
from perfstudies.stats.thresholds import censored_limit, middles, threshold


def test_the_middle_of_a_bracket_is_geometric():
    assert middles([100, 50], [400, 200]).tolist() == pytest.approx([200, 100])


def test_the_limit_is_the_geometric_mean_and_student_s_interval():
    found = threshold([100, 50], [400, 200])
    assert found.size.estimate == pytest.approx(np.sqrt(20_000))
    assert np.log(found.size.high / found.size.estimate) == pytest.approx(12.706 * np.log(2) / 2, rel=1e-4)
    assert (found.common, found.open_runs) == ((100, 200), 0)


def test_random_starts_make_the_estimate_unbiased_and_its_interval_right():
    # The true limit is 1000; steps of 1.5 from a start that is uniform over one step on the log scale.
    rng = np.random.default_rng(1)
    held, estimates = 0, []
    for _ in range(400):
        starts = 1.5 ** rng.random(30)
        steps = np.floor(np.log(1000 / starts) / np.log(1.5))
        low = starts * 1.5**steps
        found = threshold(low, low * 1.5).size
        estimates.append(np.log(found.estimate))
        held += found.low <= 1000 <= found.high
    # The mean of 400 estimates has a standard error of 0.117 / sqrt(30 * 400) = 0.0011 on the log scale.
    assert np.mean(estimates) == pytest.approx(np.log(1000), abs=0.004)
    assert 0.92 < held / 400 < 0.98


def test_runs_without_a_bracket_are_counted_and_left_out():
    found = threshold([100, 100, np.nan, 0], [400, np.nan, 10, 10])
    assert (found.size.estimate, found.size.n, found.open_runs) == (pytest.approx(200), 1, 3)


def test_without_any_bracket_there_is_no_limit():
    found = threshold([np.nan], [np.nan])
    assert np.isnan(found.size.estimate) and found.open_runs == 1


def test_a_bracket_upside_down_is_refused():
    with pytest.raises(BadParameter, match="upper end"):
        middles([200], [100])


def test_one_limit_for_all_runs_lies_between_the_largest_success_and_the_smallest_failure():
    found = censored_limit([60, 95, 80], [110, 130, 105])
    assert found.estimate == pytest.approx(np.sqrt(95 * 105))  # the middles' mean is 94.4
    assert 60 < found.low <= 95 and 105 <= found.high < 130
    assert found.n == 3


def test_many_brackets_narrow_a_common_limit_more_than_their_middles_do():
    rng = np.random.default_rng(2)
    starts = 1.5 ** rng.random(30)
    low = starts * 1.5 ** np.floor(np.log(1000 / starts) / np.log(1.5))
    censored, mean = censored_limit(low, low * 1.5), threshold(low, low * 1.5).size
    assert low.max() <= censored.estimate <= (low * 1.5).min()
    assert censored.high - censored.low < (mean.high - mean.low) / 1.4


def test_limits_that_differ_between_runs_are_covered_by_the_interval():
    rng = np.random.default_rng(3)
    held, estimates = 0, []
    for _ in range(60):
        limits = 1000 * np.exp(rng.normal(0, 0.2, 20))
        starts = 1.5 ** rng.random(20)
        low = starts * 1.5 ** np.floor(np.log(limits / starts) / np.log(1.5))
        found = censored_limit(low, low * 1.5)
        estimates.append(np.log(found.estimate))
        held += found.low <= 1000 <= found.high
    # The mean of 60 estimates has a standard error of some 0.05 / 8 on the log scale.
    assert np.mean(estimates) == pytest.approx(np.log(1000), abs=0.02)
    assert held / 60 >= 0.88


def test_a_run_without_a_failure_says_that_the_limit_is_larger():
    without, closed = censored_limit([100, 90, 300], [200, 180, np.nan]), censored_limit([100, 90], [200, 180])
    assert without.estimate > closed.estimate


def test_a_run_without_a_success_and_a_failure_says_nothing():
    told, also_silent = (censored_limit([60, 95, *more], [110, 130, *more]) for more in ([], [np.nan]))
    assert also_silent == told and told.n == 2


def test_where_nothing_failed_or_nothing_succeeded_there_is_no_limit():
    for found in (censored_limit([100, 90], [np.nan, np.nan]), censored_limit([np.nan], [90])):
        assert np.isnan([found.estimate, found.low, found.high]).all()
