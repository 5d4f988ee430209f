"""Calls over pools of connections on the real back end: both clients, and what gives connections back."""

import psutil
import pytest

from perfstudies.runs import lab, recording, store
from perfstudies.runs.plan import Plan
from perfstudies.studies.esb import connections as esb_connections

pytestmark = pytest.mark.live


def _measured(experiment, folder, monkeypatch):
    monkeypatch.setattr(recording, "PROCESSED", folder / "processed")
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    with experiment.module(experiment.bench).bench() as procedure:
        runs = lab.measure(Plan.of(experiment, "smoke", 1, folder=folder / "runs"), procedure, show_progress=False)
    assert [run.manifest["status"] for run in runs] == [store.FINISHED] * len(runs), runs[0].manifest.get("error")
    assert {child.pid for child in psutil.Process().children(recursive=True)} <= before
    assert not (folder / "runs" / ".process").exists()
    for run in runs:
        assert {path.name for path in run.folder.iterdir()} == {"manifest.json", *run.manifest["files"]}
    return recording.load(experiment, runs)


def test_two_connections_let_two_calls_run_in_both_clients_and_a_growing_pool_more(tmp_path, monkeypatch):
    experiment = esb_connections.CLIENT_CONNECTIONS.select(
        client=["axis2", "zeep", "zeep-growing"], connections=["2", "20"]
    )
    recorded = _measured(experiment, tmp_path, monkeypatch)
    most = recorded.runs.set_index(["client", "connections"])["most_at_once"]
    assert most["axis2", "2"] == most["zeep", "2"] == 2
    assert min(most["axis2", "20"], most["zeep", "20"], most["zeep-growing", "2"]) > 2
    assert set(recorded.calls["outcome"]) == {"ok"}
    counts = recorded.samples.groupby(["client", "connections"], observed=True).size()
    assert set(counts) == {experiment.size("smoke").requests}
    # Both sides' clocks are one: no call can be in the service longer than its client waits for it.
    means = recorded.calls.groupby(["client", "connections"], observed=True)["held_ms"].mean()
    served = recorded.samples.groupby(["client", "connections"], observed=True)["service_ms"].mean()
    assert (means.astype(float) > served).all() and (served >= esb_connections.DELAY_MS).all()


def test_a_connection_that_nobody_gives_back_is_missing_to_the_third_client(tmp_path, monkeypatch):
    experiment = esb_connections.RELEASES.select(release=["cleanup", "auto", "none", "never"])
    recorded = _measured(experiment, tmp_path, monkeypatch)
    keys = ["axis2.version", "release", "service.client"]
    outcomes = recorded.calls.groupby(keys, observed=True)["outcome"].agg(list)
    two = ["ok"] * 2 + ["no connection"] * 4
    for version in ("1.5.1", "1.7.9"):
        assert outcomes[version, "cleanup", "new"] == outcomes[version, "none", "kept"] == ["ok"] * 6
        assert outcomes[version, "none", "new"] == outcomes[version, "never", "kept"] == two
    assert outcomes["1.5.1", "auto", "new"] == two
    assert outcomes["1.7.9", "auto", "new"] == ["lost"] * 6


def test_each_version_makes_the_clients_that_it_makes(tmp_path, monkeypatch):
    recorded = _measured(esb_connections.CLIENT_VERSIONS, tmp_path, monkeypatch)
    runs = recorded.runs.set_index(["axis2.version", "calls"])
    calls = esb_connections.CLIENT_VERSIONS.size("smoke").requests
    assert runs["opened"].to_dict() == {
        ("1.5", "own"): calls, ("1.5", "cleanup-2"): calls, ("1.5.1", "own"): 2, ("1.5.1", "cleanup-2"): 2,
    }  # fmt: skip
    assert runs.loc["1.5", "most_at_once"].min() > 2 and set(runs.loc["1.5.1", "most_at_once"]) == {2}
    assert set(recorded.calls["outcome"]) == {"ok"}


def test_reading_sooner_is_timed_on_a_service_without_delay(tmp_path, monkeypatch):
    recorded = _measured(esb_connections.RELEASE_COST, tmp_path, monkeypatch)
    assert set(recorded.calls["outcome"]) == {"ok"}
    assert len(recorded.calls) == 4 * esb_connections.RELEASE_COST.size("smoke").requests
