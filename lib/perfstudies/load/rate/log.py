"""The log of a client for high rates: a header and a row a request, mapped into memory.

The kernel keeps what was written to the mapped file, so a client that is killed leaves every request that had ended.
The file gets all its room before the start: a mapped write that finds no room ends a process without a word.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np

from perfstudies.errors import SystemFailed

MAGIC, VERSION = b"PSRATE\r\n", 1

HEADER = np.dtype(
    [
        ("magic", "S8"),
        ("version", "<u4"),
        ("row_bytes", "<u4"),
        ("capacity", "<i8"),  # rows that the log was made for
        ("start_ns", "<i8"),  # of the monotonic clock; the rows' times count from it
        ("begun", "<i8"),  # rows in use
        ("ended", "<i8"),  # requests that have ended
        ("finished", "<i4"),  # whether the client ended the log itself
        ("connections", "<i4"),
        ("is_open", "<i4"),  # open arrivals
        ("reserved", "<i4"),
    ]
)
"""The file's first 64 bytes."""

ROW = np.dtype(
    [
        ("intended_ns", "<i8"),
        ("sent_ns", "<i8"),  # 0: never sent
        ("ended_ns", "<i8"),  # 0: not ended
        ("bytes", "<i4"),  # of the reply's body
        ("connection", "<i2"),
        ("status", "<i2"),
    ]
)

SPARE_BYTES = 64 << 20  # what a run leaves free on the disk


def create(path: Path, capacity: int, connections: int, is_open: bool) -> tuple[np.ndarray, np.ndarray]:
    """Make a log with room for all its rows, and return its header and its rows, mapped.

    Raises
    ------
    SystemFailed
        If the disk has no room for it, or it cannot be written.
    """
    size, free = HEADER.itemsize + capacity * ROW.itemsize, 0
    try:
        with open(path, "w+b") as file:
            status = os.fstatvfs(file.fileno())
            free = status.f_bavail * status.f_frsize
            if free < size + SPARE_BYTES:
                raise _no_room(path, size, free)
            os.posix_fallocate(file.fileno(), 0, size)
            header = np.memmap(file, HEADER, "r+", 0, (1,))
            rows = np.memmap(file, ROW, "r+", HEADER.itemsize, (capacity,))
    except OSError as error:
        path.unlink(missing_ok=True)
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise _no_room(path, size, free) from error
        raise SystemFailed(f"{path}: the log cannot be written: {error.strerror or error}") from error
    header["magic"], header["version"], header["row_bytes"] = MAGIC, VERSION, ROW.itemsize
    header["capacity"], header["connections"], header["is_open"] = capacity, connections, is_open
    # Plain arrays on the same memory: numba knows no memmap.
    return np.asarray(header), np.asarray(rows)


def finish(path: Path, header: np.ndarray) -> None:
    """Cut the log to the rows in use, and say that it is whole."""
    begun = int(header["begun"][0])
    header["finished"] = 1
    os.truncate(path, HEADER.itemsize + begun * ROW.itemsize)


def _no_room(path: Path, size: int, free: int) -> SystemFailed:
    return SystemFailed(
        f"{path}: the log needs {size / 1e6:,.0f} MB and {SPARE_BYTES / 1e6:,.0f} MB more are left free, but the disk "
        f"has {free / 1e6:,.0f} MB. Free some room, or allow fewer requests (max_requests)."
    )
