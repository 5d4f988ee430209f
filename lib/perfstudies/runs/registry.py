"""The list of everything recorded: ``data/raw/registry.txt``, a checksum and a path a line, as ``sha256sum`` has it."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from perfstudies.errors import BadLog, BadRecording

NAME = "registry.txt"
NOT_RECORDED = "live"
"""What this machine measured for itself: the repository has none of it."""
WRITE = "perfstudies verify --write"


def read(path: Path) -> dict[str, str]:
    """Return the checksums of a list by path.

    Raises
    ------
    BadRecording
        If there is none.
    BadLog
        For a line that is not of ``sha256sum``'s format, or a path that is there twice.
    """
    if not path.exists():
        raise BadRecording(f"{path} is missing: restore it, or make it again by {WRITE}")
    return dict(_listed(path, path.read_text(encoding="utf-8")))


@lru_cache(maxsize=4)
def _listed(path: Path, text: str) -> dict[str, str]:
    listed: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        match = re.fullmatch(r"([0-9a-f]{64})  (\S.*)\n", line)
        if match is None:
            raise BadLog(path, number, f"not a checksum, two spaces and a path: {line[:100]!r}")
        if match[2] in listed:
            raise BadLog(path, number, f"{match[2]} is listed twice")
        listed[match[2]] = match[1]
    return listed


def require_listed(archive: Path, sha256: str) -> None:
    """Compare an archive ``<raw>/<source>/<study>/<experiment>`` with the list in ``<raw>``, if there is one.

    Raises
    ------
    BadRecording
        If the list has another checksum for it, or none.
    """
    folders = archive.resolve().parents
    if len(folders) < 3 or not (folders[2] / NAME).exists() or folders[1].name == NOT_RECORDED:
        return
    path = folders[2] / NAME
    listed = read(path).get(archive.resolve().relative_to(folders[2]).as_posix())
    if listed is None:
        raise BadRecording(f"{archive} is not in {path}. If it was recorded, list it: {WRITE}; otherwise remove it")
    if listed != sha256:
        raise BadRecording(
            f"{archive} differs from its checksum in {path}: recorded data are never edited. "
            f"Restore it from the repository; if it was recorded anew, list it: {WRITE}"
        )
