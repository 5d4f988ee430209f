"""From an experiment's runs to one tidy recording: samples, runs, and what was odd about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from perfstudies.errors import BadLog, BadParameter, BadRecording
from perfstudies.experiment import Experiment
from perfstudies.paths import PROCESSED
from perfstudies.runs import store
from perfstudies.runs.checksums import code_checksum
from perfstudies.runs.kept import kept, key_of, leave
from perfstudies.runs.store import Run

_KEY = b"perfstudies"
"""In a Parquet file: of which key of `perfstudies.runs.kept` its samples are."""


@dataclass(frozen=True)
class Recording:
    """What an experiment's runs recorded.

    Attributes
    ----------
    samples : DataFrame
        A row a request as the server saw it: ``run``, ``block``, a column a factor, and the columns of the study's
        reader (the module `perfstudies.experiment.Experiment.reader`).
    calls : DataFrame
        A row a request as its client saw it: ``run``, ``block``, a column a factor, and the columns of that reader.
    runs : DataFrame
        A row a finished run: ``run``, ``block``, a column a factor, ``position`` (its place in its block, from 0),
        ``noisy`` (why, or empty), ``took_s`` (with its set-up), and that reader's facts.
    failed : tuple of str
        Each failed run with its error, also those whose logs cannot be read.
    warnings : tuple of str
        Records that break one of the monitor's rules, each named by its line.
    truncated : tuple of str
        Records that were cut off and set aside.
    skipped : tuple of str
        Settings that this machine could not measure, each with the reason.
    host : dict
        The machine of the last run, and the systems' versions; ``cpu`` are the processors of all runs, ``parties`` the
        machines' names where there was more than one.
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
    """Return what an experiment's runs recorded, every file compared with its checksum, and every record checked.

    Logs are read once: what they gave is kept below ``data/processed/<study>/<experiment>/`` until the runs, or the
    code that reads them, are others. The samples are also left as ``data/processed/<study>/<experiment>.parquet`` for
    analyses elsewhere.

    Raises
    ------
    BadRecording
        If no run finished or none can be read, or a file is missing or differs from its checksum: what was changed
        afterwards is refused whole. A log that is as it was recorded and cannot be read costs its run alone, which is
        named among those that failed.
    """
    finished = [run for run in runs if run.manifest["status"] == store.FINISHED]
    if not finished:
        first = runs[0].manifest["error"] if runs else "there are no runs"
        raise BadRecording(f"{experiment.key}: none of {len(runs)} runs finished; the first error: {first}")
    folder = PROCESSED / experiment.study / experiment.name
    key = key_of(
        runs,
        code_checksum(experiment.module(experiment.reader).__name__, __name__),
        experiment.key,
        experiment.factors,
        experiment.system,
        experiment.procedure,
    )
    recording = kept(folder, key, lambda: _read(experiment, runs, finished))
    _export(folder.with_name(f"{folder.name}.parquet"), recording.samples, key)
    return recording


def _read(experiment: Experiment, runs: Sequence[Run], finished: Sequence[Run]) -> Recording:
    read = experiment.module(experiment.reader).read
    samples: list[tuple[dict, pd.DataFrame]] = []
    calls: list[tuple[dict, pd.DataFrame]] = []
    rows, warnings, truncated = [], [], []
    unreadable: list[tuple[Run, BadLog]] = []
    for run in finished:
        levels = {"run": run.name, "block": run.manifest["block"], **run.manifest["setting"]}
        try:
            with run.named():
                logs = read(run)
        except BadLog as error:
            unreadable.append((run, error))
            continue
        if logs.samples is not None:
            samples.append((levels, logs.samples))
        calls.append((levels, logs.calls))
        # A fact of the same name as a factor is the level as it was really used: frames keep the level.
        told = {
            "position": run.manifest.get("position"),
            "noisy": "; ".join(run.manifest["noise"]["reasons"]),
            "took_s": run.manifest.get("took_s"),
        }
        rows.append(levels | told | dict(logs.facts) | levels)
        warnings += logs.warnings
        truncated += logs.truncated
    if not rows:
        raise BadRecording(f"{experiment.key}: no run can be read; the first error: {unreadable[0][1]}")
    finished = [run for run in finished if run.name in {row["run"] for row in rows}]
    failed = [f"{run.name}: {run.manifest['error']}" for run in runs if run.manifest["status"] == store.FAILED]
    libraries = dict.fromkeys(name for run in finished for name in run.manifest["system"]["libraries"])
    if not samples:  # no run had a monitor whose log was kept
        samples = [(levels, pd.DataFrame(columns=["measured"]))]
    return Recording(
        samples=_ordered(experiment, _joined(samples)),
        calls=_ordered(experiment, _joined(calls)),
        runs=_ordered(experiment, pd.DataFrame(rows)),
        failed=tuple(failed) + _unreadable(unreadable, finished),
        warnings=tuple(warnings),
        truncated=tuple(truncated),
        skipped=_skipped(runs),
        databases=tuple(sorted({run.manifest["system"].get("database", "H2") for run in finished} - {"H2"})),
        host=finished[-1].manifest["host"]
        | finished[-1].manifest["system"]
        | {"experiment": experiment.key, "libraries": list(libraries), "parties": _parties(finished)}
        | {"cpu": "; ".join(dict.fromkeys(run.manifest["host"]["cpu"] for run in finished))},
    )


def _unreadable(left_out: Sequence[tuple[Run, BadLog]], kept: Sequence[Run]) -> tuple[str, ...]:
    """Name each run that was left out with its reason, and its setting if no run of that is left."""
    settings = [run.manifest["setting"] for run in kept]

    def alone(setting: Mapping[str, str]) -> str:
        return "" if setting in settings else f"; no other run of {' '.join(setting.values())} can be read"

    return tuple(
        f"{run.name}: its logs cannot be read: {error}{alone(run.manifest['setting'])}" for run, error in left_out
    )


def _parties(runs: Sequence[Run]) -> list[str]:
    """Say which machines sent and served, if there was more than one; runs recorded before that was noted had one."""
    pairs = dict.fromkeys(tuple(run.manifest["hosts"].values()) for run in runs if "hosts" in run.manifest)
    if len({name for pair in pairs for name in pair}) < 2:
        return []
    return [f"sent by {sent}, served by {served}" for sent, served in pairs]


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


def _joined(parts: Sequence[tuple[dict, pd.DataFrame]]) -> pd.DataFrame:
    """Return the rows of all runs one after the other, each with its run's levels before it."""
    levels, frames = zip(*parts, strict=True)
    run = np.repeat(np.arange(len(frames)), [len(frame) for frame in frames])
    repeated = pd.DataFrame(levels).take(run).reset_index(drop=True)
    return pd.concat([repeated, pd.concat(frames, ignore_index=True)], axis="columns")


def _ordered(experiment: Experiment, frame: pd.DataFrame) -> pd.DataFrame:
    """Give levels the order of their declaration, in tables and figures alike."""
    levels = {factor.name: pd.Categorical(frame[factor.name], factor.levels) for factor in experiment.factors}
    return frame.assign(**levels)


def _export(path: Path, samples: pd.DataFrame, key: str) -> None:
    """Leave samples in a file, unless it has them already: it notes whose they are."""
    try:
        if (pq.read_schema(path).metadata or {}).get(_KEY) == key.encode():
            return
    except (OSError, pa.ArrowException):
        pass  # there is none, or what is there is no table
    table = pa.Table.from_pandas(samples, preserve_index=False)
    table = table.replace_schema_metadata({**table.schema.metadata, _KEY: key})
    leave(path, path.with_suffix(""), lambda draft: pq.write_table(table, draft))
