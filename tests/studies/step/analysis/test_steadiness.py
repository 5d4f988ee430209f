"""Runs whose steady state is known are counted, in the order in which their requests were sent."""

import numpy as np

from made.recordings import call, recording
from perfstudies.studies.step.analysis import steadiness
from perfstudies.studies.step.factors import USERS

REQUESTS, WARM_UP = 60, 20


def _run(name, level, times_ms, users=1):
    """Return a run's calls: users send by turns, and number their requests each for himself."""
    return [
        call(name, 0, USERS, level, at % users, (at % users) * REQUESTS + at // users, at * 10**9, (at + 1) * 10**9)
        | {"elapsed_ms": one, "measured": at >= WARM_UP}
        for at, one in enumerate(times_ms)
    ]


def test_runs_are_steady_before_or_after_measuring_began_or_never():
    rng = np.random.default_rng(1)
    at = np.arange(REQUESTS)
    shapes = {
        "before": np.where(at < 10, 30.0, 10.0),
        "as-it-began": np.where(at < WARM_UP, 30.0, 10.0),
        "after": np.where(at < 35, 30.0, 10.0),
        "never": 30 * np.exp(-at / 30),
    }
    made = {name: shape * np.exp(rng.normal(0, 0.03, REQUESTS)) for name, shape in shapes.items()}
    calls = [one for name, times_ms in made.items() for one in _run(name, "1", times_ms)]
    calls += _run("two-users", "2", made["as-it-began"], users=2)
    runs = [{"run": name, "block": 0, USERS.name: "1"} for name in made]
    runs.append({"run": "two-users", "block": 0, USERS.name: "2"})
    counted = steadiness.of_runs(recording(USERS, calls, calls, runs)).set_index("run")[steadiness.COUNTED]
    assert counted.T.to_dict("list") == {
        "before": [1, 1, 1],
        "as-it-began": [1, 1, 1],
        "after": [1, 1, 0],
        "never": [1, 0, 0],
        "two-users": [1, 1, 1],
    }


def test_a_run_that_is_too_short_has_no_steady_state():
    calls = _run("short", "1", [10.0] * 9)
    counted = steadiness.of_runs(recording(USERS, calls, calls, [{"run": "short", "block": 0, USERS.name: "1"}]))
    assert counted[steadiness.COUNTED].iloc[0].tolist() == [1, 0, 0]


def test_a_run_of_which_nothing_is_measured_did_not_begin_in_a_steady_state():
    calls = [one | {"measured": False} for one in _run("warm-up", "1", [10.0] * REQUESTS)]
    counted = steadiness.of_runs(recording(USERS, calls, calls, [{"run": "warm-up", "block": 0, USERS.name: "1"}]))
    assert counted[steadiness.COUNTED].iloc[0].tolist() == [1, 1, 0]
