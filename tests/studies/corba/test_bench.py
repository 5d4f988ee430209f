"""What the CORBA study's runs send, without sending it."""

from dataclasses import replace

import numpy as np
import pytest

from perfstudies.errors import BadParameter, MissingTool
from perfstudies.runs.plan import Plan
from perfstudies.studies.corba import bench
from perfstudies.studies.corba import declared as corba
from perfstudies.studies.corba.server import orb

EXPERIMENT = corba.DISPATCHERS


def _loads(profile, **changes):
    experiment = replace(EXPERIMENT, fixed=EXPERIMENT.fixed | changes)
    return [(run, bench.load_of(run)) for run in Plan.of(experiment, profile, 1).runs]


def test_full_is_what_the_study_sent():
    _, load = _loads("full")[0]
    assert len(load.due_ns) == 15_000
    assert (load.demands_us, load.connections) == ([5000], 1)
    gaps_ms = np.diff(load.due_ns, prepend=0) / 1e6
    assert gaps_ms.min() >= 0
    # A Poisson process: mean and standard deviation are the same. Both bounds are four standard errors wide.
    assert gaps_ms.mean() == pytest.approx(10, abs=4 * 10 / np.sqrt(15_000))
    assert gaps_ms.std() == pytest.approx(10, abs=4 * 10 * np.sqrt(2 / 15_000))


def test_the_study_s_load_has_its_requests_and_its_work():
    (run, load), *_ = [(run, bench.load_of(run)) for run in Plan.of(corba.STUDY_LOAD, "standard", 1).runs]
    assert (len(load.due_ns), load.demands_us, run.properties["receiver_demand_ms"]) == (15_000, [5540], "0.882")
    assert "receiver_demand_ms" not in Plan.of(EXPERIMENT, "standard", 1).runs[0].properties


def test_all_settings_of_a_block_have_the_same_arrivals_and_each_block_its_own():
    by_block = {}
    for run, load in _loads("standard"):
        by_block.setdefault(run.block, set()).add(tuple(load.due_ns))
    assert len(by_block) == 10
    assert all(len(arrivals) == 1 for arrivals in by_block.values())
    assert len(set.union(*by_block.values())) == 10


def test_the_number_of_connections_does_not_change_when_requests_are_due():
    (_, one), *_ = _loads("smoke")
    (_, four), *_ = _loads("smoke", connections="4")
    assert one.due_ns == four.due_ns
    assert set(one.connection) == {0} and set(four.connection) == {0, 1, 2, 3}


def test_objects_get_their_shares_of_the_requests_and_ask_for_their_own_work():
    (_, load), *_ = [(run, bench.load_of(run)) for run in Plan.of(corba.ADAPTERS, "standard", 1).runs]
    assert load.demands_us == [3000, 8000, 6000] and load.connections == 3
    shares = np.bincount(load.connection) / len(load.connection)
    # Four standard errors.
    assert shares == pytest.approx([0.5, 0.25, 0.25], abs=4 * np.sqrt(0.25 / 3000))


def test_a_load_without_requests_or_with_too_few_connections_named_is_refused():
    with pytest.raises(BadParameter, match="at least one request"):
        orb.Load([], [], 1, [0])
    with pytest.raises(BadParameter, match="2 requests are due, but 1 have a connection"):
        orb.Load([1, 2], [0], 1, [0])


def test_server_and_client_have_a_processor_each(monkeypatch):
    monkeypatch.setattr(orb.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(orb.os, "sched_getaffinity", lambda pid: {3, 1, 2}, raising=False)
    assert orb.processors() == (3, 1)
    monkeypatch.setattr(orb.os, "sched_getaffinity", lambda pid: {3})
    with pytest.raises(MissingTool, match="only one"):
        orb.processors()
    monkeypatch.setattr(orb.shutil, "which", lambda name: None)
    with pytest.raises(MissingTool, match="taskset"):
        orb.processors()
