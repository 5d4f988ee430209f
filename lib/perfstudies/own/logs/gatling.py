"""Gatling's ``simulation.log`` as text: values between tabs, a line a request, a user's start or end, a group.

Where the request's name stands moved from release to release; its times are always the two values before OK or KO, in
ms since the epoch. Newer releases write a binary log whose form is not published.

Source: ``LogFileDataWriter`` of Gatling 2.3 to 3.9.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from perfstudies.errors import BadLog
from perfstudies.own.logs import files, summaries
from perfstudies.own.logs.requests import OTHER, tidy

_OTHERS = ("RUN", "USER", "GROUP", "ERROR", "ASSERTION")
_COLUMNS = [f"value_{at}" for at in range(10)]


def recognises(head: bytes) -> bool:
    """Say whether a log that begins so is one of text."""
    return head.startswith((b"RUN\t", b"ASSERTION\t"))


def recognises_binary(head: bytes) -> bool:
    """Say whether a log that begins so is a binary one: a zero, then the release's name with its length."""
    return head[:1] == b"\0" and head[1:4] == b"\0\0\0" and head[5:6].isdigit() and head[6:7] == b"."


def read(path: Path) -> pl.LazyFrame:
    """Read a log of text.

    Raises
    ------
    BadLog
        If there is no request in it.
    """
    request = next((line for line in summaries.whole_lines(path, []) if line.startswith("REQUEST\t")), None)
    if request is None:
        raise BadLog(path, 1, "Gatling's log, but without any request")
    values = request.rstrip("\r\n").split("\t")
    at = next((at for at, value in enumerate(values) if value in ("OK", "KO") and at > 3), None)
    if at is None or at >= len(_COLUMNS):
        raise BadLog(path, 1, f"a request of Gatling's has neither OK nor KO: {request[:80]!r}")
    name, began, ended, outcome = _COLUMNS[at - 3 : at + 1]

    def build(plain: Path) -> pl.LazyFrame:
        rows = files.table(plain, _COLUMNS, (began, ended), separator="\t", quote_char=None)
        known = pl.col(outcome).is_in(["OK", "KO"])
        return tidy(
            rows.filter(~pl.col(_COLUMNS[0]).is_in(_OTHERS).fill_null(False)),
            start_s=pl.col(began) / 1000,
            elapsed_ms=pl.col(ended) - pl.col(began),
            ok=pl.when(known).then(pl.col(outcome) == "OK"),
            operation=pl.col(name),
            wrong={OTHER: (pl.col(_COLUMNS[0]) != "REQUEST").fill_null(True)},
        )

    return files.scan(path, build)
