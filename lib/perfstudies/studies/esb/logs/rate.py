"""The log of a client for high rates (`perfstudies.load.rate.log`): row by row, and reduced to counts and histograms.

Both are read piece by piece, plain or packed as ``.xz``. A client that was killed leaves rows without an end.
The reduced form, what the repository keeps of a run, is that of `perfstudies.studies.esb.logs.rate_intervals`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np
import pandas as pd

from perfstudies.errors import BadLog
from perfstudies.files import PACKED, opened
from perfstudies.load.rate.log import HEADER, MAGIC, ROW, VERSION
from perfstudies.logs.text import UNPACKING
from perfstudies.studies.esb.logs.rate_intervals import Reducer, outcome_of

UNFINISHED, NEVER_SENT = -7, -8
PIECE_ROWS = 1 << 17
PIECE_BYTES = 1 << 20


def read(path: Path) -> pd.DataFrame:
    """Read a log, a row a request in the order in which they were due.

    Returns
    -------
    DataFrame
        ``intended_ms``, ``sent_ms`` and ``ended_ms`` from the start; ``response_ms`` (from intended to ended) and
        ``service_ms`` (from sent to ended); missing where it was never sent or never ended. ``bytes`` of the reply's
        body, ``connection``, ``status`` and ``outcome``. `DataFrame.attrs` has ``truncated``: whether the last row is
        missing because it was cut.

    Raises
    ------
    BadLog
        If it is no such log, lacks rows, or a row is not possible; with the row, from 1 (0: the header).
    """
    found = [(_frame(rows), truncated) for rows, truncated in pieces(path)]
    frame = pd.concat([one for one, _ in found], ignore_index=True) if found else _frame(np.empty(0, ROW))
    frame.attrs["truncated"] = bool(found) and found[-1][1]
    return frame


def reduce(path: Path, piece_rows: int = PIECE_ROWS) -> pd.DataFrame:
    """Reduce a log to counts and histograms of times (see `rate_intervals`); errors as `read`."""
    reducer = Reducer()
    for rows, _ in pieces(path, piece_rows):
        reducer.add(rows)
    return reducer.intervals()


def pieces(path: Path, piece_rows: int = PIECE_ROWS) -> Iterator[tuple[np.ndarray, bool]]:
    """Yield a log's rows, at most `piece_rows` at a time, and whether the log was cut in the row after them.

    Rows are of `perfstudies.load.rate.log.ROW`; each has a status, also where the client was killed before it could
    write one. Errors as `read`.
    """
    with opened(path) as file:
        header = _header(path, file)
        begun, first = int(header["begun"]), 0
        while first < begun:
            wanted = min(piece_rows, begun - first) * ROW.itemsize
            data = _read(path, file, wanted)
            whole = len(data) // ROW.itemsize
            torn = len(data) < wanted and first + whole == begun - 1 and len(data) % ROW.itemsize > 0
            if len(data) < wanted and not torn:
                raise BadLog(path, first + whole + 1, f"cut: the header tells of {begun} rows. Measure the run again")
            rows = np.frombuffer(data, ROW, whole).copy()
            _check(path, rows, first, header)
            waiting = rows["ended_ns"] == 0
            rows["status"][waiting] = np.where(rows["sent_ns"][waiting] > 0, UNFINISHED, NEVER_SENT)
            yield rows, torn
            first += whole + torn
        if path.suffix in PACKED:
            while _read(path, file, PIECE_BYTES):
                """Its checksum is at its end."""


def _header(path: Path, file: IO[bytes]) -> np.void:
    data = _read(path, file, HEADER.itemsize)
    if len(data) < HEADER.itemsize or not data.startswith(MAGIC):
        raise BadLog(path, 0, f"not the log of a client for high rates: it begins with {data[:8]!r}")
    header = np.frombuffer(data, HEADER, 1)[0]
    if header["version"] != VERSION or header["row_bytes"] != ROW.itemsize:
        raise BadLog(path, 0, f"version {header['version']}; this version of the lab reads version {VERSION}")
    if not 0 <= header["begun"] <= header["capacity"] or header["connections"] < 1:
        raise BadLog(path, 0, f"{header['begun']} rows in use of {header['capacity']} is not possible")
    return header


def _read(path: Path, file: IO[bytes], size: int) -> bytes:
    data = b""
    try:
        while len(data) < size and (more := file.read(size - len(data))):
            data += more
    except UNPACKING as error:
        raise BadLog(path, 0, f"not a packed log, or cut or damaged: {error}") from error
    return data


def _check(path: Path, rows: np.ndarray, first: int, header: np.void) -> None:
    intended, sent, ended, status = (rows[name] for name in ("intended_ns", "sent_ns", "ended_ns", "status"))
    over = ended > 0
    known = np.where(over, ((status >= 100) & (status <= 999)) | ((status < 0) & (status > UNFINISHED)), True)
    problems = {
        "a time below 0": (intended < 0) | (sent < 0) | (ended < 0),
        "sent before it was due": (sent > 0) & (sent < intended),
        "ended before it was sent": over & ((sent == 0) | (ended < sent)),
        "an unknown status": ~known,
        "a connection that is not there": (rows["connection"] < 0) | (rows["connection"] >= header["connections"]),
        "a reply of less than 0 bytes": rows["bytes"] < 0,
    }
    for problem, where in problems.items():
        if where.any():
            index = int(np.argmax(where))
            row = dict(zip(ROW.names or (), rows[index].tolist(), strict=True))
            raise BadLog(path, first + index + 1, f"{problem}: {row}")


def _frame(rows: np.ndarray) -> pd.DataFrame:
    intended = rows["intended_ns"] / 1e6
    sent = np.where(rows["sent_ns"] > 0, rows["sent_ns"] / 1e6, np.nan)
    ended = np.where(rows["ended_ns"] > 0, rows["ended_ns"] / 1e6, np.nan)
    names = {status: outcome_of(status) for status in np.unique(rows["status"]).tolist()}
    return pd.DataFrame(
        {
            "intended_ms": intended,
            "sent_ms": sent,
            "ended_ms": ended,
            "response_ms": np.where(rows["ended_ns"] > 0, (rows["ended_ns"] - rows["intended_ns"]) / 1e6, np.nan),
            "service_ms": np.where(rows["ended_ns"] > 0, (rows["ended_ns"] - rows["sent_ns"]) / 1e6, np.nan),
            "bytes": rows["bytes"].astype(np.int64),
            "connection": rows["connection"].astype(np.int64),
            "status": rows["status"].astype(np.int64),
            "outcome": pd.Series(rows["status"].tolist(), dtype=object).map(names).astype(str),
        }
    )
