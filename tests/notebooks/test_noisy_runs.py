"""No verdict rests on recorded runs that something disturbed: without them every notebook comes to the same."""

import nbformat
import pytest

from made.cells import run_cells
from made.noisy import NOISY, noisy
from perfstudies import data
from perfstudies.notebooks.needs import needs
from perfstudies.paths import ROOT
from perfstudies.report import findings

NOTEBOOKS = [path for path in sorted((ROOT / "notebooks").glob("*/*.ipynb")) if needs(path).measured & NOISY.keys()]


def _stored(path):
    """The outcomes that a notebook stores, by finding."""
    cells = nbformat.read(path, as_version=4).cells
    told = [output.get("metadata", {}).get("perfstudies", {}) for cell in cells for output in cell.get("outputs", ())]
    return {one["id"]: one["outcome"] for each in told for one in each.get("verdicts", ())}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_verdicts_are_the_same_without_noisy_runs(path, monkeypatch):
    left_out, judged, table = [], {}, findings.findings_table

    def load(experiment):
        runs = data.recorded(experiment, "reference", "standard", 1)
        left_out.extend(run for run in runs if noisy(run))
        return data.read(experiment, [run for run in runs if not noisy(run)])

    def kept(verdicts, *rest, **named):
        judged.update({one.finding.id: one.outcome for one in verdicts})
        return table(verdicts, *rest, **named)

    monkeypatch.setattr(findings, "findings_table", kept)
    run_cells(path, monkeypatch, load, source="reference")
    assert left_out
    assert judged == _stored(path)
