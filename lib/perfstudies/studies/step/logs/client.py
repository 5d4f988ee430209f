"""The lab's own client record as a frame (see `perfstudies.sent` for the columns)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from perfstudies.errors import BadLog
from perfstudies.logs import records
from perfstudies.logs.text import lines
from perfstudies.sent import COLUMNS, OUTCOMES

_TEXT = ("operation", "outcome", "detail")


def read(path: Path) -> tuple[pd.DataFrame, int]:
    """Read a client record file, plain or ``.gz``.

    Returns
    -------
    frame : DataFrame
        A row a request, with ``elapsed_ms`` (end less send) and ``late_ms`` (send less intended send) added.
    truncated : int
        1 if the last line was cut and left out, otherwise 0.

    Raises
    ------
    BadLog
        For another heading or a line that does not fit it; with file and line.
    """
    rows: list[dict] = []
    truncated = 0
    for number, text in enumerate(lines(path), start=1):
        if not text.endswith("\n"):
            truncated = 1
            break
        values = records.values_of(path, number, text)
        if number == 1:
            if tuple(values) != COLUMNS:
                raise BadLog(path, 1, f"not a client record: its columns are {', '.join(values)[:200]}")
            continue
        rows.append(_row(path, number, values))
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    frame["elapsed_ms"] = (frame["ended_ns"] - frame["sent_ns"]) / 1e6
    frame["late_ms"] = (frame["sent_ns"] - frame["intended_ns"]) / 1e6
    return frame, truncated


def _row(path: Path, number: int, values: list[str]) -> dict:
    if len(values) != len(COLUMNS):
        raise BadLog(path, number, f"{len(values)} columns instead of {len(COLUMNS)}")
    row: dict[str, Any] = dict(zip(COLUMNS, values, strict=True))
    try:
        row = {column: value if column in _TEXT else records.whole(value) for column, value in row.items()}
    except ValueError as error:
        raise BadLog(path, number, f"not a whole number: {error}") from error
    if row["outcome"] not in OUTCOMES:
        raise BadLog(path, number, f"the outcome {row['outcome'][:40]!r} is none of {', '.join(OUTCOMES)}")
    return row
