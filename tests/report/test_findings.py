import json
import math
import re
from dataclasses import replace

import pytest

from perfstudies.errors import BadParameter
from perfstudies.experiment import Finding
from perfstudies.report.findings import OUTCOMES, findings_table, region_text, still_hold
from perfstudies.stats.verdicts import Verdict, judge

HOSTILE = "<script>alert(1)</script>"


def verdict(outcome="reproduced", estimate=1.012, low=0.981, high=1.043, words="Cheap.", region=(0.95, 1.05)):
    finding = Finding("step", "step-8a", words, words, words, words, *region, "ratio")
    return Verdict(finding, estimate, low, high, 0.95, 30, 0.01, 0.9, (0.001, 0.4), outcome)


def test_a_verdict_is_words_and_not_colour_alone():
    shown = findings_table([verdict(outcome) for outcome in OUTCOMES])
    assert list(OUTCOMES) == ["reproduced", "not reproduced", "inconclusive", "not testable", "identity"]
    for outcome in OUTCOMES:
        assert f"</span> {outcome}</span>" in shown.to_html()
        assert f"{outcome}: step-8a (Cheap.; size): Cheap.\n" in shown.to_text()
    assert '<span class="whole">1.01</span><br><span class="whole">[0.98, 1.04]</span>' in shown.to_html()
    assert "True from 0.95 to 1.05." in shown.to_html()


def test_the_verdict_comes_first_in_a_row():
    rows = findings_table([verdict()]).to_html().partition("<tbody>")
    headings = re.findall(r'<th scope="col"[^>]*>([^<]*)', rows[0])
    assert headings == ["Verdict", "Finding", "Claim and what decides it", "Published", "Measured", "Runs"]
    cells = re.findall(r"<t[dh]\b.*?</t[dh]>", rows[2])
    assert len(cells) == 6 and "✓" in cells[0] and cells[1].startswith('<th scope="row"')
    assert '<span class="kind">size</span>' in cells[1]


def test_what_is_behind_a_verdict_is_told_in_its_row():
    def claim(name, published="2", **said):
        return Finding("step", name, "T1", "It is so.", "A rule.", published, 0, 0, "", **said)

    findings = [
        claim("S1"),
        claim("S2", "none given", untestable="the engine cannot be had."),
        claim("S3", kind="identity", apart="Another container"),
        claim("S4", scale="runs"),
    ]
    shown = findings_table(judge(findings, {"S1": [0] * 8, "S3": [0, 0], "S4": [0, 1]}))
    one, two, three, four = shown.to_html().split('<tr id="')[1:]
    assert "no spread: exact binomial test over 8 runs" in one and "apart" not in one
    assert "Not testable: the engine cannot be had." in two and "Counted apart: the study gives no value." in two
    assert ">holds</span>" in three and "Counted apart: Another container." in three
    assert "in 1 of 2 runs: exact binomial test" in four
    for words in ("over 8 runs", "Not testable: the engine", "holds", "in 1 of 2 runs"):
        assert words in shown.to_text()


def test_every_string_is_escaped():
    html = findings_table([verdict(words=HOSTILE)]).to_html()
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 4


def test_the_output_carries_the_verdicts_as_records():
    shown = findings_table([verdict(), verdict("inconclusive", math.nan, math.nan, math.inf)])
    data, metadata = shown._repr_mimebundle_()
    records = json.loads(json.dumps(metadata, allow_nan=False))["perfstudies"]["verdicts"]
    assert [record["outcome"] for record in records] == ["reproduced", "inconclusive"]
    assert records[0]["estimate"] == 1.012
    assert (records[0]["p_inside"], records[0]["p_outside"]) == (0.001, 0.4)
    assert records[1]["estimate"] is None and records[1]["high"] is None
    assert "not measured" in data["text/plain"]


def test_a_row_and_a_page_that_reads_its_record_round_alike():
    shown = findings_table([verdict(estimate=8.555000000000001, low=8.1, high=9.0)])
    record = shown._repr_mimebundle_()[1]["perfstudies"]["verdicts"][0]
    assert f"{record['estimate']:.2f}" == "8.55" and "measured 8.55 [8.10, 9.00]" in shown.to_text()


def test_a_record_has_what_another_test_of_it_needs():
    claim = Finding(
        "step", "S1", "T1", "So.", "Rule.", "none given", 2, math.inf, "ratio", scale="log", kind="direction"
    )
    shown = findings_table(judge([claim], {"S1": [1.0, 4.0, 16.0]}))
    (record,) = shown._repr_mimebundle_()[1]["perfstudies"]["verdicts"]
    assert (record["kind"], record["scale"], record["untestable"]) == ("direction", "log", "")
    assert record["apart"] == "the study gives no value"
    assert record["region"] == [2, None] and record["runs"] == "3" and record["note"] == ""
    assert record["mean"] == pytest.approx(math.log(4), rel=1e-5)
    assert record["error"] == pytest.approx(math.log(4) / math.sqrt(3), rel=1e-5)


def test_todays_libraries_stand_beside_the_verdict_and_a_cause_below_the_claim():
    study, other = verdict("not reproduced"), verdict("reproduced")
    today = verdict("inconclusive", 2.4, 1.9, 2.9)
    causes = {"step-8a": "a slow <disk> (slice-causes)."}
    shown = findings_table([study], [today], causes, {"2009, H2": [today]})
    headings, rows = shown.to_html().split("<tbody>")
    assert re.findall(r'<th scope="col"[^>]*>([^<]*)', headings)[-1] == "With today's libraries"
    last = re.findall(r"<td\b.*?</td>", rows)[-1]
    assert "</span> inconclusive</span>" in last and "2.40" in last and "[1.90, 2.90]" in last
    assert "Cause: a slow &lt;disk&gt; (slice-causes)." in rows
    assert "with today's libraries inconclusive: 2.40 [1.90, 2.90]; 30 runs" in shown.to_text()
    (record,) = shown._repr_mimebundle_()[1]["perfstudies"]["verdicts"]
    assert (record["outcome"], record["today"]["outcome"]) == ("not reproduced", "inconclusive")
    assert record["by_setting"]["2009, H2"] == record["today"]
    assert record["today"]["estimate"] == 2.4 and record["cause"].startswith("a slow <disk>")
    without = findings_table([other], causes={"step-8a": "Why should it?"})
    (plain,) = without._repr_mimebundle_()[1]["perfstudies"]["verdicts"]
    assert not {"today", "cause", "by_setting"} & set(plain)
    with pytest.raises(BadParameter, match="S1 is none of step-8a"):
        findings_table([study], causes={"S1": "none"})


def test_how_many_still_hold_is_said_of_those_that_held_with_those_that_are_undecided():
    held, failed, undecided = verdict("reproduced"), verdict("not reproduced"), verdict("inconclusive")
    first, second, third = (
        [replace(one, finding=replace(one.finding, id=f"step-{number}")) for one in (held, failed, undecided)]
        for number in (1, 2, 3)
    )
    told = "of the findings that hold with the study's libraries, "
    assert still_hold([first[0], second[0], third[1]], [first[0], second[1], third[0]]) == f"{told}1 of 2 still do."
    assert still_hold([first[0], second[0]], [first[2], second[0]]) == f"{told}1 of 2 still do, 1 undecided."
    none = "no finding that can be tested with these is shown to hold with the study's libraries"
    assert still_hold([first[1]], [first[0]]) == f"{none}."
    # Runs that decide nothing are no runs that contradict.
    assert still_hold([first[2], second[1]], [first[0], second[0]]) == f"{none}: of 2, 1 is undecided."
    identity = replace(third[0], outcome="identity")
    alone = still_hold([first[2], second[2], identity], [first[0], second[0], identity])
    assert alone == "none of 2 findings is decided with the study's libraries."
    unlike = replace(first[0], outcome="not testable")
    assert still_hold([first[0], second[0]], [unlike, second[0]]) == f"{told}1 of 1 still do, 1 cannot be tested."
    ours = [replace(one, finding=replace(one.finding, apart="our reading")) for one in (first[0], first[1])]
    assert still_hold([ours[0], second[0]], [ours[1], second[0]]) == f"{told}1 of 1 still do."


def test_unknown_outcomes_and_empty_lists_are_refused():
    with pytest.raises(BadParameter, match="Did you mean 'reproduced'"):
        findings_table([verdict("reproduce")])
    with pytest.raises(BadParameter, match="no verdict"):
        findings_table([])


@pytest.mark.parametrize(
    ("region", "text"),
    [
        ((10, math.inf), "True if at least 10."),
        ((-math.inf, 5), "True if at most 5."),
        ((0.95, 1.05), "True from 0.95 to 1.05."),
        ((1 / 1.05, 1.05), "True from 0.9524 to 1.05."),
        ((0, 0), "True if exactly 0."),
        ((-math.inf, math.inf), ""),
    ],
)
def test_a_region_is_said_in_words(region, text):
    assert region_text(verdict(region=region).finding) == text


@pytest.mark.parametrize(
    ("region", "unit", "text"),
    [
        ((1, 1), "connections a call", "True if exactly 1 connection a call."),
        ((-math.inf, 1), "percentage points", "True if at most 1 percentage point."),
        ((1, math.inf), "time-outs", "True if at least 1 time-out."),
        ((1, 2), "connections", "True from 1 to 2 connections."),
        ((-math.inf, 1), "% of runs", "True if at most 1 % of runs."),
        ((-math.inf, 1), "ms", "True if at most 1 ms."),
        ((0, 0), "count", "True if exactly 0."),
    ],
)
def test_the_unit_of_a_region_goes_with_its_number(region, unit, text):
    assert region_text(replace(verdict(region=region).finding, unit=unit)) == text
