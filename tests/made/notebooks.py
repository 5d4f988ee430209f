"""Small notebooks for tests of what runs them."""

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

PARAMETERS = 'source = "reference"\nprofile = "quick"\nseed = 7'


def write(path, *cells, **own):
    """Write a notebook with its own metadata for the lab; its own kernel is one that is not installed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kernel = {"name": "a-kernel-that-is-not-installed", "display_name": "?", "language": "python"}
    metadata = {"kernelspec": kernel} | ({"perfstudies": own} if own else {})
    nbformat.write(new_notebook(cells=list(cells), metadata=metadata), path)
    return path


def parameters_cell(text=PARAMETERS):
    """Return a cell of parameters."""
    return new_code_cell(text, metadata={"tags": ["parameters"]})
