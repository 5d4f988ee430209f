"""k6's JSON output (``--out json=...``): a line a measurement; those of ``http_req_duration`` are the requests.

As in its CSV the duration is that of sending, waiting and receiving, and the time is when the request ended.

Source: Grafana k6 documentation, "JSON" and "Built-in metrics".
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from perfstudies.own.logs import files, json_lines
from perfstudies.own.logs.k6_csv import METRIC
from perfstudies.own.logs.requests import ISO, OTHER, instant_s, succeeded, tidy

_TAGS = pl.Struct(dict.fromkeys(("error", "method", "name", "status"), pl.String))
_POINT = pl.Struct({"type": pl.String, "data": pl.Struct({"time": pl.String, "value": pl.Float64, "tags": _TAGS})})


def recognises(head: bytes) -> bool:
    """Say whether a log that begins so is one."""
    first = head.split(b"\n", 1)[0]
    return first.startswith(b"{") and b'"metric":' in first and b'"type":' in first


def read(path: Path) -> pl.LazyFrame:
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
