"""An experiment's data by its source: what the repository recorded, or what is measured now."""

from __future__ import annotations

from perfstudies.errors import BadParameter, BadRecording
from perfstudies.experiment import SOURCES, Experiment
from perfstudies.paths import RAW
from perfstudies.report import live_chart
from perfstudies.runs import lab, recording, store
from perfstudies.runs.plan import Plan
from perfstudies.runs.recording import Recording
from perfstudies.runs.store import Run


def load(experiment: Experiment, source: str, profile: str, seed: int) -> Recording:
    """Return what an experiment's runs recorded, read and checked; arguments and errors as of `recorded`.

    Raises
    ------
    BadLog
        If a raw log is broken.
    """
    return recording.load(experiment, recorded(experiment, source, profile, seed))


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
    bench = experiment.module(experiment.bench)
    plan = Plan.of(experiment, profile, seed, bench.build())
    with live_chart.watching() as progress, bench.bench(progress) as procedure:
        return lab.measure(plan, procedure, read=experiment.module(experiment.reader).read)
