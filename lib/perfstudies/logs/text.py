"""Raw logs as lines, plain or compressed, read in bounded memory, cut files included."""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def lines(path: Path) -> Iterator[str]:
    """Yield a text file's lines with their ends; a cut ``.gz`` or ``.xz`` yields what can still be read of it."""
    opener: Any = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    with opener(path, "rb") as file:
        try:
            for line in file:
                yield line.decode("utf-8", errors="replace")
        except (EOFError, zlib.error, lzma.LZMAError):
            return  # the reader sees a last record without its end, and sets it aside
