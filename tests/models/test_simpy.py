"""The compiled simulation against the same model written with SimPy: the same times for every request."""

from math import sqrt

import numpy as np
import pytest

from made.pools import pool
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
    "deadlines since 6.12": VirtualDeadlines(sqrt(2), sqrt(15), lag="fades"),
    "watched deadlines": VirtualDeadlines(1.4, watched=True, lag="fades", switch_ms=0.01),
    "short deadlines": VirtualDeadlines(0.75, 1.0, lag="lost", finishes_slice=False, switch_ms=0.01),
}
# Roots, so that no sum of demands ends at a tick: which of the two then comes first is a matter of rounding.
EVERYTHING = {
    "flows": (Flow(60), Flow(40, servant=1, connection=1), Flow(20, servant=2, connection=1)),
    "servants": (
        Servant(sqrt(9.7), marshal_ms=sqrt(0.5)),
        Servant(sqrt(5.3), delay_ms=sqrt(22), poa=1, threads=2),
        Servant(sqrt(3.6), marshal_ms=sqrt(1.7), poa=1, before_delay_share=1.0),
    ),
    "poas": (Poa(sqrt(0.8), first_share=0.6), Poa(sqrt(0.17), first_share=sqrt(0.5), threads=2)),
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
    server = pool(
        dispatchers, Servant(sqrt(31)), receiver_ms=sqrt(0.85), receiver_first_share=0.9, scheduler=scheduler
    )  # fmt: skip
    same(peer, server)


@pytest.mark.parametrize("processors", [1, 2])
@pytest.mark.parametrize("scheduler", SCHEDULERS.values(), ids=SCHEDULERS)
@pytest.mark.parametrize(
    "change",
    [
        {},
        {"signals": "all", "wake_order": "last idle"},
        {"hand_over": "direct", "controller": Controller(sqrt(0.041))},
        {"controller": Controller(sqrt(0.093), waits=False)},
    ],
    ids=["plain", "all woken", "waiting controller", "controller"],
)
def test_everything_at_once(peer, scheduler, processors, change):
    server = ThreadPool(
        dispatchers=5, receiver_ms=sqrt(0.6), receiver_first_share=sqrt(0.5), processors=processors,
        scheduler=scheduler, **EVERYTHING, **change,
    )  # fmt: skip
    same(peer, server, 300)
