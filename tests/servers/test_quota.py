"""A part of a processor is what a process gets, and nothing is left of it afterwards."""

import subprocess
import sys
import time

import pytest

from perfstudies.errors import BadParameter, MissingTool
from perfstudies.servers import quota

needed = pytest.mark.skipif(bool(quota.unavailable()), reason=quota.unavailable() or "quotas can be set")
BURN = "import time\nend = time.monotonic() + 0.6\nwhile time.monotonic() < end: pass\nprint(time.process_time())"


def _groups():
    return set(quota.ROOT.glob("*/perfstudies-*")) | set(quota.ROOT.glob("perfstudies-*"))


@needed
def test_a_process_gets_its_part_of_a_processor_once_it_begins_and_its_group_goes_with_it():
    before = _groups()
    with quota.quota(25) as (prefix, begin):
        begin()
        burning = subprocess.run([*prefix, sys.executable, "-c", BURN], capture_output=True, check=True)
    used_s = float(burning.stdout)
    # It burns for 0.6 s; a busy machine may give it less.
    assert used_s < 0.6 * 0.5
    assert _groups() == before


@needed
def test_a_process_is_not_stopped_before_its_part_begins():
    earlier = _groups()
    with quota.quota(25) as (prefix, begin):
        (group,) = _groups() - earlier
        running = subprocess.Popen([*prefix, sys.executable, "-c", "while True: pass"])
        try:
            while str(running.pid) not in (group / "cgroup.procs").read_text().split():
                time.sleep(0.01)
            before = _periods(group)
            begin()
            while not (after := _periods(group)):  # they are counted where there is a part to keep to
                time.sleep(0.01)
            assert (before, running.poll()) == (0, None) and after > 0
        finally:
            running.kill()
            running.wait()


def _periods(group):
    told = dict(line.split() for line in (group / "cpu.stat").read_text().splitlines())
    return int(told.get("nr_periods", 0))


@needed
def test_a_group_whose_process_goes_on_is_left_and_said_nothing_of(monkeypatch):
    monkeypatch.setattr(quota, "EMPTY_S", 0.05)
    with quota.quota(50) as (prefix, _):
        running = subprocess.Popen([*prefix, "sleep", "60"])
        while not any(group.joinpath("cgroup.procs").read_text() for group in _groups()):
            time.sleep(0.01)
    try:
        (left,) = [group for group in _groups() if group.joinpath("cgroup.procs").read_text()]
    finally:
        running.kill()
        running.wait()
    quota._remove(left)
    assert not left.exists()


@needed
def test_the_least_part_can_be_had():
    with quota.quota(quota.LEAST_PERCENT) as (_, begin):
        begin()


@pytest.mark.parametrize("percent", [0, 1, 9, 101])
def test_less_than_the_kernel_gives_and_more_than_one_processor_are_refused(percent):
    with pytest.raises(BadParameter, match=f"cpu.percent = {percent}: must be 10, the least that the kernel gives"):
        with quota.quota(percent):
            pass


def test_where_there_are_no_groups_it_says_what_is_needed(tmp_path, monkeypatch):
    monkeypatch.setattr(quota, "ROOT", tmp_path / "none")
    quota.unavailable.cache_clear()
    try:
        with pytest.raises(MissingTool, match="needs root and control groups"):
            with quota.quota(50):
                pass
    finally:
        quota.unavailable.cache_clear()
