"""What readers of logs that hold aggregates alone share: their whole lines, and where such a log was cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd

from perfstudies.own.aggregate import SET_ASIDE, Observed
from perfstudies.own.logs import files
from perfstudies.own.logs.requests import CUT

LARGEST = 1e18
"""What no number in an aggregate reaches, be it a count or a time."""


def whole_lines(path: Path, cut: list[int]) -> Iterator[str]:
    """Yield a log's lines with their ends; one without an end, or missing at the end of an archive, is put in `cut`.

    Raises
    ------
    BadLog
        If a packed log is damaged, or it is none for its lines' length.
    """
    rest, number, block = b"", 1, b"\n"
    for block in files.blocks(path):
        *ended, rest = (rest + block).split(b"\n")
        for line in ended:
            number += 1
            yield line.decode("utf-8", errors="replace") + "\n"
    if rest or not block:
        cut.append(number)


def number(text: str) -> float:
    """Return the number that a text is; a `ValueError` if it is none that an aggregate can have."""
    value = float(text)
    if value < 0 or value >= LARGEST:
        raise ValueError(f"{text[:40]!r} is no number of requests and no time")
    return value


def said(observed: Observed, path: Path, cut: list[int]) -> Observed:
    """Return what was observed, with the place where its log was cut among the lines that were set aside."""
    if not cut:
        return observed
    aside = pd.DataFrame([(str(path), cut[0], CUT, "")], columns=list(SET_ASIDE))
    return replace(observed, set_aside=aside, set_aside_lines=1)
