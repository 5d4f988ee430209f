"""Fifty kills at random moments: of the lab, of its server, of both, in experiments of all four studies.

The experiments and the client's records are the studies' own. The servers are made, for fifty starts of the real ones
would take an hour: `test_live_kills.py` kills labs of real ones, one a study.
"""

import contextlib
import gzip
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import psutil
import pytest

from made import killed_lab, walked
from made.killed_lab import RECORD, REQUESTS, RUNS, STUDIES
from made.runs import HOST
from perfstudies.runs import lab, store

KILLS = 50
DEADLINE_S = 60
EVENTS = RUNS * (REQUESTS + 2)
WHO = ("lab", "server", "both")


@pytest.fixture(scope="module")
def nursery():
    """What forks labs; ended by the end of its input."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, killed_lab.__file__]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as made:
        yield made
        made.stdin.close()
        assert made.wait(DEADLINE_S) == 0


def _lines(folder):
    """Return the whole lines of all records, plain and packed, wherever they are by now; without their headings."""
    found = set()
    for path in (path for path in walked.files(folder) if path.name.startswith(RECORD)):
        with contextlib.suppress(FileNotFoundError, EOFError, zlib.error, gzip.BadGzipFile):
            content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            found |= set(content[: content.rfind(b"\n") + 1].splitlines()[1:])
    return found


def _kill(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _ended(pid):
    """Wait until a process has ended; one that nobody has asked for its status yet has."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        if process.status() != psutil.STATUS_ZOMBIE:
            with contextlib.suppress(psutil.TimeoutExpired):
                process.wait(DEADLINE_S)
        assert not process.is_running() or process.status() == psutil.STATUS_ZOMBIE, f"{pid} is left"


def _killed(nursery, job, who, moment):
    """Have a lab measure and kill at a moment; return what was on disk then, and all processes that there were."""
    nursery.stdin.write(json.dumps(job) + "\n")
    nursery.stdin.flush()
    pids, before, happened = {}, set(), 0
    folder = Path(job["folder"])
    processes = []
    for told in nursery.stdout:
        what, _, value = told.strip().partition(" ")
        if what in ("LAB", "SERVER"):
            pids[what] = int(value)
            processes.append(int(value))
        happened += what in ("BEGIN", "REQUEST", "PACKED")
        if happened == moment and what not in ("LAB", "SERVER"):
            happened += EVENTS  # once
            before = _lines(folder)
            for one in ("SERVER", "LAB") if who == "both" else (who.upper(),):
                if one in pids:
                    _kill(pids[one])
        if what == "ENDED":
            return before, processes
    raise AssertionError("the nursery ended")


def _seeded():
    """Return the kills: each study and each victim about as often, at moments by chance."""
    chosen = random.Random(31)
    studies = list(STUDIES)
    return [(studies[at % 4], WHO[at // 4 % 3], chosen.randint(1, EVENTS)) for at in range(KILLS)]


@pytest.mark.parametrize(("study", "who", "moment"), _seeded())
def test_a_kill_loses_no_request_and_the_next_start_does_the_rest(nursery, tmp_path, monkeypatch, study, who, moment):
    folder, temporary = tmp_path / "runs", tmp_path / "tmp"
    temporary.mkdir()
    job = {"study": study, "folder": str(folder), "temporary": str(temporary)}
    before, processes = _killed(nursery, job, who, moment)
    for pid in processes:
        _ended(pid)
    assert before <= _lines(folder)
    finished = {run.name for run in store.finished(folder)}
    monkeypatch.setattr(lab.host, "describe", lambda: HOST)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    runs, carried_out = killed_lab.measure(study, folder, lambda what: None)
    planned = [run.name for run in killed_lab.plan(study, folder).runs]
    assert [run.name for run in runs] == planned and carried_out == [one for one in planned if one not in finished]
    assert all(run.manifest["status"] == store.FINISHED and run.is_whole for run in runs)
    for run in runs:
        read = STUDIES[study].read(run.file(RECORD))
        assert len(read[0] if isinstance(read, tuple) else read) == REQUESTS
    assert before <= _lines(folder), "a request that had ended is lost"
    left = {path.name for path in folder.iterdir()} - {*planned, lab.SET_ASIDE}
    # The folder of processes goes when a run begins: a lab that was killed after its last one leaves it until then.
    assert left == set() or (left == {".process"} and not carried_out)
    assert list(temporary.iterdir()) == [], "a temporary folder is left"
