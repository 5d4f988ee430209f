"""Take out of an executed notebook whatever differs between two executions of the same cells.

What remains depends on the sources, the parameters and the numbers alone, so that two renderings are
equal byte by byte and a stored notebook changes in version control only where a result did.
"""

from __future__ import annotations

from itertools import groupby

import nbformat
from nbformat import NotebookNode

INJECTED = "injected-parameters"


def clean(notebook: NotebookNode) -> NotebookNode:
    """Return a copy without execution times, random ids and papermill's bookkeeping.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        An executed notebook of format 4.

    Returns
    -------
    nbformat.NotebookNode
        Sources, outputs, tags, the lab's own metadata and the cells' own ids stay; cells that had no id, and the one
        that papermill injected, get one that follows from their place.
    """
    had_ids = (notebook.nbformat, notebook.nbformat_minor) >= (4, 5)
    cleaned = nbformat.from_dict(notebook)
    cleaned.nbformat, cleaned.nbformat_minor = 4, 5
    own = {name: value for name, value in cleaned.metadata.items() if name == "perfstudies"}
    cleaned.metadata = NotebookNode(
        own,
        kernelspec={"display_name": "Python 3", "language": "python", "name": "python3"},
        language_info={"name": "python", "pygments_lexer": "ipython3"},
    )
    for place, cell in enumerate(cleaned.cells):
        kept = {key: value for key, value in cell.metadata.items() if key not in ("papermill", "execution")}
        if not kept.get("tags"):
            kept.pop("tags", None)
        cell.metadata = NotebookNode(kept)
        if not had_ids or "id" not in cell:
            cell["id"] = f"cell-{place}"
        if INJECTED in kept.get("tags", ()):
            cell["id"] = INJECTED
        if cell.cell_type == "code":
            cell.outputs = tidy_outputs(cell.outputs)
    return cleaned


def tidy_outputs(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Join neighbouring streams, put the messages of standard error last, and drop pictures of progress.

    The kernel sends streams in pieces, and the two streams in an order, that depend on timing.
    """
    outputs = [output for output in outputs if not output.get("metadata", {}).get("perfstudies", {}).get("live")]

    def is_error_stream(output: NotebookNode) -> bool:
        return output.output_type == "stream" and output.name == "stderr"

    tidied = []
    for kind, found in groupby(sorted(outputs, key=is_error_stream), key=lambda o: o.get("name", "")):
        group = list(found)
        if kind:
            text = "".join("".join(output.text) for output in group)
            tidied.append(nbformat.v4.new_output("stream", name=kind, text=text))
        else:
            tidied.extend(group)
    return tidied
