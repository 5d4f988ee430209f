"""What was observed of somebody's own system, the same whether the lab sent the requests or a log tells of them.

A *setting* is what is compared, a *run* is one execution at one setting: the unit of replication. In logs of others a
file is a run (see `perfstudies.own.logs`). However many requests there are, they pass by once, through polars'
streaming engine, and what is kept of them (`perfstudies.own.tally`) does not grow with their number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import polars as pl

from perfstudies.errors import BadParameter
from perfstudies.own.tally import RunTally, frame, operations_of

RUNS = (
    "setting", "run", "requests", "errors", "start_s", "took_s", "rate_per_s", "mean_ms", "sd_ms", "p50_ms", "p90_ms",
    "p99_ms", "max_ms",
)  # fmt: skip
WINDOW_COLUMNS = ("setting", "run", "at_s", "requests", "errors", "mean_ms", "p99_ms")
SPREAD = ("setting", "run", "low_ms", "high_ms", "requests")
OPERATIONS = ("setting", "operation", "requests", "errors", "mean_ms", "p50_ms", "p99_ms")
SET_ASIDE = ("file", "line", "problem", "text")

REQUEST = {
    "setting": pl.String, "run": pl.String, "start_s": pl.Float64, "elapsed_ms": pl.Float64, "ok": pl.Boolean,
    "operation": pl.String,
}  # fmt: skip

BATCH = 200_000
MOST_SET_ASIDE = 100
MOST_OPERATIONS = 100


@dataclass(frozen=True)
class Observed:
    """What was observed, small however long the logs were.

    Attributes
    ----------
    runs : DataFrame
        A row a run, settings and runs in the order in which they came: ``setting``, ``run``, ``requests``, ``errors``,
        ``start_s`` (s since the epoch of the first start; NaN if unknown), ``took_s`` (until the last answer),
        ``rate_per_s`` (requests / took_s), and of the requests without error ``mean_ms``, ``sd_ms``, ``p50_ms``,
        ``p90_ms``, ``p99_ms``, ``max_ms`` (NaN if there is none, or if the log does not tell).
    windows : DataFrame
        A row a window of a run, in order, at most 400 a run: ``setting``, ``run``, ``at_s`` (its middle, s since the
        run's start), ``requests`` and ``errors`` that started in it (0 if none), ``mean_ms``, ``p99_ms``. None of a run
        whose log has no times of day.
    spread : DataFrame
        A row a bin of a run that is not empty, 20 to a factor of ten: ``setting``, ``run``, ``low_ms``, ``high_ms``,
        ``requests`` (without error). The lowest bin that there can be begins at 0.
    operations : DataFrame
        A row an operation of a setting, the most frequent first, those beyond 100 as one: ``setting``, ``operation``,
        ``requests``, ``errors``, ``mean_ms``, ``p50_ms``, ``p99_ms``.
    set_aside : DataFrame
        The first lines that were set aside, at most 100: ``file``, ``line``, ``problem``, ``text`` (its start).
    set_aside_lines : int
        How many there were in all.
    sources : tuple of str
        What was read: files with their format, or the service's address.
    """

    runs: pd.DataFrame
    windows: pd.DataFrame
    spread: pd.DataFrame
    operations: pd.DataFrame
    set_aside: pd.DataFrame
    set_aside_lines: int
    sources: tuple[str, ...]


def collect(requests: pl.LazyFrame | Iterable[pl.LazyFrame], sources: Sequence[str] = ()) -> Observed:
    """Reduce requests to what is reported of them, in one pass and in bounded memory.

    Parameters
    ----------
    requests : polars.LazyFrame, or several of them
        A row a request in any order: ``setting``, ``run`` (text), ``start_s`` (s since the epoch, null if unknown),
        ``elapsed_ms`` (0 or more), ``ok`` (whether it succeeded) and ``operation`` (text).
    sources : sequence of str
        What was read.

    Returns
    -------
    Observed
        Quantiles are less than 1 % off, and exact where times are whole milliseconds below 100 (see
        `perfstudies.own.tally`); all else is exact.

    Raises
    ------
    BadParameter
        If a column is missing, or holds a null, a NaN or a negative time where there must be a value; or if there is
        no request at all.
    """
    tallies: dict[tuple[str, str], RunTally] = {}
    for one in [requests] if isinstance(requests, pl.LazyFrame) else requests:
        batches = one.select(_checked(one)).collect_batches(engine="streaming", maintain_order=True, chunk_size=BATCH)
        for batch in batches:
            _require_values(batch)
            for key, part in batch.partition_by("setting", "run", as_dict=True, include_key=False).items():
                tallies.setdefault(key, RunTally()).add(part)
    return from_tallies(tallies, frame([], SET_ASIDE), 0, sources)


def from_tallies(
    tallies: dict[tuple[str, str], RunTally], set_aside: pd.DataFrame, set_aside_lines: int, sources: Sequence[str] = ()
) -> Observed:
    """Return what was observed from what was kept of each run, by its setting and its name.

    Parameters
    ----------
    tallies : dict
        By setting and run.
    set_aside : DataFrame
        Lines that are no requests (``file``, ``line``, ``problem``, ``text``); the first 100 are kept.
    set_aside_lines : int
        How many there were in all.
    sources : sequence of str
        What was read.

    Raises
    ------
    BadParameter
        If no run has any request.
    """
    if not any(tally.requests for tally in tallies.values()):
        raise BadParameter("there is no request: nothing was observed")
    # Runs of a setting stand together, wherever they came.
    order = {setting: at for at, setting in enumerate(dict.fromkeys(setting for setting, _ in tallies))}
    runs = sorted(tallies.items(), key=lambda item: order[item[0][0]])

    def rows(of: Callable[[RunTally], list[dict]]) -> list[dict]:
        return [{"setting": setting, "run": run} | row for (setting, run), tally in runs for row in of(tally)]

    operations = [
        {"setting": setting} | row
        for setting in order
        for row in operations_of([tally for (own, _), tally in runs if own == setting], MOST_OPERATIONS)
    ]
    return Observed(
        runs=frame(rows(lambda tally: [tally.row()]), RUNS),
        windows=frame(rows(RunTally.windows), WINDOW_COLUMNS),
        spread=frame(rows(RunTally.spread), SPREAD),
        operations=frame(operations, OPERATIONS),
        set_aside=set_aside[list(SET_ASIDE)].head(MOST_SET_ASIDE).reset_index(drop=True),
        set_aside_lines=set_aside_lines,
        sources=tuple(sources),
    )


def _checked(requests: pl.LazyFrame) -> list[pl.Expr]:
    missing = [name for name in REQUEST if name not in requests.collect_schema().names()]
    if missing:
        raise BadParameter(f"requests: no column {', '.join(missing)}; a request has {', '.join(REQUEST)}")
    return [pl.col(name).cast(kind) for name, kind in REQUEST.items()]


def _require_values(batch: pl.DataFrame) -> None:
    for name in REQUEST:
        if name != "start_s" and batch[name].null_count():
            raise BadParameter(f"requests: {name} is missing in {batch[name].null_count()} rows")
    wrong = batch.filter(~pl.col("elapsed_ms").is_finite() | (pl.col("elapsed_ms") < 0))
    if wrong.height:
        raise BadParameter(f"requests: elapsed_ms = {wrong['elapsed_ms'][0]} is not a time of 0 ms or more")


def of_run(
    setting: str,
    run: str,
    row: Mapping,
    windows: Sequence[Mapping] = (),
    spread: Sequence[Mapping] = (),
    operations: Sequence[Mapping] = (),
) -> Observed:
    """Return what was observed of one run of which only aggregates are known.

    Parameters
    ----------
    setting, run : str
        Its names.
    row : mapping
        Its row in ``runs`` without its names; NaN for what is not known.
    windows, spread, operations : sequence of mapping, optional
        Its rows in these frames, without the names.
    """
    both, one = {"setting": setting, "run": run}, {"setting": setting}
    return Observed(
        runs=frame([both | dict(row)], RUNS),
        windows=frame([both | dict(part) for part in windows], WINDOW_COLUMNS),
        spread=frame([both | dict(part) for part in spread], SPREAD),
        operations=frame([one | dict(part) for part in operations], OPERATIONS),
        set_aside=frame([], SET_ASIDE),
        set_aside_lines=0,
        sources=(),
    )


def together(
    parts: Sequence[Observed], sources: Sequence[str] | None = None, order: Sequence[str] | None = None
) -> Observed:
    """Return what several parts observed, as one: runs that only aggregates are known of beside others.

    Parameters
    ----------
    parts : sequence of Observed
        No run is in two of them.
    sources : sequence of str, optional
        What was read, if not what the parts say.
    order : sequence of str, optional
        The settings in the order in which they are to stand, if not that of their first runs.

    Returns
    -------
    Observed
        An operation that has rows in several parts has no quantiles: they cannot be had of other quantiles.
    """

    def joined(name: str, columns: Sequence[str]) -> pd.DataFrame:
        frames = [getattr(part, name) for part in parts if len(getattr(part, name))]
        return pd.concat(frames, ignore_index=True) if frames else frame([], columns)

    runs = joined("runs", RUNS)
    places = {setting: at for at, setting in enumerate(order or dict.fromkeys(runs["setting"]))}

    def sorted_by_setting(found: pd.DataFrame) -> pd.DataFrame:
        return found.sort_values("setting", key=lambda names: names.map(places), kind="stable", ignore_index=True)

    operations = joined("operations", OPERATIONS)
    groups: Any = operations.groupby(["setting", "operation"], sort=False)
    rows = [_one_operation(setting, operation, group) for (setting, operation), group in groups]
    said = tuple(source for part in parts for source in part.sources)
    return Observed(
        runs=sorted_by_setting(runs),
        windows=sorted_by_setting(joined("windows", WINDOW_COLUMNS)),
        spread=sorted_by_setting(joined("spread", SPREAD)),
        operations=sorted_by_setting(frame(rows, OPERATIONS)),
        set_aside=joined("set_aside", SET_ASIDE).head(MOST_SET_ASIDE),
        set_aside_lines=sum(part.set_aside_lines for part in parts),
        sources=said if sources is None else tuple(sources),
    )


def _one_operation(setting: str, operation: str, rows: pd.DataFrame) -> dict:
    if len(rows) == 1:
        return rows.iloc[0].to_dict()
    good = rows["requests"] - rows["errors"]
    return {
        "setting": setting,
        "operation": operation,
        "requests": rows["requests"].sum(),
        "errors": rows["errors"].sum(),
        "mean_ms": (rows["mean_ms"] * good).sum() / good.sum() if good.sum() else math.nan,
        "p50_ms": math.nan,
        "p99_ms": math.nan,
    }
