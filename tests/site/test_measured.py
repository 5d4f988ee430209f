"""What was measured where and when, from made manifests."""

import json

import pytest

from perfstudies.errors import BadRecording
from perfstudies.site import measured


@pytest.fixture
def raw(tmp_path, monkeypatch):
    monkeypatch.setattr(measured, "RAW", tmp_path)

    def write(experiment, run, started, cpu="A", status="finished", system="Linux 6.1.2-extra-3", profile="quick"):
        folder = tmp_path / "live" / "step" / experiment / run
        folder.mkdir(parents=True)
        host = {"cpu": cpu, "cores": 2, "memory_bytes": 24 * 2**30 - 5, "system": system}
        manifest = {
            "format": 1, "status": status, "host": host, "started": started, "profile": profile,
            "experiment": experiment, "files": {},
        }  # fmt: skip
        (folder / "manifest.json").write_text(json.dumps(manifest))
        return folder / "manifest.json"

    return write


def test_finished_runs_are_counted_by_machine(raw):
    raw("users", "r1", "2026-10-30T23:00:00+00:00")
    raw("users", "r2", "2026-11-02T01:00:00+00:00", system="Linux 6.1.2-other")
    raw("caches", "r1", "2026-11-01T01:00:00+00:00")
    raw("caches", "r2", "2026-12-24T01:00:00+00:00", status="failed")
    raw("caches", "r3", "2026-11-05T01:00:00+00:00", cpu="B")
    found = measured.measured("step", "live", "quick")
    assert [(one.cpu, one.runs, one.experiments) for one in found] == [("A", 3, 2), ("B", 1, 1)]
    assert str(found[0]) == (
        "3 runs of 2 experiments, 30 October to 2 November 2026, on 2 cores of A with 24 GiB, Linux 6.1.2"
    )
    assert "1 run of 1 experiment, 5 November 2026, on" in str(found[1])


def test_live_runs_are_those_of_the_profile_and_tables_of_models_are_no_runs(raw, tmp_path):
    raw("users", "r1", "2026-10-30T23:00:00+00:00")
    raw("users", "r2", "2026-10-30T23:00:00+00:00", profile="standard")
    table = tmp_path / "live" / "step" / "fit" / "quick-1"
    table.mkdir(parents=True)
    (table / "manifest.json").write_text(json.dumps({"format": 1, "table": "fit", "files": {}}))
    assert [one.runs for one in measured.measured("step", "live", "quick")] == [1]


def test_nothing_measured_is_an_empty_list(raw):
    assert measured.measured("step", "live", "quick") == []


def test_a_broken_manifest_is_named(raw):
    path = raw("users", "r1", "2026-11-01T01:00:00+00:00")
    path.write_text("{")
    with pytest.raises(BadRecording, match="manifest.json is not a manifest"):
        measured.measured("step", "live", "quick")
