"""Pairs of neighbouring runs, made from a recording whose pairs are known."""

import numpy as np
import pandas as pd
import pytest

from perfstudies.errors import BadRecording
from perfstudies.notebooks import equal_experiments
from perfstudies.runs.recording import Recording
from perfstudies.studies import EXPERIMENTS


def recording(times, outcome="ok", measured=None):
    """A recording of a factor ``users``: times of requests by (level, block)."""
    runs = pd.DataFrame([{"run": f"{level}-{block}", "block": block, "users": level} for level, block in times])
    calls = pd.concat(
        [
            pd.DataFrame({"run": f"{level}-{block}", "elapsed_ms": found, "outcome": outcome})
            for (level, block), found in times.items()
        ]
    )
    if measured is not None:
        calls["measured"] = measured
    return Recording(calls, calls, runs, (), (), (), (), {})


def test_neighbouring_blocks_of_a_setting_make_a_pair():
    a = {("a", 3): [8.0, 8.0], ("a", 0): [1.0, 3.0], ("a", 1): [4.0, 4.0]}
    b = {("b", 0): [3.0, 5.0], ("b", 1): [4.0, 4.0]}
    found = equal_experiments.pairs(recording(a | b), ["users"], "elapsed_ms")
    # a: block 0 with 1, block 3 has no neighbour; b: 0 with 1.
    assert found["setting"].tolist() == ["a", "b"]
    assert found["log_ratio"].tolist() == pytest.approx([np.log(2 / 4), np.log(4 / 4)])


def test_failed_and_warm_up_requests_do_not_count():
    times = {("a", 0): [1.0, 100.0], ("a", 1): [2.0, 50.0]}
    found = equal_experiments.pairs(recording(times, measured=[True, False] * 2), ["users"], "elapsed_ms")
    assert found["log_ratio"].tolist() == pytest.approx([np.log(1 / 2)])
    found = equal_experiments.pairs(recording(times, outcome=["ok", "system error"]), ["users"], "elapsed_ms")
    assert found["log_ratio"].tolist() == pytest.approx([np.log(1 / 2)])


def test_experiments_have_equal_size_and_the_rest_is_left_out():
    paired = pd.DataFrame({"setting": list("aaabbbb"), "log_ratio": np.arange(7.0), "pooled_p": 0.5})
    assert equal_experiments.experiments(paired, 3).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert equal_experiments.experiments(paired.iloc[:2], 3).shape == (0, 3)


def test_too_few_runs_are_said():
    with pytest.raises(BadRecording, match="too few runs"):
        equal_experiments.together({"step/users": np.empty((0, 5))})


def test_every_study_and_only_known_experiments_take_part():
    assert set(equal_experiments.RESPONSES) <= set(EXPERIMENTS)
    assert {key.partition("/")[0] for key in equal_experiments.RESPONSES} == {"step", "aaa", "esb", "corba"}
