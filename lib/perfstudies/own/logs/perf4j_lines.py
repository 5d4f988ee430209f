"""Perf4J's lines, a stopped watch each, alone on a line or after what a logging framework puts before them.

Other than `perfstudies.studies.step.logs.perf4j`, which makes requests of our own system's nested watches,
each watch is counted by itself here: its tag is the operation.

A line that begins with a watch is cut at its brackets, which is faster than a regular expression, and its tag at its
first point; lines that have no watch there, and tags with more points, are read the long way.

Source: ``org.perf4j.StopWatch.toString`` of Perf4J 0.9.16.
"""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from perfstudies.own.logs import files
from perfstudies.own.logs.requests import OTHER, tidy

_WATCH = r"start\[(?<start>-?\d+)\] time\[(?<time>[^\]]*)\] tag\[(?<tag>[^\]]*)\]"
_PARTS = {"start": "start[", "time": " time[", "tag": " tag["}
_FAILED, _SUCCEEDED = "failure", "success"
_TOLD = {"line": pl.Int64, "start": pl.Float64, "time": pl.Float64, "operation": pl.String, "ok": pl.Boolean}
_BYTES = re.compile(_WATCH.replace("?<", "?P<").encode())


def recognises(head: bytes) -> bool:
    """Say whether a log that begins so is one."""
    return any(_BYTES.search(line) for line in head.split(b"\n")[:20])


def read(path: Path) -> pl.LazyFrame:
    """Read a log; a watch failed if its tag ends in ``.failure``, as Perf4J's own profiling aspects name it."""

    def build(plain: Path) -> pl.LazyFrame:
        return tidy(
            files.lines(plain).map_batches(_told, schema=_TOLD, streamable=True),
            start_s=pl.col("start") / 1000,
            elapsed_ms=pl.col("time"),
            ok=pl.col("ok"),
            operation=pl.col("operation"),
            wrong={OTHER: pl.col("operation").is_null()},
        )

    return files.scan(path, build)


def _told(lines: pl.DataFrame) -> pl.DataFrame:
    """Read lines that begin with a watch, by their brackets, and the others the long way."""
    parts = lines.with_columns(pl.col("text").str.splitn("]", 4).struct.rename_fields([*_PARTS, "rest"]).alias("part"))
    parts = parts.unnest("part").with_columns(
        pl.all_horizontal(pl.col(name).str.starts_with(begin) for name, begin in _PARTS.items()).alias("begins"),
        *(pl.col(name).str.strip_prefix(begin) for name, begin in _PARTS.items()),
    )
    start = pl.when(~pl.col("start").str.starts_with("+")).then("start").cast(pl.Int64, strict=False)
    parts = parts.with_columns(
        start.cast(pl.Float64), pl.col("tag").str.splitn(".", 2).struct.rename_fields(["operation", "outcome"])
    ).unnest("tag")
    outcome = pl.col("outcome")
    told = outcome.is_null() | outcome.is_in([_FAILED, _SUCCEEDED])
    whole = pl.col("begins") & pl.col("start").is_not_null() & pl.col("rest").is_not_null()
    usual = parts.select((whole & told).fill_null(False)).to_series()
    found = parts.filter(usual).select(
        pl.col("line").cast(pl.Int64),
        "start",
        pl.col("time").cast(pl.Float64, strict=False),
        "operation",
        (outcome.fill_null("") != _FAILED).alias("ok"),
    )
    return found if usual.all() else pl.concat([found, _anywhere(lines.filter(~usual))]).sort("line")


def _anywhere(lines: pl.DataFrame) -> pl.DataFrame:
    """Read lines by a regular expression, which finds a watch wherever it stands."""
    found = lines.select("line", pl.col("text").str.extract_groups(_WATCH).alias("watch")).unnest("watch")
    tag = pl.col("tag")
    return found.select(
        pl.col("line").cast(pl.Int64),
        pl.col("start", "time").cast(pl.Float64, strict=False),
        tag.str.strip_suffix(f".{_FAILED}").str.strip_suffix(f".{_SUCCEEDED}").alias("operation"),
        (~tag.str.ends_with(f".{_FAILED}")).alias("ok"),
    )
