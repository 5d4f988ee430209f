"""Locust's CSV files (``--csv``), which hold aggregates alone: Locust writes no single requests.

``*_stats.csv`` is the whole run: numbers, mean, greatest time and percentiles, rounded to two digits, of each request's
name and of all together. ``*_stats_history.csv`` is a line a second with running totals: the windows of time are their
differences. What neither holds is missing here: the standard deviation, the spread of times, percentiles of a window.
The times include those of failed requests.

A listener that writes each request in JMeter's form, as that of locust-plugins does, gives a log that is read as
JMeter's.

Source: Locust documentation, "Retrieve test statistics in CSV format".
"""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from perfstudies.errors import BadLog
from perfstudies.own.aggregate import Observed, of_run
from perfstudies.own.logs import summaries
from perfstudies.own.tally import WINDOWS

NOTE = "aggregates alone: no single requests, failed ones are in the times"
_ALL = "Aggregated"
_NEEDED = (
    "Type", "Name", "Request Count", "Failure Count", "Requests/s", "Average Response Time", "Max Response Time", "50%",
    "90%", "99%",
)  # fmt: skip
_NEEDED_TOO = (
    "Timestamp", "Name", "Total Request Count", "Total Failure Count", "Total Median Response Time",
    "Total Average Response Time", "Total Max Response Time",
)  # fmt: skip
_STATS = b"Type,Name,Request Count,Failure Count,"
_HISTORY = b"Timestamp,User Count,Type,Name,"


def recognises_stats(head: bytes) -> bool:
    """Say whether a log that begins so is one of totals."""
    return head.startswith(_STATS)


def recognises_history(head: bytes) -> bool:
    """Say whether a log that begins so is one of running totals."""
    return head.startswith(_HISTORY)


def stats(path: Path, setting: str, run: str) -> Observed:
    """Read the totals of a run.

    Raises
    ------
    BadLog
        For a line that does not fit the heading, and if that of all requests is missing; with file and line.
    """
    cut: list[int] = []
    rows = list(_rows(path, cut, _NEEDED))
    total = next((row for row in rows if row["Name"] == _ALL), None)
    if total is None:
        raise BadLog(path, len(rows) + 1, "no line of all requests together: the file was cut")
    rate = total["Requests/s"]
    row = {
        "requests": total["Request Count"], "errors": total["Failure Count"], "start_s": math.nan,
        "took_s": total["Request Count"] / rate if rate else math.nan, "rate_per_s": rate,
        "mean_ms": total["Average Response Time"], "sd_ms": math.nan, "p50_ms": total["50%"], "p90_ms": total["90%"],
        "p99_ms": total["99%"], "max_ms": total["Max Response Time"],
    }  # fmt: skip
    operations = [
        {
            "operation": " ".join(part for part in (one["Type"], one["Name"]) if part),
            "requests": one["Request Count"],
            "errors": one["Failure Count"],
            "mean_ms": one["Average Response Time"],
            "p50_ms": one["50%"],
            "p99_ms": one["99%"],
        }
        for one in rows
        if one is not total
    ]
    return summaries.said(of_run(setting, run, row, operations=operations), path, cut)


def history(path: Path, setting: str, run: str) -> Observed:
    """Read the running totals of a run.

    Raises
    ------
    BadLog
        As `stats`.
    """
    cut: list[int] = []
    rows = [row for row in _rows(path, cut, _NEEDED_TOO) if row["Name"] == _ALL]
    if not rows:
        raise BadLog(path, 2, "no line of all requests together")
    first, last = rows[0]["Timestamp"], rows[-1]
    took_s = last["Timestamp"] - first
    row = {
        "requests": last["Total Request Count"], "errors": last["Total Failure Count"], "start_s": first,
        "took_s": took_s, "rate_per_s": last["Total Request Count"] / took_s if took_s else math.nan,
        "mean_ms": last["Total Average Response Time"], "sd_ms": math.nan, "p50_ms": last["Total Median Response Time"],
        "p90_ms": math.nan, "p99_ms": math.nan, "max_ms": last["Total Max Response Time"],
    }  # fmt: skip
    every = max(1, math.ceil((len(rows) - 1) / WINDOWS))
    marks = [*rows[:-1:every], last] if len(rows) > 1 else rows
    windows = [_window(before, after, first) for before, after in itertools.pairwise(marks)]
    return summaries.said(of_run(setting, run, row, windows=windows), path, cut)


def _window(before: dict, after: dict, first_s: float) -> dict:
    requests = after["Total Request Count"] - before["Total Request Count"]
    sums_ms = [row["Total Average Response Time"] * row["Total Request Count"] for row in (before, after)]
    return {
        "at_s": (before["Timestamp"] + after["Timestamp"]) / 2 - first_s,
        "requests": requests,
        "errors": after["Total Failure Count"] - before["Total Failure Count"],
        "mean_ms": (sums_ms[1] - sums_ms[0]) / requests if requests else math.nan,
        "p99_ms": math.nan,
    }


def _rows(path: Path, cut: list[int], needed: Iterable[str]) -> Iterator[dict]:
    """Yield each line by the heading, its numbers as such; N/A is none."""
    records = csv.reader(summaries.whole_lines(path, cut))
    names = next(_checked(path, records), [])
    if missing := [name for name in needed if name not in names]:
        raise BadLog(path, 1, f"no column {', '.join(missing)}")
    for values in _checked(path, records):
        if len(values) != len(names):
            raise BadLog(path, records.line_num, f"{len(values)} values instead of {len(names)}")
        row = dict(zip(names, values, strict=True))
        try:
            yield {name: value if name in ("Type", "Name") else _number(name, value) for name, value in row.items()}
        except ValueError as error:
            raise BadLog(path, records.line_num, str(error)[:200]) from error


def _checked(path: Path, records: Any) -> Iterator[list[str]]:
    """Yield what a reader of CSV yields; what is no CSV is a `BadLog`."""
    try:
        yield from records
    except csv.Error as error:
        raise BadLog(path, records.line_num, f"not a line of CSV: {error}") from error


def _number(name: str, text: str) -> float | int:
    if text == "N/A":
        return 0.0 if name.startswith("Total") else math.nan
    value = summaries.number(text)
    return int(value) if name.endswith("Count") else value
