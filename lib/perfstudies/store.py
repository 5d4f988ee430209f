"""Run folders: raw logs, compressed, beside a manifest that says how they came about and what they must hash to.

A run is a folder ``data/raw/<source>/<study>/<experiment>/<run>``. It is finished when its manifest says
so; the manifest is written last and in one step, so an interrupted run is never taken for a finished one.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import lzma
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfstudies.errors import BadRecording

MANIFEST = "manifest.json"
FORMAT = 1
FINISHED, FAILED, SKIPPED = "finished", "failed", "skipped"


@dataclass(frozen=True)
class Run:
    """A recorded run: its folder and its manifest."""

    folder: Path
    manifest: dict[str, Any]

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    def file(self, name: str) -> Path:
        """Return one of its raw logs after comparing it with its checksum.

        Raises
        ------
        BadRecording
            If the file is missing, or differs from what was recorded.
        """
        path = self.folder / name
        expected = self.manifest["files"].get(name)
        if expected is None or not path.exists():
            raise BadRecording(f"{path} is missing. Restore data/raw from the repository, or measure the run again.")
        if sha256(path) != expected["sha256"]:
            raise BadRecording(
                f"{path} differs from the checksum in its manifest: a raw log is never edited. "
                "Restore it from the repository, or measure the run again."
            )
        return path


def sha256(path: Path) -> str:
    """Return a file's SHA-256 in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(folder: Path, manifest: dict[str, Any], files: tuple[str, ...] = ()) -> None:
    """Write a run's manifest, with size and checksum of the named raw logs, in one step."""
    listed = {name: {"bytes": (folder / name).stat().st_size, "sha256": sha256(folder / name)} for name in files}
    text = json.dumps({"format": FORMAT, **manifest, "files": listed}, indent=1, ensure_ascii=False) + "\n"
    partial = folder / f"{MANIFEST}.partial"
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, folder / MANIFEST)


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Return a run's manifest, or None if the folder has none.

    Raises
    ------
    BadRecording
        If it is not one of ours.
    """
    path = folder / MANIFEST
    if not path.exists():
        return None
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        version = manifest["format"]
    except (ValueError, TypeError, KeyError) as error:
        raise BadRecording(f"{path} is not a manifest of a run: {error!r}") from error
    if version != FORMAT:
        raise BadRecording(f"{path} has format {version}; this version of the lab reads format {FORMAT}")
    return manifest


def runs(folder: Path) -> Iterator[Run]:
    """Yield an experiment's runs that have a manifest, by name."""
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        manifest = read_manifest(path) if path.is_dir() else None
        if manifest is not None:
            yield Run(path, manifest)


def compress(source: Path, target: Path) -> None:
    """Write a compressed copy of a file whose bytes depend on nothing but the content, and remove the file.

    A target whose name ends in ``.xz`` is packed by LZMA, any other by gzip.
    """
    with open(source, "rb") as plain, open(target, "wb") as raw:
        packer = lzma.open(raw, "wb", preset=9) if target.suffix == ".xz" else gzip.GzipFile("", "wb", 9, raw, mtime=0)
        with packer as packed:
            shutil.copyfileobj(plain, packed)
    source.unlink()
