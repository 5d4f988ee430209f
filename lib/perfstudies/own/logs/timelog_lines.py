"""The AAA study's two logs, ``Total_Timelog`` and ``EJB_Timelog``: whole milliseconds and a semicolon a line.

Its program (Appendix B) appended a line to each when an answer came, so a line's number is that of the answer, not that
of the request, and requests without an answer have no line. There are no times of day, no outcomes and no operations in
them, so no rate and no course over time can be had of them here. Both files are settings of their own: what a request
took, and what of it the EJB took.
"""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from perfstudies.own.logs import files
from perfstudies.own.logs.requests import OTHER, tidy

_LINE = re.compile(rb"\s*\d{1,9};\s*")


def recognises(head: bytes) -> bool:
    """Say whether a log that begins so is one."""
    lines = head.split(b"\n")[:3]
    return all(_LINE.fullmatch(line + b"\n") for line in lines[: max(1, len(lines) - 1)])


def read(path: Path) -> pl.LazyFrame:
    """Read one of the two logs."""
    value = pl.col("text").str.strip_chars()

    def build(plain: Path) -> pl.LazyFrame:
        return tidy(
            files.lines(plain),
            elapsed_ms=value.str.strip_suffix(";").cast(pl.Float64, strict=False),
            ok=pl.lit(True),
            operation=pl.lit("answer"),
            wrong={OTHER: ~value.str.ends_with(";")},
        )

    return files.scan(path, build)
