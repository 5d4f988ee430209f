"""Where a notebook belongs, and files that are written as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def place(notebook: Path) -> tuple[str, str]:
    """Return the study and the name of a notebook; those directly in ``notebooks/`` belong to no study."""
    notebook = Path(notebook).resolve()
    folder = notebook.parent.name
    return ("" if folder == "notebooks" else folder), notebook.stem


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that a reader finds the old content or the new, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        # mkstemp keeps others out; a report is for everybody whom the umask allows.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(draft, 0o666 & ~umask)
        os.replace(draft, path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
