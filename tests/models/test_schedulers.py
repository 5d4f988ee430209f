"""The schedulers: who runs when, by hand."""

import numpy as np
import pytest

from made.pools import arriving, pool, with_services
from perfstudies.errors import BadParameter
from perfstudies.models import machine_deadlines
from perfstudies.models.machine_state import new_machine
from perfstudies.models.pool_simulation import simulate, simulate_workload
from perfstudies.models.schedulers import ProcessorSharing, TimeSlices, VirtualDeadlines, compiled_rule
from perfstudies.models.thread_pool import Servant


def ran(server, *arrival_ms):
    return simulate_workload(server, arriving(server, *arrival_ms))


def test_a_woken_thread_interrupts_one_that_has_fewer_ticks_left():
    server = pool(1, receiver_ms=1.0, receiver_first_share=0.6, scheduler=TimeSlices())
    trace = ran(server, 0, 2, 13, 15)
    # The second waits until 6, as counters are equal. The tick at 10 meets the dispatcher, and the fourth is read at
    # once.
    assert trace.received_ms.tolist() == [0, 6, 13, 15]
    assert trace.handed_over_ms.tolist() == pytest.approx([0.6, 6.6, 13.6, 15.6])
    assert trace.receiver_free_ms.tolist() == pytest.approx([1, 7, 14, 16])
    assert trace.dispatcher_free_ms.tolist() == pytest.approx([6, 12, 20, 25])
    assert trace.preemptions == 1


def test_without_wake_ups_that_interrupt_it_waits():
    server = pool(1, receiver_ms=1.0, receiver_first_share=0.6, scheduler=TimeSlices(wakes_preempt=False))
    assert ran(server, 0, 2, 13, 15).received_ms.tolist() == [0, 6, 13, 19]


def test_a_lead_of_one_tick_is_not_enough_for_kernels_before_2_4_4():
    server = pool(1, receiver_ms=1.0, receiver_first_share=0.6, scheduler=TimeSlices(least_lead=2))
    assert ran(server, 0, 2, 13, 15).received_ms.tolist() == [0, 6, 13, 19]


def test_a_woken_dispatcher_interrupts_the_receiver_in_its_second_phase():
    # By the tick at 10 the receiver has fewer ticks left than the dispatcher.
    server = pool(1, Servant(2.0), receiver_ms=12.0, receiver_first_share=0.9, scheduler=TimeSlices())
    trace = ran(server, 0)
    assert trace.handed_over_ms.tolist() == pytest.approx([10.8])
    assert trace.dispatcher_free_ms.tolist() == pytest.approx([12.8])
    assert trace.receiver_free_ms.tolist() == pytest.approx([14.0])


def test_used_up_slices_go_round_and_who_runs_stays_where_all_are_equal():
    server = pool(2, Servant(30.0), scheduler=TimeSlices(base_ticks=1))
    trace = ran(server, 0, 1)
    assert trace.received_ms.tolist() == [0, 10]
    assert trace.dispatcher_free_ms.tolist() == [50, 60]
    alone = ran(pool(1, Servant(25.0), scheduler=TimeSlices(base_ticks=1)), 0)
    assert (alone.recharges, alone.preemptions) == (2, 0)


def test_a_blocked_thread_collects_ticks():
    # The dispatcher's six ticks end at 60. Before the first one the receiver has no more, and waits until then; later
    # it has. At 60 the dispatcher gets six again, the receiver, if it sleeps, half its own six besides.
    server = pool(1, Servant(100.0), scheduler=TimeSlices())
    assert [ran(server, 0, at).received_ms[1] for at in (5, 30, 61)] == [60, 30, 61]
    assert ran(server, 0).recharges == 1


@pytest.mark.parametrize(("newest_first", "received_ms"), [(True, [0, 12, 6]), (False, [0, 6, 7])])
def test_of_equals_the_newest_or_the_oldest_comes_first(newest_first, received_ms):
    # At 6 two receivers wait, woken at 2 and 3; at 7 a dispatcher has been woken besides.
    server = pool(3, receiver_ms=1.0, connections=2, scheduler=TimeSlices(newest_first=newest_first))
    trace = simulate_workload(server, arriving(server, 0, 2, 3, connection=[0, 0, 1]))
    assert trace.received_ms.tolist() == received_ms


def test_virtual_deadlines_by_hand():
    server = pool(2, Servant(6.0), scheduler=VirtualDeadlines(slice_ms=1.5, tick_ms=1.0))
    trace = ran(server, 0, 0.25)
    # The first's slice ends at 1.5, which the tick at 2 sees; from then on they take turns of two ticks.
    assert trace.received_ms.tolist() == [0, 2]
    assert trace.dispatched_ms.tolist() == [0, 2]
    assert trace.dispatcher_free_ms.tolist() == pytest.approx([10, 12])


@pytest.mark.parametrize(("change", "received_ms"), [({}, 4.5), ({"lag": "lost"}, 6), ({"wakes_preempt": False}, 6)])
def test_a_thread_that_got_too_little_interrupts_when_it_wakes(change, received_ms):
    # As above. The receiver left at 2 with a lag of 0.875; with it the running dispatcher, at 4.5, is over the average.
    server = pool(2, Servant(6.0), scheduler=VirtualDeadlines(slice_ms=1.5, tick_ms=1.0, **change))
    trace = ran(server, 0, 0.25, 4.5)
    assert trace.received_ms.tolist() == pytest.approx([0, 2, received_ms])


@pytest.mark.parametrize(("lag", "lag_ms"), [("kept", 0.75), ("fades", 0.75), ("lost", 0.0)])
def test_a_thread_that_slept_comes_back_with_its_lag(lag, lag_ms):
    machine = new_machine(3, 1, compiled_rule(VirtualDeadlines(slice_ms=2.0, lag=lag)))
    machine.runnable[:2], machine.clock["runnable"] = (0, 1), 2
    machine.threads["virtual_ms"] = (5.0, 8.0, 0.0)
    machine.threads["lag_ms"][2] = 0.75
    machine_deadlines.place(machine, 2)
    virtual_ms = machine.threads["virtual_ms"]
    assert virtual_ms.mean() - virtual_ms[2] == pytest.approx(lag_ms)
    assert machine.threads["deadline_ms"][2] - virtual_ms[2] == pytest.approx(2)


def test_a_thread_that_got_too_much_counts_until_it_would_be_its_turn():
    # Threads 0 and 1 are runnable, 2 blocks with 3 ms more than their average is then.
    machine = new_machine(3, 1, compiled_rule(VirtualDeadlines(slice_ms=2.0, lag="fades")))
    machine.runnable[:3], machine.clock["runnable"] = (0, 1, 2), 3
    machine.threads["virtual_ms"], machine.threads["place"] = (0.0, 0.0, 4.5), (0, 1, 2)
    machine.threads["deadline_ms"] = (3.0, 2.0, 2.5)
    machine_deadlines.leave(machine, 2)
    machine.clock["runnable"], machine.threads["place"][2] = 2, -1
    assert machine.threads["fading"].tolist() == [0, 0, 1] and machine.clock["fading"] == 1
    # The average, of all three, is 1.5: it does not wake before that, and comes back with what it had.
    machine_deadlines.place(machine, 2)
    assert machine.threads["virtual_ms"][2] == 4.5 and machine.clock["fading"] == 0
    machine_deadlines.leave(machine, 2)
    # At an average of 4.5 it would be its turn, by its deadline; instead it counts no more, and another runs.
    machine.threads["virtual_ms"][:2] = (4.0, 5.0)
    machine.threads["deadline_ms"][0] = 6.0
    assert machine_deadlines.pick(machine, 0) == 0
    assert machine.clock["fading"] == 0 and machine.threads["lag_ms"][2] == 0


def test_of_a_lag_that_faded_nothing_comes_back():
    machine = new_machine(3, 1, compiled_rule(VirtualDeadlines(slice_ms=2.0, lag="fades")))
    machine.runnable[:2], machine.clock["runnable"] = (0, 1), 2
    machine.threads["virtual_ms"] = (9.0, 7.0, 5.0)
    machine.threads["fading"][2], machine.clock["fading"], machine.threads["lag_ms"][2] = 1, 1, -3.0
    machine_deadlines.place(machine, 2)
    assert machine.threads["virtual_ms"][2] == 8.0 and machine.threads["deadline_ms"][2] == 10.0
    assert machine.clock["fading"] == 0


def test_slices_that_are_watched_end_at_once_and_others_at_a_tick():
    slices = {watched: VirtualDeadlines(1.5, 4.0, watched=watched) for watched in (False, True)}
    received = {}
    for watched, scheduler in slices.items():
        server = pool(2, Servant(6.0), scheduler=scheduler)
        received[watched] = ran(server, 0, 0.25).received_ms.tolist()
    assert received == {False: [0, 4], True: [0, 1.5]}


def test_an_unknown_lag_is_refused():
    with pytest.raises(BadParameter, match="Did you mean 'fades'"):
        VirtualDeadlines(lag="fade")


def test_no_lag_exceeds_two_slices():
    machine = new_machine(2, 1, compiled_rule(VirtualDeadlines(slice_ms=2.0, tick_ms=1.0)))
    machine.runnable[:2], machine.clock["runnable"] = (0, 1), 2
    machine.threads["virtual_ms"] = (0.0, 100.0)
    for name, lag in ((0, 4.0), (1, -4.0)):
        machine_deadlines.leave(machine, name)
        assert machine.threads["lag_ms"][name] == lag


def test_very_short_slices_are_processor_sharing():
    short = VirtualDeadlines(slice_ms=0.01, tick_ms=0.01, finishes_slice=False)

    def response_ms(scheduler):
        server = pool(20, Servant(6.0), scheduler=scheduler)
        work = with_services(server, 4, 2000, lambda rng, n: rng.exponential(6.0, n))
        return simulate_workload(server, work).means()["response_ms"]

    assert response_ms(short) == pytest.approx(response_ms(ProcessorSharing()), rel=0.02)


def test_switches_cost_what_they_cost():
    # The law of work done holds for every run; here it is that the cost enters it.
    for scheduler in (TimeSlices, VirtualDeadlines):
        server = pool(3, receiver_ms=0.5, scheduler=scheduler(switch_ms=0.1))
        trace = simulate(server, 1, 200)
        assert trace.switches >= 300
        assert trace.busy_ms == pytest.approx(200 * 5.5 + 0.1 * trace.switches)


def test_more_dispatchers_move_the_queue_from_the_pool_to_the_receiver():
    def means(count):
        server = pool(count, Servant(5.6), receiver_ms=0.925, receiver_first_share=0.9, scheduler=TimeSlices())
        return simulate(server, 1, 5000).means()

    few, many = means(1), means(25)
    assert few["receiver_queue_ms"] < 0.5 < 3 < many["receiver_queue_ms"]
    assert many["dispatcher_queue_ms"] < 0.5 < 3 < few["dispatcher_queue_ms"]
    shared = simulate(pool(25, Servant(5.6), receiver_ms=0.925, scheduler=ProcessorSharing()), 1, 5000).means()
    assert shared["dispatcher_ms"] > 2 * many["dispatcher_ms"]
    assert shared["receiver_queue_ms"] < many["receiver_queue_ms"] / 4
    assert np.isfinite(list(shared.values())).all()
