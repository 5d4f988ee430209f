"""Every benchmark runs, at its smallest; what it measures is looked at by nobody here."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
# The arguments that make each small, and what it says when it has come to its end.
SMALLEST = {
    "foreign_logs": (("0.1", "2"), ("Reading is at least 0.5 times as fast",)),
    "load_clients": (("1", "--installed", "--share", "0.2"), ("rate client / wrk", "Nothing was measured: nginx")),
    "receiver_trace": (("50", "5"), ("While a receiver is at work", "Nothing was traced")),
    "recording_overhead": (("2",), ("ratio recorded / bare",)),
    "report_profile": (("notebooks/start.ipynb",), ("Seconds of notebooks at recorded runs",)),
    "thread_pool_model": (("0.02",), ("with a worker a processor",)),
    "verdict_trials": (
        ("1", "--installed", "--runs", "6", "--kept", os.devnull),
        ("perfstudies measure --compare-with",),
    ),
}
LIVE = ("receiver_trace", "recording_overhead")


def test_none_is_forgotten():
    assert {file.stem for file in BENCHMARKS.glob("*.py")} == set(SMALLEST)


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.live] * (name in LIVE)) for name in SMALLEST])
def test_it_runs_at_its_smallest(name):
    arguments, ends = SMALLEST[name]
    command = [sys.executable, str(BENCHMARKS / f"{name}.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=BENCHMARKS.parent)
    assert done.returncode == 0, done.stderr[-2000:]
    assert any(end in done.stdout for end in ends)
