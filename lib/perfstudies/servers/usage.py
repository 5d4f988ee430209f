"""What processes used between two moments: processor time, waiting for a processor, and how busy the machine was.

Linux tells each thread's time on a processor and in the queue for one (``/proc/<pid>/task/<tid>/schedstat``); threads
that ended in between are missing from the waiting, not from the processor time.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

SAMPLE_S = 0.5


@dataclass(frozen=True)
class Used:
    """What a process has used since it began: seconds on a processor in its own code (``user``) and in the kernel
    (``system``), and seconds in which its threads were ready and waited for a processor; missing where unknown."""

    user_s: float
    system_s: float
    waited_s: float

    def __sub__(self, before: Used) -> Used:
        return Used(self.user_s - before.user_s, self.system_s - before.system_s, self.waited_s - before.waited_s)

    def facts(self) -> dict[str, float]:
        """Return what a manifest says of it."""
        return {name: round(value, 4) for name, value in vars(self).items()}


def used(pid: int) -> Used:
    """Return what a process has used; `psutil.NoSuchProcess` if it has ended."""
    times = psutil.Process(pid).cpu_times()
    return Used(times.user, times.system, _waited_s(pid))


def cpu_s(pid: int) -> float:
    """Return the processor time in seconds that a process has used itself; `psutil.NoSuchProcess` if it has ended."""
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system


def _waited_s(pid: int) -> float:
    total_ns = 0
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            try:
                total_ns += int(Path(f"/proc/{pid}/task/{task}/schedstat").read_text().split()[1])
            except (FileNotFoundError, ProcessLookupError):
                pass  # it ended meanwhile
    except (OSError, IndexError, ValueError):
        return float("nan")
    return total_ns / 1e9


class Machine:
    """Measures the whole machine between its making and `read`: shares of all processors' time, and its load.

    The load average is the kernel's over one minute, which the study watched; it lags behind runs of some seconds, so
    the threads that run or are ready to run are counted too.
    """

    def __init__(self) -> None:
        self._before = psutil.cpu_times()
        self._load: list[tuple[float, float, int]] = []
        self._ended = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._start_s = time.monotonic()
        self._watcher.start()

    def _watch(self) -> None:
        while not self._ended.wait(SAMPLE_S):
            try:
                words = Path("/proc/loadavg").read_text().split()
            except OSError:
                return
            self._load.append((time.monotonic() - self._start_s, float(words[0]), int(words[3].partition("/")[0])))

    def end(self) -> None:
        """Stop watching."""
        self._ended.set()
        self._watcher.join()

    def read(self) -> dict[str, object]:
        """Return shares of the processors' time by kind, and the load's samples: seconds, load average, threads."""
        after = psutil.cpu_times()._asdict()
        before = self._before._asdict()
        # Guest time is contained in user time already.
        spent = {kind: after[kind] - before[kind] for kind in after if not kind.startswith("guest")}
        total = sum(spent.values()) or 1.0
        return {
            "shares": {kind: round(value / total, 5) for kind, value in spent.items()},
            "load": [[round(at, 2), average, ready] for at, average, ready in self._load],
        }


class Watch:
    """Watches some processes and the machine from a moment that somebody else tells.

    Parameters
    ----------
    pids : mapping of str to int
        The processes by name.
    """

    def __init__(self, pids: Mapping[str, int]):
        self._pids = pids
        self._before: dict[str, Used] = {}
        self._machine: Machine | Any = None

    def begin(self) -> None:
        """Begin now."""
        self._before = {name: used(pid) for name, pid in self._pids.items()}
        self._machine = Machine()

    def parties(self) -> dict[str, dict[str, float]]:
        """Return what the processes have used since the beginning, by name, for a manifest."""
        return {name: (used(pid) - self._before[name]).facts() for name, pid in self._pids.items()}

    def machine(self) -> dict[str, object]:
        """Return what `Machine.read` tells since the beginning."""
        return self._machine.read()

    def end(self) -> None:
        """Stop watching, if it has begun."""
        if self._machine is not None:
            self._machine.end()
