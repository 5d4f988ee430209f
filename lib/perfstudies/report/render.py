"""Execute a notebook and render it to HTML: ``python -m perfstudies.report.render NOTEBOOK``.

With ``--store`` it executes the notebook with its default parameters instead, and saves the outputs in the
notebook itself: how the outputs that the notebook tests compare against are renewed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import nbformat

from perfstudies import paths
from perfstudies.errors import BadParameter, PerfstudiesError
from perfstudies.report.execute import NotebookFailed, execute, parse_value
from perfstudies.report.page import page_html


def place(notebook: Path) -> tuple[str, str]:
    """Return the study and the name of a notebook; those directly in ``notebooks/`` belong to no study."""
    notebook = Path(notebook).resolve()
    folder = notebook.parent.name
    return ("" if folder == "notebooks" else folder), notebook.stem


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
    perfstudies.report.page.BadPage
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
    del ran.metadata["perfstudies"]
    write_atomically(notebook, nbformat.writes(ran) + "\n")
    return notebook


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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, 1 for a failed notebook or page, 2 for a wrong parameter."""
    parser = argparse.ArgumentParser(prog="python -m perfstudies.report.render", description=__doc__)
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--out", type=Path, help="the report (default: reports/<study>/<name>.html)")
    parser.add_argument("--executed", type=Path, help="the executed notebook (default: below data/processed)")
    parser.add_argument("--source", help="short for -p source: reference or live")
    parser.add_argument("--profile", help="short for -p profile")
    parser.add_argument(
        "-p",
        dest="parameters",
        nargs=2,
        action="append",
        default=[],
        metavar=("NAME", "VALUE"),
        help="a parameter of the notebook; may be repeated",
    )
    parser.add_argument("--store", action="store_true", help="save the outputs in the notebook instead")
    options = parser.parse_args(arguments)
    parameters = {name: parse_value(value) for name, value in options.parameters}
    parameters |= {name: value for name in ("source", "profile") if (value := getattr(options, name)) is not None}
    try:
        if options.store:
            if parameters or options.out:
                raise BadParameter("--store uses the defaults: leave out -p, --source, --profile and --out")
            print(f"stored outputs in {store(options.notebook, options.executed)}")
        else:
            print(f"rendered {render(options.notebook, options.out, options.executed, parameters)}")
    except BadParameter as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except PerfstudiesError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _execute_or_keep(notebook: Path, executed: Path, parameters: Mapping[str, object] | None):
    failed = executed.with_name(f"{executed.stem}.failed.ipynb")
    try:
        ran = execute(notebook, parameters)
    except NotebookFailed as error:
        write_atomically(failed, nbformat.writes(error.notebook) + "\n")
        raise NotebookFailed(f"{error}\n  the cells so far are in {failed}", error.notebook) from error
    failed.unlink(missing_ok=True)
    return ran


if __name__ == "__main__":
    sys.exit(main())
