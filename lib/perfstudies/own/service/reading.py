"""Runs of a comparison, read for the report of what was observed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from perfstudies import sent
from perfstudies.errors import BadLog, BadParameter, BadRecording
from perfstudies.logs import text
from perfstudies.own import aggregate
from perfstudies.own.aggregate import Observed
from perfstudies.runs import store
from perfstudies.runs.store import Run

SETTING = "setting"
PACKED = "requests.csv.xz"
TEXTS = ("operation", "outcome", "detail")
LEFT_OUT = "runs left out"


def finished(runs: Sequence[Run]) -> list[Run]:
    """Return the finished runs, by setting as declared and by block; `BadRecording` if there are none."""
    found = [run for run in runs if run.manifest["status"] == store.FINISHED]
    if not found:
        raise BadRecording(f"none of {len(runs)} runs finished")

    def place(run: Run) -> tuple[int, int]:
        return run.manifest["workload"]["settings"].index(run.manifest["setting"][SETTING]), run.manifest["block"]

    return sorted(found, key=place)


def read(runs: Sequence[Run], setting: str | None = None) -> Observed:
    """Return what was observed, after comparing every file with its checksum; under another setting's name if one is
    given.

    A closed user's response time counts from the sending, that of an open arrival from when it was due. Runs of one
    block have the same name at every setting.

    Raises
    ------
    BadRecording
        If no run finished, or a file is missing or differs from its checksum.
    BadLog
        If a record is broken.
    """
    kept = finished(runs)
    systems = [run.manifest["system"] for run in kept]
    sources = dict.fromkeys(f"{system['endpoint']}, {system['operation']}" for system in systems)
    named = [] if setting is None else [pl.lit(setting).alias("setting")]
    return aggregate.collect([requests(run).with_columns(named).lazy() for run in kept], sources=tuple(sources))


def of_folder(folder: Path, setting: str, own: str = "") -> Observed:
    """Return what the runs of a folder, or of its archive, observed at one of their settings.

    Parameters
    ----------
    folder : Path
        Where the runs are.
    setting : str
        What the setting is to be called.
    own : str
        What it was called when it was measured; needed if there were several.

    Raises
    ------
    BadParameter
        If the runs are not those of an own service, there is no such setting, or there are several and none is named.
    BadRecording, BadLog
        As `read`.
    """
    runs = list(store.runs(folder))
    if any(SETTING not in run.manifest["setting"] for run in runs):
        raise BadParameter(f"{folder}: these are not runs of an own service")
    there = list(dict.fromkeys(run.manifest["setting"][SETTING] for run in finished(runs)))
    if own and own not in there:
        raise BadParameter.choice(f"{folder}: setting", own, there)
    if not own and len(there) > 1:
        raise BadParameter(f"{folder} has the settings {', '.join(there)}: name one, as in {folder}:{there[0]}")
    chosen = [run for run in runs if run.manifest["setting"][SETTING] == (own or there[0])]
    # Another load, target or number of runs is another declaration, whose runs are beside: their names tell which.
    last = max(finished(chosen), key=lambda run: run.manifest["started"])
    kept = [run for run in chosen if _declaration(run) == _declaration(last)]
    observed = read(kept, setting)
    left = [f"{len(chosen) - len(kept)} of earlier declarations"] if len(kept) < len(chosen) else []
    left += [f"{failed} that failed"] if (failed := len(kept) - len(finished(kept))) else []
    note = f"; {LEFT_OUT}: {' and '.join(left)}" if left else ""
    return replace(observed, sources=tuple(f"{folder}: own-service runs of {one}{note}" for one in observed.sources))


def _declaration(run: Run) -> str:
    return str(run.manifest["run"]).split("-")[1]


def records(run: Run) -> pl.DataFrame:
    """Return a run's record: the columns of `perfstudies.sent.Sent`, times in ns after the run's start."""
    path = run.file(PACKED)
    kinds = {name: pl.String if name in TEXTS else pl.Int64 for name in sent.COLUMNS}
    with run.named():
        content = text.content(path)
        if not content.endswith(b"\n"):
            raise BadLog(path, content.count(b"\n") + 1, "cut: its last line has no end, and may lack digits")
        try:
            found = pl.read_csv(content, schema=kinds)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise BadLog(path, 1, f"not a record of requests: {str(error)[:200]}") from error
        lacking = found.with_row_index("line", 2).filter(pl.any_horizontal(pl.exclude("detail").is_null()))
        if lacking.height:
            raise BadLog(path, lacking["line"][0], "a request without all of its values")
        return found


def requests(run: Run) -> pl.DataFrame:
    """Return a run's requests as `perfstudies.own.aggregate.collect` takes them."""
    workload = run.manifest["workload"]
    since = "intended_ns" if workload["load"] == "open" else "sent_ns"
    return records(run).select(
        pl.lit(run.manifest["setting"][SETTING]).alias("setting"),
        pl.lit(f"{run.manifest['block'] + 1:03d}").alias("run"),
        (workload["start_s"] + pl.col(since) / 1e9).alias("start_s"),
        ((pl.col("ended_ns") - pl.col(since)) / 1e6).alias("elapsed_ms"),
        (pl.col("outcome") == sent.OK).alias("ok"),
        "operation",
    )
