"""Bootstrap intervals against Student's, and what they do where nothing varies."""

import warnings

import numpy as np
import pytest

from perfstudies.errors import BadParameter
from perfstudies.stats.bootstrap import bootstrap_interval
from perfstudies.stats.intervals import mean_interval


def bounds(interval):
    return [interval.estimate, interval.low, interval.high]


def test_bootstrap_is_seeded_and_covers():
    values = np.random.default_rng(3).lognormal(size=30)
    one = bootstrap_interval(values, np.median, 0.95, seed=5, resamples=999)
    assert one == bootstrap_interval(values, np.median, 0.95, seed=5, resamples=999)
    assert one != bootstrap_interval(values, np.median, 0.95, seed=6, resamples=999)
    assert one.estimate == np.median(values)
    assert values.min() < one.low < one.estimate < one.high < values.max()


def test_bootstrap_of_a_mean_agrees_with_student():
    values = np.random.default_rng(1).normal(100, 5, 40)
    student = bounds(mean_interval(values, 0.9))
    assert bounds(bootstrap_interval(values, np.mean, 0.9)) == pytest.approx(student, rel=3e-3)


def test_bootstrap_keeps_pairs_together():
    below = np.random.default_rng(2).lognormal(3, 2, 25)

    def ratio(a, b, axis):
        return np.sum(a, axis) / np.sum(b, axis)

    interval = bootstrap_interval((3 * below, below), ratio, resamples=499)
    assert bounds(interval) == pytest.approx([3, 3, 3])


def test_bootstrap_of_tied_values_falls_back_to_percentiles():
    values = [1.0] * 7 + [2.0, 3.0]
    interval = bootstrap_interval(values, np.median, resamples=499)
    assert bounds(interval)[:2] == [1.0, 1.0] and interval.high >= 1.0


def test_equal_values_give_a_point_without_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert bounds(bootstrap_interval([0.3] * 5)) == [0.3, 0.3, 0.3]


@pytest.mark.parametrize("values", [[1], [1, 4, 2, 3]])
def test_few_values_have_no_bounds(values):
    interval = bootstrap_interval(values)
    assert (interval.n, interval.estimate) == (len(values), np.median(values))
    assert np.isnan(interval.low) and np.isnan(interval.high)
    assert np.isfinite(bounds(bootstrap_interval([1, 4, 2, 3, 5]))).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bootstrap_interval(([1, 2], [1, 2, 3])), "equal lengths"),
        (lambda: bootstrap_interval([1, 2], confidence=95), "confidence"),
    ],
)
def test_bad_values_are_named(call, message):
    with pytest.raises(BadParameter, match=message):
        call()
