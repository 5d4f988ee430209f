"""The cells of a notebook, run in a test on recordings that the test made."""

import ast
import json
from pathlib import Path

from matplotlib import pyplot

from perfstudies import data
from perfstudies.report.findings import FindingsTable
from perfstudies.report.tables import Table


class Place:
    """Stands in for the place at a notebook's top that waits for its answer."""

    def update(self, *_, **__):
        """Take the answer; it is shown at the notebook's end too."""


def run_cells(path: Path, monkeypatch, load, **parameters) -> tuple[dict, list[str]]:
    """Run a notebook's code cells; return their names, and every table, caption and answer that they showed, as text.

    Parameters
    ----------
    path : Path
        The notebook.
    monkeypatch
        Of pytest.
    load : callable
        Returns the recording of an experiment.
    parameters
        In the place of those of the notebook's own cell.
    """
    shown = []

    def show(bundle, **_):
        shown.append(bundle["text/plain"])
        return Place()

    monkeypatch.setattr(data, "load", lambda experiment, *_: load(experiment))
    monkeypatch.setattr("perfstudies.report.figures.display", show)
    monkeypatch.setattr("perfstudies.report.answer.display", show)
    monkeypatch.setattr("perfstudies.report.figures.png", _closed)

    def keep(value):
        if isinstance(value, Table | FindingsTable):  # figures and answers show themselves
            shown.append(value.to_text())

    names: dict = {"display": keep}  # as in a kernel
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            keep(_value("".join(cell["source"]), names))
            if "parameters" in cell["metadata"].get("tags", []):
                names |= parameters
    return names, shown


def _closed(figure) -> bytes:
    """Close a figure without drawing it: its numbers are what a test can compare."""
    pyplot.close(figure)
    return b""


def _value(source: str, names: dict):
    """Run a cell once; return the value of its last expression, which Jupyter shows."""
    statements = ast.parse(source).body
    last = statements[-1].value if statements and isinstance(statements[-1], ast.Expr) else None
    if last is not None:
        del statements[-1]
    exec(compile(ast.Module(statements, []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last), "cell", "eval"), names) if last is not None else None
