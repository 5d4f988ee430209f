"""Lines of any log that hold a time, by the reader's own regular expression with named groups.

For lines as Axis' handlers, Log4J or any program of one's own write them::

    pattern = r"^(?<end_time>\\S+ \\S+) .* (?<operation>\\w+) took (?<elapsed_ms>\\d+) ms"

====================================================================  =================================================
group                                                                 what it holds
====================================================================  =================================================
``elapsed_s``, ``elapsed_ms``, ``elapsed_us``, ``elapsed_ns``         the time; one of them has to be there
``start_time``, ``end_time``                                          a date and time of day, as ISO 8601 has it or with
                                                                      Log4J's comma, taken as UTC
``start_epoch``, ``end_epoch``                                        the same as a number since 1970 in s, ms, µs or ns
``operation``                                                         what was asked for
``error``                                                             if it is there and not empty, the request failed
====================================================================  =================================================

The expression is one of Rust's ``regex``: as Python's, without looking around and without references back.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl

from perfstudies.errors import BadParameter, require_one_of
from perfstudies.own.logs import files
from perfstudies.own.logs.requests import OTHER, epoch_s, instant_s, tidy

_TO_MS = {"elapsed_s": 1e3, "elapsed_ms": 1.0, "elapsed_us": 1e-3, "elapsed_ns": 1e-6}
_MOMENTS = ("start_time", "end_time", "start_epoch", "end_epoch")
GROUPS = (*_TO_MS, *_MOMENTS, "operation", "error")


def groups(pattern: str) -> list[str]:
    """Return a pattern's named groups.

    Raises
    ------
    BadParameter
        If it is no regular expression, a group has a name of no meaning, or none holds the time.
    """
    try:
        found: Any = pl.Series([""]).str.extract_groups(pattern).dtype
    except pl.exceptions.PolarsError as error:
        raise BadParameter(f"pattern = {pattern!r} is no regular expression: {error}") from error
    names = [field.name for field in found.fields if not re.fullmatch(r"\d+", field.name)]
    for name in names:
        require_one_of("a group of the pattern", name, GROUPS)
    if len(set(names) & set(_TO_MS)) != 1:
        raise BadParameter(f"pattern = {pattern!r} needs one group that holds the time: {', '.join(_TO_MS)}")
    return names


def read(path: Path, pattern: str) -> pl.LazyFrame:
    """Read a log by a pattern; a line that does not match it is set aside.

    Raises
    ------
    BadParameter
        As `groups`.
    """
    names = groups(pattern)
    group = {name: pl.col("found").struct.field(name) for name in names}
    elapsed = next(name for name in names if name in _TO_MS)
    value = group[elapsed].cast(pl.Float64, strict=False) * _TO_MS[elapsed]
    failed = (group["error"].fill_null("") != "") if "error" in group else pl.lit(False)
    moments: Any = {name.split("_")[0] + "_s": _moment_s(name, group[name]) for name in _MOMENTS if name in group}

    def build(plain: Path) -> pl.LazyFrame:
        return tidy(
            files.lines(plain).select("line", pl.col("text").str.extract_groups(pattern).alias("found")),
            elapsed_ms=value,
            ok=~failed,
            operation=group.get("operation", pl.lit("line")),
            wrong={OTHER: group[elapsed].is_null()},
            **moments,
        )

    return files.scan(path, build)


def _moment_s(name: str, text: pl.Expr) -> pl.Expr:
    if name.endswith("epoch"):
        return epoch_s(text.cast(pl.Float64, strict=False))
    plain = text.str.replace(",", ".", literal=True).str.replace("T", " ", literal=True)
    return pl.coalesce(instant_s(plain, f"%Y-%m-%d %H:%M:%S%.f{zone}") for zone in ("", "%#z"))
