"""The steady state of synthetic runs whose truth is known."""

import warnings

import numpy as np
import pandas as pd
import pytest

from perfstudies.errors import BadParameter
from perfstudies.stats.warmup import steady, steady_state

REQUESTS = 100
AT = np.arange(REQUESTS)


def run(shape, seed: int = 0, noise: float = 0.05):
    """Searches and reservations in turn, the latter growing with their size, slowed down by `shape`."""
    rng = np.random.default_rng(seed)
    operation = np.where(AT % 2 == 0, "searchFlights", "createMultipleReservations")
    size = np.where(AT % 2 == 0, 200, rng.integers(300, 12_000, REQUESTS))
    usual = np.where(AT % 2 == 0, 20.0, 3.0 * size**0.8)
    return usual * shape * np.exp(rng.normal(0, noise, REQUESTS)), operation, size


def starts(shape, runs: int = 20, **options) -> list[int | None]:
    return [steady_state(*run(shape, seed, **options)).start for seed in range(runs)]


def test_a_change_at_request_12_is_found():
    found = starts(np.where(AT < 12, 2.0, 1.0))
    assert sum(start in (12, 13) for start in found) >= 19
    state = steady_state(*run(np.where(AT < 12, 2.0, 1.0)))
    assert state.start == 12 and state.changes == (12,) and state.reason == ""


def test_a_run_that_never_changes_is_steady_from_its_first_request():
    assert starts(np.ones(REQUESTS)).count(0) >= 19


def test_the_mix_of_requests_is_no_change():
    # Large reservations only in the second half: raw times jump, comparable ones do not.
    times, operation, size = run(np.ones(REQUESTS))
    order = np.argsort(times, kind="stable")
    assert steady_state(times[order], operation[order], size[order]).start is None
    for seed in range(5):
        rng = np.random.default_rng(seed)
        grown = np.where(AT < 50, rng.integers(300, 1500, 100), rng.integers(1500, 12_000, 100))
        size = np.where(AT % 2 == 0, 200, grown)
        times = np.where(AT % 2 == 0, 20.0, 3.0 * size**0.8) * np.exp(rng.normal(0, 0.05, 100))
        assert steady_state(times, operation, size).start == 0


def test_a_run_that_drifts_to_its_end_has_no_steady_state():
    assert set(starts(np.exp(-AT / 100))) == {None}
    slow = [steady_state(*run(np.exp(-AT / 600), seed)) for seed in range(20)]
    assert any(state.reason == "times still drift at the end" and state.start is None for state in slow)


def test_a_change_in_the_last_third_leaves_no_steady_state():
    state = steady_state(*run(np.where(AT < 80, 1.0, 1.5)))
    assert state.start is None and state.changes == (80,)
    assert "20 of 100" in state.reason


def test_the_last_third_is_enough():
    assert steady_state(*run(np.where(AT < 60, 1.5, 1.0))).start in (60, 61)


def test_a_short_disturbance_between_equal_levels_delays_the_start_and_a_small_step_does_not():
    assert steady_state(*run(np.where((AT >= 20) & (AT < 40), 1.5, 1.0))).start == 40
    small = steady_state(*run(np.where(AT < 50, 1.03, 1.0), noise=0.01))
    assert small.changes == (50,) and small.start == 0


def test_single_slow_requests_are_no_levels():
    shape = np.ones(REQUESTS)
    shape[[15, 33, 34, 61, 90]] = 6.0
    assert starts(shape, runs=10).count(0) >= 9


def test_the_first_slow_requests_are_left_out():
    assert all(start in (2, 3, 4, 5) for start in starts(np.where(AT < 2, 10.0, 1.0), runs=10))


def test_constant_series_are_steady_without_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for shape, start in ((np.ones(REQUESTS), 0), (np.where(AT < 12, 2.0, 1.0), 12)):
            state = steady_state(7.0 * shape, ["search"] * REQUESTS, np.full(REQUESTS, 200))
            assert state.start == start
        assert steady_state(*run(np.ones(REQUESTS), noise=0.0)).start == 0


def test_the_unit_of_time_does_not_matter():
    times, operation, size = run(np.where(AT < 30, 1.4, 1.0))
    assert steady_state(times / 1000, operation, size) == steady_state(times, operation, size)


def test_too_few_requests_say_nothing():
    state = steady_state([1.0] * 9, ["search"] * 9, [1] * 9)
    assert state.start is None and "fewer than 10" in state.reason


def test_samples_are_marked_run_by_run_in_order_of_time():
    frames = []
    shapes = {"warm": np.where(AT < 12, 2.0, 1.0), "drifts": np.exp(-AT / 100), "flat": np.ones(100)}
    for name, shape in shapes.items():
        times, operation, size = run(shape, seed=3)
        frames.append(
            pd.DataFrame(
                {
                    "run": name,
                    "request": AT + 5,
                    "operation": operation,
                    "outcome": "ok",
                    "request_length": size,
                    "request_ms": times,
                }
            )
        )
    samples = pd.concat(frames).sample(frac=1, random_state=0)
    before = samples.copy()
    marked, runs = steady(samples)
    pd.testing.assert_frame_equal(samples, before)
    assert marked.index.equals(samples.index) and marked["steady"].dtype == bool
    runs = runs.set_index("run")
    assert runs.loc["warm", "start"] == 17 and runs.loc["flat", "start"] == 5
    assert runs["start"].isna()["drifts"]
    expected = {"warm": set(range(17, 105)), "drifts": set(), "flat": set(range(5, 105))}
    for name, requests in expected.items():
        mine = marked[marked["run"] == name]
        assert set(mine.loc[mine["steady"], "request"]) == requests
    assert runs["requests"].tolist() == [100] * 3


def test_a_failed_request_is_a_kind_of_its_own():
    times, operation, size = run(np.ones(100), seed=1)
    outcome = np.where((AT < 20) & (AT % 2 == 1), "application exception", "ok")
    times = np.where(outcome == "ok", times, times / 5)
    frame = pd.DataFrame(
        {
            "run": "a",
            "request": AT,
            "operation": operation,
            "outcome": outcome,
            "request_length": size,
            "request_ms": times,
        }
    )
    assert steady(frame)[1]["start"][0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], ["a"], [1, 2]), "lengths"),
        (([1, 0], ["a", "a"], [1, 2]), "request_ms: number 1"),
        (([1, 2], ["a", "a"], [1, -2]), "size"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(BadParameter, match=message):
        steady_state(*arguments)
