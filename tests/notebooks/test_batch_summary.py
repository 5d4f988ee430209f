"""A batch's summary: what differs between points must be seen, and nothing else."""

import json

import pandas as pd
import pytest

from perfstudies import paths
from perfstudies.errors import BadRecording
from perfstudies.notebooks import batch_summary, combined
from perfstudies.runs import declarations


def row(judge, name, value, outcome="", unit="ms", setting="", low=None, high=None, notebook="step/07"):
    return {
        "judge": judge, "notebook": notebook, "name": name, "value": value, "low": low, "high": high, "unit": unit,
        "setting": setting, "outcome": outcome,
    }  # fmt: skip


ROWS = [
    row("a", "time", 10, low=9, high=11, setting="debug"),
    row("a", "S-1", 1.0, "reproduced", "ratio"),
    row("a", "S-2", 2.0, "reproduced", "ratio"),
    row("b", "time", 20, low=18, high=22, setting="debug"),
    row("b", "S-1", 1.5, "inconclusive", "ratio"),
    row("b", "S-2", 2.0, "reproduced", "ratio"),
    row("b", "S-3", None, "inconclusive", "ratio"),
]
POINTS = [
    {"point": "step/07-1", "status": "finished", "notebook": "step/07", "varied": {"judge": "a"}},
    {"point": "step/07-2", "status": "finished", "notebook": "step/07", "varied": {"judge": "b"}},
    {"point": "step/07-3", "status": "failed", "notebook": "step/07", "varied": {"judge": "c"}, "error": "cell <b>"},
    {"point": "step/07-4"},
]


def made(folder, rows, points=POINTS):
    folder.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(rows, columns=["judge", *combined.RESULT]).to_csv(folder / combined.CSV, index=False)
    (folder / "batch.json").write_text(json.dumps({"points": points}))
    return folder


@pytest.fixture
def shown(tmp_path):
    return batch_summary.load(str(made(tmp_path / "b", ROWS)), "live")


def test_points_say_what_became_of_them(shown):
    html = batch_summary.points_table(shown).to_html()
    assert html.count("finished") == 2 and "cell &lt;b&gt;" in html and "not yet" in html


def test_every_result_is_shown_at_every_point(shown):
    frame = batch_summary.values_table(shown).frame
    assert list(frame.columns) == ["Unit", "a", "b"]
    assert list(frame.index) == ["time at debug", "S-1", "S-2", "S-3"]
    assert frame.loc["time at debug"].tolist() == ["ms", "10.0 [9.0, 11.0]", "20.0 [18.0, 22.0]"]
    assert frame.loc["S-2", "a"] == "2.00" and pd.isna(frame.loc["S-3", "b"])


def test_only_verdicts_that_differ_between_points_are_listed(shown):
    shown_table = batch_summary.verdicts_table(shown)
    assert list(shown_table.frame.index) == ["S-1"]
    assert shown_table.frame.loc["S-1"].tolist() == ["reproduced", "inconclusive"]
    assert shown_table.note == "2 of 3 findings have the same verdict at all points that judge them."


def test_the_figure_draws_what_has_a_value_and_says_it_in_words(shown):
    frame = batch_summary.drawn(shown)
    assert list(frame.index) == [(name, point) for name in ("time at debug", "S-1", "S-2") for point in "ab"]
    axes = batch_summary.chart(shown).axes
    assert [one.get_title() for one in axes] == ["time at debug (ms)", "S-1 (ratio)", "S-2 (ratio)"]
    assert axes[0].lines[-1].get_ydata().tolist() == [10, 20]
    assert "time at debug: 10 to 20 ms; S-1: 1 to 1.5 ratio" in batch_summary.describe(shown)


def test_findings_of_a_study_are_told_by_what_they_claim(tmp_path):
    rows = [row(judge, "S2", 1.0, outcome, "ratio") for judge, outcome in (("a", "reproduced"), ("b", "inconclusive"))]
    batch = batch_summary.load(str(made(tmp_path, rows)), "live")
    claim = next(one.claim for one in declarations.findings("step") if one.id == "S2")
    assert batch_summary.verdicts_table(batch).frame.loc["S2"].tolist() == [claim, "reproduced", "inconclusive"]
    title = batch_summary.chart(batch).axes[0].get_title()
    assert title.replace("\n", " ") == f"S2 (ratio): {claim}" and len(title.splitlines()) > 1


def test_points_of_several_notebooks_are_told_apart(tmp_path):
    rows = [row("a", "time", 1, notebook=name) for name in ("step/07", "step/08")]
    assert batch_summary.load(str(made(tmp_path, rows)), "live").order == ["step/07, a", "step/08, a"]


def test_a_batch_without_results_is_refused(tmp_path):
    with pytest.raises(BadRecording, match="gave a result"):
        batch_summary.load(str(made(tmp_path, [])), "live")


def test_the_repositorys_batch_has_a_point_for_each_value_of_its_grid():
    table, points = combined.read(paths.RAW / "reference" / "batches" / "breakdown-by-setting")
    settings = [(generation, database) for generation in ("2009", "today") for database in ("mariadb", "h2")]
    assert [one["varied"] for one in points] == [{"generations": [g], "databases": [d]} for g, d in settings]
    judged = table[table["outcome"] != ""].groupby(["generations", "databases"])["name"].nunique()
    assert {*judged.index} == {*settings} and judged.nunique() == 1
