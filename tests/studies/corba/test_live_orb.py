"""The CORBA study's runs on a real broker: every event of every request, and the pool's limit."""

import os
from dataclasses import replace

import psutil
import pytest

from perfstudies.errors import SystemFailed
from perfstudies.runs import lab, recording, store
from perfstudies.runs.plan import Plan
from perfstudies.studies.corba import declared as corba
from perfstudies.studies.corba.server import orb

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="it takes two processors"
    ),
]

POOLS = ["1", "4"]


def _left() -> list:
    return [child for child in psutil.Process().children(recursive=True) if "java" in child.name()]


def _busiest(samples) -> int:
    """Return how many requests were with a dispatcher at the same time, at most."""
    before = ["receiver_queue_ms", "hand_over_ms", "dispatcher_queue_ms"]
    from_ms = samples["sent_ns"] / 1e6 + samples[before].sum(axis=1)
    until_ms = from_ms + samples["dispatcher_ms"]
    return max(int(((from_ms <= at) & (at < until_ms)).sum()) for at in from_ms)


def test_every_request_passes_every_place_and_no_pool_is_larger_than_it_should_be(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "PROCESSED", tmp_path / "processed")
    experiment = corba.DISPATCHERS.select(dispatchers=POOLS)
    with experiment.module(experiment.bench).bench() as procedure:
        runs = lab.measure(Plan.of(experiment, "smoke", 1, folder=tmp_path / "runs"), procedure, show_progress=False)
    assert [run.manifest["status"] for run in runs] == [store.FINISHED] * len(POOLS), runs[0].manifest.get("error")
    assert not _left() and not list((tmp_path / "runs").glob("*/work"))
    # The reader has checked the order of every request's events, on both sides.
    recorded = recording.load(experiment, runs)
    samples = recorded.samples
    assert len(samples) == len(recorded.calls) == len(POOLS) * experiment.size("smoke").requests
    assert (samples["cpu_ms"] >= 5).all() and (samples["dispatcher_ms"] >= samples["servant_ms"]).all()
    for pool, own in samples.groupby("dispatchers", observed=True):
        assert set(own["number"]) == set(range(len(own)))
        assert _busiest(own) <= int(pool)
        assert own["dispatcher"].nunique() <= int(pool)
    seen = recorded.runs.set_index("dispatchers")["dispatchers_seen"]
    assert seen["1"] == 1 and seen["4"] <= 4
    assert (recorded.runs["dispatcher_cpu_ms"] >= 5).all()


def test_a_receiver_with_work_uses_it_before_it_hands_over(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "PROCESSED", tmp_path / "processed")
    experiment = corba.WAKING.select(wakes=["longest"], dispatchers=["4"])
    with experiment.module(experiment.bench).bench() as procedure:
        runs = lab.measure(Plan.of(experiment, "smoke", 1, folder=tmp_path / "runs"), procedure, show_progress=False)
    recorded = recording.load(experiment, runs)
    work_ms = float(corba.STUDY_DEMANDS["receiver_demand_ms"])
    assert (recorded.samples["hand_over_ms"] >= work_ms).all()
    assert (recorded.runs["receiver_cpu_ms"] >= work_ms).all()
    assert recorded.runs["receiver_demand_ms"].tolist() == [work_ms]
    assert not _left()


def test_objects_in_adapters_get_their_requests_and_one_takes_them_one_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "PROCESSED", tmp_path / "processed")
    experiment = replace(corba.ADAPTERS, fixed=corba.ADAPTERS.fixed | {"gap_ms": "4", "weights": "1,1,2"})
    with experiment.module(experiment.bench).bench() as procedure:
        runs = lab.measure(Plan.of(experiment, "smoke", 1, folder=tmp_path / "runs"), procedure, show_progress=False)
    samples = recording.load(experiment, runs).samples
    for (_, number), own in samples.groupby(["single", "connection"], observed=True):
        asked_ms = corba.OBJECT_DEMANDS_MS[number]
        # None takes less than it is asked for, and one that nothing interrupts not much more.
        assert asked_ms <= own["cpu_ms"].min() <= 1.5 * asked_ms
    at_once = {level: _busiest(own[own["connection"] == 2]) for level, own in samples.groupby("single", observed=True)}
    assert at_once["back"] == 1 < at_once["none"]
    assert not _left()


def test_requests_over_several_connections_have_a_receiver_each(tmp_path):
    load = orb.Load([1_000_000 * number for number in range(20)], [number % 3 for number in range(20)], 3, [500])
    with orb.start(tmp_path / "server", 2, 20) as server, orb.client(tmp_path / "client", server, load) as client:
        assert client.send()[1] == 20
        server.close()
    assert not _left()


def test_a_server_that_dies_is_told_of_with_the_end_of_its_log(tmp_path):
    load = orb.Load([0, 1_000_000], [0, 0], 1, [100])
    with pytest.raises(SystemFailed, match="CORBA server: .*status -9"):
        with orb.start(tmp_path / "server", 1, 2) as server, orb.client(tmp_path / "client", server, load) as client:
            psutil.Process(server.process.pid).kill()
            server.process.popen.wait(10)
            assert client.send()[1] == 0
            server.close()
    assert not _left()
