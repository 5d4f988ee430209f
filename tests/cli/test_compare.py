"""The command that compares old runs with new ones: its verdicts, its exit statuses, and what it writes."""

import json
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
    ],
)
def test_what_cannot_be_compared_ends_with_status_2_and_says_why(arguments, said, capsys):
    assert perfstudies("compare", *arguments) == 2
    assert said in capsys.readouterr().err


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
