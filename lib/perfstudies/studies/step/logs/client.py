"""The lab's own client record as a frame (see `perfstudies.sent` for the columns)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from perfstudies.logs import records
from perfstudies.sent import COLUMNS, OUTCOMES

_CONVERT: dict[str, Callable[[str], object]] = dict.fromkeys(COLUMNS, records.whole) | {
    "operation": str,
    "outcome": records.one_of(OUTCOMES),
    "detail": str,
}


def read(path: Path) -> tuple[pd.DataFrame, int]:
    """Read a client record file as `perfstudies.logs.records.read` does, without its column ``line``.

    Added are ``elapsed_ms`` (end less send) and ``late_ms`` (send less intended send).
    """
    frame, truncated = records.read(path, "a client record", _CONVERT)
    frame = frame.drop(columns="line")
    frame["elapsed_ms"] = (frame["ended_ns"] - frame["sent_ns"]) / 1e6
    frame["late_ms"] = (frame["sent_ns"] - frame["intended_ns"]) / 1e6
    return frame, truncated
