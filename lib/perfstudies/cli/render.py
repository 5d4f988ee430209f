"""Executes a notebook and renders it, or stores its outputs in itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import nbformat

from perfstudies import paths
from perfstudies.files import place, write_atomically
from perfstudies.notebooks import stored
from perfstudies.notebooks.execute import NotebookFailed, execute
from perfstudies.site.page import page_html


def render(
    notebook: Path,
    out: Path | None = None,
    executed: Path | None = None,
    parameters: Mapping[str, object] | None = None,
) -> Path:
    """Execute a notebook, keep the executed one, and write its report.

    Parameters
    ----------
    notebook : pathlib.Path
        The notebook; it is not changed.
    out : pathlib.Path, optional
        The report; ``reports/<study>/<name>.html`` without it.
    executed : pathlib.Path, optional
        The executed notebook; ``data/processed/notebooks/<study>/<name>.ipynb`` without it.
    parameters : mapping, optional
        Overrides of the notebook's parameters.

    Returns
    -------
    pathlib.Path
        The report that was written. It appears as a whole or not at all.

    Raises
    ------
    BadParameter
        If the notebook does not know a parameter.
    NotebookFailed
        If a cell raised. The partly executed notebook is then beside `executed`, as ``<name>.failed.ipynb``.
    perfstudies.site.page.BadPage
        If the page would load something or lacks an alternative text.
    """
    study, name = place(notebook)
    out = Path(out or paths.ROOT / "reports" / study / f"{name}.html")
    executed = Path(executed or paths.PROCESSED / "notebooks" / study / f"{name}.ipynb")
    ran = _execute_or_keep(Path(notebook), executed, parameters)
    html = page_html(ran, study, name)
    write_atomically(executed, nbformat.writes(ran) + "\n")
    write_atomically(out, html)
    return out


def store(notebook: Path, executed: Path | None = None) -> Path:
    """Execute a notebook with its defaults and save the outputs in place; return its path."""
    notebook = Path(notebook)
    study, name = place(notebook)
    executed = Path(executed or paths.PROCESSED / "notebooks" / study / f"{name}.ipynb")
    ran = _execute_or_keep(notebook, executed, None)
    del ran.metadata["perfstudies"]["parameters"]
    as_read = nbformat.reads(nbformat.writes(ran), as_version=4)
    ran.metadata["perfstudies"][stored.MARK] = stored.mark(as_read, notebook)
    write_atomically(notebook, nbformat.writes(ran) + "\n")
    return notebook


def _execute_or_keep(notebook: Path, executed: Path, parameters: Mapping[str, object] | None) -> nbformat.NotebookNode:
    failed = executed.with_name(f"{executed.stem}.failed.ipynb")
    try:
        ran = execute(notebook, parameters)
    except NotebookFailed as error:
        write_atomically(failed, nbformat.writes(error.notebook) + "\n")
        raise NotebookFailed(f"{error}\n  the cells so far are in {failed}", error.notebook) from error
    failed.unlink(missing_ok=True)
    return ran
