"""Recorded runs: raw logs beside a manifest that says how they came about and what they must hash to.

A run is a folder ``data/raw/<source>/<study>/<experiment>/<run>`` with packed logs, or one of those in the archive
``<experiment>.tar.xz`` (see `perfstudies.runs.archive`), where logs are plain. It is finished when its manifest says
so; in a folder that is written last and in one step, so an interrupted run is never taken for a finished one.
"""

from __future__ import annotations

import gzip
import hashlib
import lzma
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from perfstudies.errors import BadLog, BadRecording
from perfstudies.runs import archive
from perfstudies.runs import manifest as manifests
from perfstudies.runs.archive import Archive
from perfstudies.runs.manifest import MANIFEST

FINISHED, FAILED, SKIPPED = "finished", "failed", "skipped"
_WINDOW_BYTES = (1 << 20, 1 << 26)
"""How far back likenesses are sought, at least and at most: a reader needs that much memory, a writer ten times it."""


@dataclass(frozen=True)
class Run:
    """A recorded run.

    Attributes
    ----------
    folder : Path
        Its folder; of a run in an archive the archive's path and the run's name.
    manifest : dict
        What it was.
    archive : Archive or None
        What holds it, unless it is a folder.
    """

    folder: Path
    manifest: dict[str, Any]
    archive: Archive | None = field(default=None, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @property
    def is_whole(self) -> bool:
        """Whether all its raw logs are there as they were recorded.

        A log is compared with its checksum only if it was written after the manifest, as none is by the lab.
        """
        written_ns = (self.folder / MANIFEST).stat().st_mtime_ns
        return all(
            (path := self.folder / name).is_file()
            and path.stat().st_size == listed["bytes"]
            and (path.stat().st_mtime_ns <= written_ns or sha256(path) == listed["sha256"])
            for name, listed in self.manifest["files"].items()
        )

    def log(self, name: str) -> str | None:
        """Return the name that one of its raw logs has in its manifest, plain or packed, or None if there is none."""
        return next((one for one in self.manifest["files"] if plain(one) == plain(name)), None)

    def file(self, name: str) -> Path:
        """Return one of its raw logs after comparing it with its checksum.

        Parameters
        ----------
        name : str
            The log's; whether it ends as a packed one's (``.gz``, ``.xz``) does not matter.

        Returns
        -------
        Path
            The log, plain or packed. That of a run in an archive stays until a log of another run is asked for.

        Raises
        ------
        BadRecording
            If the file is missing, or differs from what was recorded.
        """
        listed = self.log(name)
        if self.archive is not None and listed is not None:
            return self.archive.file(self.name, listed)
        path = self.folder / (listed or name)
        if listed is None or not path.exists():
            raise BadRecording(f"{path} is missing. Restore data/raw from the repository, or measure the run again.")
        if sha256(path) != self.manifest["files"][listed]["sha256"]:
            raise BadRecording(
                f"{path} differs from the checksum in its manifest: a raw log is never edited. "
                "Restore it from the repository, or measure the run again."
            )
        return path

    @contextmanager
    def named(self) -> Iterator[None]:
        """Let what its logs' readers raise name archive and run instead of where the log was unpacked."""
        try:
            yield
        except BadLog as error:
            if self.archive is None:
                raise
            raise BadLog(self.folder / error.path.name, error.line, error.problem) from error


def plain(name: str) -> str:
    """Return a log's name without what packing adds."""
    return name.removesuffix(".gz").removesuffix(".xz")


def sha256(path: Path) -> str:
    """Return a file's SHA-256 in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(folder: Path, manifest: dict[str, Any], files: tuple[str, ...] = ()) -> None:
    """Write a run's manifest, with size and checksum of the named raw logs, in one step."""
    listed = {name: {"bytes": (folder / name).stat().st_size, "sha256": sha256(folder / name)} for name in files}
    partial = folder / f"{MANIFEST}.partial"
    partial.write_text(manifests.text(manifest, listed), encoding="utf-8")
    os.replace(partial, folder / MANIFEST)


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Return a run's manifest, or None if the folder has none.

    Raises
    ------
    BadRecording
        If it is not one of ours.
    """
    path = folder / MANIFEST
    return manifests.parse(path.read_bytes(), path) if path.exists() else None


def runs(folder: Path) -> Iterator[Run]:
    """Yield an experiment's runs by name: folders with a manifest in its folder, or those of its archive beside it.

    Raises
    ------
    BadRecording
        If there are both, or what is there is not of ours.
    """
    path = archive.place(folder)
    if path.exists():
        if folder.exists():
            raise BadRecording(f"{folder} and {path} are both there: remove what is not to be read")
        packed = Archive(path)
        yield from (Run(path / name, manifest, packed) for name, manifest in packed.manifests.items())
    elif folder.is_dir():
        for path in sorted(folder.iterdir()):
            manifest = read_manifest(path) if path.is_dir() else None
            if manifest is not None:
                yield Run(path, manifest)


def finished(folder: Path) -> list[Run]:
    """Return an experiment's finished runs, by name."""
    return [run for run in runs(folder) if run.manifest["status"] == FINISHED]


def compress(source: Path, target: Path) -> None:
    """Write a compressed copy of a file whose bytes depend on nothing but the content, and remove the file.

    A target whose name ends in ``.xz`` is packed by LZMA, any other by gzip.
    """
    with open(source, "rb") as plain, open(target, "wb") as raw:
        packer = (
            lzma.open(raw, "wb", filters=xz_filters(source.stat().st_size))
            if target.suffix == ".xz"
            else gzip.GzipFile("", "wb", 9, raw, mtime=0)
        )
        with packer as packed:
            shutil.copyfileobj(plain, packed)
    source.unlink()


def xz_filters(size_bytes: int) -> list[dict]:
    """Return xz's preset 9, with no larger window than so many bytes fill: a small log needs no 700 MB to be packed."""
    window = min(max(1 << size_bytes.bit_length(), _WINDOW_BYTES[0]), _WINDOW_BYTES[1])
    return [{"id": lzma.FILTER_LZMA2, "preset": 9, "dict_size": window}]
