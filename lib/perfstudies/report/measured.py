"""What was measured where and when, from the runs' manifests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from perfstudies import store
from perfstudies.errors import BadRecording
from perfstudies.paths import RAW


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


def measured(study: str, source: str) -> list[Measured]:
    """Return a study's finished runs by the machine they were measured on, most runs first.

    Raises
    ------
    BadRecording
        If a manifest is none.
    """
    by_machine: dict[tuple, list[tuple[str, date]]] = {}
    for experiment, manifest in _manifests(RAW / source / study):
        host = manifest["host"]
        machine = (host["cpu"], host["cores"], round(host["memory_bytes"] / 2**30), host["system"].partition("-")[0])
        by_machine.setdefault(machine, []).append((experiment, date.fromisoformat(manifest["started"][:10])))
    found = []
    for machine, runs in by_machine.items():
        days = [day for _, day in runs]
        found.append(Measured(len(runs), len({name for name, _ in runs}), min(days), max(days), *machine))
    return sorted(found, key=lambda one: (-one.runs, one.cpu, one.system))


def _manifests(folder: Path) -> Iterator[tuple[str, dict]]:
    for path in sorted(folder.glob(f"*/*/{store.MANIFEST}")):
        try:
            manifest = json.loads(path.read_bytes())
            finished = manifest["status"] == store.FINISHED
        except (ValueError, TypeError, KeyError) as error:
            raise BadRecording(f"{path} is not a manifest of a run: {error!r}") from error
        if finished:
            yield path.parts[-3], manifest
