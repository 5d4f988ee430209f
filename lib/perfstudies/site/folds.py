"""Folds: neighbouring cells tagged ``details`` become one fold of the page, under their first heading.

The main line of a notebook has what decides its question. What only a referee needs is tagged, and stands in the page
folded, where it belongs.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Sequence

from nbformat import NotebookNode

TAG = "details"
_HEADING = re.compile(r"^(#{1,6})[ \t]+\S.*$", re.MULTILINE)


def folded(notebook: NotebookNode) -> NotebookNode:
    """Return a copy whose cells say where a fold begins and ends.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        An executed notebook.

    Returns
    -------
    nbformat.NotebookNode
        The first cell of a fold has ``metadata.fold.summary``, the fold's first heading as Markdown, which is taken out
        of the cell that had it, or "Details" if there is none; the last one has ``metadata.fold.last``.
    """
    marked = copy.deepcopy(notebook)
    for group in _groups(marked.cells):
        group[0].metadata["fold"] = {"summary": _take_heading(group)}
        group[-1].metadata.setdefault("fold", {})["last"] = True
    return marked


def _groups(cells: Sequence[NotebookNode]) -> Iterator[list[NotebookNode]]:
    """Yield what is folded together: a heading as high as the fold's own begins another fold."""
    group: list[NotebookNode] = []
    for cell in cells:
        tagged = TAG in cell.metadata.get("tags", ())
        if group and (not tagged or _ends(group, cell)):
            yield group
            group = []
        if tagged:
            group.append(cell)
    if group:
        yield group


def _ends(group: Sequence[NotebookNode], cell: NotebookNode) -> bool:
    level, own = _level(cell), next(filter(None, map(_level, group)), None)
    return level is not None and own is not None and level <= own


def _level(cell: NotebookNode) -> int | None:
    """Return the level of the heading with which a cell begins, if it does."""
    found = _HEADING.match(cell.source.lstrip()) if cell.cell_type == "markdown" else None
    return len(found[1]) if found else None


def _take_heading(group: Sequence[NotebookNode]) -> str:
    for cell in group:
        if _level(cell) is not None:
            heading, _, cell.source = cell.source.lstrip().partition("\n")
            return heading
    return "Details"
