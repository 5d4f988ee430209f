"""What was declared when a run was measured, by its checksum."""

from dataclasses import replace
from math import inf
from types import SimpleNamespace

import pandas as pd
import pytest

from perfstudies import data, studies
from perfstudies.experiment import Experiment, Factor, Finding, Size
from perfstudies.runs import declarations, lab
from perfstudies.runs.plan import Plan
from perfstudies.runs.recording import Recording
from perfstudies.site import gathered

RULE = Finding("step", "S1", "T1", "So.", "A rule.", "2", 1, inf, "ratio")


def test_every_finding_that_was_judged_is_declared():
    found = gathered.verdicts(gathered.notebooks("reference", "quick"))
    for study, part in found.groupby("study"):
        assert set(part["id"]) <= {one.id for one in declarations.findings(study)}


@pytest.mark.parametrize(
    "change", [{"low": 2}, {"high": 5}, {"rule": "Another."}, {"kind": "direction"}, {"scale": "log"}, {"apart": "So."}]
)
def test_whatever_is_declared_otherwise_changes_the_text(change):
    assert declarations.text([RULE]) == declarations.text((replace(RULE),))
    assert declarations.text([RULE]) != declarations.text([replace(RULE, **change)])


def test_a_field_with_its_default_is_not_in_the_text():
    assert '"untestable"' not in declarations.text(RULE)
    assert '"untestable"' in declarations.text(replace(RULE, untestable="No engine"))


def test_fewer_levels_are_of_the_same_declaration(monkeypatch):
    whole = studies.experiment("step/logging-cost")
    (factor, *_) = whole.factors
    fewer = whole.select(**{factor.name.replace(".", "_"): factor.levels[:1]})
    before = declarations.checksums(whole, "quick")
    assert declarations.checksums(fewer, "quick") == before
    assert declarations.checksums(studies.experiment("step/caches"), "quick")["experiment"] != before["experiment"]
    monkeypatch.setattr(declarations, "findings", lambda study: [RULE])
    assert declarations.checksums(whole, "quick").keys() == {"experiment", "S1"}


@pytest.mark.parametrize("other", [True, False], ids=["another profile's", "its own"])
def test_how_much_other_profiles_measure_is_not_part_of_what_a_run_was_declared_as(other):
    sizes = {"smoke": Size(2, 1), "quick": Size(3, 1)}
    experiment = Experiment("study", "name", "?", "none", "load", (), sizes=sizes)
    later = replace(experiment, sizes=sizes | {"quick" if other else "smoke": Size(9, 1)})
    same = declarations.checksums(later, "smoke") == declarations.checksums(experiment, "smoke")
    assert same is other


def test_a_run_keeps_what_was_declared(tmp_path, monkeypatch):
    factor = Factor("log.level", ("off",), ("off",))
    experiment = Experiment("study", "name", "?", "none", "load", (factor,), sizes={"smoke": Size(2, 1)})

    def carry_out(run, folder):
        (folder / "log").write_text(run.name)
        return {"load_s": 3.0, "workload": {"sessions": 1}}, ("log",)

    runs = lab.measure(Plan.of(experiment, "smoke", 1, folder=tmp_path), carry_out, show_progress=False)
    assert [run.manifest["declarations"] for run in runs] == [declarations.checksums(experiment, "smoke")] * 2
    assert declarations.rules(experiment, runs).said({"S1"}) == "declared before the runs, and the same since"
    later = replace(experiment, title="Another question")
    but = "declared before the runs, but for what is new or changed after"
    assert declarations.rules(later, runs).said({"S9"}) == f"{but} 2 of 2 of them: what is measured"
    runs[0].manifest["declarations"] |= {"S1": "changed", "S2": "dropped"}
    monkeypatch.setattr(declarations, "findings", lambda study: [RULE])
    runs[1].manifest["declarations"] = declarations.checksums(experiment, "smoke")
    assert declarations.rules(experiment, runs).said({"S1"}) == f"{but} 1 of 2 of them: S1"
    assert declarations.rules(experiment, runs).said({"S9"}) == "declared before the runs, and the same since"
    del runs[0].manifest["declarations"], runs[1].manifest["declarations"]
    assert declarations.rules(experiment, runs) is None


def test_a_recording_says_it_where_its_runs_tell(monkeypatch):
    experiment = studies.experiment("step/logging-cost")
    declared = declarations.checksums(experiment, "smoke")
    runs = [SimpleNamespace(manifest=one) for one in ({"declarations": declared, "profile": "smoke"}, {})]
    bare = Recording(*(pd.DataFrame() for _ in range(3)), (), (), (), (), {"cpu": "made"})
    monkeypatch.setattr(data, "recorded", lambda *asked: runs)
    monkeypatch.setattr(data.recording, "load", lambda *asked: bare)
    told = data.load(experiment, "live", "smoke", 1).host
    assert told == {"cpu": "made", "rules": declarations.Rules(((),))}
    del runs[0]
    assert data.load(experiment, "reference", "smoke", 1).host == {"cpu": "made"}
