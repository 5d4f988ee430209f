"""Runs that a notebook asks for: those that are measured now, and those that are recorded instead."""

from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from made.cells import run_cells
from perfstudies import data
from perfstudies.errors import BadParameter, MissingTool
from perfstudies.experiment import Experiment, Factor, Size
from perfstudies.notebooks.needs import needs
from perfstudies.paths import ROOT
from perfstudies.runs import plan
from perfstudies.stats.verdicts import NOT_REPRODUCED, REPRODUCED
from perfstudies.studies import EXPERIMENTS

STORES = Factor("database", ("mariadb", "h2"), ("MariaDB", "H2"))
SLOW_SERVER = EXPERIMENTS["step/slow-server"]
AT_QUICK = {key for key, one in EXPERIMENTS.items() if "quick" in one.sizes}
WITHOUT_RUNS_AT_QUICK = [
    path
    for path in sorted((ROOT / "notebooks").glob("*/*.ipynb"))
    if (asked := needs(path).measured) and not asked & AT_QUICK
]


@pytest.mark.parametrize(("there", "measured"), [(True, ["mariadb"]), (False, ["h2"])])
def test_if_no_level_of_a_short_profile_can_be_measured_the_others_are(tmp_path, monkeypatch, there, measured):
    sizes = {"quick": Size(blocks=2, sessions=1, levels={"database": ("mariadb",)})}
    experiment = Experiment("study", "name", "?", "none", "load", (STORES,), sizes=sizes)

    def carry_out(run, folder):
        if run.setting["database"] == "mariadb" and not there:
            raise MissingTool("runs on MariaDB need mariadbd")
        (folder / "log").write_text(run.name)
        return {"load_s": 0.1, "workload": {"sessions": 1}}, ("log",)

    @contextmanager
    def opened(progress):
        yield carry_out

    module = SimpleNamespace(build=lambda: "", bench=opened, read=lambda run: None)
    monkeypatch.setattr(Experiment, "module", lambda self, name: module)
    monkeypatch.setattr(plan, "RAW", tmp_path)
    runs = data.recorded(experiment, "live", "quick", 1)
    finished = [run.manifest["setting"]["database"] for run in runs if run.manifest["status"] == "finished"]
    assert finished == measured * 2
    assert all("mariadbd" in run.manifest["error"] for run in runs if run.manifest["status"] == "skipped")


def test_what_a_profile_leaves_out_is_shown_as_it_was_recorded_and_said_so(capsys):
    shown = data.recorded(SLOW_SERVER.select(link=["local"]), "live", "quick", 1)
    assert "Recorded runs of step/slow-server: quick does not measure it, smoke and standard" in capsys.readouterr().out
    recorded = data.recorded(SLOW_SERVER, "reference", "quick", 1)
    assert {run.name for run in shown} < {run.name for run in recorded}
    assert {run.manifest["setting"]["link"] for run in shown} == {"local"}
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("source", ["live", "reference"])
def test_a_profile_that_there_is_not_is_refused(source):
    with pytest.raises(BadParameter, match="profile = 'quik'.*Did you mean 'quick'"):
        data.recorded(SLOW_SERVER, source, "quik", 1)


@pytest.mark.parametrize(
    ("source", "profile", "judged"),
    [("live", "quick", ["here"]), ("live", "standard", ["here", "slow"]), ("reference", "quick", ["here", "slow"])],
)
def test_no_verdict_rests_on_recorded_runs_of_what_a_live_profile_leaves_out(source, profile, judged, capsys):
    rests_on = {"slow": SLOW_SERVER, "here": EXPERIMENTS["step/caches"]}
    assert [*data.judged_here({"here": [1.0], "slow": [2.0]}, source, profile, rests_on)] == judged
    told = capsys.readouterr().out
    assert ("slow (step/slow-server)" in told) == ("slow" not in judged) and "here (" not in told
    with pytest.raises(BadParameter, match="'slov'.*Did you mean 'slow'"):
        data.judged_here({"here": [1.0], "slow": [2.0]}, source, profile, {"slov": SLOW_SERVER})


@pytest.mark.parametrize("path", WITHOUT_RUNS_AT_QUICK, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_live_report_that_measures_nothing_decides_nothing(path, monkeypatch):
    load = data.load
    live = {"source": "live", "profile": "quick"}
    names, _ = run_cells(path, monkeypatch, lambda one: load(one, **live, seed=1), **live)
    outcomes = {one.outcome for one in names["judged"]}
    assert outcomes and not outcomes & {REPRODUCED, NOT_REPRODUCED}
