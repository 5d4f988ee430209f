"""The page of all findings: counts, filters and what is escaped."""

import pandas as pd
import pytest

from made.gathered import executed, record
from perfstudies.notebooks import all_findings
from perfstudies.site import gathered

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def found():
    decided = record("A1", p_inside=0.0001, outcome="reproduced")
    return gathered.verdicts(
        [
            executed("step", "01", record("S1", p_inside=0.01, outcome="reproduced"), record("S2"), record("S3")),
            executed("aaa", "02", decided, record("A2", p_outside=0.0001, outcome="not reproduced")),
        ]
    )


def test_counts_are_by_study_and_sum_up(found):
    counts = all_findings.counts(found)
    assert counts.loc["STEP"].tolist() == [3, 0, 0, 3]
    assert counts.loc["AAA"].tolist() == [2, 1, 1, 0]
    assert counts.loc["All"].tolist() == [5, 1, 1, 3]
    assert "AAA: of 2 findings 1 reproduced, 1 not, 0 inconclusive" in all_findings.counts_alt(found)


def test_what_the_wider_correction_changes_is_named(found):
    changed = all_findings.changed(found)
    assert changed.index.tolist() == ["S1"]
    assert changed.loc["S1", ["In its report", "Within the study"]].tolist() == ["reproduced", "inconclusive"]
    assert "reproduced in its report" in all_findings.AllFindings(found).to_html()


def test_each_row_says_by_what_it_is_filtered_and_leads_to_its_notebook(found):
    html = all_findings.AllFindings(found).to_html()
    assert html.count('<tr data-study="step" data-outcome="inconclusive">') == 3
    assert html.count('<tr data-study="aaa" data-outcome="not reproduced">') == 1
    assert 'href="aaa/02.ipynb#A2"' in html
    # Only studies that have findings can be chosen.
    assert 'id="study-aaa"' in html and 'id="study-corba"' not in html
    assert 'tr[data-outcome]:not([data-outcome="not reproduced"])' in html


def test_text_from_anywhere_is_escaped(found):
    words = ["title", "id", "where", "claim", "rule", "published", "unit", "runs"]
    html = all_findings.AllFindings(found.assign(**dict.fromkeys(words, HOSTILE))).to_html()
    assert "<script" not in html


def test_nothing_measured_is_said(found):
    text = all_findings.AllFindings(found.assign(estimate=float("nan"))).to_text()
    assert text.count("not measured") == 5


def test_the_figure_draws_every_count(found):
    drawn = all_findings.counts_figure(found).axes[0]
    labels = [text.get_text() for text in drawn.texts]
    assert sorted(filter(None, labels)) == ["1", "1", "3"]
    assert isinstance(all_findings.counts(found), pd.DataFrame)
