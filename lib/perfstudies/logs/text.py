"""Raw logs as lines, plain or compressed, read in bounded memory, cut files included."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path


def lines(path: Path) -> Iterator[str]:
    """Yield a text file's lines with their ends; a ``.gz`` that was cut yields what can still be read of it."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rb") as file:
        try:
            for line in file:
                yield line.decode("utf-8", errors="replace")
        except (EOFError, zlib.error):
            return  # the reader sees a last record without its end, and sets it aside
