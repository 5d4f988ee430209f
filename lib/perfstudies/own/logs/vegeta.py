"""Vegeta's results, as ``vegeta encode --to csv`` or ``--to json`` writes them: a line a request.

The time stamp is when the request was sent, the latency is in ns. What ``vegeta attack`` itself writes is Go's binary
gob: it has to be encoded first.

Source: the project's README, section "encode command".
"""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from perfstudies.own.logs import files, json_lines
from perfstudies.own.logs.requests import ISO, OTHER, instant_s, succeeded, tidy

COLUMNS = (
    "timestamp", "code", "latency", "bytes_out", "bytes_in", "error", "body", "attack", "seq", "method", "url",
    "headers",
)  # fmt: skip
_CSV = re.compile(rb"\d{18,19},\d{1,3},\d+,\d+,\d+,")
_FIELDS = {
    "timestamp": pl.String, "code": pl.Float64, "latency": pl.Float64, "error": pl.String, "method": pl.String,
    "url": pl.String,
}  # fmt: skip


def recognises_csv(head: bytes) -> bool:
    """Say whether a log that begins so is one of CSV."""
    return _CSV.match(head) is not None


def recognises_json(head: bytes) -> bool:
    """Say whether a log that begins so is one of JSON."""
    first = head.split(b"\n", 1)[0]
    return first.startswith(b"{") and b'"latency":' in first and b'"attack":' in first


def recognises_gob(head: bytes) -> bool:
    """Say whether a log that begins so is a gob."""
    return b"\x06Result" in head[:64] and b"Latency" in head[:256]


def read_csv(path: Path) -> pl.LazyFrame:
    """Read a log of CSV."""

    def build(plain: Path) -> pl.LazyFrame:
        return tidy(
            files.table(plain, COLUMNS, ("timestamp", "code", "latency")),
            start_s=pl.col("timestamp") / 1e9,
            elapsed_ms=pl.col("latency") / 1e6,
            ok=succeeded(pl.col("code")) & pl.col("error").is_null(),
            operation=_operation(),
            wrong={OTHER: pl.col("seq").is_null() | pl.col("beyond").is_not_null()},
        )

    return files.scan(path, build, quoted=True)


def read_json(path: Path) -> pl.LazyFrame:
    """Read a log of JSON lines."""

    def build(plain: Path) -> pl.LazyFrame:
        return tidy(
            json_lines.decoded(files.lines(plain), pl.Struct(_FIELDS)),
            start_s=instant_s(pl.col("timestamp"), ISO),
            elapsed_ms=pl.col("latency") / 1e6,
            ok=succeeded(pl.col("code")) & (pl.col("error").fill_null("") == ""),
            operation=_operation(),
            wrong={OTHER: pl.col("method").is_null()},
        )

    return files.scan(path, build)


def _operation() -> pl.Expr:
    # Of http://host/path?query the fourth part between slashes begins with the path.
    path = pl.col("url").str.splitn("/", 4).struct[3].str.splitn("?", 2).struct[0]
    return pl.concat_str(pl.col("method"), pl.lit(" /"), path.fill_null(""))
