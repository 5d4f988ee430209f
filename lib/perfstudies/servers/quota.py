"""A part of one processor's time for a server, by the kernel's control groups: as if its processor were so much slower.

The kernel lets a group run for its part of each period, and stops it for the rest. Both generations of control groups
are known; making a group needs root, or one's own part of the tree.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from perfstudies.errors import BadParameter, MissingTool

ROOT = Path("/sys/fs/cgroup")
PERIOD_US = 10_000
"""A server is stopped for a part of this at most."""
LEAST_PERCENT = 10
"""The kernel lets a group run for 1 ms of a period or more."""
EMPTY_S = 5.0
"""How long a group's last process may take to be gone."""
ENTER = 'echo $$ >"$1" && shift && exec "$@"'


@cache
def unavailable() -> str:
    """Return why no quota can be set here and what to do about it; empty if one can."""
    try:
        with _group() as group:
            _begin(group, 50)
            return ""
    except OSError as error:
        return (
            f"the kernel gives no part of a processor: {error}. It needs root and control groups that may be written; "
            "without them the server has whole processors."
        )


class Quota(NamedTuple):
    """What a command begins with to run in a group, and what begins its part; before it gets all that it needs."""

    prefix: tuple[str, ...]
    begin: Callable[[], None]


@contextmanager
def quota(percent: int) -> Iterator[Quota]:
    """Make a group that is to get so much of one processor's time (%).

    The group goes with its last process, which has to end before this does.

    Raises
    ------
    BadParameter
        If the share is none of one processor, or less than the kernel can give.
    MissingTool
        If none can be made here.
    """
    if not LEAST_PERCENT <= percent <= 100:
        raise BadParameter(f"cpu.percent = {percent}: must be {LEAST_PERCENT}, the least that the kernel gives, to 100")
    if problem := unavailable():
        raise MissingTool(problem)
    with _group() as group:
        yield Quota(("sh", "-c", ENTER, "sh", str(group / "cgroup.procs")), partial(_begin, group, percent))


def _begin(group: Path, percent: int) -> None:
    of_period_us = PERIOD_US * percent // 100
    if group.parent == ROOT:
        (group / "cpu.max").write_text(f"{of_period_us} {PERIOD_US}")
    else:
        (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
        (group / "cpu.cfs_quota_us").write_text(str(of_period_us))


@contextmanager
def _group() -> Iterator[Path]:
    first = ROOT / "cpu"
    parent = first if (first / "cgroup.procs").exists() else ROOT
    group = parent / f"perfstudies-{os.getpid()}-{time.monotonic_ns()}"
    group.mkdir()
    try:
        yield group
    finally:
        _remove(group)


def _remove(group: Path) -> None:
    """Remove a group once it is empty; one whose process does not end is left to the kernel."""
    until = time.monotonic() + EMPTY_S
    while time.monotonic() < until:
        try:
            group.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.01)
