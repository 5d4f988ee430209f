"""An experiment's data by its source: what the repository recorded, or what is measured now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType

from numpy.typing import ArrayLike

from perfstudies.errors import BadRecording, require_one_of
from perfstudies.experiment import PROFILES, SOURCES, Experiment
from perfstudies.files import temporary
from perfstudies.one_call import OneCall
from perfstudies.paths import RAW
from perfstudies.report import live_chart
from perfstudies.runs import declarations, lab, recording, store
from perfstudies.runs.plan import Plan
from perfstudies.runs.recording import Recording
from perfstudies.runs.store import Run

CALLS = "calls"
"""The folder with one call a study, beside the studies' own."""


def load(experiment: Experiment, source: str, profile: str, seed: int) -> Recording:
    """Return what an experiment's runs recorded, read and checked; arguments and errors as of `recorded`.

    Raises
    ------
    BadLog
        If a raw log is broken.
    """
    return read(experiment, recorded(experiment, source, profile, seed))


def read(experiment: Experiment, runs: list[Run]) -> Recording:
    """Return what runs recorded, and what was declared otherwise when they were measured; errors as of `load`."""
    found = recording.load(experiment, runs)
    rules = declarations.rules(experiment, runs)
    return replace(found, host=found.host | {"rules": rules}) if rules else found


def one_call(study: str, source: str) -> OneCall:
    """Return one request of a study in full: the recorded one, or one that is made now if there is none of this build.

    Raises
    ------
    BadParameter
        For an unknown source.
    BadRecording
        If the repository has no such record.
    MissingTool
        If a live one is asked for and Java or the built system is missing.
    """
    if source == "reference":
        return OneCall.read(RAW / "reference" / CALLS / f"{study}.json")
    require_one_of("source", source, SOURCES)
    path = RAW / "live" / CALLS / f"{study}.json"
    try:
        made = OneCall.read(path)
        if made.build == _making(study).build():
            return made
    except BadRecording:
        pass  # there is none yet, or not a whole one
    return OneCall.read(_made_call(study, path))


def record_call(study: str) -> Path:
    """Make one request of a study in full and store it as the recorded one; return where."""
    return _made_call(study, RAW / "reference" / CALLS / f"{study}.json")


def _made_call(study: str, path: Path) -> Path:
    with temporary("call") as folder:
        _making(study).make(folder).write(path)
    return path


def _making(study: str) -> ModuleType:
    return import_module(f"perfstudies.studies.{study}.one_call")


def recorded(experiment: Experiment, source: str, profile: str, seed: int) -> list[Run]:
    """Return an experiment's runs: those of the repository, or those of this machine, measured now if missing.

    Of an experiment that the profile leaves out they are the repository's, and that is printed.

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
    require_one_of("profile", profile, PROFILES)
    if source == "live" and profile not in experiment.sizes:
        print(f"Recorded runs of {experiment.key}: {profile} does not measure it, {' and '.join(experiment.sizes)} do.")
        source = "reference"
    if source == "reference":
        folder = RAW / "reference" / experiment.study / experiment.name
        wanted = experiment.settings()
        found = [run for run in store.runs(folder) if run.manifest["setting"] in wanted]
        if not found:
            raise BadRecording(f"no recorded runs in {folder}; restore data/raw/reference from the repository")
        return found
    require_one_of("source", source, SOURCES)
    bench, read = experiment.module(experiment.bench), experiment.module(experiment.reader).read
    with live_chart.watching() as progress, bench.bench(progress) as procedure:
        runs = lab.measure(Plan.of(experiment, profile, seed, bench.build()), procedure, read=read)
        size = experiment.size(profile)
        if size.levels and all(run.manifest["status"] == store.SKIPPED for run in runs):
            # This machine can measure none of the levels that the profile chooses: others may do.
            whole = replace(experiment, sizes={**experiment.sizes, profile: replace(size, levels={})})
            runs = lab.measure(Plan.of(whole, profile, seed, bench.build()), procedure, read=read)
        return runs


def judged_here(
    statistics: Mapping[str, ArrayLike], source: str, profile: str, rests_on: Mapping[str, Experiment]
) -> dict[str, ArrayLike]:
    """Return statistics by finding without those of experiments that a live profile leaves out, and print which.

    What a report shows of these was recorded, which says nothing of this machine. `rests_on` names the experiments; an
    id that has no statistic is a `BadParameter`.
    """
    for id in rests_on:
        require_one_of("finding", id, statistics)
    left = {id: one.key for id, one in rests_on.items() if source == "live" and profile not in one.sizes}
    if left:
        on = ", ".join(f"{id} ({key})" for id, key in left.items())
        print(f"Not judged here, as {profile} does not measure what they rest on: {on}.")
    return {id: values for id, values in statistics.items() if id not in left}


def finished(experiment: Experiment, source: str) -> list[Run]:
    """Return an experiment's finished runs as they are there, of all profiles; nothing is measured."""
    return store.finished(RAW / source / experiment.key)
