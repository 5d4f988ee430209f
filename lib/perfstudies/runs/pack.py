"""Makes one archive of an experiment's finished runs; the same runs give the same bytes."""

from __future__ import annotations

import hashlib
import io
import lzma
import os
import shutil
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from perfstudies.errors import BadRecording
from perfstudies.files import opened
from perfstudies.runs import archive, manifest, store
from perfstudies.runs.manifest import MANIFEST


def pack(runs: Iterable[store.Run], target: Path) -> Path:
    """Write an archive of runs, in one step and in bounded memory, and return its path.

    A manifest in it differs from the run's own only in ``files``: the plain logs, with their sizes and checksums.

    Parameters
    ----------
    runs : iterable of Run
        Finished ones, of folders or of an archive, which may be the target itself.
    target : Path
        ``<experiment>.tar.xz``.

    Raises
    ------
    BadRecording
        If there is no run, one is not finished, or a file is missing or differs from its checksum.
    """
    chosen = sorted(runs, key=lambda run: run.name)
    if not chosen:
        raise BadRecording(f"{target}: there is no run to pack")
    for run in chosen:
        if run.manifest["status"] != store.FINISHED:
            raise BadRecording(f"{run.folder} is not finished: only finished runs are packed")
    files = {run.name: {name: _facts(path) for name, path in _logs(run)} for run in chosen}
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    bytes_of_logs = sum(told["bytes"] for logs in files.values() for told in logs.values())
    try:
        with (
            lzma.open(partial, "wb", filters=store.xz_filters(2 * bytes_of_logs)) as packed,  # as much for manifests
            tarfile.open(fileobj=packed, mode="w|") as tar,
        ):
            for run in chosen:
                text = manifest.text(run.manifest, files[run.name]).encode()
                _add(tar, f"{run.name}/{MANIFEST}", len(text), io.BytesIO(text))
            for run in chosen:
                for name, path in _logs(run):
                    with opened(path) as content:
                        _add(tar, f"{run.name}/{name}", files[run.name][name]["bytes"], content)
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)
    return target


def pack_folder(folder: Path, runs: Iterable[store.Run]) -> Path:
    """Make runs the only ones of an experiment, in the archive beside its folder, which is removed."""
    target = pack(runs, archive.place(folder))
    shutil.rmtree(folder, ignore_errors=True)
    return target


def _logs(run: store.Run) -> Iterator[tuple[str, Path]]:
    """Yield the plain name and the path of each log of a run, in the order of an archive."""
    names = {store.plain(name): name for name in run.manifest["files"]}
    if len(names) < len(run.manifest["files"]):
        raise BadRecording(f"{run.folder} has two logs whose plain names are equal")
    for name in sorted(names):
        yield name, run.file(names[name])


def _facts(path: Path) -> dict[str, Any]:
    with opened(path) as content:
        found = hashlib.file_digest(content, "sha256")
        return {"bytes": content.tell(), "sha256": found.hexdigest()}


def _add(tar: tarfile.TarFile, name: str, size: int, content: IO[bytes]) -> None:
    # A member's description has no time, no owner and one mode unless it is told.
    member = tarfile.TarInfo(name)
    member.size = size
    tar.addfile(member, content)
