"""Perf4J's lines, a stopped watch each, alone on a line or after what a logging framework puts before them.

Other than `perfstudies.studies.step.logs.perf4j`, which makes requests of our own system's nested watches,
each watch is counted by itself here: its tag is the operation.

A watch at a line's begin is found sooner than one further on, so it is looked for there first, and its tag cut
at its first point; lines that have none there, and tags with more points, are read the long way.

Source: ``org.perf4j.StopWatch.toString`` of Perf4J 0.9.16.
"""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from perfstudies.own.logs import files
from perfstudies.own.logs.requests import OTHER, tidy

_STOPPED = r"start\[(?<start>-?\d+)\] time\[(?<time>[^\]]*)\] "
_WATCH = _STOPPED + r"tag\[(?<tag>[^\]]*)\]"
# From each byte on there is one way to go, so its groups are found in one pass.
_AT_BEGIN = f"^{_STOPPED}" + r"tag\[(?<tag>(?<operation>[^\].]*)(?<outcome>(?:\.[^\]]*)?))\]"
_FAILED = ".failure"
_SUCCEEDED = ".success"
_TOLD = {"line": pl.Int64, "start": pl.String, "time": pl.String, "operation": pl.String, "ok": pl.Boolean}
_BYTES = re.compile(_WATCH.replace("?<", "?P<").encode())


def recognises(head: bytes) -> bool:
    """Say whether a log that begins so is one."""
    return any(_BYTES.search(line) for line in head.split(b"\n")[:20])


def read(path: Path) -> pl.LazyFrame:
    """Read a log; a watch failed if its tag ends in ``.failure``, as Perf4J's own profiling aspects name it."""

    def build(plain: Path) -> pl.LazyFrame:
        watch = pl.col("text").str.extract_groups(_AT_BEGIN).alias("watch")
        found = files.lines(plain).select(pl.col("line").cast(pl.Int64), "text", watch).unnest("watch")
        return tidy(
            found.map_batches(_told, schema=_TOLD, streamable=True),
            start_s=pl.col("start").cast(pl.Float64, strict=False) / 1000,
            elapsed_ms=pl.col("time").cast(pl.Float64, strict=False),
            ok=pl.col("ok"),
            operation=pl.col("operation"),
            wrong={OTHER: pl.col("operation").is_null()},
        )

    return files.scan(path, build)


def _told(found: pl.DataFrame) -> pl.DataFrame:
    """Tell operations and outcomes by tags, and look further on in lines that do not begin with a watch."""
    outcome, tag = found["outcome"], pl.col("tag")
    usual = (outcome == "") | (outcome == _SUCCEEDED) | (outcome == _FAILED)
    if usual.all() and not usual.null_count():
        return found.select("line", "start", "time", "operation", (pl.col("outcome") != _FAILED).alias("ok"))
    later = pl.when(tag.is_null()).then("text").str.extract_groups(_WATCH).alias("later")
    either = (
        pl.when(tag.is_null()).then(pl.col("later").struct.field(name)).otherwise(name).alias(name)
        for name in ("start", "time", "tag")
    )
    return (
        found.with_columns(later)
        .select("line", *either)
        .with_columns(
            tag.str.strip_suffix(_FAILED).str.strip_suffix(_SUCCEEDED).alias("operation"),
            (~tag.str.ends_with(_FAILED)).alias("ok"),
        )
        .select(*_TOLD)
    )
