import numpy as np
import pytest

from perfstudies.errors import BadParameter
from perfstudies.stats.thresholds import middles, threshold


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
