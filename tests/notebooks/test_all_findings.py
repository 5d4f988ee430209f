"""The page of all findings: counts, filters and what is escaped."""

from dataclasses import replace
from math import inf

import pytest

from made.gathered import executed, record
from perfstudies.experiment import Finding
from perfstudies.notebooks import all_findings
from perfstudies.report.findings import findings_table
from perfstudies.site import gathered
from perfstudies.stats.verdicts import judge

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def found():
    decided = record("A1", p_inside=0.0001, outcome="reproduced")
    apart = record("S3", kind="direction", apart="Another container")
    return gathered.verdicts(
        [
            executed("step", "01", record("S1", p_inside=0.01, outcome="reproduced"), record("S2"), apart),
            executed("aaa", "02", decided, record("A2", p_outside=0.0001, outcome="not reproduced")),
        ]
    )


def test_what_the_wider_correction_changes_is_said_in_its_row(found):
    assert found["own_outcome"].tolist()[0] == "reproduced" and found["outcome"].tolist()[0] == "inconclusive"
    assert all_findings.AllFindings(found).to_html().count("reproduced in its report") == 1


def test_each_row_says_by_what_it_is_filtered_and_leads_to_its_notebook(found):
    html = all_findings.AllFindings(found).to_html()
    row = '<tr data-study="step" data-outcome="inconclusive" data-kind="size" data-counted="claim">'
    assert html.count(row) == 2
    assert html.count('data-outcome="inconclusive" data-kind="direction" data-counted="apart">') == 1
    assert html.count('<tr data-study="aaa" data-outcome="not reproduced"') == 1
    assert 'href="aaa/02.ipynb#A2"' in html
    # Only what is there can be chosen.
    assert 'id="study-aaa"' in html and 'id="study-corba"' not in html
    assert 'id="kind-direction"' in html and 'id="kind-mechanism"' not in html
    assert 'id="counted-apart"' in html and 'id="outcome-identity"' not in html
    assert 'tr[data-outcome]:not([data-outcome="not reproduced"])' in html
    assert "Counted apart: Another container." in html


def test_the_verdict_comes_first(found):
    first = all_findings.AllFindings(found).to_html().partition("<tbody>")[2].partition("</td>")[0]
    assert "? " not in first and '<span aria-hidden="true">?</span> inconclusive' in first


def test_what_todays_libraries_cannot_test_shows_no_number():
    today = {"estimate": 772.0, "low": 704.0, "high": 846.0, "runs": "30", "p_inside": None, "p_outside": None}
    one = record("S1", today=today | {"outcome": "not testable", "note": ""})
    shown = all_findings.AllFindings(gathered.verdicts([executed("step", "01", one)]))
    assert "772" not in shown.to_html() and "–</span> not testable" in shown.to_html()
    assert shown.to_text().endswith("; with today's libraries not testable")


def test_todays_libraries_have_a_column_where_a_finding_was_tested_with_both():
    today = {"estimate": 3.0, "low": 2.0, "high": 4.0, "runs": "30", "p_inside": 1e-9, "p_outside": 1.0}
    both = record("S1", p_outside=1e-9, today=today | {"outcome": "reproduced", "note": ""}, cause="The disk.")
    shown = all_findings.AllFindings(gathered.verdicts([executed("step", "01", both, record("S2"))]))
    head, rows = shown.to_html().split("<tbody>")
    one, two = rows.split("<tr data")[1:]
    assert "today's libraries</th>" in head
    assert "not reproduced</span>" in one and one.rpartition("<td")[2].count("</span> reproduced</span>") == 1
    assert "3.00" in one.rpartition("<td")[2] and "Cause: The disk." in one
    assert two.rpartition("<td")[2].startswith(' class="right words"></td>')
    assert "with today's libraries reproduced: 3.00 [2.00, 4.00]" in shown.to_text()


def test_the_recorded_runs_stand_beside_what_was_measured_here(found):
    theirs = record("A1", p_outside=1e-9, outcome="not reproduced", estimate=7.0, low=6.0, high=8.0)
    beside = gathered.beside_recorded(found, gathered.verdicts([executed("aaa", "02", theirs)]))
    shown = all_findings.AllFindings(beside)
    head, rows = shown.to_html().split("<tbody>")
    assert head.count("Recorded runs</th>") == 1
    of_a1 = next(row for row in rows.split("<tr data") if "#A1" in row)
    assert "</span> reproduced</span>" in of_a1.partition("</td>")[0]
    assert "</span> not reproduced</span>" in of_a1.rpartition("<td")[2] and "7.00" in of_a1.rpartition("<td")[2]
    # The recorded runs know none of the others.
    assert rows.count('<td class="right words"></td></tr>') == len(found) - 1
    assert shown.to_text().count("; recorded not reproduced: 7.00 [6.00, 8.00]") == 1
    assert "recorded" not in all_findings.AllFindings(found).to_text()


def test_without_todays_verdicts_there_is_no_such_column(found):
    assert "today's libraries" not in all_findings.AllFindings(found).to_html()


def test_text_from_anywhere_is_escaped(found):
    words = "title id where claim rule published unit runs untestable apart note cause".split()
    found = found.assign(today_outcome="reproduced", today_note=HOSTILE)
    html = all_findings.AllFindings(found.assign(**dict.fromkeys(words, HOSTILE))).to_html()
    assert "<script" not in html


def test_nothing_measured_is_said(found):
    text = all_findings.AllFindings(found.assign(estimate=float("nan"))).to_text()
    assert text.count("not measured") == 5


def test_other_regions_are_tested_from_the_records_and_corrected_within_the_study():
    claims = [
        Finding("step", "S1", "T", "Same.", "R.", "1", 1 / 1.1, 1.1, "ratio", scale="log"),
        Finding("step", "S2", "T", "Most.", "R.", "60", 50, inf, "%", scale="percent"),
        Finding("step", "S3", "T", "Rare.", "R.", "0", 0, 30, "%", scale="runs"),
        Finding("step", "S4", "T", "Two.", "R.", "2", 2, 2, "calls"),
        Finding("step", "S5", "T", "So.", "R.", "2", 2, 2, "", untestable="No engine"),
        Finding("step", "S6", "T", "Hot.", "R.", "2", 0, inf, "ms"),
    ]
    values = {
        "S1": [1.12, 1.13, 1.11, 1.12, 1.12], "S2": [40, 41, 39, 40], "S3": [0] * 20, "S4": [2] * 12, "S5": [2, 3],
        "S6": [4],
    }  # fmt: skip
    shown = findings_table(judge(claims, values))
    found = gathered.verdicts([executed("step", "01", *shown._repr_mimebundle_()[1]["perfstudies"]["verdicts"])])

    def outcomes(factor):
        regions = {"S1": 1.1**factor, "S2": {0.5: 200 / 3, 1: 50, 2: 100 / 3}[factor]}
        wide = [
            replace(claims[0], low=1 / regions["S1"], high=regions["S1"]),
            replace(claims[1], low=regions["S2"]),
            replace(claims[2], high=100 * factor * 0.3 / (factor * 0.3 + 0.7)),
            *claims[3:],
        ]
        return [verdict.outcome for verdict in judge(wide, values)]

    for factor in (0.5, 1, 2):
        assert all_findings.under_other_regions(found, factor).tolist() == outcomes(factor)
    assert outcomes(2)[:3] == ["reproduced"] * 3
    assert outcomes(0.5)[:3] == ["not reproduced", "not reproduced", "inconclusive"]


def test_a_region_that_holds_every_share_is_true():
    (kept,) = findings_table(
        judge([Finding("step", "S1", "T", "So.", "R.", "50", 20, 80, "%", scale="percent")], {"S1": [50, 60, 40]})
    )._repr_mimebundle_()[1]["perfstudies"]["verdicts"]
    assert all_findings.under_other_regions(gathered.verdicts([executed("step", "01", kept)]), 2).tolist() == [
        "reproduced"
    ]
