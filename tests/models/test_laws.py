"""What holds for every run of every model: conservation, order, and limits. Models and arrivals are drawn at random."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfstudies.models import pool_state as at
from perfstudies.models.pool_simulation import simulate_workload
from perfstudies.models.pool_workload import Workload, servant_pieces
from perfstudies.models.schedulers import ProcessorSharing, TimeSlices, VirtualDeadlines
from perfstudies.models.thread_pool import (
    HAND_OVERS,
    SIGNALS,
    WAKE_ORDERS,
    Controller,
    Flow,
    Poa,
    Servant,
    ThreadPool,
)

# Multiples of an eighth: sums are exact, and things often happen at one and the same time.
MS = st.integers(0, 40).map(lambda eighths: eighths / 8)
SHARE = st.sampled_from([0.0, 0.25, 0.5, 1.0])
THREADS = st.none() | st.integers(1, 3)
SCHEDULERS = st.one_of(
    st.just(ProcessorSharing()),
    st.builds(
        TimeSlices,
        tick_ms=st.sampled_from([1.0, 10.0]),
        base_ticks=st.integers(1, 6),
        least_lead=st.integers(1, 2),
        wakes_preempt=st.booleans(),
        newest_first=st.booleans(),
        switch_ms=st.sampled_from([0.0, 0.125]),
    ),
    st.builds(
        VirtualDeadlines,
        slice_ms=st.sampled_from([0.75, 3.0]),
        tick_ms=st.sampled_from([1.0, 4.0]),
        watched=st.booleans(),
        lag=st.sampled_from(["kept", "fades", "lost"]),
        wakes_preempt=st.booleans(),
        finishes_slice=st.booleans(),
        switch_ms=st.sampled_from([0.0, 0.125]),
    ),
)


@st.composite
def pools(draw):
    """Return any small server."""
    connections = draw(st.integers(1, 3))
    poas = draw(st.lists(st.builds(Poa, MS, SHARE, THREADS), min_size=1, max_size=2))
    numbers = st.integers(0, len(poas) - 1)
    servants = draw(st.lists(st.builds(Servant, MS, MS, MS, numbers, THREADS, SHARE), min_size=1, max_size=3))
    return ThreadPool(
        (Flow(1.0),),
        tuple(servants),
        draw(st.integers(1, 4)),
        draw(MS),
        draw(SHARE),
        tuple(poas),
        connections,
        draw(st.integers(1, 3)),
        draw(SCHEDULERS),
        draw(st.none() | st.builds(Controller, MS, st.booleans())),
        draw(st.sampled_from(SIGNALS)),
        draw(st.sampled_from(WAKE_ORDERS)),
        draw(st.sampled_from(HAND_OVERS)),
    )


@st.composite
def runs(draw):
    """Return a server and up to 40 requests for it, in bursts and pauses."""
    server = draw(pools())
    gaps = draw(st.lists(st.integers(0, 80).map(lambda eighths: max(eighths - 30, 0) / 8), max_size=40))
    count = len(gaps)

    def numbers(most):
        return np.array(draw(st.lists(st.integers(0, most), min_size=count, max_size=count)), dtype=int)

    servant = numbers(len(server.servants) - 1)
    work = Workload(
        np.cumsum(np.array(gaps, float)), numbers(server.connections - 1), servant, servant_pieces(server)[servant]
    )
    return server, work


def most_at_once(starts, ends):
    known = ends > starts
    starts, ends = np.sort(starts[known]), np.sort(ends[known])
    # Most are there after one came; one that leaves just then has made room, and of equal starts the last sees all.
    return (np.arange(1, starts.size + 1) - ends.searchsorted(starts, side="right")).max(initial=0)


@settings(max_examples=400, deadline=None)
@given(runs())
def test_every_request_ends_once_and_nothing_is_lost(run):
    # `simulate_workload` returns no run that breaks conservation, order or Little's law.
    server, work = run
    trace = simulate_workload(server, work)
    assert trace.complete and np.isfinite(trace.replied_ms).all()
    assert np.isnan(trace.passed_ms).all() == (server.controller is None or not work.arrival_ms.size)
    # None is faster than it would be alone.
    alone = work.piece_ms[:, at.RECEIVE] + work.piece_ms[:, at.CONTROL] + work.piece_ms[:, at.ADAPT : at.FINISH].sum(1)
    alone = alone + work.piece_ms[:, at.DELAY]
    assert (trace.replied_ms - trace.arrival_ms >= alone - 1e-9).all()


@settings(max_examples=200, deadline=None)
@given(runs())
def test_connections_keep_their_order_and_the_queue_too(run):
    server, work = run
    trace = simulate_workload(server, work)
    for connection in range(server.connections):
        mine = work.connection == connection
        # One receiver, one request at a time.
        assert (trace.received_ms[mine][1:] >= trace.receiver_free_ms[mine][:-1]).all()
    if server.hand_over == "queue":
        queued = trace.handed_over_ms if server.controller is None else trace.passed_ms
        order = np.lexsort((trace.dispatched_ms, queued))
        assert (np.diff(trace.dispatched_ms[order]) >= 0).all()


@settings(max_examples=200, deadline=None)
@given(runs())
def test_no_more_at_once_than_there_are_threads(run):
    server, work = run
    trace = simulate_workload(server, work)
    assert most_at_once(trace.dispatched_ms, trace.dispatcher_free_ms) <= server.dispatchers
    for number, servant in enumerate(server.servants):
        mine = work.servant == number
        if servant.threads is not None:
            assert most_at_once(trace.served_from_ms[mine], trace.served_ms[mine]) <= servant.threads
    for number, poa in enumerate(server.poas):
        mine = np.array([server.servants[one].poa == number for one in work.servant], dtype=bool)
        if poa.threads is not None and mine.any():
            assert most_at_once(trace.served_from_ms[mine], trace.replied_ms[mine]) <= poa.threads


@settings(max_examples=100, deadline=None)
@given(runs(), st.floats(0.1, 200))
def test_a_horizon_only_cuts_off_what_comes_later(run, horizon_ms):
    server, work = run
    whole, cut = simulate_workload(server, work), simulate_workload(server, work, horizon_ms)
    count = cut.arrival_ms.size
    assert count >= (work.arrival_ms < horizon_ms).sum() and cut.ended_ms <= max(horizon_ms, whole.ended_ms)
    for name in ("received", "handed_over", "dispatched", "served_from", "replied", "dispatcher_free"):
        before, after = getattr(whole, f"{name}_ms")[:count], getattr(cut, f"{name}_ms")
        known = before < horizon_ms - 1e-6
        # Time that passes in two parts may be rounded otherwise.
        assert np.allclose(before[known], after[known])
        assert not (after > horizon_ms + 1e-6).any()


@settings(max_examples=50, deadline=None)
@given(runs())
def test_the_same_workload_gives_the_same_run(run):
    server, work = run
    first, second = simulate_workload(server, work), simulate_workload(server, work)
    assert first.frame().equals(second.frame())


@pytest.mark.parametrize("scheduler", [ProcessorSharing(), TimeSlices(), VirtualDeadlines()])
def test_work_does_not_depend_on_who_does_it_first(scheduler):
    # On one processor without delays or gates the time at which all is done is the same under every scheduler.
    rng = np.random.default_rng(6)
    arrival_ms = np.cumsum(rng.exponential(10, 500))
    server = ThreadPool((Flow(1.0),), (Servant(5.6),), 6, 0.925, 0.9, scheduler=scheduler)
    none = np.zeros(500, dtype=int)
    trace = simulate_workload(server, Workload(arrival_ms, none, none, servant_pieces(server)[none]))
    left = 0.0
    for gap in np.diff(arrival_ms):
        left = max(0.0, left + 6.525 - gap)
    assert trace.ended_ms == pytest.approx(arrival_ms[-1] + left + 6.525)
