"""What was derived from runs, kept under a key of all that decides it: made once, then read by whoever needs it next.

As with Python's own compiled modules, what is kept is of this machine and of no use elsewhere; what cannot be read, or
has another checksum than it was written with, is made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pickle
import sys
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa

from perfstudies.runs.checksums import digest
from perfstudies.runs.store import Run

SUFFIX = ".kept"
MOST = 3
"""As many as the largest of one experiment: its recorded runs, its live ones, and a choice of settings."""
_CHECKSUM_BYTES = 32
_VERSIONS = (sys.version, np.__version__, pd.__version__, pa.__version__)
T = TypeVar("T")


def key_of(runs: Sequence[Run], code: str, *others: object) -> str:
    """Return a checksum of runs, of the code that reads them, and of what else decides what is read.

    The code is `perfstudies.runs.checksums.code_checksum` of it.

    Of runs in an archive that is the archive's checksum; of a folder its manifest, and size and time of its logs.
    """
    parts = [code, *_VERSIONS, *map(repr, others)]
    for run in runs:
        parts += [run.name, json.dumps(run.manifest), *_state(run)]
    return digest("\n".join(parts).encode())


def key_of_frame(frame: pd.DataFrame, code: str) -> str:
    """Return a checksum of a table, of its names and types, and of the code that derives something from it."""
    content = pd.util.hash_pandas_object(frame).to_numpy().tobytes()
    parts = [code, *_VERSIONS, *(f"{name} {kind}" for name, kind in frame.dtypes.items())]
    return digest("\n".join(parts).encode() + content)


def _state(run: Run) -> list[str]:
    if run.archive is not None:
        return [run.archive.sha256]
    states = [path.stat() for name in run.manifest["files"] if (path := run.folder / name).exists()]
    return [f"{state.st_size} {state.st_mtime_ns}" for state in states]


def kept(folder: Path, key: str, make: Callable[[], T], most: int = MOST) -> T:
    """Return what is kept in a folder under a key, or make it and keep it.

    Processes may do so at once: each puts a file of its own in place whole. What was used last stays, as long as all
    together take no more room than `most` of the largest.
    """
    path = folder / f"{key}{SUFFIX}"
    try:
        content = path.read_bytes()
        told = memoryview(content)
        if hashlib.sha256(told[_CHECKSUM_BYTES:]).digest() == told[:_CHECKSUM_BYTES]:
            os.utime(path)
            return pickle.loads(told[_CHECKSUM_BYTES:])
    except Exception:  # whatever is wrong with it, it is made again
        pass
    found = make()
    content = pickle.dumps(found, protocol=5)
    leave(path, folder, lambda draft: draft.write_bytes(hashlib.sha256(content).digest() + content))
    with contextlib.suppress(OSError):
        _tidy(folder, most)
    return found


def leave(path: Path, folder: Path, write: Callable[[Path], object]) -> None:
    """Put a file in place whole; a draft that is left in the folder goes in time, as what is kept there."""
    draft = folder / f".{uuid.uuid4().hex}{SUFFIX}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write(draft)
        os.replace(draft, path)
    except OSError:  # a full disk costs time, and no result
        with contextlib.suppress(OSError):
            draft.unlink()


def _tidy(folder: Path, most: int) -> None:
    """Remove what was not used for longest; what another process removes meanwhile is gone as well."""
    used: dict[Path, tuple[int, int]] = {}
    for path in folder.glob(f"*{SUFFIX}"):
        with contextlib.suppress(FileNotFoundError):
            used[path] = (state := path.stat()).st_mtime_ns, state.st_size
    room = most * max((size for _, size in used.values()), default=0)
    for path in sorted(used, key=used.__getitem__, reverse=True):
        room -= used[path][1]
        if room < 0:
            path.unlink(missing_ok=True)
