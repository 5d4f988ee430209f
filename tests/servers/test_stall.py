import subprocess
import sys
import time

import psutil
import pytest

from perfstudies.errors import SystemFailed
from perfstudies.servers.stall import stalled

COUNTING = "import sys\nwhile True: sys.stdout.buffer.write(b'.'); sys.stdout.buffer.flush()"


@pytest.fixture
def child():
    process = subprocess.Popen([sys.executable, "-c", COUNTING], stdout=subprocess.PIPE)
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def _wait_for(process, status):
    while psutil.Process(process.pid).status() not in status:
        time.sleep(0.01)


def test_a_process_stands_still_between_the_two_moments_and_goes_on(child):
    before = time.monotonic_ns()
    # Long enough to be seen, however busy the machine is: who misses it waits for ever.
    with stalled(child.pid, 3.0) as stall:
        stall.at(time.monotonic_ns())
        _wait_for(child, (psutil.STATUS_STOPPED,))
        while psutil.Process(child.pid).status() == psutil.STATUS_STOPPED:
            time.sleep(0.01)
        assert stall.moments == []
    stopped, resumed = stall.moments
    assert before < stopped < resumed < time.monotonic_ns()
    assert resumed - stopped >= 3e9
    assert child.poll() is None and child.stdout.read(1) == b"."


def test_a_load_that_ends_before_leaves_the_process_alone(child):
    with pytest.raises(SystemFailed, match="ended before"), stalled(child.pid, 1.0) as stall:
        stall.at(time.monotonic_ns() + 60 * 10**9)
    assert psutil.Process(child.pid).status() != psutil.STATUS_STOPPED


def test_a_load_that_never_began_leaves_the_process_alone(child):
    with pytest.raises(SystemFailed, match="ended before"), stalled(child.pid, 1.0):
        pass
    assert psutil.Process(child.pid).status() != psutil.STATUS_STOPPED


def test_a_process_that_is_gone_cannot_be_stopped(child):
    child.kill()
    child.wait()
    with pytest.raises(SystemFailed, match="was not stopped as planned"), stalled(child.pid, 0.1):
        pass


def test_who_is_told_the_moment_after_it_has_ended_says_why(child):
    with pytest.raises(SystemFailed, match="at most 30 s"), stalled(child.pid, 31.0) as stall:
        stall._child.wait()
        stall.at(time.monotonic_ns())


def test_no_stall_is_longer_than_the_limit(child):
    with pytest.raises(SystemFailed, match="at most 30 s"), stalled(child.pid, 31.0):
        pass
    assert psutil.Process(child.pid).status() != psutil.STATUS_STOPPED
