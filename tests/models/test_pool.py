"""The thread-pool model: runs whose every time is known by hand, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from made.pools import arriving, pool
from perfstudies.errors import BadParameter, BrokenLaw
from perfstudies.models.pool_laws import require_laws
from perfstudies.models.pool_load import utilisations
from perfstudies.models.pool_loop import COMPILED, compiled, sources
from perfstudies.models.pool_simulation import replicate, simulate, simulate_workload
from perfstudies.models.pool_workload import Workload, draw
from perfstudies.models.schedulers import ProcessorSharing, TimeSlices, VirtualDeadlines
from perfstudies.models.thread_pool import Controller, Flow, Poa, Servant, ThreadPool

SCHEDULERS = (ProcessorSharing(), TimeSlices(), VirtualDeadlines())


def times(trace, *names):
    return [getattr(trace, f"{name}_ms").round(9).tolist() for name in names]


def test_two_that_share_a_processor():
    # Alone until 2, then at half the rate; the first ends at 6, the second alone again at 8.
    server = pool(2, Servant(4.0), scheduler=ProcessorSharing())
    trace = simulate_workload(server, arriving(server, 0, 2))
    assert times(trace, "dispatched", "replied") == [[0, 2], [6, 8]]
    assert (trace.busy_ms, trace.ended_ms) == (8, 8)
    two = simulate_workload(replace(server, processors=2), arriving(server, 0, 2))
    assert times(two, "replied") == [[4, 6]]


def test_arrays_that_must_not_be_written_to_are_not_compiled_for_once_more():
    given = arriving(pool(1, Servant(1.0)), 0, 2)
    for array in vars(given).values():
        array.setflags(write=False)
    assert times(simulate_workload(pool(1, Servant(1.0)), given), "replied") == [[1, 3]]
    simulate(pool(1, Servant(1.0)), 0, 2)
    assert len(compiled().signatures) == 1


def test_every_step_of_a_request_that_is_alone():
    servant = Servant(4.0, delay_ms=10.0, marshal_ms=0.5, poa=1, before_delay_share=0.75)
    poas = (Poa(), Poa(2.0, first_share=0.25))
    for scheduler in SCHEDULERS:
        server = pool(
            1, servant, poas=poas, receiver_ms=1.0, receiver_first_share=0.5, controller=Controller(0.25),
            scheduler=scheduler, processors=2,
        )  # fmt: skip
        trace = simulate_workload(server, arriving(server, 3))
        # The receiver cleans up on the other processor.
        assert times(trace, "received", "handed_over", "receiver_free") == [[3.0], [3.5], [4.0]]
        assert times(trace, "passed", "dispatched") == [[3.5], [3.75]]
        # A quarter of the adapter, three of the servant before its delay and one after, marshaling, the adapter's rest.
        assert times(trace, "served_from", "served") == [[4.25], [18.25]]
        assert times(trace, "replied", "dispatcher_free") == [[18.75], [20.25]]
        assert trace.means()["response_ms"] == 15.75


def test_the_receiver_reads_on_only_after_its_second_phase():
    server = pool(2, Servant(1.0), receiver_ms=4.0, receiver_first_share=0.25, processors=4)
    trace = simulate_workload(server, arriving(server, 0, 0))
    assert times(trace, "received", "handed_over", "receiver_free") == [[0, 4], [1, 5], [4, 8]]
    assert trace.columns()["receiver_queue_ms"].tolist() == [0, 4]


def test_each_connection_has_its_receiver():
    server = ThreadPool((Flow(1), Flow(1, connection=1)), (Servant(1.0),), 2, 4.0, connections=2, processors=4)
    trace = simulate_workload(server, arriving(server, 0, 0, connection=[0, 1]))
    assert times(trace, "received", "handed_over") == [[0, 0], [4, 4]]


def test_a_gate_lets_in_as_many_as_its_threads_in_the_order_of_their_coming():
    for at_poa, starts in ((True, [0, 5, 10]), (False, [0, 3, 6])):
        # At the adapter a place is kept until the reply is sent, at the servant only while it works.
        limits = {"poas": (Poa(threads=1 if at_poa else None),)}
        servant = Servant(3.0, marshal_ms=2.0, threads=None if at_poa else 1)
        server = pool(3, servant, processors=4, **limits)
        trace = simulate_workload(server, arriving(server, 0, 0.5, 1))
        assert times(trace, "served_from") == [starts]
        assert times(trace, "dispatched") == [[0, 0.5, 1]]


def test_a_waiting_dispatcher_is_kept_by_its_request():
    # Both dispatchers are taken by the first servant's gate, so that the second servant's request waits.
    servants = (Servant(4.0, threads=1), Servant(1.0))
    server = ThreadPool((Flow(1), Flow(1, servant=1)), servants, 2, processors=4)
    trace = simulate_workload(server, arriving(server, 0, 1, 2, servant=[0, 0, 1]))
    assert times(trace, "dispatched", "replied") == [[0, 1, 4], [4, 8, 5]]


def test_a_delay_needs_no_processor():
    server = pool(2, Servant(2.0, delay_ms=6.0), scheduler=TimeSlices())
    trace = simulate_workload(server, arriving(server, 0, 0.5))
    # The second's first half runs from 1 to 2, and both second halves after their delays.
    assert times(trace, "served") == [[8, 9]]
    assert trace.busy_ms == 4


@pytest.mark.parametrize(("waits", "passed"), [(True, [0, 1, 5]), (False, [0, 1, 2])])
def test_a_controller_holds_its_request_until_a_dispatcher_is_idle_or_queues_it(waits, passed):
    server = pool(1, controller=Controller(waits=waits), hand_over="direct", processors=2)
    trace = simulate_workload(server, arriving(server, 0, 1, 2))
    assert times(trace, "passed", "dispatched") == [passed, [0, 5, 10]]


def test_which_idle_dispatcher_is_woken():
    # The tick at 10 meets the dispatcher of the first request, that at 20 the receiver. Only the other dispatcher, the
    # longest idle, has then more ticks than the receiver, and interrupts its second phase.
    for order, free_ms in (("longest idle", 25.7), ("last idle", 20.7)):
        server = pool(2, receiver_ms=1.0, receiver_first_share=0.5, wake_order=order, scheduler=TimeSlices())
        trace = simulate_workload(server, arriving(server, 6, 19.7))
        assert trace.receiver_free_ms.tolist() == pytest.approx([7, free_ms])


def test_all_that_are_woken_run_and_one_takes_the_request():
    one, everybody = (pool(3, Servant(1.0), signals=signals) for signals in ("one", "all"))
    first, second = (simulate_workload(server, arriving(server, 0, 2, 4)) for server in (one, everybody))
    assert times(first, "replied") == times(second, "replied") == [[1, 3, 5]]
    # Each time a receiver and a dispatcher, or all three dispatchers.
    assert (first.switches, second.switches) == (6, 12)


@pytest.mark.parametrize(("hand_over", "dispatched_ms"), [("queue", [3.0, 8.0]), ("direct", [3.0, 8.5])])
def test_a_request_in_the_queue_goes_to_who_runs_first(hand_over, dispatched_ms):
    # Receivers keep two of three processors busy with their second phases, so that the second dispatcher is woken for
    # the second request but does not run. When the first ends it takes that request, unless it is not in the queue.
    scheduler = TimeSlices(wakes_preempt=False, switch_ms=0.5)
    server = pool(
        2, receiver_ms=40.0, receiver_first_share=0.05, connections=2, processors=3, scheduler=scheduler,
        hand_over=hand_over,
    )  # fmt: skip
    trace = simulate_workload(server, arriving(server, 0, 1, connection=[0, 1]))
    assert trace.dispatched_ms.tolist() == pytest.approx(dispatched_ms)


def test_the_same_seed_gives_the_same_run_and_the_same_arrivals_in_every_model():
    for scheduler in SCHEDULERS:
        server = pool(4, receiver_ms=0.9, receiver_first_share=0.9, scheduler=scheduler)
        first, again, other = (simulate(server, seed, 500) for seed in (1, 1, 2))
        assert first.frame().equals(again.frame()) and first.preemptions == again.preemptions
        assert not np.array_equal(first.arrival_ms, other.arrival_ms)
        more = simulate(replace(server, dispatchers=9), 1, 500)
        assert np.array_equal(first.arrival_ms, more.arrival_ms)
        assert not np.array_equal(first.replied_ms, more.replied_ms)


def test_flows_have_their_rates_connections_and_servants():
    flows = (Flow(300, servant=1), Flow(100, connection=1))
    server = ThreadPool(flows, (Servant(1.0), Servant(1.0)), 4, connections=2)
    work = draw(server, 5, 40_000)
    first = work.servant == 1
    assert (work.connection == ~first).all()
    assert first.mean() == pytest.approx(0.75, abs=4 * np.sqrt(0.75 * 0.25 / 40_000))
    assert np.diff(work.arrival_ms).mean() == pytest.approx(2.5, rel=4 / np.sqrt(40_000))
    # Each flow for itself is a Poisson process: gaps with a mean and a standard deviation that are equal.
    gaps = np.diff(work.arrival_ms[first])
    assert gaps.std() == pytest.approx(10 / 3, rel=0.05) == gaps.mean()


def test_a_horizon_ends_a_run_that_cannot_keep_up():
    server = pool(2, Servant(15.0))
    trace = simulate(server, 3, horizon_ms=1000)
    assert trace.ended_ms == 1000 and not trace.complete
    assert (trace.arrival_ms < 1000).all() and trace.arrival_ms.size == pytest.approx(100, abs=40)
    ended = ~np.isnan(trace.replied_ms)
    assert 50 <= ended.sum() <= 66 and 850 < trace.busy_ms <= 1000
    assert simulate(server, 3, requests=5, horizon_ms=1e6).complete


def test_replications_are_the_single_runs_in_their_order():
    pools = [pool(count, receiver_ms=0.9) for count in (1, 4)]
    table = replicate(pools, [7, 8], 300, workers=2)
    assert table[["pool", "seed"]].to_numpy().tolist() == [[0, 7], [0, 8], [1, 7], [1, 8]]
    for row in table.itertuples():
        means = simulate(pools[row.pool], row.seed, 300).means()
        assert all(getattr(row, name) == value for name, value in means.items())


def test_every_compiled_module_is_part_of_the_checksum(repository):
    folder = repository / "lib" / "perfstudies" / "models"
    compiled = {path for path in folder.glob("*.py") if "njit" in path.read_text()}
    assert compiled <= {path for pattern in COMPILED for path in folder.glob(pattern)}
    assert sources() == sources() > 0


def test_utilisations_by_hand():
    servants = (Servant(4.0, delay_ms=6.0, marshal_ms=1.0, poa=1, threads=2),)
    poas = (Poa(), Poa(2.0, first_share=0.5, threads=4))
    server = ThreadPool((Flow(100),), servants, 5, 3.0, poas=poas, processors=2, controller=Controller(1.0))
    assert utilisations(server) == pytest.approx(
        {
            "processors": 0.1 * (3 + 1 + 2 + 4 + 1) / 2,
            "receiver of connection 0": 0.3,
            "controller": 0.1,
            "dispatchers": 0.1 * 13 / 5,
            "threads of POA 1": 0.1 * 12 / 4,
            "threads of servant 0": 0.1 * 10 / 2,
        }
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pool(rate_per_s=200.0), "processors: utilisation 1"),
        (lambda: pool(receiver_ms=10.0, processors=9), "receiver of connection 0: utilisation 1,.*horizon_ms"),
        (lambda: pool(1, Servant(1.0, delay_ms=10.0)), "dispatchers: utilisation 1.1.*add threads"),
        (lambda: pool(9, Servant(1.0, 9.0, threads=1)), "threads of servant 0: utilisation 1"),
        (lambda: pool(9, Servant(1.0, 9.0), poas=(Poa(threads=1),)), "threads of POA 0: utilisation 1"),
        (lambda: pool(9, controller=Controller(12.0), processors=9), "controller: utilisation 1.2"),
    ],
)
def test_what_cannot_keep_up_is_refused_without_a_horizon(make, message):
    with pytest.raises(BadParameter, match=message):
        simulate(make(), 1, 10)
    with pytest.raises(BadParameter, match=message):
        replicate([pool(), make()], [1], 10)
    assert simulate(make(), 1, 10, horizon_ms=50).ended_ms <= 50


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pool(0), "dispatchers = 0 has to be at least 1"),
        (lambda: pool(2.5), "dispatchers = 2.5 has to be a whole number"),
        (lambda: pool(processors=0), "processors = 0"),
        (lambda: pool(connections=-1), "connections = -1"),
        (lambda: pool(receiver_ms=-0.1), "receiver_ms = -0.1 is negative"),
        (lambda: pool(receiver_first_share=1.1), "share, from 0 to 1"),
        (lambda: pool(rate_per_s=0), "rate_per_s of a Flow = 0 has to be above 0"),
        (lambda: pool(rate_per_s=float("nan")), "rate_per_s of a Flow = nan has to be a finite number"),
        (lambda: Servant(float("nan")), "cpu_ms of a Servant = nan"),
        (lambda: Servant(float("inf")), "cpu_ms of a Servant = inf"),
        (lambda: Servant("5"), "finite number"),
        (lambda: Servant(5.0, delay_ms=-1.0), "delay_ms of a Servant = -1.0 is negative"),
        (lambda: Servant(5.0, threads=0), "threads of a Servant = 0"),
        (lambda: Poa(threads=0), "threads of a Poa = 0"),
        (lambda: Controller(-1.0), "cpu_ms of a Controller"),
        (lambda: TimeSlices(tick_ms=0.0), "tick_ms = 0.0 has to be above 0"),
        (lambda: TimeSlices(base_ticks=0), "base_ticks = 0"),
        (lambda: VirtualDeadlines(slice_ms=-1.0), "slice_ms"),
        (lambda: VirtualDeadlines(switch_ms=-1.0), "switch_ms"),
        (lambda: pool(scheduler="cfs"), "scheduler = 'cfs' is not known"),
        (lambda: pool(signals="on"), "signals = 'on' is not known; use one of: one, all.* Did you mean 'one'"),
        (lambda: pool(wake_order="fifo"), "longest idle"),
        (lambda: pool(hand_over="none"), "queue, direct"),
        (lambda: ThreadPool((), (Servant(1.0),), 1), "at least one of its flows"),
        (lambda: ThreadPool((Flow(1, servant=1),), (Servant(1.0),), 1), "servant = 1 of Flow.*there are 1 servants"),
        (lambda: ThreadPool((Flow(1, connection=1),), (Servant(1.0),), 1), "connection = 1"),
        (lambda: ThreadPool((Flow(1),), (Servant(1.0, poa=1),), 1), "poa = 1"),
        (lambda: simulate(pool(), 1), "give requests, horizon_ms or both"),
        (lambda: simulate(pool(), 1, requests=0), "requests = 0"),
        (lambda: simulate(pool(), -1, requests=1), "seed = -1"),
        (lambda: simulate(pool(), 1, horizon_ms=0), "horizon_ms = 0 has to be above 0"),
        (lambda: replicate([], [1], 10), "nothing to simulate"),
    ],
)
def test_bad_parameters_are_refused_with_what_to_do(make, message):
    with pytest.raises(BadParameter, match=message):
        make()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arrival_ms": np.array([1.0, 0.0])}, "does not ascend"),
        ({"arrival_ms": np.array([0.0, np.nan])}, "arrival_ms holds a value that is missing"),
        ({"piece_ms": np.full((2, 9), -1.0)}, "piece_ms holds a value that is missing, infinite or negative"),
        ({"piece_ms": np.zeros((2, 3))}, "needs"),
        ({"servant": np.array([0, 1])}, "servant holds a number that the model lacks"),
        ({"connection": np.array([0, -1])}, "connection holds"),
    ],
)
def test_bad_workloads_are_refused(change, message):
    server = pool()
    with pytest.raises(BadParameter, match=message):
        simulate_workload(server, replace(arriving(server, 0, 1), **change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"busy_ms": 99.0}, "work done"),
        ({"wasted_ms": 0.1}, "stood idle"),
        ({"present_ms": 1.0}, "requests in the system over time"),
        ({"complete": False}, "never ended"),
        ({"replied_ms": np.array([0.0, 0.0])}, "replied_ms comes before served_ms"),
    ],
)
def test_a_run_that_breaks_a_law_is_not_returned(change, message):
    server = pool()
    work = arriving(server, 0, 1)
    trace = simulate_workload(server, work)
    require_laws(trace, work, 0.0, bounded=False)
    with pytest.raises(BrokenLaw, match=message):
        require_laws(replace(trace, **change), work, 0.0, bounded=False)


def test_nothing_to_do_is_a_run_too():
    nobody = Workload(np.empty(0), np.empty(0, int), np.empty(0, int), np.empty((0, 9)))
    trace = simulate_workload(pool(), nobody)
    assert trace.complete and trace.ended_ms == 0 and np.isnan(trace.means()["response_ms"])
