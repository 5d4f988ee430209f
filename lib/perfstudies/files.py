"""Files: whose a notebook is, what can be a folder's name, reading what is packed, writing whole, temporary folders."""

from __future__ import annotations

import errno
import gzip
import hashlib
import lzma
import os
import platform
import re
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from perfstudies.errors import BadParameter

PACKED: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open}
"""How files whose names end so are opened, arguments as of Python's own `open`."""
FULL = (errno.ENOSPC, errno.EDQUOT)
"""How the operating system says that a disk is full."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def place(notebook: Path) -> tuple[str, str]:
    """Return the study and the name of a notebook; those directly in ``notebooks/`` belong to no study."""
    notebook = Path(notebook).resolve()
    folder = notebook.parent.name
    return ("" if folder == "notebooks" else folder), notebook.stem


def opened(path: Path, mode: str = "rb", **how: Any) -> Any:
    """Open a file for reading, a packed one unpacked; further arguments as of Python's own `open`."""
    return PACKED.get(path.suffix, open)(path, mode, **how)


@contextmanager
def temporary(what: str) -> Iterator[Path]:
    """Make a temporary folder that goes at the end; those of processes that were killed go first."""
    folder = made_temporary(what)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def made_temporary(what: str) -> Path:
    """Make a temporary folder named by this process, and remove those of processes that are no more."""
    # Machines and containers may share the folder, and only know their own processes.
    namespace = Path("/proc/self/ns/pid")
    here = f"{platform.node()} {os.stat(namespace).st_ino if namespace.exists() else ''}"
    here = hashlib.sha256(here.encode()).hexdigest()[:8]
    for left in Path(tempfile.gettempdir()).glob(f"perfstudies-*-{here}-*-*"):
        owner = left.name.split("-")[-2]
        if owner.isdigit() and not psutil.pid_exists(int(owner)):
            shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"perfstudies-{what}-{here}-{os.getpid()}-"))


def require_name(name: str, what: str) -> None:
    """Refuse by `BadParameter` what could not be a folder's name; `what` says whose name it is."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise BadParameter(f"{what} {str(name)[:100]!r}: use letters, digits, '.', '_' and '-', at most 80 of them")


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that a reader finds the old content or the new, never a part."""
    if path.exists() and not path.is_file():  # a device or a pipe is written to, not replaced
        path.write_text(text, encoding="utf-8", newline="\n")
        return
    path = path.resolve()  # a link stays, and what it leads to is replaced
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with open(draft, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
