"""What notebooks need, read from their code."""

import ast

import nbformat
from made_notebooks import parameters_cell, write
from nbformat.v4 import new_code_cell

from perfstudies.batches.needs import needs
from perfstudies.experiment import Experiment
from perfstudies.studies import EXPERIMENTS


def made(tmp_path, *cells):
    return write(tmp_path / "step" / "a.ipynb", parameters_cell(), *map(new_code_cell, cells))


def test_experiments_are_found_through_names_selections_and_later_cells(tmp_path):
    found = needs(
        made(
            tmp_path,
            "from perfstudies import lab, recording\nfrom perfstudies.studies import aaa, step\n"
            "from perfstudies.studies.corba_base import RATES as rates",
            "chosen = step.MONITOR_COMPARISON.select(monitor=['none'])",
            "one = recording.load(chosen, lab.recorded(chosen, source, profile, seed))",
            "chosen = aaa.POOLS\ntwo = lab.recorded(chosen, source, profile, seed)",
            "three = lab.recorded(rates, source=source, profile=profile, seed=seed)",
        )
    )
    assert found.measured == {"step/monitors", "aaa/pools", "corba/rates"} and not found.read


def test_runs_of_a_source_by_name_are_not_needed_and_others_may_only_read(tmp_path):
    found = needs(
        made(
            tmp_path,
            "from perfstudies import lab\nfrom perfstudies.report import configurations\n"
            "from perfstudies.studies import aaa, step\n"
            "lab.recorded(aaa.MAX_RATE, 'reference', profile, seed)\n"
            "lab.recorded(step.CONCURRENT_USERS, source, profile, seed)\n"
            "configurations.overview(step.EXPERIMENTS, source, profile)",
        )
    )
    assert found.measured == {"step/users"}
    assert found.read == {key for key in EXPERIMENTS if key.startswith("step/")} - {"step/users"}


def test_a_notebook_that_asks_for_nothing_needs_nothing(tmp_path):
    assert not needs(made(tmp_path, "%time 1", "import nosuchmodule\nfrom perfstudies.studies import nothing\n1")).all


def test_together_the_notebooks_need_every_experiment(repository):
    found = [needs(path) for path in (repository / "notebooks").glob("*/*.ipynb")]
    assert set().union(*(one.measured for one in found)) == set(EXPERIMENTS)


def _notebooks(repository):
    return sorted((repository / "notebooks").glob("*/*.ipynb"))


class Asked(Exception):
    """Ends a cell after it has said what it asks for."""


def test_each_notebook_needs_what_its_own_calls_name(repository):
    """The calls are carried out here, on the names as the cells have them; what comes of the runs is left out."""
    for path in _notebooks(repository):
        asked = set()
        names = {"lab": _Lab(asked)}
        for cell in nbformat.read(path, as_version=4).cells:
            for statement in ast.parse(cell.source).body if cell.cell_type == "code" else ():
                if isinstance(statement, ast.ImportFrom | ast.Import):
                    kept = [one for one in statement.names if one.name != "lab"]
                    if kept:
                        statement.names = kept
                        exec(_compiled(statement), names)
                elif isinstance(statement, ast.Assign | ast.Expr):
                    _try(statement, names)
        assert needs(path).measured == asked, path


class _Lab:
    """Stands in for the lab: notes whose runs are asked for of the notebook's own source."""

    def __init__(self, asked):
        self.asked = asked

    def recorded(self, experiment, source, profile, seed):
        assert isinstance(experiment, Experiment)
        if source == "the parameter":
            self.asked.add(experiment.key)
        raise Asked


def _try(statement, names):
    names.setdefault("source", "the parameter")
    text = ast.unparse(statement)
    if text.startswith("source ="):
        return
    # Only what declares or asks is carried out; analyses have nothing to work on.
    if ".select(" in text or "lab.recorded(" in text or isinstance(getattr(statement, "value", None), ast.Attribute):
        try:
            exec(_compiled(statement), names)
        except Asked:
            pass
    elif isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant | ast.List):
        exec(_compiled(statement), names)


def _compiled(statement):
    return compile(ast.Module([statement], []), "cell", "exec")


