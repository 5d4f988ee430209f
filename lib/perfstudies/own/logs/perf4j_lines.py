"""Perf4J's lines, a stopped watch each, alone on a line or after what a logging framework puts before them.

Other than `perfstudies.studies.step.logs.perf4j`, which makes requests of our own system's nested watches,
each watch is counted by itself here: its tag is the operation.

Source: ``org.perf4j.StopWatch.toString`` of Perf4J 0.9.16.
"""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from perfstudies.own.logs import files
from perfstudies.own.logs.requests import OTHER, tidy

_WATCH = r"start\[(?<start>-?\d+)\] time\[(?<time>[^\]]*)\] tag\[(?<tag>[^\]]*)\]"
_FAILED = ".failure"
_BYTES = re.compile(_WATCH.replace("?<", "?P<").encode())


def recognises(head: bytes) -> bool:
    """Say whether a log that begins so is one."""
    return any(_BYTES.search(line) for line in head.split(b"\n")[:20])


def read(path: Path) -> pl.LazyFrame:
    """Read a log; a watch failed if its tag ends in ``.failure``, as Perf4J's own profiling aspects name it."""
    watch = pl.col("watch").struct
    tag = watch.field("tag")

    def build(plain: Path) -> pl.LazyFrame:
        return tidy(
            files.lines(plain).select("line", pl.col("text").str.extract_groups(_WATCH).alias("watch")),
            start_s=watch.field("start").cast(pl.Float64, strict=False) / 1000,
            elapsed_ms=watch.field("time").cast(pl.Float64, strict=False),
            ok=~tag.str.ends_with(_FAILED),
            operation=tag.str.strip_suffix(_FAILED).str.strip_suffix(".success"),
            wrong={OTHER: tag.is_null()},
        )

    return files.scan(path, build)
