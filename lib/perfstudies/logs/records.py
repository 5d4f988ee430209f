"""What the readers of the lab's own records share: lines of CSV, all checked, a cut last one set aside.

A sound record is read as a whole. One that is not is read again line by line, which takes ten times as long and finds
the line to name.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from perfstudies.errors import BadLog
from perfstudies.logs.text import lines

Converter = Callable[[str], object]


LARGEST = 1 << 63
"""What no number on record reaches: none has more than 64 bits."""
_SHOWN = 200


def whole(text: str) -> int:
    """Return the whole number that a text is; a `ValueError` if it is none of 64 bits."""
    value = int(text)
    if not -LARGEST <= value < LARGEST:
        raise ValueError(f"{text[:40]!r} has more than 64 bits")
    return value


def number(text: str) -> float:
    """Return the number that a text is; a `ValueError` if it is none, or none that is measured."""
    value = float(text)
    if not abs(value) < LARGEST:
        raise ValueError(f"{text[:40]!r} is no number that was measured")
    return value


def values_of(path: Path, number: int, text: str) -> list[str]:
    """Return the values of a line of CSV; one that has none is a `BadLog` with its number."""
    try:
        return next(csv.reader([text]))
    except csv.Error as error:
        raise BadLog(path, number, f"not a line of CSV: {error}") from error


@dataclass(frozen=True)
class OrNone:
    """A converter that makes an empty field None."""

    convert: Converter

    def __call__(self, text: str) -> object:
        return self.convert(text) if text else None


def one_of(names: Collection[str]) -> Converter:
    """Return a converter that takes these names and no others."""

    def convert(text: str) -> str:
        if text not in names:
            raise ValueError(f"{text[:40]!r} is none of {', '.join(names)}")
        return text

    return convert


def read(path: Path, what: str, columns: Mapping[str, Converter]) -> tuple[pd.DataFrame, int]:
    """Read a record.

    Parameters
    ----------
    path : Path
        The record, plain, ``.gz`` or ``.xz``.
    what : str
        What it is, for messages.
    columns : mapping
        The columns, in order, and what makes a value of each one's text; a ``ValueError`` says what is wrong.

    Returns
    -------
    frame : DataFrame
        A row a line, and the column ``line``: where it stands.
    truncated : int
        1 if the last line was cut and left out, otherwise 0.

    Raises
    ------
    BadLog
        For another heading or a line that does not fit it; with file and line.
    """
    return read_text(path, "".join(lines(path)), what, columns)


def read_text(path: Path, text: str, what: str, columns: Mapping[str, Converter]) -> tuple[pd.DataFrame, int]:
    """Read a record of which the text is there; as `read`."""
    try:
        return _whole(text, columns), 0
    except (ValueError, OverflowError, csv.Error):
        return _line_by_line(path, text, what, columns)


def _whole(text: str, columns: Mapping[str, Converter]) -> pd.DataFrame:
    """Read a sound record; a `ValueError` says that it is not sound, but not where."""
    names = list(columns)
    heading, _, body = text.partition("\n")
    if heading != ",".join(names) or not text.endswith("\n"):
        raise ValueError("another heading, or a cut line")
    # pandas fills up a line with too few values, and cuts one with too many.
    if not _even(body, len(names)):
        raise ValueError("a line with another number of columns")
    kinds = {name: _kind(convert) for name, convert in columns.items()}
    options: dict[str, Any] = {"keep_default_na": False, "na_values": [""], "index_col": False}
    with np.errstate(invalid="ignore"):  # of a number that is too large to be whole; pandas refuses it then
        frame = pd.read_csv(io.StringIO(body), names=names, dtype=kinds, **options)
    frame = frame.fillna({name: "" for name, kind in kinds.items() if kind is str})
    if len(frame) != body.count("\n"):
        raise ValueError("a line that is none")
    for name, convert in columns.items():
        if isinstance(convert, OrNone):
            _require_measured(frame[name].dropna(), whole=convert.convert is whole)
        if kinds[name] is str and convert is not str:
            frame[name] = frame[name].map({one: convert(one) for one in frame[name].unique()})
    return frame.assign(line=range(2, len(frame) + 2))[["line", *names]]


def _kind(convert: Converter) -> type | str:
    if convert is whole:
        return "int64"
    return "float64" if isinstance(convert, OrNone) else str


def _require_measured(values: pd.Series, whole: bool) -> None:
    if not (values.abs() < LARGEST).all() or (whole and (values % 1 != 0).any()):
        raise ValueError("a number that was not measured, or is not whole")


def _even(body: str, width: int) -> bool:
    """Return whether each line has so many values."""
    if '"' in body:
        return all(len(values) == width for values in csv.reader(body.splitlines()))
    text = np.frombuffer(body.encode(), np.uint8)
    ends, commas = (np.flatnonzero(text == ord(mark)) for mark in "\n,")
    return bool((np.diff(np.searchsorted(commas, ends), prepend=0) == width - 1).all())


def _line_by_line(path: Path, content: str, what: str, columns: Mapping[str, Converter]) -> tuple[pd.DataFrame, int]:
    rows: list[list] = []
    names, converters = tuple(columns), tuple(columns.values())
    number, truncated = 0, 0
    for number, text in enumerate(io.StringIO(content), start=1):
        if not text.endswith("\n"):
            truncated = 1
            break
        values = values_of(path, number, text)
        if number == 1:
            if tuple(values) != names:
                raise BadLog(path, 1, f"not {what}: its columns are {', '.join(values)[:200]}")
            continue
        if len(values) != len(names):
            raise BadLog(path, number, f"{len(values)} columns instead of {len(names)}")
        row: list = [number]
        for name, convert, value in zip(names, converters, values, strict=True):
            try:
                row.append(convert(value))
            except ValueError as error:
                raise BadLog(path, number, f"{name}: {str(error)[:_SHOWN]}") from error
        rows.append(row)
    if number == 0:
        raise BadLog(path, 1, f"not {what}: it is empty")
    frame = pd.DataFrame(rows, columns=["line", *names])
    return frame, truncated


def require_order(frame: pd.DataFrame, path: Path, columns: Sequence[str]) -> None:
    """Raise `BadLog` where a time comes before that of the column before it; times that are missing are passed over."""
    for number, later in enumerate(columns[1:], start=1):
        earlier = frame[list(columns[:number])].max(axis=1)
        wrong = frame[later] < earlier
        if wrong.any():
            row = frame[wrong].iloc[0]
            raise BadLog(path, int(row["line"]), f"{later} = {row[later]:.15g} comes before what precedes it")


def require_unique(frame: pd.DataFrame, path: Path) -> None:
    """Raise `BadLog` where a client's request is on record twice."""
    named = frame.dropna(subset=["client", "number"])
    again = named.duplicated(["client", "number"])
    if again.any():
        row = named[again].iloc[0]
        raise BadLog(
            path, int(row["line"]), f"request {int(row['number'])} of client {int(row['client'])} is on record twice"
        )
