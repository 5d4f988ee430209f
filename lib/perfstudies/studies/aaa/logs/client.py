"""The AAA clients' record as a frame (see `perfstudies.exchange` for the columns)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from perfstudies.exchange import COLUMNS, OUTCOMES
from perfstudies.logs import records

_CONVERT: dict[str, Callable[[str], object]] = dict.fromkeys(COLUMNS, records.whole) | {
    "ejb_ms": records.OrNone(records.number),
    "outcome": records.one_of(OUTCOMES),
    "detail": str,
}


def read(path: Path) -> tuple[pd.DataFrame, int]:
    """Read a record of one client or of all.

    Parameters
    ----------
    path : Path
        The record, plain, ``.gz`` or ``.xz``.

    Returns
    -------
    frame : DataFrame
        A row a request, with ``total_ms`` (end less start) added; sorted by client and number.
    truncated : int
        1 if the last line was cut and left out, otherwise 0.

    Raises
    ------
    BadLog
        For another heading, a line that does not fit it, times out of order, or a request that is there twice; with
        file and line.
    """
    frame, truncated = records.read(path, "a record of AAA clients", _CONVERT)
    frame["ejb_ms"] = frame["ejb_ms"].astype(float)
    records.require_order(frame, path, ("intended_us", "started_us", "ended_us"))
    records.require_unique(frame, path)
    frame["total_ms"] = (frame["ended_us"] - frame["started_us"]) / 1000
    return frame.drop(columns="line").sort_values(["client", "number"], ignore_index=True), truncated
