"""What is to be measured of an experiment: every setting in random order within blocks.

A block runs every setting once, so that a drift of the machine cannot pass for an effect. All runs of a
block replay the same workload, so settings can be compared within it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import mean

from perfstudies.errors import BadRecording
from perfstudies.experiment import Experiment
from perfstudies.paths import RAW
from perfstudies.runs import store
from perfstudies.runs.checksums import digest
from perfstudies.runs.store import Run


@dataclass(frozen=True)
class PlannedRun:
    """One run to be: a setting in a block, and its place in the block's random order."""

    name: str
    experiment: Experiment
    profile: str
    seed: int
    block: int
    position: int
    setting: dict[str, str]

    @property
    def properties(self) -> dict[str, str]:
        """What the setting sets."""
        return self.experiment.properties(self.setting)

    @property
    def amount(self) -> float:
        """What the time of its load grows with (`perfstudies.experiment.Size.amount_of`)."""
        return self.experiment.size(self.profile).amount_of(self.setting)


@dataclass(frozen=True)
class Plan:
    """The runs of an experiment in the order in which they are to be measured, and the folder where they are kept.

    Attributes
    ----------
    runs : tuple of PlannedRun
        All of them, finished or not.
    folder : Path
        The experiment's folder of runs.
    """

    runs: tuple[PlannedRun, ...]
    folder: Path

    @classmethod
    def of(cls, experiment: Experiment, profile: str, seed: int, build: str = "", folder: Path | None = None) -> Plan:
        """Plan the runs of an experiment.

        Parameters
        ----------
        experiment : Experiment
            What to measure.
        profile : str
            How much.
        seed : int
            Of the order within blocks.
        build : str
            A checksum of the system under test: runs of another build are other runs.
        folder : Path, optional
            Where they are kept; that of the experiment's live runs by default.

        Raises
        ------
        BadParameter
            If the experiment has no such profile.
        """
        size = experiment.size(profile)

        def checksum(setting: Mapping[str, str]) -> str:
            # Of this setting and block alone: who asks for fewer levels or more blocks later has these runs already.
            sets = experiment.properties(setting)
            amount = {name: value for name, value in asdict(size).items() if not name.startswith(("blocks", "levels"))}
            identity = [experiment.key, experiment.load, experiment.procedure, sets, amount, seed, build]
            return digest(json.dumps(identity).encode())[:8]

        rng = random.Random(f"{experiment.key}/{seed}")
        runs = []
        for block in range(size.blocks):
            settings = experiment.settings(profile, block)
            rng.shuffle(settings)
            for position, setting in enumerate(settings):
                name = "-".join([profile, checksum(setting), f"b{block + 1:03d}", *setting.values()])
                runs.append(PlannedRun(name, experiment, profile, seed, block, position, setting))
        return cls(tuple(runs), folder or RAW / "live" / experiment.study / experiment.name)

    def only(self, names: Sequence[str]) -> Plan:
        """Return the plan with these of its runs alone."""
        return replace(self, runs=tuple(run for run in self.runs if run.name in names))

    @property
    def ended(self) -> list[Run]:
        """Its runs that have ended, finished, failed or skipped, in the order of the plan.

        One whose manifest cannot be read has not: what is left of it will be set aside.
        """
        return [found for run in self.runs if (found := _ended(self.folder / run.name))]

    @property
    def missing(self) -> list[PlannedRun]:
        """Its runs that are not finished yet, or of which a log was lost or altered since: measuring again helps."""
        finished = {run.name for run in self.ended if run.manifest["status"] == store.FINISHED and run.is_whole}
        return [run for run in self.runs if run.name not in finished]

    def expected_s(self, examples: Sequence[Run]) -> float | None:
        """Return how long the missing runs will take, after finished ones of any size.

        A run's time is that of its set-up, plus that of its load, which grows with its amount. None if a setting has no
        finished run to learn from.
        """
        total_s = 0.0
        for run in self.missing:
            same = [_expected_s(run, one) for one in examples if one.manifest["setting"] == run.setting]
            if not same:
                return None
            total_s += mean(same)
        return total_s


def _ended(folder: Path) -> Run | None:
    try:
        manifest = store.read_manifest(folder)
    except BadRecording:
        return None
    return Run(folder, manifest) if manifest else None


def _expected_s(planned: PlannedRun, example: Run) -> float:
    took_s, load_s, workload = (example.manifest[name] for name in ("took_s", "load_s", "workload"))
    if planned.experiment.procedure == "ramp":  # it ends where its system fails, however much is allowed
        return took_s
    return took_s - load_s + load_s * (planned.amount / workload.get("amount", workload.get("sessions")))
