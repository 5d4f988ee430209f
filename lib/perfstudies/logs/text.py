"""Raw logs as lines, plain or packed, read in bounded memory.

A plain log may end in the middle of a line, for its writer may have been killed: its reader sets that line aside. A
packed one was whole when it was packed. One that is not has lost something since, and nothing of it is believed.
"""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path

from perfstudies.errors import BadLog
from perfstudies.files import PACKED, opened

UNPACKING = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)
"""What unpacking a file that is not whole raises."""


def damaged(path: Path, line: int, error: Exception) -> BadLog:
    """Return what is said of a packed log that is not whole."""
    return BadLog(path, line, f"cut or damaged, it cannot be unpacked further ({error}). Restore it or measure again")


def require_content(path: Path) -> None:
    """Refuse a packed file without a byte, which gzip unpacks to nothing without a word.

    Raises
    ------
    BadLog
        If it is one.
    """
    if path.suffix in PACKED and path.stat().st_size == 0:
        raise damaged(path, 1, EOFError("there is nothing in it"))


def content(path: Path) -> bytes:
    """Return all bytes of a file, unpacked.

    Raises
    ------
    BadLog
        If a packed file is damaged or cut.
    """
    require_content(path)
    try:
        with opened(path) as file:
            return file.read()
    except UNPACKING as error:
        raise damaged(path, 1, error) from error


def lines(path: Path, whole: bool = True) -> Iterator[str]:
    """Yield a text file's lines with their ends.

    Parameters
    ----------
    path : Path
        The file, plain, ``.gz`` or ``.xz``.
    whole : bool
        Whether a packed file must be whole. Otherwise the lines before a cut are all.

    Raises
    ------
    BadLog
        If a packed file is damaged, or cut and must be whole; with the line after the last that could be read.
    """
    read = 0
    if whole:
        require_content(path)
    with opened(path) as file:
        try:
            for line in file:
                read += 1
                yield line.decode("utf-8", errors="replace")
        except UNPACKING as error:
            if whole or not isinstance(error, EOFError):
                raise damaged(path, read + 1, error) from error
