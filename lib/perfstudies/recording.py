"""From an experiment's runs to one tidy recording: samples, runs, and what was odd about them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from perfstudies import store
from perfstudies.errors import BadParameter, BadRecording
from perfstudies.experiment import Experiment
from perfstudies.logs import client, event_monitor, layer_monitor, perf4j, slices
from perfstudies.paths import PROCESSED
from perfstudies.store import Run
from perfstudies.studies.step_collect import CLIENT_LOG, MONITOR_LOG


@dataclass(frozen=True)
class Recording:
    """What an experiment's runs recorded.

    Attributes
    ----------
    samples : DataFrame
        A row a request as the server's monitor saw it: ``run``, ``block``, a column a factor, and the
        columns of `perfstudies.logs.slices.samples`; ``measured`` is false for requests of the warm-up sessions.
    calls : DataFrame
        A row a request as its client saw it: ``run``, ``block``, a column a factor, the columns of
        `perfstudies.logs.client.read`, and ``measured`` as above. Of a ramp also ``phase``, ``group`` (passengers)
        and ``request_length`` (XML logical length, characters).
    runs : DataFrame
        A row a finished run: ``run``, ``block``, a column a factor, ``noisy`` (why, or empty), ``deployment``
        (its number in a shared process; 0 in one of its own), ``build``, ``load_s`` (how long its load took), the sizes
        of its logs (``functional_log_bytes``; what the measured requests added: ``measured_log_bytes``,
        ``console_log_bytes``, ``monitor_log_bytes``), and where they were taken Hibernate's counters, the bandwidth
        of its link (Mbit/s), ``oom``, ``alive`` and ``stopped``.
    failed : tuple of str
        Each failed run with its error.
    warnings : tuple of str
        Records that break one of the monitor's rules, each named by its line.
    truncated : tuple of str
        Records that were cut off and set aside.
    skipped : tuple of str
        Settings that this machine could not measure, each with the reason.
    host : dict
        The machine of the last run, and the system's versions.
    databases : tuple of str
        The database servers that runs used, other than the one inside the service's process.
    """

    samples: pd.DataFrame
    calls: pd.DataFrame
    runs: pd.DataFrame
    failed: tuple[str, ...]
    warnings: tuple[str, ...]
    truncated: tuple[str, ...]
    skipped: tuple[str, ...]
    host: dict
    databases: tuple[str, ...] = ()


def load(experiment: Experiment, runs: Sequence[Run]) -> Recording:
    """Read an experiment's runs, compare every file with its checksum, and check every record.

    The samples are also left as ``data/processed/<study>/<experiment>.parquet`` for analyses elsewhere.

    Raises
    ------
    BadRecording
        If no run finished, or a file is missing or differs from its checksum.
    BadLog
        If a raw log is broken.
    """
    finished = [run for run in runs if run.manifest["status"] == store.FINISHED]
    if not finished:
        raise BadRecording(
            f"{experiment.key}: none of {len(runs)} runs finished; the first error: {_first_error(runs)}"
        )
    samples, calls, rows, warnings, truncated = [], [], [], [], []
    for run in finished:
        manifest = run.manifest
        levels = {"run": run.name, "block": manifest["block"], **manifest["setting"]}
        sent, cut = client.read(run.file(CLIENT_LOG))
        truncated += [*manifest["truncated_records"], *([f"{run.name}/{CLIENT_LOG}"] * cut)]
        warm_up = sent["session"] < manifest["workload"]["warm_up_sessions"]
        if MONITOR_LOG in manifest["files"]:
            frame, broken, left = _monitored(run)
            warnings += broken
            truncated += left
            samples.append(_with(levels, frame.assign(measured=frame["request"] >= warm_up.sum())))
        if "ramp" in manifest:
            sent = sent.merge(pd.DataFrame(manifest["ramp"]), on="request", validate="one_to_one")
        calls.append(_with(levels, sent.assign(measured=~warm_up)))
        rows.append(levels | _facts(manifest))
    recording = Recording(
        samples=_ordered(experiment, pd.concat(samples, ignore_index=True)),
        calls=_ordered(experiment, pd.concat(calls, ignore_index=True)),
        runs=_ordered(experiment, pd.DataFrame(rows)),
        failed=tuple(f"{run.name}: {run.manifest['error']}" for run in runs if run.manifest["status"] == store.FAILED),
        warnings=tuple(warnings),
        truncated=tuple(truncated),
        skipped=_skipped(runs),
        databases=tuple(sorted({run.manifest["system"].get("database", "H2") for run in finished} - {"H2"})),
        host=finished[-1].manifest["host"] | finished[-1].manifest["system"],
    )
    _export(experiment, recording.samples)
    return recording


def _monitored(run: Run) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Return a run's samples, what is impossible in them, and what was cut off."""
    log = run.file(MONITOR_LOG)
    monitor = run.manifest.get("properties", {}).get("monitor", "layer")
    if monitor == "layer":
        reading = layer_monitor.Reading()
        frame, cut = slices.samples(layer_monitor.read(log, reading), log), reading.truncated
    else:
        frame, cut = {"event": event_monitor, "perf4j": perf4j}[monitor].samples(log)
    return frame, slices.impossible(frame, f"{run.name}/{MONITOR_LOG}"), list(cut)


def _facts(manifest: dict) -> dict:
    """Return a run's row without its levels."""
    return {
        "noisy": "; ".join(manifest["noise"]["reasons"]),
        "deployment": manifest["system"].get("deployment", 0),
        "build": manifest["system"].get("build"),
        "load_s": manifest.get("load_s"),
        **manifest["log_bytes"],
        **manifest.get("statistics", {}),
        **manifest.get("bandwidth", {}),
        **{name: manifest[name] for name in ("oom", "alive", "stopped") if name in manifest},
    }


def _skipped(runs: Sequence[Run]) -> tuple[str, ...]:
    """Return each setting that was skipped in all of its runs, with the reason."""
    reasons = {
        " ".join(run.manifest["setting"].values()): run.manifest["error"]
        for run in runs
        if run.manifest["status"] == store.SKIPPED
    }
    return tuple(f"{setting}: {reason}" for setting, reason in reasons.items())


def only(recorded: Recording, where: str) -> Recording:
    """Keep the samples that satisfy a condition, as the study's analyzer could; an empty one keeps all.

    Parameters
    ----------
    recorded : Recording
        What `load` returned.
    where : str
        A condition on the columns of `samples` in the syntax of `pandas.DataFrame.query`, for example
        ``"operation == 'searchFlights'"``.

    Raises
    ------
    BadParameter
        If the condition cannot be evaluated, or no sample satisfies it.
    """
    if not where:
        return recorded
    try:
        kept = recorded.samples.query(where)
    except Exception as error:  # pandas raises what the expression raises
        columns = ", ".join(recorded.samples.columns)
        raise BadParameter(f"where = {where!r} is no condition on {columns}: {error}") from error
    if kept.empty:
        raise BadParameter(f"where = {where!r}: none of {len(recorded.samples)} samples satisfies it")
    return replace(recorded, samples=kept.reset_index(drop=True))


def _first_error(runs: Sequence[Run]) -> str:
    return runs[0].manifest["error"] if runs else "there are no runs"


def _with(levels: dict, frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(**levels)[[*levels, *frame.columns]]


def _ordered(experiment: Experiment, frame: pd.DataFrame) -> pd.DataFrame:
    """Give levels the order of their declaration, in tables and figures alike."""
    levels = {factor.name: pd.Categorical(frame[factor.name], factor.levels) for factor in experiment.factors}
    return frame.assign(**levels)


def _export(experiment: Experiment, samples: pd.DataFrame) -> None:
    path = PROCESSED / experiment.study / f"{experiment.name}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}")
    samples.to_parquet(partial, index=False)
    os.replace(partial, path)
