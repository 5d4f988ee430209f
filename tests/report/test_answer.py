"""In short: the place at the top is filled by what the end of a notebook says."""

import re
from types import SimpleNamespace

import nbformat
import pytest

from perfstudies.errors import BadParameter
from perfstudies.experiment import Finding
from perfstudies.notebooks.execute import execute
from perfstudies.paths import ROOT
from perfstudies.report import answer
from perfstudies.site.page import answer_text
from perfstudies.stats.verdicts import judge

FIRST = "from perfstudies.report import answer\nin_short = answer.place()"
LAST = """
from perfstudies.experiment import Finding
from perfstudies.stats.verdicts import judge
claim = Finding("step", "S<1>", "Table 1", "It is so.", "The mean.", "2", 1, 3, "ms")
in_short.say("It takes 2 ms.", "Or 3.", verdicts=judge([claim], {"S<1>": [2, 2.1, 1.9]}), surprise="Nothing did.")
"""


def test_the_answer_stands_at_the_top_of_an_executed_notebook(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in (FIRST, LAST)])
    nbformat.write(notebook, tmp_path / "one.ipynb")
    top, last = (cell.outputs for cell in execute(tmp_path / "one.ipynb").cells)
    assert top[0].data == last[0].data
    text, html = (top[0].data[kind] for kind in ("text/plain", "text/html"))
    assert text.startswith("In short. It takes 2 ms. Or 3.\nWhat surprised: Nothing did.\nS<1> reproduced")
    assert 'href="#S&lt;1&gt;"' in html and "<p><strong>It takes 2\u00a0ms.</strong> Or 3.</p>" in html
    assert [one[0].metadata.perfstudies.answer for one in (top, last)] == [answer.AT_TOP, answer.AGAIN]


def test_what_runs_do_not_decide_is_said_first_and_surprises_nobody(tmp_path):
    last = LAST.replace("[2, 2.1, 1.9]", "[2, 9]")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in (FIRST, last)])
    nbformat.write(notebook, tmp_path / "one.ipynb")
    text = execute(tmp_path / "one.ipynb").cells[0].outputs[0].data["text/plain"]
    assert text == f"In short. {answer.UNDECIDED} It takes 2 ms. Or 3.\nS<1> inconclusive"


def test_sentences_of_what_was_not_measured_are_left_out(monkeypatch):
    said = []
    monkeypatch.setattr(answer, "display", lambda data, **_: said.append(data["text/plain"]))
    nowhere = answer.Answer(SimpleNamespace(update=lambda *_, **__: None))
    nowhere.say(
        "It takes 2 ms. The other takes – ms.", "Both take – [no interval]. A 5–6 and A. B stay.", surprise="– is it."
    )
    nowhere.say("Nothing but –.")
    assert said == ["In short. It takes 2 ms. A 5–6 and A. B stay.", f"In short. {answer.UNMEASURED}"]


def test_an_answer_without_a_sentence_is_refused():
    with pytest.raises(BadParameter, match="needs a sentence"):
        answer.Answer(None).say()


def test_values_of_no_finding_are_refused():
    claim = Finding("step", "S1", "Table 1", "It is so.", "The mean.", "2", 1, 3, "ms")
    with pytest.raises(BadParameter, match="values of S2, which is none of the findings S1"):
        judge([claim], {"S2": [1.0]})
    assert judge([claim], {})[0].outcome == "inconclusive"


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").rglob("*.ipynb")), ids=lambda path: path.stem)
def test_the_answer_of_a_notebook_stays_short(path):
    said = answer_text(nbformat.read(path, 4)).partition("\n")[0]
    words = re.sub(r"\[[^]]*\]", "", said).split()
    assert len(words) <= 120 and len(re.findall(r"[.?!](?= [A-Z]|$)", said)) <= 1 + 4  # "In short." and four of its own
