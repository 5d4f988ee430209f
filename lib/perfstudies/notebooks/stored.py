"""Whether what a notebook stores is what executing it would give: then its report needs no kernel.

Outputs are stored with a mark, a checksum of all that decides them: the library, the raw data's own checksums and
sizes, the notebook's cells with their outputs and, where it reads what other notebooks store, theirs. The tests execute
every notebook and compare; the mark tells whether anything has changed since outputs were stored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from perfstudies import paths
from perfstudies.notebooks.execute import parameters_of
from perfstudies.runs import checksums
from perfstudies.site import gathered

CITATION = Path(__file__).resolve().parents[3] / "CITATION.cff"
MARK = "stored_with"
"""In the lab's own metadata of a notebook."""
MEASURING = ("cli", "load", "servers")
"""Packages that no output of recorded runs depends on."""


def current(path: Path, given: Mapping[str, object]) -> NotebookNode | None:
    """Return a notebook as executing it with some parameters would leave it, if that is what it stores.

    Nothing is returned where a parameter differs from the stored one's, or anything has changed since.
    """
    notebook = nbformat.read(path, as_version=4)
    own = notebook.metadata.get("perfstudies", {})
    known = parameters_of(path)
    if MARK not in own or {**known, **given} != known or own[MARK] != mark(notebook, path):
        return None
    own["parameters"] = known
    return notebook


def mark(notebook: NotebookNode, path: Path) -> str:
    """Return the checksum of all that decides a notebook's outputs, and of the outputs; the path is the notebook's."""
    parts = [_library(), *_data(), _cells(notebook)]
    if reads_others("\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")):
        parts += [_cells(nbformat.read(one, as_version=4)) for one in of_studies() if one != path.resolve()]
    return checksums.digest("\n".join(parts).encode())


def of_studies() -> list[Path]:
    """Return the studies' notebooks, in order."""
    return sorted((paths.ROOT / "notebooks").glob("*/[!.]*.ipynb"))


def _data() -> list[str]:
    """Return what tells of the data: their registry, the size of each file, the published ones and the citation."""
    texts = [paths.RAW / "registry.txt", CITATION, *sorted(paths.PUBLISHED.rglob("*.csv"))]
    names = sorted(one for one in paths.RAW.rglob("*") if one.is_file() and paths.RAW / "live" not in one.parents)
    sizes = [f"{one.relative_to(paths.RAW)} {one.stat().st_size}" for one in names]
    return [*(checksums.digest(one.read_bytes()) for one in texts if one.is_file()), *sizes]


@cache
def _library() -> str:
    package = Path(checksums.__file__).resolve().parents[1]
    files = (path for path in package.rglob("*.py") if path.relative_to(package).parts[0] not in MEASURING)
    return checksums.of_files(package, files)


def _cells(notebook: NotebookNode) -> str:
    return checksums.digest(json.dumps(notebook.cells, sort_keys=True).encode())


@cache
def reads_others(code: str) -> bool:
    """Whether a notebook's code reads what the studies' notebooks store."""
    try:
        return Path(gathered.__file__).resolve() in checksums.code_files(*sorted(checksums.imported(code)))
    except SyntaxError:  # it holds what IPython alone understands
        return True
