"""What the machine is, and how quiet it was while a run was measured."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

# A run is marked as noisy above these: time that the hypervisor gave to others, and processor time that
# neither the lab nor its server used, both as shares of all processors' time.
MAX_STOLEN = 0.01
MAX_FOREIGN = 0.10

PACKAGES = ("zeep", "requests", "lxml", "pandas", "numpy", "scipy", "statsmodels")


def describe() -> dict:
    """Return the machine: processor, cores, memory (bytes), kernel, Python and package versions."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "memory_bytes": psutil.virtual_memory().total,
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "python": platform.python_version(),
        "packages": {name: importlib.metadata.version(name) for name in PACKAGES},
    }


def parties(served: str = "") -> dict[str, str]:
    """Return the names of the machines that sent a run's requests and that served them; one and the same by default."""
    return {"sent": platform.node(), "served": served or platform.node()}


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


@dataclass(frozen=True)
class Noise:
    """How noisy a run was.

    Attributes
    ----------
    took_s : float
        How long it was watched.
    load_average : tuple of float
        The one-minute load average before and after.
    stolen : float
        Share of all processors' time that the hypervisor gave to others.
    foreign : float
        Share of all processors' time that other processes than the lab and its server used.
    """

    took_s: float
    load_average: tuple[float, float]
    stolen: float
    foreign: float

    @property
    def reasons(self) -> list[str]:
        """Why the run counts as noisy; empty if it does not."""
        found = []
        if self.stolen > MAX_STOLEN:
            found.append(f"{self.stolen:.1%} of the processors' time was stolen by the hypervisor")
        if self.foreign > MAX_FOREIGN:
            found.append(f"{self.foreign:.1%} of the processors' time went to other processes")
        return found

    def facts(self) -> dict:
        """Return what a run's manifest says of it."""
        return {
            "load_average": list(self.load_average),
            "stolen": round(self.stolen, 5),
            "foreign": round(self.foreign, 5),
            "reasons": self.reasons,
        }


class NoiseMeter:
    """Measures noise between its making and `read`; what the lab's ended child processes used counts as the lab's."""

    def __init__(self, *pids: int):
        self._processes = [psutil.Process(), *(psutil.Process(pid) for pid in pids)]
        self._load = os.getloadavg()[0]
        self._start = (time.monotonic(), psutil.cpu_times(), self._own_s())

    def add(self, pid: int) -> None:
        """Count from now on what another process uses as the lab's: one that took a killed one's place, say."""
        process = psutil.Process(pid)
        self._processes.append(process)
        times = process.cpu_times()
        start_s, busy, own_s = self._start
        self._start = (start_s, busy, own_s + times.user + times.system)

    def _own_s(self) -> float:
        mine = self._processes[0].cpu_times()
        total = mine.children_user + mine.children_system
        for process in self._processes:
            try:
                times = process.cpu_times()
                total += times.user + times.system
            except psutil.NoSuchProcess:
                pass  # it died meanwhile; what it used counts as foreign, and the run has failed anyway
        return total

    def read(self) -> Noise:
        """Return the noise so far. Call it while the measured processes still run."""
        start_s, before, own_before_s = self._start
        took_s = time.monotonic() - start_s
        all_s = took_s * (os.cpu_count() or 1)
        after = psutil.cpu_times()
        busy_s = _busy_s(after) - _busy_s(before)
        stolen_s = getattr(after, "steal", 0.0) - getattr(before, "steal", 0.0)
        foreign_s = max(0.0, busy_s - (self._own_s() - own_before_s))
        return Noise(took_s, (self._load, os.getloadavg()[0]), stolen_s / all_s, foreign_s / all_s)


def _busy_s(times: Any) -> float:
    # Guest time is contained in user time already; waiting for a disk is not work.
    idle = {"idle", "iowait", "steal", "guest", "guest_nice"}
    return sum(value for name, value in times._asdict().items() if name not in idle)
