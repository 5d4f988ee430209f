import subprocess
import sys

import psutil
import pytest

from perfstudies.servers import usage

SPIN = """
import time
print("ready", flush=True)
input()
end_s = time.process_time() + 0.3
while time.process_time() < end_s: pass
print("done", flush=True)
input()
"""


def test_what_a_process_used_is_what_it_spent():
    child = subprocess.Popen([sys.executable, "-c", SPIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        watch = usage.Watch({"child": child.pid})
        assert child.stdout.readline() == b"ready\n"  # it waits: what it uses from now on is what is watched
        watch.begin()
        before_s = usage.cpu_s(child.pid)
        child.stdin.write(b"\n")
        child.stdin.flush()
        assert child.stdout.readline() == b"done\n"
        found = watch.parties()["child"]
        assert set(watch.machine()) == {"shares", "load"}
        assert found["user_s"] + found["system_s"] == pytest.approx(0.3, abs=0.15)
        assert found["waited_s"] >= 0
        assert usage.cpu_s(child.pid) - before_s == pytest.approx(0.3, abs=0.15)
    finally:
        watch.end()
        child.communicate(b"\n")
    with pytest.raises(psutil.NoSuchProcess):
        usage.used(child.pid)
    with pytest.raises(psutil.NoSuchProcess):
        usage.cpu_s(child.pid)


def test_use_is_a_difference():
    assert usage.Used(3.0, 2.0, 1.5) - usage.Used(1.0, 1.5, 0.5) == usage.Used(2.0, 0.5, 1.0)


def test_shares_of_the_machine_s_time_are_a_whole_and_watching_ends_with_the_block():
    machine = usage.Machine()
    while not machine.read()["load"]:
        pass
    found = machine.read()
    machine.end()
    assert sum(found["shares"].values()) == pytest.approx(1, abs=0.001)
    at, average, ready = found["load"][0]
    # Seconds since the beginning; a busy machine may look late, but not before its time.
    assert usage.SAMPLE_S <= at + 0.01 and at < 60 and average >= 0 and ready >= 1
    assert not machine._watcher.is_alive()
