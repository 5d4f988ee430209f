"""What every reader of others' logs makes of a line: a request, or what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

CUT = "cut: the last line has no end"
OTHER = "not a line of this format"
WIDTH = "another number of values than the format has"
NO_TIME = "its time is no number"
NEGATIVE = "its time is negative"
TOO_LONG = "its time is longer than a year"
NO_OUTCOME = "it does not say whether it succeeded"
NO_START = "its time stamp is none that is known"
BROKEN = "not well-formed from here on; the rest is not read"
PROBLEMS = pl.Enum([CUT, BROKEN, OTHER, WIDTH, NO_TIME, NEGATIVE, TOO_LONG, NO_OUTCOME, NO_START])
YEAR_MS = 366 * 24 * 3_600_000.0
END_OF_TIME_S = 253_402_300_800.0
"""The year 10,000: no clock told that."""

SCHEMA: dict[str, Any] = {
    "line": pl.Int64, "start_s": pl.Float64, "elapsed_ms": pl.Float64, "ok": pl.Boolean, "operation": pl.String,
    "problem": PROBLEMS,
}  # fmt: skip
"""The columns: the record's number in its file, what `aggregate.collect` takes, what is wrong or null."""
ISO = "%Y-%m-%dT%H:%M:%S%.f%#z"


def tidy(
    frame: pl.LazyFrame,
    *,
    elapsed_ms: pl.Expr,
    ok: pl.Expr,
    operation: pl.Expr,
    start_s: pl.Expr | None = None,
    end_s: pl.Expr | None = None,
    wrong: Mapping[str, pl.Expr] | None = None,
    kept: Iterable[str] = (),
) -> pl.LazyFrame:
    """Make requests of a frame of lines.

    Parameters
    ----------
    frame : polars.LazyFrame
        Has ``line``, the record's number, and what the expressions need.
    elapsed_ms, ok, operation : polars.Expr
        The request's time, whether it succeeded, and what it asked for; null where the line does not say.
    start_s, end_s : polars.Expr, optional
        When it began or ended, s since the epoch; neither, if the log never says.
    wrong : mapping, optional
        Which of `PROBLEMS` a line may have besides, and how it is known: looked at first.
    kept : iterable of str
        Columns of the frame to keep besides.

    Returns
    -------
    polars.LazyFrame
        The columns of `SCHEMA`.
    """
    moment_s = start_s if end_s is None else end_s
    checks = dict(wrong or {}) | {
        NO_TIME: ~elapsed_ms.is_finite().fill_null(False),
        NEGATIVE: elapsed_ms < 0,
        TOO_LONG: elapsed_ms > YEAR_MS,
        NO_OUTCOME: ok.is_null(),
    }
    if moment_s is not None:
        checks[NO_START] = ~moment_s.is_between(0, END_OF_TIME_S).fill_null(False)
    problem = pl.coalesce(*(pl.when(check).then(pl.lit(text, PROBLEMS)) for text, check in checks.items()))
    if end_s is not None:
        start_s = end_s - elapsed_ms / 1000
    return frame.select(
        pl.col("line").cast(pl.Int64),
        (pl.lit(None, pl.Float64) if start_s is None else start_s).alias("start_s"),
        elapsed_ms.alias("elapsed_ms"),
        ok.alias("ok"),
        operation.fill_null("").alias("operation"),
        problem.alias("problem"),
        *kept,
    )


def epoch_s(value: pl.Expr) -> pl.Expr:
    """Return numbers since the epoch in s, whether they are in s, ms, µs or ns; their size tells."""
    scale = pl.when(value < 1e11).then(1.0).when(value < 1e14).then(1e3).when(value < 1e17).then(1e6).otherwise(1e9)
    return value / scale


def instant_s(text: pl.Expr, form: str) -> pl.Expr:
    """Return dates with times of day in s since the epoch, null where they have another form (chrono's codes)."""
    if "%z" in form or "%#z" in form:
        return text.str.to_datetime(form, time_unit="us", time_zone="UTC", strict=False).dt.epoch("us") / 1e6
    return text.str.to_datetime(form, time_unit="us", strict=False).dt.epoch("us") / 1e6


def succeeded(status: pl.Expr) -> pl.Expr:
    """Return whether a HTTP status, as a number, is one of success: below 400, and one at all."""
    return (status >= 100) & (status < 400)
