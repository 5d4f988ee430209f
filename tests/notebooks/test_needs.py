"""What notebooks need, as their metadata say, held against what their cells ask for."""

import ast
from contextlib import suppress

import nbformat
import pytest

from made.notebooks import parameters_cell, write
from perfstudies.errors import BadParameter
from perfstudies.experiment import Experiment
from perfstudies.notebooks.needs import Needs, needs
from perfstudies.studies import EXPERIMENTS


def test_the_metadata_say_what_is_needed(tmp_path):
    told = {"requires": ["step/monitors"], "reads": ["aaa/pools"]}
    found = needs(write(tmp_path / "a.ipynb", parameters_cell(), **told))
    assert found == Needs(frozenset({"step/monitors"}), frozenset({"aaa/pools"}), declared=True)
    assert found.all == {"step/monitors", "aaa/pools"}


def test_a_notebook_that_says_nothing_is_told_from_one_that_needs_nothing(tmp_path):
    assert needs(write(tmp_path / "a.ipynb")) == Needs(declared=False)
    assert needs(write(tmp_path / "b.ipynb", requires=[])) == Needs(declared=True)


def test_an_experiment_of_another_name_is_refused(tmp_path):
    with pytest.raises(BadParameter, match="monitors"):
        needs(write(tmp_path / "a.ipynb", requires=["step/monitor"]))


def test_together_the_notebooks_need_every_experiment(repository):
    found = [needs(path) for path in (repository / "notebooks").glob("**/*.ipynb")]
    assert set().union(*(one.measured for one in found)) == set(EXPERIMENTS)


def test_each_notebook_says_what_its_own_cells_ask_for(repository):
    """Imports and selections are carried out here; of a call with the notebook's ``source`` only what it names is."""
    for path in sorted((repository / "notebooks").glob("**/*.ipynb")):
        names, asked, read = {}, set(), set()
        for cell in nbformat.read(path, as_version=4).cells:
            for statement in ast.parse(cell.source).body if cell.cell_type == "code" else ():
                for call, loops in _calls_of_source(statement):
                    experiments = _experiments(call.args[0], loops, names)
                    (asked if ast.unparse(call.func) in ("data.load", "data.recorded") else read).update(experiments)
                if _declares(statement):
                    with suppress(NameError):  # of what an analysis found
                        exec(compile(ast.Module([statement], []), "cell", "exec"), names)
        assert needs(path) == Needs(frozenset(asked), frozenset(read - asked), declared=True), path


def _calls_of_source(tree, loops=()):
    """Return the calls that are given the notebook's ``source`` for data, with the loops around them."""
    if isinstance(tree, ast.For):
        loops = (*loops, ast.comprehension(tree.target, tree.iter, [], 0))
    loops = (*loops, *getattr(tree, "generators", ()))
    for node in ast.iter_child_nodes(tree):
        yield from _calls_of_source(node, loops)
    if isinstance(tree, ast.Call) and ast.unparse(tree.func) != "data.judged_here":
        given = (*tree.args[1:], *(keyword.value for keyword in tree.keywords))
        if any(isinstance(one, ast.Name) and one.id == "source" for one in given):
            yield tree, loops


def _experiments(argument, loops, names):
    """Return the keys of the studies' experiments that an argument stands for, in all rounds of its loops."""
    inner = ast.unparse(argument)
    text = f"[{inner} {' '.join(map(ast.unparse, loops))}]" if loops else f"[{inner}]"
    meant = [one for value in eval(text, names) for one in (value if isinstance(value, tuple) else (value,))]
    return {one.key for one in meant if isinstance(one, Experiment) and one.key in EXPERIMENTS}


def _declares(statement):
    """Whether a statement imports, or names or selects something declared; analyses have nothing to work on."""
    if isinstance(statement, ast.ImportFrom | ast.Import):
        return True
    if not isinstance(statement, ast.Assign) or "data." in ast.unparse(statement):
        return False
    plain = isinstance(statement.value, ast.Attribute | ast.Constant | ast.List)
    return plain or ".select(" in ast.unparse(statement)
