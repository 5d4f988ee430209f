"""Checksums of the lab's own code, and of other files taken together."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path


@cache
def library_checksum() -> str:
    """Return a checksum of the lab's own code, without what Python and numba compile beside it."""
    package = Path(__file__).resolve().parents[1]
    found = (path for path in package.rglob("*") if "__pycache__" not in path.parts and path.is_file())
    return of_files(package, found)


def of_files(root: Path, found: Iterable[Path]) -> str:
    """Return a checksum of the names and the contents of files below a folder."""
    lines = (f"{path.relative_to(root).as_posix()} {digest(path.read_bytes())}" for path in sorted(found))
    return digest("\n".join(lines).encode())


def digest(content: bytes) -> str:
    """Return a content's SHA-256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()
