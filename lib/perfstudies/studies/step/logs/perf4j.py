"""Perf4J's log: a line a stopped watch, in whole milliseconds of the wall clock.

``samples(path)`` returns the samples, the records that were cut off, and the requests that could not be told apart::

    start[1279756475199] time[12] tag[hibernate.load]
    start[1279756475100] time[131] tag[filter] message[arrived_ns=12425664407594]

All threads share the file and no line names its thread, so it can be read only if requests came one after the other.
The last line of a request is that of its layer ``filter``, which may be left some time after the answer has reached the
client: the next request has begun by then. As long as the filter alone lasts longer, each record has its request.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from perfstudies.errors import BadLog
from perfstudies.studies.step.logs import interceptions
from perfstudies.studies.step.logs.interceptions import OUTERMOST, Format, Log

FORMAT = Format(
    "Perf4J",
    r"start\[(?P<start>\d{1,13})\] time\[(?P<elapsed>\d{1,12})\] tag\[(?P<tag>[^\[\]]+)\]"
    r"(?: message\[(?P<context>[^\[\]]*)\])?",
    unit_ns=10**6,
)

CLOCKS_DIFFER_NS = 10 * 10**6
"""A start is read off the wall clock, which is being set, an elapsed time is not: requests may seem to touch."""

NEVER = np.iinfo(np.int64).max - CLOCKS_DIFFER_NS

RULES = {"merged": interceptions.merged, "raw": interceptions.summed, "aggregated": interceptions.aggregated}
"""How records become a layer's time; the first is what the samples are made by.

``raw`` and ``aggregated`` are the study's. With its Hibernate the records of a layer followed each other and their sum
was their union. Hibernate now announces all objects of a query before the first is complete: records lie within each
other, their sum exceeds the request many times, and only the union says how long one was open.
"""


MOST_OVERLAPPING = 0.1
"""Where more of the requests overlap, they did not come one after the other, and the whole log is refused."""


def samples(path: Path) -> tuple[pd.DataFrame, tuple[str, ...], tuple[str, ...]]:
    """Read a log.

    Parameters
    ----------
    path : Path
        The log, plain or ``.gz``.

    Returns
    -------
    frame : DataFrame
        As `perfstudies.studies.step.logs.slices.samples`; ``thread`` is 0. Requests keep their numbers
        where others are left out.
    truncated : tuple of str
        ``file:line`` of a last request that was cut off and left out.
    overlapping : tuple of str
        Each request that is left out because records of it cannot be told from those of another, by its line.

    Raises
    ------
    BadLog
        For any other line that is not of the format, and if more than a tenth of the requests overlap; with file and
        line.
    """
    log = read(path)
    overlapping = tuple(
        f"{path.name}:{line}: the request overlaps another: its records cannot be told from that one's, it is left out"
        for line in log.requests["line"].loc[[*log.overlapping]]
    )
    return interceptions.samples(log, path, RULES["merged"]), log.truncated, overlapping


def read(path: Path) -> Log:
    """Return the interceptions of a log; those of requests that cannot be told apart are among them."""
    log = interceptions.read(path, FORMAT)
    odd = _overlapping(log.visits)
    if len(odd) > MOST_OVERLAPPING * len(log.requests):
        line = int(log.requests["line"][odd[0]])
        problem = f"{len(odd)} of {len(log.requests)} requests overlap"
        raise BadLog(path, line, f"{problem}: a Perf4J log does not say which of them a record belongs to")
    return replace(log, overlapping=tuple(odd))


def _overlapping(visits: pd.DataFrame) -> np.ndarray:
    """Return the requests of which a record may be another's: those whose filter is not all that overlaps."""
    ends = visits["start_ns"] + visits["elapsed_ns"]
    outermost = visits["tag"] == OUTERMOST
    begun, ended = (one[outermost].to_numpy() for one in (visits["start_ns"], ends))
    next_begun = np.minimum.accumulate(np.append(begun, NEVER)[::-1])[::-1][1:]
    inner = visits[~outermost].assign(end_ns=ends).groupby("request")
    last = inner.agg({"start_ns": "max", "end_ns": "max"}).reindex(range(len(begun)), fill_value=0)
    late = ended > next_begun + CLOCKS_DIFFER_NS
    # A record that began with or after the next request may be that one's, written before this one's filter.
    mixed = late & ((last["start_ns"] >= next_begun) | (last["end_ns"] > next_begun + CLOCKS_DIFFER_NS)).to_numpy()
    others = np.maximum.accumulate(np.append(0, np.where(mixed, ended, 0)))[:-1]
    return np.flatnonzero(mixed | (others > begun + CLOCKS_DIFFER_NS))
