from dataclasses import replace
from math import inf

import pytest

from made.runs import make, record
from perfstudies.experiment import Experiment, Factor, Finding
from perfstudies.report import quality
from perfstudies.runs import recording, store
from perfstudies.runs.declarations import Rules
from perfstudies.runs.store import Run
from perfstudies.stats.verdicts import judge

TIMES = {"filter": 10, "soap": 9, "si": 7, "hibernate": 4, "hibernate.load": 1, "hibernate.write": 1}
EXPERIMENT = Experiment("step", "up", "?", "flight", "none", (Factor("level", ("low", "high"), ("Low", "High")),))


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "PROCESSED", tmp_path / "processed")
    runs = [
        make(tmp_path, "quiet", 0, {"level": "low"}, [record(1, TIMES), record(2, TIMES)]),
        make(tmp_path, "noisy", 0, {"level": "high"}, [record(1, TIMES), record(2, TIMES | {"si": 10})]),
    ]
    runs[1].manifest["noise"]["reasons"] = ["30 % of the time was stolen"]
    failed = Run(tmp_path / "failed", runs[0].manifest | {"status": store.FAILED, "error": "<script>it died</script>"})
    return recording.load(EXPERIMENT, [*runs, failed])


def test_noisy_failed_and_impossible_are_counted_and_quoted(recorded):
    shown = quality.runs_table(recorded, "level")
    assert shown.frame["Noisy runs"].to_dict() == {"low": 0, "high": 1}
    assert shown.frame["Ok"].tolist() == [2, 2]
    assert shown.note.startswith("1 failed runs, 1 impossible records, 0 cut records set aside, 1 noisy runs.")
    assert "noisy: 30 % of the time was stolen" in shown.note
    assert "noisy/monitor.log.gz:8: request 1" in shown.note


def test_several_factors_make_a_row_a_combination(recorded):
    other = {name: getattr(recorded, name).assign(other="x") for name in ("samples", "calls", "runs")}
    shown = quality.runs_table(replace(recorded, **other), ["level", "other"]).frame
    assert shown["Ok"].to_dict() == {("low", "x"): 2, ("high", "x"): 2}


def test_what_a_server_said_is_escaped(recorded):
    page = quality.runs_table(recorded, "level").to_html()
    assert "&lt;script&gt;it died" in page
    assert "<script>" not in page


def test_the_host_is_shown_with_the_server_s_libraries(recorded):
    shown = quality.host_table(recorded)
    assert shown.caption == f"The machine that measured {EXPERIMENT.key}"
    values = shown.frame["Value"]
    assert values["Server"] == "h2-2.5"
    assert values["Processor"] == "made, 2 cores"
    assert "Experiment and rules" not in values
    told = replace(recorded, host=recorded.host | {"rules": Rules((("S1",),))})
    assert quality.host_table(told).frame.loc["Experiment and rules", "Value"].endswith("the same since")
    (judged,) = judge([Finding("step", "S1", "T1", "So.", "A rule.", "2", 1, inf, "ratio")], {"S1": [2.0, 3.0]})
    assert quality.host_table(told, [judged]).frame.loc["Experiment and rules", "Value"].endswith("1 of 1 of them: S1")


def test_processors_of_all_runs_are_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "PROCESSED", tmp_path / "processed")
    runs = [make(tmp_path, name, 0, {"level": "low"}, [record(1, TIMES)]) for name in ("one", "two")]
    runs[0].manifest["host"] |= {"cpu": "another"}
    values = quality.host_table(recording.load(EXPERIMENT, runs)).frame["Value"]
    assert values["Processor"] == "another; made, 2 cores"


def test_machines_are_named_where_there_was_more_than_one(recorded, tmp_path):
    runs = [make(tmp_path, name, 0, {"level": "low"}, [record(1, TIMES)]) for name in ("one", "two", "old")]

    def shown(*parties):
        for run, (sent, served) in zip(runs, parties, strict=False):
            run.manifest["hosts"] = {"sent": sent, "served": served}
        return quality.host_table(recording.load(EXPERIMENT, runs)).frame["Value"]

    assert "Machines" not in quality.host_table(recorded).frame.index
    assert "Machines" not in shown(("here", "here"), ("here", "here"))
    assert shown(("here", "here"), ("here", "there"))["Machines"] == (
        "sent by here, served by here; sent by here, served by there"
    )
