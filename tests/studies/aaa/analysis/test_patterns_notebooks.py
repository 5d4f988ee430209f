"""The cells of the notebooks on response times and pools, run on made recordings of all sizes that profiles have."""

import ast
import json

import pytest

from made import aaa as made_aaa
from perfstudies import data
from perfstudies.report.tables import Table

PROFILES = {"smoke": (1, 20), "quick": (2, 120), "more": (3, 820)}
"""Blocks and requests of a client."""


def run_cells(repository, name, monkeypatch, blocks, requests):
    """Run a notebook's code cells, and return their names and every table and caption that they showed."""
    shown = []

    def load(experiment, *_):
        own = experiment.name == "own-gap"
        return made_aaa.made(experiment, blocks=1 if own else blocks, requests=requests, scale=1 if own else 100)

    def show(bundle, **more):
        shown.append(bundle["text/plain"])

    monkeypatch.setattr(data, "load", load)
    monkeypatch.setattr("perfstudies.report.figures.display", show)
    names = {}
    path = repository / "notebooks" / "aaa" / name
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            value = _value("".join(cell["source"]), names)
            if isinstance(value, Table):  # figures show themselves
                shown.append(value.to_text())
    return names, shown


def _value(source, names):
    """Run a cell once; return the value of its last expression, which Jupyter shows."""
    statements = ast.parse(source).body
    last = statements.pop().value if statements and isinstance(statements[-1], ast.Expr) else None
    exec(compile(ast.Module(statements, []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last), "cell", "eval"), names) if last else None


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", ["01-response-times.ipynb", "02-pools.ipynb"])
def test_every_cell_runs_at_every_size(repository, monkeypatch, name, profile):
    blocks, requests = PROFILES[profile]
    _, shown = run_cells(repository, name, monkeypatch, blocks, requests)
    assert len(shown) > 15
    assert all(text.strip() for text in shown)
    assert not any("nan" in text.lower().split() for text in shown)


def test_times_without_pattern_give_no_period_and_follow_ejb_time(repository, monkeypatch):
    names, _ = run_cells(repository, "01-response-times.ipynb", monkeypatch, 6, 820)
    verdicts = {one.finding.id: one for one in names["verdicts"].judge(
        names["times"].in_order(names["findings_patterns"].RESPONSE_FINDINGS, *names["cases"])
    )}  # fmt: skip
    assert verdicts["A1-stable"].outcome == "reproduced"
    assert {verdicts[f"A1-{name}"].outcome for name in ("moves", "follows", "correlation")} == {"not reproduced"}
    assert {verdicts[f"A2-{name}"].outcome for name in ("pattern", "period")} == {"not reproduced"}
    assert verdicts["A1-follows"].estimate == pytest.approx(1, abs=0.05)
