import numpy as np
import pytest
from scipy import signal

from perfstudies.errors import BadParameter
from perfstudies.stats.batch_means import BATCHES, batch_means
from perfstudies.stats.intervals import mean_interval


def test_the_mean_is_that_of_all_requests():
    found = batch_means([1.0, 3.0], [3, 1])
    assert found.estimate == pytest.approx(1.5) and found.n == 2
    assert found.low < 1.5 < found.high


def test_equal_windows_make_batches_of_the_same_length():
    values = np.arange(100.0)
    found = batch_means(values, np.ones(100))
    by_hand = mean_interval(values.reshape(BATCHES, -1).mean(axis=1))
    assert (found.low, found.high, found.n) == (pytest.approx(by_hand.low), pytest.approx(by_hand.high), BATCHES)


def test_windows_without_a_request_are_left_out():
    assert batch_means([1.0, np.nan, 2.0], [1, 0, 1]).estimate == pytest.approx(1.5)


def test_requests_that_hang_together_are_covered_better_than_by_their_own_spread():
    # An autoregressive series of mean 0: its requests' own spread understates how uncertain their mean is.
    rng, hits, naive = np.random.default_rng(1), 0, 0
    for _ in range(200):
        values = signal.lfilter([1], [1, -0.8], rng.normal(size=2200))[200:]
        batches, requests = batch_means(values, np.ones(2000)), mean_interval(values)
        hits += batches.low <= 0 <= batches.high
        naive += requests.low <= 0 <= requests.high
    assert hits >= 180 and naive <= 150


@pytest.mark.parametrize(("means", "counts", "said"), [([1.0], [1, 2], "1 means but 2"), ([], [], "no request")])
def test_what_makes_no_sense_is_refused(means, counts, said):
    with pytest.raises(BadParameter, match=said):
        batch_means(means, counts)
