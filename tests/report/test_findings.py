import json
import math

import pytest

from perfstudies.errors import BadParameter
from perfstudies.experiment import Finding
from perfstudies.report.findings import findings_table, region_text
from perfstudies.stats.verdicts import Verdict

HOSTILE = "<script>alert(1)</script>"


def verdict(outcome="reproduced", estimate=1.012, low=0.981, high=1.043, words="Cheap.", region=(0.95, 1.05)):
    finding = Finding("step", "step-8a", words, words, words, words, *region, "ratio")
    return Verdict(finding, estimate, low, high, 0.95, 30, 0.01, 0.9, (0.001, 0.4), outcome)


def test_a_verdict_is_words_and_not_colour_alone():
    shown = findings_table([verdict(), verdict("not reproduced"), verdict("inconclusive")])
    for outcome in ("reproduced", "not reproduced", "inconclusive"):
        assert f"</span> {outcome}</span>" in shown.to_html()
        assert f"verdict: {outcome}" in shown.to_text()
    assert "1.01<br>[0.98, 1.04]" in shown.to_html()
    assert "True from 0.95 to 1.05." in shown.to_html()


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
