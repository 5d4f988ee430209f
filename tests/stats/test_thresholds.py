import numpy as np
import pytest

from perfstudies.errors import BadParameter
from perfstudies.stats.intervals import mean_interval
from perfstudies.stats.thresholds import censored_limit


def test_a_bracket_upside_down_is_refused():
    with pytest.raises(BadParameter, match="upper end"):
        censored_limit([200], [100])


def test_one_limit_for_all_runs_lies_between_the_largest_success_and_the_smallest_failure():
    found = censored_limit([60, 95, 80], [110, 130, 105])
    assert found.estimate == pytest.approx(np.sqrt(95 * 105))  # the middles' mean is 94.4
    assert 60 < found.low <= 95 and 105 <= found.high < 130
    assert found.n == 3


def test_many_brackets_narrow_a_common_limit_more_than_their_middles_do():
    rng = np.random.default_rng(2)
    starts = 1.5 ** rng.random(30)
    low = starts * 1.5 ** np.floor(np.log(1000 / starts) / np.log(1.5))
    censored, mean = censored_limit(low, low * 1.5), mean_interval(np.log(low * 1.5**0.5)).exp()
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
