import re

import pytest

from made.runs import make, record
from perfstudies.errors import BadParameter
from perfstudies.notebooks import start
from perfstudies.report.findings import OUTCOMES
from perfstudies.runs import store
from perfstudies.site import gathered, measured


@pytest.fixture(scope="module")
def shown():
    return start.notebooks_table(gathered.notebooks("reference", "quick"))


def test_every_notebook_has_a_link_and_its_verdicts(shown, repository):
    links = re.findall(r'<a href="([^"]+)"', shown.to_html())
    assert links == sorted(links, key=links.index) and len(links) == len(shown.frame)
    assert all((repository / "notebooks" / link).is_file() for link in links)
    counted = shown.frame.drop(columns=["study", "name", "title"]).to_numpy().sum()
    found = gathered.verdicts(gathered.notebooks("reference", "quick"))
    assert counted == gathered.are_claims(found).sum() < len(found)


def test_a_notebook_without_claims_says_so(shown):
    (line,) = (line for line in shown.to_text().splitlines() if line.startswith("step/00-configurations"))
    assert line.endswith("(no claims)")


def test_text_of_a_notebook_is_escaped():
    counts = dict.fromkeys(OUTCOMES, 0) | {"reproduced": 1}
    frame = start.pd.DataFrame([{"study": "step", "name": "a", "title": "<b>&", **counts}])
    assert "&lt;b&gt;&amp;</a>" in start.NotebooksTable(frame).to_html()


def test_runs_are_counted_by_study_and_live_ones_by_profile(tmp_path, monkeypatch):
    monkeypatch.setattr(measured, "RAW", tmp_path)
    folder = tmp_path / "live" / "step" / "time-breakdown"
    times = {"filter": 10, "soap": 9, "si": 7, "hibernate": 4, "hibernate.load": 1, "hibernate.write": 1}
    host = {"host": {"cpu": "x", "memory_bytes": 1, "cores": 2, "system": "Linux-6.1"}, "experiment": "time-breakdown"}
    runs = (("quick", "2026-01-02"), ("quick", "2026-01-01"), ("smoke", "2026-01-03"))
    for number, (profile, day) in enumerate(runs):
        run = make(folder, f"r{number}", 0, {"monitor.collections": "false"}, [record(1, times)])
        store.write_manifest(run.folder, run.manifest | host | {"profile": profile, "started": f"{day}T00:00:00+00:00"})
    table = start.runs_table("live", "quick")
    assert table.loc["STEP"].tolist() == [1, 2, 1, "2026-01-01", "2026-01-02"]
    assert table.loc["AAA"].tolist() == [0, 0, 0, "", ""]
    assert start.runs_table("reference", "quick")["Runs"].sum() == 0


@pytest.mark.parametrize(("source", "profile"), [("recorded", "quick"), ("live", "quik")])
def test_an_unknown_source_or_profile_is_refused(source, profile):
    with pytest.raises(BadParameter, match="is not known"):
        start.runs_table(source, profile)
