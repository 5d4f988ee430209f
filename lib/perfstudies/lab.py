"""The lab: every setting of an experiment, in random order within blocks, with progress and resume.

A block runs every setting once, so that a drift of the machine cannot pass for an effect. All runs of a
block replay the same workload, so settings can be compared within it.
"""

from __future__ import annotations

import errno
import hashlib
import json
import random
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from tqdm import tqdm

from perfstudies import host, store, turns
from perfstudies.errors import BadParameter, BadRecording, MissingTool, PerfstudiesError
from perfstudies.experiment import SOURCES, Experiment
from perfstudies.paths import RAW
from perfstudies.store import Run

SET_ASIDE = "set-aside"
MIN_FREE_BYTES = 2 * 1024**3

# What carries out one run in its folder: returns what the manifest says of it, and the raw logs it left.
Procedure = Callable[["PlannedRun", Path], tuple[Mapping[str, object], tuple[str, ...]]]


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


def plan(experiment: Experiment, profile: str, seed: int, build: str = "") -> list[PlannedRun]:
    """Return all runs of an experiment in the order in which they are to be measured.

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
    """
    size = experiment.size(profile)

    def digest(setting: Mapping[str, str]) -> str:
        # Of this setting alone: who asks for fewer levels later has these runs already.
        means = experiment.properties(setting)
        amount = {name: value for name, value in asdict(size).items() if name != "levels"}
        identity = [experiment.key, experiment.load, experiment.procedure, means, amount, seed, build]
        return hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:8]

    rng = random.Random(f"{experiment.key}/{seed}")
    planned = []
    for block in range(size.blocks):
        settings = experiment.settings(profile)
        rng.shuffle(settings)
        for position, setting in enumerate(settings):
            name = "-".join([profile, digest(setting), f"b{block + 1:03d}", *setting.values()])
            planned.append(PlannedRun(name, experiment, profile, seed, block, position, setting))
    return planned


def measure(
    planned: list[PlannedRun], folder: Path, procedure: Procedure, show_progress: bool = True, wait: bool = False
) -> list[Run]:
    """Carry out the runs that are not finished yet and return all that have ended.

    Parameters
    ----------
    planned : list of PlannedRun
        From `plan`.
    folder : Path
        The experiment's folder of runs.
    procedure : callable
        Carries out one run.
    show_progress : bool
        Whether a progress bar with the expected time to finish goes to standard error.
    wait : bool
        Whether to wait for the end of another measurement or a batch on this machine.

    Returns
    -------
    list of Run
        Finished, failed and skipped ones, in the order of the plan.

    Raises
    ------
    PerfstudiesError
        If the disk is full, or another measurement is under way and `wait` is false. A run that fails for
        another reason is recorded as failed, with the reason, and the next one begins; failed and interrupted
        runs are measured again by the next call, and what they left is kept under ``set-aside``. A run for
        which this machine lacks a tool or a right is recorded as skipped.
    """
    missing = [run for run in planned if not _finished(folder / run.name)]
    if missing:
        with turns.measuring(wait), tqdm(missing, unit="run", disable=not show_progress, file=sys.stderr) as bar:
            for run in bar:
                bar.set_description(f"{run.experiment.key} {' '.join(run.setting.values())}")
                _carry_out(run, folder, procedure)
    by_name = {run.name: run for run in store.runs(folder)}
    return [by_name[run.name] for run in planned]


def _finished(folder: Path) -> bool:
    manifest = store.read_manifest(folder) if folder.is_dir() else None
    return manifest is not None and manifest["status"] == store.FINISHED


def _carry_out(run: PlannedRun, parent: Path, procedure: Procedure) -> None:
    folder = parent / run.name
    _set_aside(folder)
    folder.mkdir(parents=True)
    free = shutil.disk_usage(folder).free
    if free < MIN_FREE_BYTES:
        raise _disk_full(folder, f"only {free / 1024**3:.1f} GiB are free")
    started, start_s = datetime.now(UTC), time.monotonic()
    files: tuple[str, ...] = ()
    try:
        facts, files = procedure(run, folder)
        status = {"status": store.FINISHED, **facts}
    except MissingTool as error:
        status = {"status": store.SKIPPED, "error": str(error)}
    except PerfstudiesError as error:
        status = {"status": store.FAILED, "error": str(error)}
        tqdm.write(f"{run.name} failed: {error}", file=sys.stderr)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise _disk_full(folder, str(error)) from error
        raise
    manifest = {
        "study": run.experiment.study,
        "experiment": run.experiment.name,
        "run": run.name,
        "profile": run.profile,
        "seed": run.seed,
        "block": run.block,
        "position": run.position,
        "setting": run.setting,
        "properties": run.properties,
        "started": started.isoformat(timespec="seconds"),
        "took_s": round(time.monotonic() - start_s, 3),
        "host": host.describe(),
        "hosts": host.parties(),
        **status,
    }
    store.write_manifest(folder, manifest, files)


def _disk_full(folder: Path, problem: str) -> PerfstudiesError:
    return PerfstudiesError(
        f"the disk of {folder} is full ({problem}). Make room and give the same command again: "
        "finished runs are kept, and it goes on with the one that is missing."
    )


def _set_aside(folder: Path) -> None:
    """Move what a failed or interrupted attempt left out of the way; nothing is deleted."""
    if not folder.exists():
        return
    manifest = store.read_manifest(folder)
    if manifest is not None and manifest["status"] == store.SKIPPED:
        shutil.rmtree(folder)  # it never began
        return
    aside = folder.parent / SET_ASIDE
    aside.mkdir(exist_ok=True)
    attempt = 1
    while (aside / f"{folder.name}-{attempt}").exists():
        attempt += 1
    folder.rename(aside / f"{folder.name}-{attempt}")


def recorded(experiment: Experiment, source: str, profile: str, seed: int) -> list[Run]:
    """Return an experiment's runs: those of the repository, or those of this machine, measured now if missing.

    Parameters
    ----------
    experiment : Experiment
        Whose runs.
    source : {"reference", "live"}
        Recorded runs (`profile` and `seed` play no part), or live ones.
    profile : str
        How much to measure.
    seed : int
        Of the order within blocks.

    Raises
    ------
    BadParameter
        For an unknown source or profile.
    BadRecording
        If the repository has no such runs.
    MissingTool
        If live runs are asked for and Java or the built system is missing.
    """
    experiment.size(profile)
    if source == "reference":
        folder = RAW / "reference" / experiment.study / experiment.name
        wanted = experiment.settings()
        found = [run for run in store.runs(folder) if run.manifest["setting"] in wanted]
        if not found:
            raise BadRecording(f"no recorded runs in {folder}; restore data/raw/reference from the repository")
        return found
    if source != "live":
        raise BadParameter.choice("source", source, SOURCES)
    from perfstudies.report import live_chart
    from perfstudies.studies import procedure_of

    open_bench, build = procedure_of(experiment)
    folder = RAW / "live" / experiment.study / experiment.name
    with live_chart.watching() as progress, open_bench(progress) as procedure:
        return measure(plan(experiment, profile, seed, build), folder, procedure)
