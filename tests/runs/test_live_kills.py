"""A lab that is killed while real servers of a study run: none is left, and the next start does the run."""

import contextlib
import os
import random
import subprocess
import sys
import time

import psutil
import pytest

from made import walked
from perfstudies.runs import store

pytestmark = pytest.mark.live

DEADLINE_S = 180
STUDIES = {
    "step": "TIME_BREAKDOWN.select(generation=['today'], database=['h2'], monitor_collections=['false'])",
    "aaa": "POOLS.select(http_threads=['100'], ejb_max=['32'])",
    "esb": "FAULTY.select(delivery=['plain'], fault=['none'])",
    "corba": "DISPATCHERS.select(dispatchers=['4'])",
}
LAB = """
import sys
from pathlib import Path
from perfstudies.runs import lab
from perfstudies.runs.plan import Plan
from perfstudies.studies.{module} import *
experiment = {experiment}
plan = Plan.of(experiment, "smoke", 1, folder=Path(sys.argv[1]))
with experiment.module(experiment.bench).bench() as procedure:
    lab.measure(plan.only([plan.runs[0].name]), procedure, show_progress=False, wait=True)
"""


@pytest.fixture
def started(tmp_path):
    """Start labs, and leave none."""
    labs = []

    def start(study):
        (tmp_path / "tmp").mkdir(exist_ok=True)
        module = f"{study}.{'reliable' if study == 'esb' else 'declared'}"
        code = LAB.format(module=module, experiment=STUDIES[study])
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(tmp_path / "tmp")}
        labs.append(psutil.Popen([sys.executable, "-c", code, str(tmp_path / "runs")], env=environment))
        return labs[-1]

    yield start
    for one in labs:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()


def _children(one):
    with contextlib.suppress(psutil.NoSuchProcess):
        return one.children(recursive=True)
    return []


def _lines(folder):
    """Return the whole lines of records in folders of runs, set aside or not."""
    found = set()
    for path in (path for path in walked.files(folder) if path.suffix == ".csv" and ".process" not in path.parts):
        with contextlib.suppress(FileNotFoundError):
            content = path.read_bytes()
            found |= set(content[: content.rfind(b"\n") + 1].splitlines())
    return found


def _serving(one, folder):
    """Return the processes of a lab that serves and records, as soon as it does."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        assert one.poll() is None, "the lab ended by itself"
        servers = [child for child in _children(one) if _name(child) == "java"]
        runs = [path for path in folder.glob("smoke-*") if path.is_dir()]
        if servers and runs and any(map(walked.size, walked.files(folder))):
            return _children(one)
        time.sleep(0.02)
    raise AssertionError("no server was started")


def _status(process):
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.status()


def _name(process):
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.name()
    return ""


@pytest.mark.parametrize("study", STUDIES)
def test_no_server_outlives_a_lab_that_is_killed_and_the_next_start_does_the_run(tmp_path, started, study):
    folder = tmp_path / "runs"
    one = started(study)
    processes = _serving(one, folder)
    with contextlib.suppress(subprocess.TimeoutExpired, psutil.TimeoutExpired):
        one.wait(random.Random(study).uniform(0, 3))  # any moment: it need not have ended
    processes += _children(one)
    before = _lines(folder)
    one.kill()
    one.wait(DEADLINE_S)
    _, left = psutil.wait_procs(set(processes), timeout=DEADLINE_S)
    assert [child for child in left if _status(child) not in (None, psutil.STATUS_ZOMBIE)] == []
    finished = [run.name for run in store.finished(folder)]
    again = started(study)
    assert again.wait(DEADLINE_S) == 0
    (run,) = store.finished(folder)
    assert run.is_whole and finished in ([], [run.name])
    assert finished or before <= _lines(folder), "a request that had ended is lost"
    assert list((tmp_path / "tmp").glob("perfstudies-*")) == []
