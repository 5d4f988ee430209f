"""How long measuring takes: told before it begins, and again whenever an experiment has ended."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from perfstudies.errors import BadRecording
from perfstudies.experiment import Experiment
from perfstudies.paths import RAW
from perfstudies.runs.plan import Plan
from perfstudies.runs.store import Run, finished

QUICK_S = Path(__file__).with_name("quick_s.csv")
"""What a live run of every experiment at profile quick took once, set-up included, with the number of its runs.
``python benchmarks/report_profile.py --keep`` writes it. What longer profiles take says little of that: there
processes are started, and warmed up, for each block."""


class Forecast:
    """What is left to measure, and how long that takes if it is off by as much as what has ended was."""

    def __init__(self, chosen: Sequence[Experiment], plans: Mapping[str, Plan]) -> None:
        self._missing = {run.name for one in chosen for run in plans[one.key].missing}
        self._left_s = {one.key: expected_s(one, plans[one.key]) for one in chosen}
        self._took_s, self._ended_s = 0.0, 0.0

    def __str__(self) -> str:
        if not self._missing:
            return "All runs are there; nothing to measure."
        runs, minutes = f"{len(self._missing)} runs to measure", dict[str, float]()
        for key, left_s in self._left_s.items():
            if left_s is None:
                return f"{runs}."
            study = key.split("/")[0]
            minutes[study] = minutes.get(study, 0.0) + left_s / 60
        by_study = ", ".join(f"{study} {of_study:.1f}" for study, of_study in minutes.items())
        return f"{runs}, expected to take {sum(minutes.values()):.1f} minutes ({by_study})."

    def ended(self, key: str, runs: Iterable[Run]) -> str:
        """Return what to say when an experiment has ended with these runs; empty if there is nothing to say."""
        self._took_s += sum(run.manifest["took_s"] for run in runs if run.name in self._missing)
        self._ended_s += self._left_s.pop(key) or 0.0
        left_s = sum(one or 0.0 for one in self._left_s.values())
        if None in self._left_s.values() or not (self._ended_s and left_s):
            return ""
        left_s *= self._took_s / self._ended_s
        left = f"about {left_s / 60:.0f} minutes" if left_s >= 90 else "a minute" if left_s > 30 else "half a minute"
        return f"{key} has ended; {left} of measuring left."


def expected_s(one: Experiment, plan: Plan) -> float | None:
    """Return how long an experiment's missing runs will take; None if nothing tells.

    This machine's own runs of the profile tell best. Without them profile quick takes what is kept of it, and others
    take what this machine's or the repository's runs of any profile say.
    """
    if not plan.missing:
        return 0.0
    profile = plan.missing[0].profile
    own: list[Run] = []
    with suppress(BadRecording):  # of a run that will be measured again
        own = finished(plan.folder)
    took_s = plan.expected_s([run for run in own if run.manifest["profile"] == profile])
    if took_s is None and profile == "quick" and one.key in (known := quick_s()):
        runs, all_s = known[one.key]
        took_s = all_s * len(plan.missing) / runs
    for examples in (own, finished(RAW / "reference" / one.study / one.name)):
        took_s = plan.expected_s(examples) if took_s is None else took_s
    return took_s


def quick_s(kept: Path | None = None) -> dict[str, tuple[int, float]]:
    """Return of each experiment how many runs profile quick has, and how many seconds they took, of `QUICK_S`."""
    with open(kept or QUICK_S, encoding="utf-8", newline="") as file:
        return {row["experiment"]: (int(row["runs"]), float(row["took_s"])) for row in csv.DictReader(file)}
