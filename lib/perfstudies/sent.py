"""The client's record: one line of CSV a request, on disk as soon as the request has ended."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

OK = "ok"
APPLICATION_EXCEPTION = "application exception"
SYSTEM_ERROR = "system error"
TRANSPORT_ERROR = "transport error"
OUTCOMES = (OK, APPLICATION_EXCEPTION, SYSTEM_ERROR, TRANSPORT_ERROR)
MOST_OF_A_DETAIL = 1000
"""Characters of what went wrong at an own service that are put on record."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One request as its sender saw it.

    Attributes
    ----------
    user, session, request : int
        Who sent it, in which session, and its number in the user's load file.
    operation : str
        The operation called.
    intended_ns, sent_ns, ended_ns : int
        When it was due, when the call began and when it ended: nanoseconds of the machine's monotonic
        clock. A closed user's request is due when its think time is over.
    outcome : str
        One of `OUTCOMES`.
    detail : str
        The fault's or the error's text; empty when all was well.
    bytes_out, bytes_in : int
        Length of the HTTP bodies sent and received; 0 where there was none.
    """

    user: int
    session: int
    request: int
    operation: str
    intended_ns: int
    sent_ns: int
    ended_ns: int
    outcome: str
    detail: str
    bytes_out: int
    bytes_in: int


COLUMNS = tuple(field.name for field in fields(Sent))


class Recorder:
    """Appends records to a file; a context manager. A record is an object that has the columns as attributes."""

    def __init__(self, path: Path, columns: Sequence[str] = COLUMNS):
        self._columns = columns
        # Line buffered: what was recorded survives an interruption of the process.
        self._file = open(path, "w", encoding="utf-8", newline="", buffering=1)
        self._writer = csv.writer(self._file, lineterminator="\n")
        self._writer.writerow(columns)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, record: object) -> None:
        """Write one record; a line break in its detail becomes a space, so that a record stays a line."""
        self._writer.writerow(
            " ".join(value.split()) if isinstance(value := getattr(record, column), str) else value
            for column in self._columns
        )
