"""JMeter's ``.jtl`` as CSV: a record a sample, named by its heading.

``timeStamp`` is when the sample began, in ms since the epoch or as a date; ``elapsed`` is in whole ms. A transaction
controller's record, after those of its samples, is not counted, unless the log's first part has no others. A sample
with sub-results has them as records of their own if JMeter was told so: then both are counted.

Source: Apache JMeter, User's Manual, "Listeners", section "CSV log format".
"""

from __future__ import annotations

import csv
from pathlib import Path

import polars as pl

from perfstudies.errors import BadLog
from perfstudies.own.logs import files
from perfstudies.own.logs.requests import WIDTH, epoch_s, instant_s, tidy

_NEEDED = ("timeStamp", "elapsed", "success")
_FILLED = ("timeStamp", "elapsed", "success", "bytes", "sentBytes", "allThreads", "grpThreads", "Latency", "IdleTime")
_FILLED_TOO = ("Connect", "SampleCount", "ErrorCount")
TRANSACTION = "Number of samples in transaction"  # begins the message of a controller's record
_DATES = ("%Y-%m-%d %H:%M:%S%.f", "%Y/%m/%d %H:%M:%S%.f")


def recognises(head: bytes) -> bool:
    """Say whether a log that begins so is one."""
    names = heading(head)
    return "timeStamp" in names and "elapsed" in names


def heading(head: bytes) -> list[str]:
    """Return the values of a CSV's first line; none if it is no line of CSV."""
    first = head.split(b"\n", 1)[0].decode("utf-8-sig", errors="replace").rstrip("\r")
    try:
        return next(csv.reader([first]), [])
    except csv.Error:  # a line end where none can be
        return []


def read(path: Path) -> pl.LazyFrame:
    """Read a log.

    Raises
    ------
    BadLog
        If the heading lacks a column that is needed.
    """
    names = heading(files.head(path))
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        raise BadLog(path, 1, f"no column {', '.join(missing)}; save it with jmeter.save.saveservice.print_field_names")
    # Only these are never empty: an empty one at the end means that the line was too short.
    filled = names[-1] in _FILLED + _FILLED_TOO
    outcome = pl.col("success").str.to_lowercase()
    first = files.head(path).split(b"\n")[1:2]
    stamp = dict(zip(names, heading(first[0]), strict=False)).get("timeStamp", "") if first else ""
    dated = next((form for form in _DATES if stamp[4:5] == form[2]), None)
    numbers = ["elapsed"] if dated else ["elapsed", "timeStamp"]
    start_s = instant_s(pl.col("timeStamp"), dated) if dated else epoch_s(pl.col("timeStamp"))
    kept = pl.col("line") > 1
    has_others = any(TRANSACTION.encode() not in one for one in files.head(path).split(b"\n")[1:-1])
    if has_others and "responseMessage" in names:
        kept &= ~pl.col("responseMessage").str.starts_with(TRANSACTION).fill_null(False)

    def build(plain: Path) -> pl.LazyFrame:
        return tidy(
            files.table(plain, names, numbers).filter(kept),
            start_s=start_s,
            elapsed_ms=pl.col("elapsed"),
            ok=pl.when(outcome.is_in(["true", "false"])).then(outcome == "true"),
            operation=pl.col("label") if "label" in names else pl.lit("sample"),
            wrong={WIDTH: pl.col("beyond").is_not_null() | (pl.col(names[-1]).is_null() if filled else pl.lit(False))},
        )

    return files.scan(path, build, quoted=True)
