import numpy as np
import pytest

from perfstudies.errors import BadParameter
from perfstudies.stats.occupancy import little, occupancy, occupancy_series


def test_by_hand():
    # Two at once from 2 to 4, one from 0 to 2 and from 4 to 5.
    table = occupancy_series([0, 2], [4, 5], [0, 1, 3, 5, 7])
    assert table["mean"].tolist() == [1, 1.5, 1.5, 0]
    assert table["most"].tolist() == [1, 2, 2, 0]
    assert table["arrivals"].tolist() == [1, 1, 0, 0] and table["departures"].tolist() == [0, 0, 1, 1]
    assert occupancy([0, 2], [4, 5], 0, 5) == pytest.approx(7 / 5)


def test_against_clipping_every_visit_and_counting_at_every_event():
    rng = np.random.default_rng(1)
    starts = rng.uniform(0, 100, 500).round(1)
    ends = starts + rng.exponential(5, 500).round(1)
    ends[:5] = np.inf
    edges = np.linspace(20, 90, 15)
    table = occupancy_series(starts, ends, edges)
    events = np.unique(np.r_[starts, ends])
    for row in table.itertuples():
        low, high = row[1], row[2]
        spent = (np.minimum(ends, high) - np.maximum(starts, low)).clip(0).sum()
        assert row.mean == pytest.approx(spent / (high - low))
        at = np.r_[low, events[(events > low) & (events < high)]]
        assert row.most == max(((starts <= t) & (ends > t)).sum() for t in at)


def test_little_s_law_holds_exactly_for_what_was_recorded():
    rng = np.random.default_rng(2)
    starts = rng.uniform(10, 60, 300)
    ends = starts + rng.pareto(1.5, 300)
    found = little(starts, ends, 10, ends.max() + 1)
    assert found.crossing == 0
    assert found.number == pytest.approx(found.rate * found.time, rel=1e-12)
    assert little(starts, ends, 20, 40).crossing > 0


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
    table = occupancy_series([1e15, 1e15 + 2], [1e15 + 4, 1e15 + 5], 1e15 + np.array([0, 1, 3, 5]))
    assert table["mean"].tolist() == [1, 1.5, 1.5]


def test_one_that_leaves_as_another_comes_makes_room_and_none_is_none():
    assert occupancy_series([0, 1, 2], [1, 2, 3], [0, 3])["most"].tolist() == [1]
    assert occupancy_series([], [], [0, 1])[["mean", "most"]].to_numpy().tolist() == [[0, 0]]
    assert occupancy_series([5], [9], [0, 1])["most"].tolist() == [0]


@pytest.mark.parametrize(
    ("starts", "ends", "edges", "message"),
    [
        ([0], [1, 2], [0, 1], "equal lengths"),
        ([2], [1], [0, 1], "before its start"),
        ([2], [np.nan], [0, 1], "no end"),
        ([np.nan], [1], [0, 1], "finite"),
        ([0], [1], [1, 0], "ascend"),
        ([0], [1], [1], "two"),
    ],
)
def test_impossible_visits_are_refused(starts, ends, edges, message):
    with pytest.raises(BadParameter, match=message):
        occupancy_series(starts, ends, edges)
