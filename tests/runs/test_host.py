import subprocess
import sys
from collections import namedtuple

import pytest

from perfstudies.runs import host
from perfstudies.runs.host import Noise, NoiseMeter

Times = namedtuple("Times", "user system idle steal")


def test_the_host_is_described():
    found = host.describe()
    assert found["cores"] >= 1
    assert found["memory_bytes"] > 2**28
    assert found["packages"]["zeep"].count(".") >= 1


@pytest.mark.parametrize(
    ("stolen", "foreign", "words"),
    [(0.0, 0.0, []), (0.05, 0.0, ["stolen"]), (0.0, 0.5, ["other"]), (0.2, 0.2, ["stolen", "other"])],
)
def test_a_noisy_run_says_why(stolen, foreign, words):
    reasons = Noise(1.0, (0.1, 0.2), stolen, foreign).reasons
    assert len(reasons) == len(words)
    assert all(word in reason for word, reason in zip(words, reasons, strict=True))


def test_the_lab_s_own_work_is_not_foreign(monkeypatch):
    # The machine was busy for 3 s, of which this process used 2.
    times = iter([Times(0.0, 0.0, 0.0, 0.0), Times(3.0, 0.0, 7.0, 0.0)])
    clock = iter([0.0, 5.0])
    own = iter([1.0, 3.0])
    monkeypatch.setattr(host.psutil, "cpu_times", lambda: next(times))
    monkeypatch.setattr(host.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(NoiseMeter, "_own_s", lambda self: next(own))
    monkeypatch.setattr(host.os, "cpu_count", lambda: 2)
    noise = NoiseMeter().read()
    assert noise.took_s == 5.0
    assert noise.foreign == pytest.approx(0.1)


def test_what_a_process_used_before_it_was_added_is_not_the_lab_s():
    child = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import time\nwhile time.process_time() < 0.3: pass\nprint('done', flush=True)\ninput()",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        meter = NoiseMeter()
        before = meter._start[2]
        assert child.stdout.readline() == b"done\n"
        meter.add(child.pid)
        assert meter._start[2] - before >= 0.25
        # The child only waits, and this process did next to nothing since: what it did before is not counted.
        assert meter._own_s() - meter._start[2] < 0.25
    finally:
        child.communicate(b"\n")
