"""Perf4J's log: a line a stopped watch, in whole milliseconds of the wall clock.

``samples(path)`` returns the samples and the records that were cut off::

    start[1279756475199] time[12] tag[hibernate.load]
    start[1279756475100] time[131] tag[filter] message[arrived_ns=12425664407594]

All threads share the file and no line names its thread, so it can be read only if requests came one after the other.
The last line of a request is that of its layer ``filter``.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from perfstudies.errors import BadLog, BadParameter
from perfstudies.logs import interceptions
from perfstudies.logs.interceptions import OUTERMOST, Format, Log

FORMAT = Format(
    "Perf4J",
    r"start\[(?P<start>\d{1,13})\] time\[(?P<elapsed>\d{1,12})\] tag\[(?P<tag>[^\[\]]+)\]"
    r"(?: message\[(?P<context>[^\[\]]*)\])?",
    unit_ns=10**6,
)

CLOCKS_DIFFER_NS = 10 * 10**6
"""A start is read off the wall clock, which is being set, an elapsed time is not: requests may seem to touch."""

RULES = {"merged": interceptions.merged, "raw": interceptions.summed, "aggregated": interceptions.aggregated}
"""How records become a layer's time; the first is what the samples are made by.

``raw`` and ``aggregated`` are the study's. With its Hibernate the records of a layer followed each other and their sum
was their union. Hibernate now announces all objects of a query before the first is complete: records lie within each
other, their sum exceeds the request many times, and only the union says how long one was open.
"""


def samples(path: Path, rule: str = "merged") -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read a log.

    Parameters
    ----------
    path : Path
        The log, plain or ``.gz``.
    rule : str
        One of `RULES`.

    Returns
    -------
    frame : DataFrame
        As `perfstudies.logs.slices.samples`; ``thread`` is 0.
    truncated : tuple of str
        ``file:line`` of a last request that was cut off and left out.

    Raises
    ------
    BadLog
        For any other line that is not of the format, and for requests that overlap; with file and line.
    """
    if rule not in RULES:
        raise BadParameter.choice("rule", rule, RULES)
    log = read(path)
    return interceptions.samples(log, path, RULES[rule]), log.truncated


def read(path: Path) -> Log:
    """Return the interceptions of a log."""
    log = interceptions.read(path, FORMAT)
    whole = log.visits[log.visits["tag"] == OUTERMOST]
    overlap = whole["start_ns"] + CLOCKS_DIFFER_NS < (whole["start_ns"] + whole["elapsed_ns"]).shift()
    if overlap.any():
        line = int(overlap.idxmax()) + 1
        raise BadLog(path, line, "requests overlap: a Perf4J log does not say which of them a record belongs to")
    return log
