"""Which experiments a notebook needs, read from its own code without running it.

A notebook asks for runs by ``lab.recorded(EXPERIMENT, source, ...)``, so what it needs is written in it and need not be
declared a second time. Its cells are plain lines without functions: a name stands for the last thing it was given.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import nbformat

from perfstudies.experiment import Experiment
from perfstudies.studies import EXPERIMENTS

ASKS = "recorded"


@dataclass(frozen=True)
class Needs:
    """What a notebook needs to be there before it is rendered.

    Attributes
    ----------
    measured : frozenset of str
        The experiments whose runs it asks for, so that it would measure them itself if they were missing.
    read : frozenset of str
        Further experiments of which it reads what there is.
    """

    measured: frozenset[str] = frozenset()
    read: frozenset[str] = frozenset()

    @property
    def all(self) -> frozenset[str]:
        """Both."""
        return self.measured | self.read


def needs(notebook: Path) -> Needs:
    """Return what a notebook needs of the source that its parameter says.

    Runs that it asks for of another source, by name, are no needs: ``lab.recorded(EXPERIMENT, "reference", ...)``.
    """
    names: dict[str, object] = {}
    measured: set[str] = set()
    read: set[str] = set()
    for statement in _statements(notebook):
        for call in _calls(statement):
            if not any(isinstance(one, ast.Name) and one.id == "source" for one in _arguments(call)):
                continue
            asked = {one.key for argument in _arguments(call) for one in _experiments(_meant(argument, names))}
            (measured if _called(call) == ASKS else read).update(asked)
        _bind(statement, names)
    return Needs(frozenset(measured), frozenset(read - measured))


def _statements(notebook: Path) -> Iterator[ast.stmt]:
    for cell in nbformat.read(notebook, as_version=4).cells:
        if cell.cell_type == "code":
            try:
                yield from ast.parse(cell.source).body
            except SyntaxError:
                continue  # a line for IPython; executing it will say whether it is right


def _calls(statement: ast.stmt) -> Iterator[ast.Call]:
    return (node for node in ast.walk(statement) if isinstance(node, ast.Call))


def _called(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _bind(statement: ast.stmt, names: dict[str, object]) -> None:
    """Note what names stand for from here on: modules and declarations imported, and what was made of them."""
    if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith("perfstudies"):
        for alias in statement.names:
            names[alias.asname or alias.name] = _imported(statement.module, alias.name)
    elif isinstance(statement, ast.Assign):
        meant = _meant(statement.value, names)
        for target in statement.targets:
            if isinstance(target, ast.Name):
                names[target.id] = meant


def _imported(module: str, name: str) -> object:
    """Return what an import gives; a name that is not there is for the notebook to complain of."""
    try:
        found = getattr(import_module(module), name, None)
        return found if found is not None else import_module(f"{module}.{name}")
    except ImportError:
        return None


def _meant(expression: ast.expr, names: dict[str, object]) -> object:
    """Return the object that an expression names; for one that is computed, the experiments it is computed from."""
    if isinstance(expression, ast.Name):
        return names.get(expression.id)
    if isinstance(expression, ast.Attribute):
        owner = _meant(expression.value, names)
        return owner if _experiments(owner) else getattr(owner, expression.attr, None)
    parts = (child for child in ast.iter_child_nodes(expression) if isinstance(child, ast.expr))
    return tuple(one for part in parts for one in _experiments(_meant(part, names)))


def _experiments(meant: object) -> tuple[Experiment, ...]:
    """Return what was meant, if it is an experiment of the studies or several."""
    if isinstance(meant, Experiment):
        return (meant,) if meant.key in EXPERIMENTS else ()
    if isinstance(meant, tuple):
        return tuple(one for part in meant for one in _experiments(part))
    return ()
