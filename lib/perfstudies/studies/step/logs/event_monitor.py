"""The Event monitor's log: a line an interception, written when it ends.

``samples(path)`` returns the samples and the records that were cut off; ``merge(parts, out)`` makes one log of
the files of a run's threads, and adds the thread's field::

    thread[17] tag[hibernate.load] start[81230041557] elapsed[5120] context[]
    thread[17] tag[filter] start[81229157985] elapsed[722424519] context[arrived_ns=81229133978]

Times are nanoseconds of the JVM's monotonic clock. The last line of a request is that of its layer ``filter``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

import pandas as pd

from perfstudies.studies.step.logs import interceptions
from perfstudies.studies.step.logs.interceptions import Format, Log
from perfstudies.studies.step.logs.layer_monitor import thread_of

_PART = Format(
    "the Event monitor",
    r"tag\[(?P<tag>[^\[\]]+)\] start\[(?P<start>-?\d{1,18})\] elapsed\[(?P<elapsed>\d{1,18})\] "
    r"context\[(?P<context>[^\[\]]*)\]",
    unit_ns=1,
)
FORMAT = replace(_PART, line=r"thread\[\d{1,9}\] " + _PART.line, threads=True)

RULES = {"merged": interceptions.merged, "summed": interceptions.summed}
"""How visits become a layer's time; the first is what the samples are made by.

Hibernate announces all objects of a query before the first is complete, so that their visits lie within each other and
their sum counts a moment thousands of times: the union of the visits is the time in which one was open.
"""


def samples(path: Path) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read a merged log, plain or ``.gz``.

    Returns
    -------
    frame : DataFrame
        As `perfstudies.studies.step.logs.slices.samples`.
    truncated : tuple of str
        ``file:line`` of a last request that was cut off and left out.

    Raises
    ------
    BadLog
        For any other line that is not of the format; with file and line.
    """
    log = read(path)
    return interceptions.samples(log, path, RULES["merged"]), log.truncated


def read(path: Path) -> Log:
    """Return the interceptions of a merged log."""
    return interceptions.read(path, FORMAT)


def merge(parts: Sequence[Path], out: TextIO) -> list[str]:
    """Join thread files into one log: as `layer_monitor.merge`, with a request's lines in the place of a record."""
    truncated = []
    for part in sorted(parts, key=thread_of):
        field, before = f"thread[{thread_of(part)}] ", 0
        for text, whole in interceptions.blocks(part):
            found = len(interceptions.parse(part, text, _PART, before))
            if whole:
                out.write(field + text[:-1].replace("\n", "\n" + field) + "\n")
                before += found
            else:
                truncated.append(f"{part.name}:{before + 1}")
    return truncated
