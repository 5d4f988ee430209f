import numpy as np
import pytest
from scipy import stats

from perfstudies.errors import BadParameter
from perfstudies.stats.rayleigh import rayleigh_test


def test_events_at_one_place_of_the_period_have_direction_one():
    found = rayleigh_test(37 + 300 * np.arange(8), 300)
    assert found.length == pytest.approx(1)
    assert found.p < 0.001


def test_events_spread_evenly_have_no_direction():
    found = rayleigh_test(np.arange(0, 300, 25), 300)
    assert found.length == pytest.approx(0, abs=1e-12)
    assert found.p == pytest.approx(1)


def test_p_is_uniform_for_random_events():
    rng = np.random.default_rng(3)
    p = [rayleigh_test(rng.uniform(0, 3000, 12), 300).p for _ in range(2000)]
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_events_of_another_period_do_not_keep_to_it():
    assert rayleigh_test(200 * np.arange(30), 300).length < 0.6
    assert rayleigh_test(170 * np.arange(30), 300).p > 0.5


def test_few_events_have_no_p_and_none_has_nothing():
    assert np.isnan(rayleigh_test([1, 2, 3], 10).p)
    assert np.isnan(rayleigh_test([], 10).length)


@pytest.mark.parametrize(("times", "period"), [([1.0], 0), ([np.nan], 10)])
def test_what_makes_no_sense_is_refused(times, period):
    with pytest.raises(BadParameter):
        rayleigh_test(times, period)
