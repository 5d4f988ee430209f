"""What was measured where and when, from the runs' manifests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from perfstudies.paths import RAW
from perfstudies.runs import store
from perfstudies.studies import EXPERIMENTS


@dataclass(frozen=True)
class Measured:
    """A study's finished runs on one kind of machine.

    Attributes
    ----------
    runs, experiments : int
        How many.
    first, last : datetime.date
        The days of the first and of the last run.
    cpu : str
        The processor's name.
    cores : int
        How many.
    memory_gib : int
        Rounded.
    system : str
        Name and version of the operating system's kernel, without what a distributor adds.
    """

    runs: int
    experiments: int
    first: date
    last: date
    cpu: str
    cores: int
    memory_gib: int
    system: str

    def __str__(self) -> str:
        """Say it in a sentence."""
        days = f"{self.first:%-d %B %Y}"
        if self.last != self.first:
            days = f"{self.first:%-d %B} to {self.last:%-d %B %Y}"
        return (
            f"{_many(self.runs, 'run')} of {_many(self.experiments, 'experiment')}, {days}, "
            f"on {_many(self.cores, 'core')} of {self.cpu} with {self.memory_gib} GiB, {self.system}"
        )


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def measured(study: str, source: str, profile: str) -> list[Measured]:
    """Return a study's finished runs by the machine they were measured on, most runs first.

    Parameters
    ----------
    study : str
        Whose experiments.
    source : {"reference", "live"}
        Recorded runs (the profile plays no part), or those of this machine.
    profile : str
        Of live runs.

    Raises
    ------
    BadRecording
        If a manifest is none.
    """
    by_machine: dict[tuple, list[tuple[str, date]]] = {}
    for run in finished(study, source, profile):
        manifest = run.manifest
        day = date.fromisoformat(manifest["started"][:10])
        by_machine.setdefault(kind(manifest["host"]), []).append((manifest["experiment"], day))
    found = []
    for machine, runs in by_machine.items():
        days = [day for _, day in runs]
        found.append(Measured(len(runs), len({name for name, _ in runs}), min(days), max(days), *machine))
    return sorted(found, key=lambda one: (-one.runs, one.cpu, one.system))


def kind(host: Mapping[str, Any]) -> tuple[str, int, int, str]:
    """Return what tells kinds of machines apart: processor, cores, memory in GiB, and the kernel without its build."""
    return host["cpu"], int(host["cores"]), round(host["memory_bytes"] / 2**30), host["system"].partition("-")[0]


def finished(study: str, source: str, profile: str) -> list[store.Run]:
    """Return the finished runs of a study's experiments; arguments as of `measured`."""
    return [
        run
        for one in EXPERIMENTS.values()
        if one.study == study
        for run in store.finished(RAW / source / one.key)
        if source == "reference" or run.manifest["profile"] == profile
    ]
