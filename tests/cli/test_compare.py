"""The command that compares old runs with new ones: its verdicts, its exit statuses, and what it writes."""

import json
import os
from xml.etree import ElementTree

import pytest

from made.command import perfstudies
from perfstudies.paths import RAW

FAST, SLOW = (str(RAW / "foreign" / "jmeter" / level) for level in ("level-1", "level-9"))
OWN = str(RAW / "reference" / "own" / "two-makes")


def test_logs_of_a_slower_setting_are_slower_and_the_other_way_round_they_are_not(capsys):
    assert perfstudies("compare", FAST, SLOW) == 1
    assert capsys.readouterr().out.startswith("slower: new / old 9.8")
    assert perfstudies("compare", f"{SLOW}/*.jtl", f"{FAST}/run-*.jtl") == 0
    said = capsys.readouterr().out
    assert said.startswith("no slower: new / old 0.10") and "Not shown to be the same within 1.05" in said


def test_the_same_runs_are_shown_to_be_the_same(capsys):
    assert perfstudies("compare", FAST, FAST) == 0
    assert "Shown to be the same within 1.05 times either way." in capsys.readouterr().out


def test_two_files_decide_nothing_and_it_says_what_would(capsys):
    assert perfstudies("compare", f"{FAST}/run-1.jtl", f"{FAST}/run-2.jtl") == 3
    assert "give two runs of each side, or more" in capsys.readouterr().out


def test_a_margin_within_the_interval_is_undecided_with_the_runs_that_would_decide(capsys):
    assert perfstudies("compare", f"{OWN}:Metro", f"{OWN}:CXF", "--margin", "1.08") == 3
    assert "runs of each side would decide" in capsys.readouterr().out
    assert perfstudies("compare", f"{OWN}:Metro", f"{OWN}.tar.xz:CXF", "--margin", "1.2") == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((FAST, f"{SLOW}/*.csv"), "logs['new']: no file matches"),
        ((FAST, SLOW, "--margin", "1"), "margin_ratio = 1.0 must be a finite ratio above 1"),
        ((FAST, SLOW, "--format", "jmeterr"), "jmeterr"),
        ((OWN, FAST), f"{OWN} has the settings Metro, CXF: name one, as in {OWN}:Metro"),
        ((f"{OWN}:metro", FAST), "Did you mean 'Metro'?"),
        ((str(RAW / "reference" / "step" / "quiet-levels"), FAST), "these are not runs of an own service"),
        ((__file__, FAST), "test_compare.py"),
        (("", FAST), "an empty name: give a file"),
    ],
)
def test_what_cannot_be_compared_ends_with_status_2_and_says_why(arguments, said, capsys):
    assert perfstudies("compare", *arguments) == 2
    assert said in capsys.readouterr().err


def jmeter(path, elapsed_ms, requests=40, extra=()):
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [f"{1_700_000_000_000 + at * 100},{elapsed_ms},get,true" for at in range(requests)]
    path.write_text("\n".join(["timeStamp,elapsed,label,success", *rows, *extra, ""]), encoding="utf-8")


def test_a_name_with_the_signs_of_a_pattern_is_a_file_of_its_own(tmp_path):
    for run in range(5):
        jmeter(tmp_path / "old" / f"run{run}.jtl", 100 + run)
        jmeter(tmp_path / "new" / f"run{run}.jtl", 100 + run)
        jmeter(tmp_path / "new" / f"run[{run}].jtl", 400 + run)
        jmeter(tmp_path / "br[1]*" / f"run{run}.jtl", 400 + run)
    assert perfstudies("compare", str(tmp_path / "old"), str(tmp_path / "new" / "run[[]*")) == 1
    assert perfstudies("compare", str(tmp_path / "old"), str(tmp_path / "br[1]*")) == 1


def test_what_was_set_aside_is_told_beside_the_verdict(tmp_path, capsys):
    for run in range(5):
        jmeter(tmp_path / "old" / f"{run}.jtl", 100 + run)
        jmeter(tmp_path / "new" / f"{run}.jtl", 100 + run, extra=["1700000009000,4000,get,"] * 20)
    out = tmp_path / "verdict.json"
    perfstudies("compare", str(tmp_path / "old"), str(tmp_path / "new"), "--json", str(out))
    said = capsys.readouterr().out
    assert "Lines set aside: 100, the first " in said and "0.jtl:42: " in said
    assert json.loads(out.read_text())["set_aside_lines"] == 100
    for path in (tmp_path / "new").iterdir():
        path.write_text("\n".join(path.read_text().splitlines()[:41])[:-5])
    perfstudies("compare", str(tmp_path / "old"), str(tmp_path / "new"))
    assert capsys.readouterr().out.count("; CUT: 39 requests stand before that.") == 5


def test_times_that_a_clock_does_not_resolve_are_no_times(tmp_path, capsys):
    jmeter(tmp_path / "zero.jtl", 0)
    assert perfstudies("compare", FAST, str(tmp_path / "zero.jtl")) == 2
    assert "its clock is too coarse" in capsys.readouterr().err


def test_a_mistake_of_the_program_is_not_taken_for_a_slower_service(monkeypatch, capsys):
    monkeypatch.setattr("perfstudies.cli.compare.observe", lambda *_: 1 / 0)
    assert perfstudies("compare", FAST, SLOW) == 2
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_name_that_is_no_text_is_refused(tmp_path, capsys):
    name = os.fsdecode(b"caf\xe9.jtl")
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / name).touch()
    assert perfstudies("compare", FAST, str(tmp_path / "new")) == 2
    assert "is no name of files" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_to_is_no_verdict(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert perfstudies("compare", FAST, SLOW, "--json", str(tmp_path / "file" / "verdict.json")) == 2
    assert str(tmp_path / "file") in capsys.readouterr().err


def test_the_verdict_is_written_for_people_and_pipelines(tmp_path, capsys):
    out = {kind: tmp_path / f"verdict.{kind}" for kind in ("json", "markdown", "junit", "html")}
    options = [word for kind, path in out.items() for word in (f"--{kind}", str(path))]
    assert perfstudies("compare", FAST, SLOW, *options) == 1
    printed = capsys.readouterr().out
    told = json.loads(out["json"].read_text(encoding="utf-8"))
    assert (told["verdict"], told["exit_status"], told["margin"], told["equivalent"]) == ("slower", 1, 1.05, False)
    assert 1.05 < told["ratio_low"] < told["ratio"] < told["ratio_high"] and told["new"]["runs"] == 5
    assert told["new"]["mean_ms_low"] < told["new"]["mean_ms"]
    markdown = out["markdown"].read_text(encoding="utf-8")
    assert markdown.startswith("**slower: new / old 9.8") and "| new | 5 |" in markdown
    suite = ElementTree.parse(out["junit"]).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("1", "1", "0")
    assert suite.find("testcase/failure").get("message") == printed.splitlines()[0]
    page = out["html"].read_text(encoding="utf-8")
    assert "new / old" in page and page.startswith("<!DOCTYPE html>")


def test_an_undecided_verdict_is_a_skipped_test_and_unknown_numbers_are_null(tmp_path):
    out = tmp_path / "verdict.json", tmp_path / "verdict.xml"
    options = ("--json", str(out[0]), "--junit", str(out[1]))
    assert perfstudies("compare", f"{FAST}/run-1.jtl", f"{FAST}/run-2.jtl", *options) == 3
    told = json.loads(out[0].read_text(encoding="utf-8"))
    assert told["verdict"] == "undecided" and told["ratio_low"] is None and told["runs_needed"] is None
    assert ElementTree.parse(out[1]).getroot().find("testcase/skipped") is not None
