"""The compiled simulation against the same model written with SimPy: the same times for every request."""

import numpy as np
import pytest
from made_pools import pool

from perfstudies.models.pool_simulation import simulate_workload
from perfstudies.models.pool_workload import draw
from perfstudies.models.schedulers import ProcessorSharing, TimeSlices, VirtualDeadlines
from perfstudies.models.thread_pool import Controller, Flow, Poa, Servant, ThreadPool

SCHEDULERS = {
    "sharing": ProcessorSharing(),
    "slices": TimeSlices(),
    "slices of 2.4.3": TimeSlices(base_ticks=2, least_lead=2, newest_first=False, switch_ms=0.03),
    "slices without wake-ups": TimeSlices(wakes_preempt=False),
    "deadlines": VirtualDeadlines(),
    "short deadlines": VirtualDeadlines(0.75, 1.0, keeps_lag=False, finishes_slice=False, switch_ms=0.01),
}
EVERYTHING = {
    "flows": (Flow(60), Flow(40, servant=1, connection=1), Flow(20, servant=2, connection=1)),
    "servants": (
        Servant(3.1, marshal_ms=0.7),
        Servant(2.3, delay_ms=4.7, poa=1, threads=2),
        Servant(1.9, marshal_ms=1.3, poa=1, before_delay_share=1.0),
    ),
    "poas": (Poa(0.9, first_share=0.6), Poa(0.4, first_share=0.7, threads=2)),
    "connections": 2,
}

STAMPS = (
    "received", "handed_over", "receiver_free", "passed", "dispatched", "served_from", "served", "replied",
    "dispatcher_free",
)  # fmt: skip


@pytest.fixture
def peer(repository, monkeypatch):
    monkeypatch.syspath_prepend(str(repository / "benchmarks"))
    from peers import simpy_thread_pool

    return simpy_thread_pool


def same(peer, server, requests=400):
    work = draw(server, 11, requests)
    trace = simulate_workload(server, work)
    ours = np.column_stack([getattr(trace, f"{name}_ms") for name in STAMPS])
    theirs = peer.simulate(server, work)
    assert np.allclose(ours, theirs, rtol=0, atol=1e-6, equal_nan=True)
    return trace


@pytest.mark.parametrize("dispatchers", [1, 4, 25])
@pytest.mark.parametrize("scheduler", SCHEDULERS.values(), ids=SCHEDULERS)
def test_the_study_s_server(peer, scheduler, dispatchers):
    server = pool(dispatchers, Servant(5.6), receiver_ms=0.925, receiver_first_share=0.9, scheduler=scheduler)
    same(peer, server)


@pytest.mark.parametrize("processors", [1, 2])
@pytest.mark.parametrize("scheduler", SCHEDULERS.values(), ids=SCHEDULERS)
@pytest.mark.parametrize(
    "change",
    [
        {},
        {"signals": "all", "wake_order": "last idle"},
        {"hand_over": "direct", "controller": Controller(0.2)},
        {"controller": Controller(0.3, waits=False)},
    ],
    ids=["plain", "all woken", "waiting controller", "controller"],
)
def test_everything_at_once(peer, scheduler, processors, change):
    server = ThreadPool(
        dispatchers=5, receiver_ms=0.8, receiver_first_share=0.7, processors=processors, scheduler=scheduler,
        **EVERYTHING, **change,
    )  # fmt: skip
    same(peer, server, 300)
