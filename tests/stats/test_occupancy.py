import numpy as np
import pytest

from perfstudies.errors import BadParameter
from perfstudies.stats.occupancy import occupancy


def test_by_hand():
    # Two at once from 2 to 4, one from 0 to 2 and from 4 to 5.
    edges = [0, 1, 3, 5, 7]
    found = [occupancy([0, 2], [4, 5], *stretch) for stretch in zip(edges[:-1], edges[1:], strict=True)]
    assert found == [1, 1.5, 1.5, 0]
    assert occupancy([0, 2], [4, 5], 0, 5) == pytest.approx(7 / 5)


def test_against_counting_at_every_event():
    rng = np.random.default_rng(1)
    starts = rng.uniform(0, 100, 500).round(1)
    ends = starts + rng.exponential(5, 500).round(1)
    ends[:5] = np.inf
    events = np.unique(np.r_[starts, ends])
    edges = np.linspace(20, 90, 15)
    for low, high in zip(edges[:-1], edges[1:], strict=True):
        at = np.r_[low, events[(events > low) & (events < high)], high]
        there = [((starts <= t) & (ends > t)).sum() for t in at[:-1]]
        assert occupancy(starts, ends, low, high) == pytest.approx(there @ np.diff(at) / (high - low))


def test_little_s_law_holds_exactly_for_what_was_recorded():
    rng = np.random.default_rng(2)
    starts = rng.uniform(10, 60, 300)
    ends = starts + rng.pareto(1.5, 300)
    length = ends.max() + 1 - 10
    rate, time = 300 / length, (ends - starts).mean()
    assert occupancy(starts, ends, 10, 10 + length) == pytest.approx(rate * time, rel=1e-12)


def test_a_queue_that_is_known():
    # M/M/1 at 70 %: 0.7 / 0.3 in the system, by Lindley's recursion.
    rng = np.random.default_rng(3)
    arrivals, service = np.cumsum(rng.exponential(1, 200_000)), rng.exponential(0.7, 200_000)
    left = np.empty_like(arrivals)
    last = 0.0
    for number in range(arrivals.size):
        last = left[number] = max(last, arrivals[number]) + service[number]
    assert occupancy(arrivals, left, 0, arrivals[-1]) == pytest.approx(0.7 / 0.3, rel=0.05)


def test_large_times_lose_no_digits():
    starts, ends = [1e15, 1e15 + 2], [1e15 + 4, 1e15 + 5]
    assert [occupancy(starts, ends, 1e15 + low, 1e15 + high) for low, high in ((0, 1), (1, 3), (3, 5))] == [1, 1.5, 1.5]


def test_none_is_none():
    assert occupancy([], [], 0, 1) == 0
    assert occupancy([5], [9], 0, 1) == 0


@pytest.mark.parametrize(
    ("starts", "ends", "stretch", "message"),
    [
        ([0], [1, 2], (0, 1), "equal lengths"),
        ([2], [1], (0, 1), "before its start"),
        ([2], [np.nan], (0, 1), "no end"),
        ([np.nan], [1], (0, 1), "finite"),
        ([0], [1], (1, 0), "no length"),
        ([0], [1], (1, 1), "no length"),
        ([0], [1], (0, np.nan), "no length"),
        ([0], [1], (0, np.inf), "no length"),
    ],
)
def test_impossible_visits_and_stretches_are_refused(starts, ends, stretch, message):
    with pytest.raises(BadParameter, match=message):
        occupancy(starts, ends, *stretch)
