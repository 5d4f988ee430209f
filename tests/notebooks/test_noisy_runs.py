"""Verdicts rest on no recorded run that something disturbed, and on another machine on none at all."""

import nbformat
import pytest

from made.cells import run_cells
from made.noisy import NOISY, noisy
from perfstudies import data
from perfstudies.notebooks.needs import needs
from perfstudies.paths import ROOT
from perfstudies.report import findings
from perfstudies.stats.verdicts import NOT_REPRODUCED, REPRODUCED
from perfstudies.studies import EXPERIMENTS

AT_QUICK = {key for key, one in EXPERIMENTS.items() if "quick" in one.sizes}
ALL = sorted((ROOT / "notebooks").glob("*/*.ipynb"))
NOTEBOOKS = [path for path in ALL if needs(path).measured & NOISY.keys()]
WITHOUT_RUNS_AT_QUICK = [path for path in ALL if (asked := needs(path).measured) and not asked & AT_QUICK]


def _stored(path):
    """The outcomes that a notebook stores, by finding."""
    cells = nbformat.read(path, as_version=4).cells
    told = [output.get("metadata", {}).get("perfstudies", {}) for cell in cells for output in cell.get("outputs", ())]
    return {one["id"]: one["outcome"] for each in told for one in each.get("verdicts", ())}


@pytest.fixture
def judged(monkeypatch):
    """The outcomes that a notebook shows while it runs, by finding."""
    outcomes, table = {}, findings.findings_table

    def kept(verdicts, *rest, **named):
        outcomes.update({one.finding.id: one.outcome for one in verdicts})
        return table(verdicts, *rest, **named)

    monkeypatch.setattr(findings, "findings_table", kept)
    return outcomes


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_verdicts_are_the_same_without_noisy_runs(path, judged, monkeypatch):
    left_out = []

    def load(experiment):
        runs = data.recorded(experiment, "reference", "standard", 1)
        left_out.extend(run for run in runs if noisy(run))
        return data.read(experiment, [run for run in runs if not noisy(run)])

    run_cells(path, monkeypatch, load, source="reference")
    assert left_out
    assert judged == _stored(path)


@pytest.mark.parametrize("path", WITHOUT_RUNS_AT_QUICK, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_live_report_that_measures_nothing_decides_nothing(path, judged, monkeypatch):
    load = data.load
    run_cells(path, monkeypatch, lambda one: load(one, "live", "quick", 1), source="live", profile="quick")
    assert judged and not {*judged.values()} & {REPRODUCED, NOT_REPRODUCED}
