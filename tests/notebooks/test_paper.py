"""The paper: its helpers on made verdicts, and its stored outputs against the verdicts and the citation file."""

import nbformat
import pandas as pd
import pytest

from made.cells import run_cells
from made.gathered import executed, record
from perfstudies.notebooks import paper
from perfstudies.runs.store import Run
from perfstudies.site import gathered, measured


@pytest.fixture
def found() -> pd.DataFrame:
    records = [
        record("S1", p_inside=1e-9, outcome="reproduced", published="around 1.5"),
        record(
            "S2", p_outside=1e-9, outcome="not reproduced", apart="Another engine.", published="-6.67 ms", unit="ms"
        ),
        record("S3", estimate=2.0, low=2.0, high=2.0, unit="calls", published="none given"),
        record("S4", outcome="not testable", untestable="No engine."),
    ]
    return gathered.verdicts([executed("step", "01", *records)])


@pytest.fixture(scope="module")
def stored(repository):
    return nbformat.read(repository / "notebooks" / "paper.ipynb", as_version=4)


def _texts(notebook) -> str:
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", ()))
    return "\n".join(output["data"]["text/plain"] for output in outputs if "data" in output)


def test_claims_have_their_verdict_and_what_was_published_and_measured(found):
    shown = paper.claims_table(found, ["S2", "S1", "S4", "S9"])
    assert shown.index.tolist() == ["S2", "S1", "S4", "S9"]
    assert shown["Verdict"].tolist() == [
        "✗ not reproduced, counted apart", "✓ reproduced", "– not testable", "not measured",
    ]  # fmt: skip
    assert shown.loc["S1", ["Published", "Measured"]].tolist() == ["around 1.5", "1.50 [1.20, 1.80]"]
    assert "Today's libraries" not in shown
    assert (shown.loc["S9", ["Claim", "Published", "Measured"]] == "").all()


def test_claims_that_were_tested_with_both_generations_have_todays_beside():
    today = {"estimate": 3.0, "low": 2.0, "high": 4.0, "p_inside": 1e-9, "p_outside": 1.0, "outcome": "reproduced"}
    cannot = today | {"outcome": "not testable"}
    both = gathered.verdicts(
        [executed("step", "01", *(record("S1", today=today), record("S2"), record("S3", today=cannot)))]
    )
    shown = paper.claims_table(both, ["S1", "S2", "S3", "S9"])
    assert shown["Today's libraries"].tolist() == ["✓ 3.00 [2.00, 4.00]", "", "– not testable", ""]


def test_runs_that_all_agree_have_no_interval_and_what_is_missing_says_so(found):
    told = paper.told(found)
    assert told["S3"] == "2 calls" and told["S2"].endswith(" ms")
    assert f"{told['S17']}" == "not measured"


def test_published_numbers_are_found_in_the_studies_words(found):
    printed = paper.printed(found)
    assert printed[["S1", "S2"]].tolist() == [1.5, -6.67]
    assert pd.isna(printed["S3"])


def test_paragraphs_are_the_same_wherever_lines_end():
    shown = paper.prose("\nOne & two\nthree.\n\nFour.\n")._repr_mimebundle_()
    assert shown["text/plain"] == "One & two three.\n\nFour."
    assert "<p>One &amp; two three.</p>" in shown["text/html"]


def test_versions_are_read_from_the_names_of_libraries(tmp_path):
    def run(*jars) -> Run:
        return Run(tmp_path, {"system": {"libraries": list(jars)}})

    found = paper.versions([
        run("hibernate-core-7.4.6.Final.jar", "flight.jar", "jboss-rmi-api_1.0_spec-1.0.6.Final.jar"),
        run("hibernate-core-7.4.6.Final.jar", "axis2-kernel-1.8.2.jar", "xml-apis-2.0-beta.jar"),
        run("axis2-kernel-1.7.9.jar"),
    ])  # fmt: skip
    assert found == {
        "hibernate-core": "7.4.6.Final", "jboss-rmi-api_1.0_spec": "1.0.6.Final", "axis2-kernel": "1.7.9, 1.8.2",
        "xml-apis": "2.0-beta",
    }  # fmt: skip
    assert found["tomcat"] == "not measured"


def test_whom_to_cite_is_what_the_citation_file_says(repository):
    first, *studies = paper.citations(repository / "CITATION.cff").paragraphs
    assert first.startswith("The perfstudies authors. perfstudies: four published studies") and "Version 0." in first
    assert len(studies) == 4
    assert any(one.startswith("Miguel L. Pardal. Performance assessment") and "2010." in one for one in studies)


def test_the_paper_leaves_no_number_out(stored):
    assert "not measured" not in _texts(stored)


def test_the_paper_tells_the_verdicts_that_the_notebooks_store(stored):
    found = gathered.verdicts(gathered.notebooks("reference", "quick"))
    claims = found[gathered.are_claims(found)]
    counts = claims["outcome"].value_counts()
    text = _texts(stored)
    assert f"Of {len(claims)} claims that can be tested here, {counts['reproduced']} are reproduced" in text
    told = paper.told(found)
    for id in ("S1-share", "A8-ten", "E3", "C5"):
        assert told[id] in text


def test_the_paper_has_five_claims_of_each_study_and_names_the_rules_that_are_younger_than_their_data(stored):
    tables = [output["data"]["text/plain"] for cell in stored.cells for output in cell.get("outputs", ())
              if output["data"]["text/plain"].startswith("Table ")]  # fmt: skip
    assert [len(table.splitlines()) - 3 for table in tables if " Claim " in table.splitlines()[1]] == [5] * 4
    assert "6496ad66" in tables[-1]
    # Its rule was declared anew before the runs that it judges now.
    assert "C1" not in tables[-1]


def test_the_paper_comes_out_with_a_profile_that_leaves_experiments_out(repository, monkeypatch):
    notebooks, finished = gathered.notebooks, measured.finished
    monkeypatch.setattr(gathered, "notebooks", lambda *_: notebooks("reference", "standard"))
    monkeypatch.setattr(measured, "finished", lambda study, *_: finished(study, "reference", "standard"))
    path = repository / "notebooks" / "paper.ipynb"
    names, shown = run_cells(path, monkeypatch, None, source="live", profile="quick")
    assert names["blocks"]["step"] == [2, 3, 4, 8]
    assert any("What differs from each study" in text for text in shown)
