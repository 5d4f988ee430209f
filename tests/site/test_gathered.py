"""Verdicts of many notebooks, gathered from made ones and corrected study by study."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from made.gathered import executed, record
from perfstudies.errors import BadParameter
from perfstudies.site import gathered
from perfstudies.site.gathered import BadNotebook


def test_verdicts_keep_their_order_and_know_where_they_are_from():
    found = gathered.verdicts([executed("step", "01", record("S1"), record("S2")), executed("aaa", "01", record("A1"))])
    assert found["id"].tolist() == ["S1", "S2", "A1"]
    assert found["title"].tolist() == ["Title of 01"] * 3
    assert found["study"].tolist() == ["step", "step", "aaa"]


def test_a_studys_findings_are_corrected_together_and_not_with_another_studys():
    # 0.01 alone holds among two tests and four, and no longer among the six of three findings.
    first = record("S1", p_inside=0.01, outcome="reproduced")
    alone = gathered.verdicts([executed("step", "01", first), executed("aaa", "01", record("A1"), record("A2"))])
    assert alone["outcome"].tolist()[0] == "reproduced"
    together = gathered.verdicts([executed("step", "01", first), executed("step", "02", record("S2"), record("S3"))])
    assert together["outcome"].tolist()[0] == "inconclusive"
    assert together["own_outcome"].tolist()[0] == "reproduced"


def test_what_no_test_decides_is_kept_and_not_corrected_for():
    # 0.01 would be no more than inconclusive among the tests of three findings.
    first = record("S1", p_inside=0.01, outcome="reproduced")
    others = [
        record("S2", outcome="not testable", untestable="No engine.", p_inside=None),
        record("S3", outcome="identity", kind="identity"),
    ]
    found = gathered.verdicts([executed("step", "01", first, *others)])
    assert found["outcome"].tolist() == ["reproduced", "not testable", "identity"]


def test_claims_of_the_studies_are_those_that_are_counted():
    others = [
        record("S2", outcome="not testable"),
        record("S3", outcome="identity"),
        record("S4", apart="The study gives no value."),
        record("S5"),
    ]
    found = gathered.verdicts([executed("step", "01", record("S1", p_inside=1e-9, outcome="reproduced"), *others)])
    assert found["id"][gathered.are_claims(found)].tolist() == ["S1", "S5"]
    # A finding counted apart is tested all the same.
    assert len(gathered.within_studies(found, found[["p_inside", "p_outside"]].to_numpy())) == 5


def test_todays_verdicts_are_corrected_with_each_other():
    # 0.01 holds among the two tests of one finding, and no longer among the six of three.
    today = {"estimate": 3.0, "low": 2.0, "high": 4.0, "runs": "30", "p_inside": 0.01, "p_outside": 1.0}
    today |= {"outcome": "reproduced", "note": ""}
    one = record("S1", p_outside=1e-9, today=today, cause="The disk.")
    found = gathered.verdicts([executed("step", "01", one, record("S2"))])
    assert found["today_outcome"].tolist() == ["reproduced", ""]
    assert found["outcome"].tolist() == ["not reproduced", "inconclusive"]
    assert found["cause"].tolist() == ["The disk.", ""] and found["today_estimate"].tolist()[0] == 3
    others = [record(f"S{n}", today=today | {"p_inside": 1.0}) for n in (2, 3)]
    found = gathered.verdicts([executed("step", "01", one, *others)])
    assert found["today_outcome"].tolist() == ["inconclusive"] * 3


def test_verdicts_on_each_setting_are_corrected_with_those_on_the_same():
    # 0.01 holds among the two tests of one finding, and no longer among the six of three.
    measured = {"estimate": 3.0, "low": 2.0, "high": 4.0, "mean": 1.1, "error": 0.2, "runs": "30", "p_outside": 1.0}
    held = measured | {"p_inside": 0.01, "outcome": "reproduced"}
    settings = [{"here": held, "there": held}, {"here": held}, {"here": held}]
    notebook = executed("step", "01", *(record(f"S{i}", by_setting=one) for i, one in enumerate(settings)))
    found = gathered.by_setting([notebook, executed("aaa", "01", record("A1"))])
    assert found[["id", "setting", "outcome"]].to_numpy().tolist() == [
        ["S0", "here", "inconclusive"],
        ["S0", "there", "reproduced"],
        ["S1", "here", "inconclusive"],
        ["S2", "here", "inconclusive"],
    ]
    assert set(found["own_outcome"]) == {"reproduced"} and set(found["error"]) == {0.2}


def test_a_verdict_without_p_values_asks_for_another_execution():
    old = {name: value for name, value in record("S1").items() if name != "p_inside"}
    with pytest.raises(gathered.BadNotebook, match="step/01: finding S1.*execute the notebook again"):
        gathered.verdicts([executed("step", "01", old)])


def test_notebooks_without_verdicts_give_an_empty_frame():
    assert gathered.verdicts([executed("step", "00")]).empty


def test_live_notebooks_are_those_of_the_profile(tmp_path, monkeypatch):
    monkeypatch.setattr(gathered, "PROCESSED", tmp_path)
    monkeypatch.setattr(gathered, "ROOT", tmp_path)
    folder, reports = tmp_path / "notebooks" / "step", tmp_path / "reports" / "step"
    folder.mkdir(parents=True)
    reports.mkdir(parents=True)
    # The third has failed since, and has no report.
    for name, profile in (("01", "quick"), ("02", "standard"), ("03", "quick"), ("03.failed", "quick")):
        made = executed("step", name, record("S1"), parameters={"source": "live", "profile": profile})
        nbformat.write(made.content, folder / f"{name}.ipynb")
        if not name.startswith("03"):
            (reports / f"{name}.html").touch()
    assert [one.name for one in gathered.notebooks("live", "quick")] == ["01"]
    with pytest.raises(BadParameter, match="make reports SOURCE=live PROFILE=full"):
        gathered.notebooks("live", "full")


def test_a_notebook_that_stores_live_outputs_is_not_taken_for_recorded(tmp_path, monkeypatch):
    monkeypatch.setattr(gathered, "ROOT", tmp_path)
    (tmp_path / "notebooks" / "step").mkdir(parents=True)
    for source in ("reference", "live"):
        made = executed("step", "01", record("S1")).content
        made.cells.append(new_code_cell(f'source = "{source}"  # or "live"', metadata={"tags": ["parameters"]}))
        nbformat.write(made, tmp_path / "notebooks" / "step" / "01.ipynb")
        if source == "reference":
            assert [one.name for one in gathered.notebooks("reference", "quick")] == ["01"]
    with pytest.raises(BadNotebook, match="step/01: what it stores is of live runs"):
        gathered.notebooks("reference", "quick")


def test_a_copy_of_a_notebook_counts_nothing_twice():
    copies = [executed("step", name, record("S1")) for name in ("01", "01-Copy1")]
    with pytest.raises(BadNotebook, match="step/01, step/01-Copy1 tell of the same findings"):
        gathered.verdicts(copies)


def test_an_unknown_source_is_refused_with_the_nearest():
    with pytest.raises(BadParameter, match="Did you mean 'reference'"):
        gathered.notebooks("refrence", "quick")


def test_every_study_has_findings_in_the_stored_outputs():
    found = gathered.verdicts(gathered.notebooks("reference", "quick"))
    assert set(found["study"]) == {"step", "aaa", "esb", "corba"}
    assert not found.duplicated(["study", "id"]).any()
    # More findings to be corrected for can undo a verdict, and never make one.
    differing = found[found["outcome"] != found["own_outcome"]]
    assert (differing["outcome"] == "inconclusive").all()
