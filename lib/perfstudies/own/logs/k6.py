"""k6's output (``--out csv=...`` or ``json=...``): of its measurements those of ``http_req_duration`` are the requests.

The duration is that of sending, waiting and receiving, without connecting. The time is when the request ended, in CSV
in whole seconds unless K6_CSV_TIME_FORMAT says ``unix_milli``, ``unix_micro`` or ``unix_nano``.

Source: Grafana k6 documentation, "CSV", "JSON" and "Built-in metrics".
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from perfstudies.errors import BadLog
from perfstudies.own.logs import files, json_lines
from perfstudies.own.logs.jmeter_csv import heading
from perfstudies.own.logs.requests import ISO, OTHER, WIDTH, epoch_s, instant_s, succeeded, tidy

METRIC = "http_req_duration"
_NEEDED = ("metric_name", "timestamp", "metric_value", "status")
_TAGS = pl.Struct(dict.fromkeys(("error", "method", "name", "status"), pl.String))
_POINT = pl.Struct({"type": pl.String, "data": pl.Struct({"time": pl.String, "value": pl.Float64, "tags": _TAGS})})


def recognises_csv(head: bytes) -> bool:
    """Say whether a log that begins so is one."""
    return head.startswith(b"metric_name,")


def read_csv(path: Path) -> pl.LazyFrame:
    """Read a log; what is measured besides the requests' durations is passed over.

    Raises
    ------
    BadLog
        If the heading lacks a column that is needed.
    """
    names = heading(files.head(path))
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        raise BadLog(path, 1, f"no column {', '.join(missing)}; k6's system tags must hold status")
    failed = pl.col("error").is_not_null() if "error" in names else pl.lit(False)
    asked = pl.concat_str("method", "name", separator=" ") if {"method", "name"} <= set(names) else pl.lit(METRIC)
    value = pl.col("metric_value")

    def build(plain: Path) -> pl.LazyFrame:
        rows = files.table(plain, names, ("timestamp", "metric_value", "status")).filter(pl.col("line") > 1)
        return tidy(
            rows.filter((pl.col("metric_name") == METRIC) | value.is_null() | pl.col("beyond").is_not_null()),
            end_s=epoch_s(pl.col("timestamp")),
            elapsed_ms=value,
            # A request without an answer has the status 0.
            ok=succeeded(pl.col("status").fill_null(0)) & ~failed,
            operation=asked,
            wrong={OTHER: pl.col("timestamp").is_null(), WIDTH: pl.col("beyond").is_not_null()},
        )

    return files.scan(path, build, quoted=True)


def recognises_json(head: bytes) -> bool:
    """Say whether a log that begins so is one."""
    first = head.split(b"\n", 1)[0]
    return first.startswith(b"{") and b'"metric":' in first and b'"type":' in first


def read_json(path: Path) -> pl.LazyFrame:
    """Read a log; what is measured besides the requests' durations is passed over."""
    text = pl.col("text")
    wanted = text.str.contains(f'"metric":"{METRIC}"', literal=True) & text.str.contains('"type":"Point"', literal=True)
    broken = ~(text.str.starts_with("{") & text.str.ends_with("}"))
    data = pl.col("data").struct
    tags = data.field("tags").struct
    status = tags.field("status").cast(pl.Float64, strict=False).fill_null(0)

    def build(plain: Path) -> pl.LazyFrame:
        return tidy(
            json_lines.decoded(files.lines(plain).filter(wanted | broken), _POINT),
            end_s=instant_s(data.field("time"), ISO),
            elapsed_ms=data.field("value"),
            ok=succeeded(status) & (tags.field("error").fill_null("") == ""),
            operation=pl.concat_str(tags.field("method"), tags.field("name"), separator=" "),
            wrong={OTHER: pl.col("type").is_null()},
        )

    return files.scan(path, build)
