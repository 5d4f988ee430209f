"""The simulation against exact results: single queues that the model holds as special cases."""

import numpy as np
import pytest

from made.pools import pool, with_services
from made.queues import mmc_wait, shared_response
from perfstudies.errors import BadParameter
from perfstudies.models.exact import mg1_wait
from perfstudies.models.pool_simulation import simulate, simulate_workload
from perfstudies.models.pool_state import DELAY
from perfstudies.models.schedulers import ProcessorSharing, TimeSlices, VirtualDeadlines
from perfstudies.models.thread_pool import Servant
from perfstudies.stats.intervals import mean_interval
from perfstudies.stats.occupancy import occupancy

SCHEDULERS = (ProcessorSharing(), TimeSlices(), VirtualDeadlines())
RUNS, REQUESTS, WARM_UP = 30, 12_000, 2_000
# 1 in 10,000 of such intervals misses a true mean; there are some 20 of them here, and seeds are fixed.
CONFIDENCE = 0.9999
RATE_PER_S = 100.0


def exponential(mean_ms):
    return lambda rng, count: rng.exponential(mean_ms, count)


def constant(ms):
    return lambda rng, count: np.full(count, ms)


def two_kinds(rng, count):
    """Mean 7, and a squared coefficient of variation of 2.25: 9 in 10 take 3.5, 1 in 10 takes 38.5."""
    return np.where(rng.random(count) < 0.9, 3.5, 38.5)


def interval(server, draw_ms, measure):
    """Return the interval over runs of what is measured after warm-up; a run gives one value."""
    values = []
    for seed in range(RUNS):
        work = with_services(server, seed, REQUESTS, draw_ms)
        values.append(measure(simulate_workload(server, work), work))
    return mean_interval(values, CONFIDENCE)


def wait(trace, work):
    return (trace.dispatched_ms - trace.arrival_ms)[WARM_UP:].mean()


def response(trace, work):
    return (trace.replied_ms - trace.arrival_ms)[WARM_UP:].mean()


def holds(found, exact, within=0.4):
    """Whether an interval holds the exact value, and says something: it is narrow."""
    return found.low <= exact <= found.high and found.high - found.low < within * exact


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize(
    ("draw_ms", "cv2"), [(exponential(7.0), 1), (constant(7.0), 0), (two_kinds, 2.25)], ids=["M/M/1", "M/D/1", "M/G/1"]
)
def test_one_dispatcher_is_a_single_server(scheduler, draw_ms, cv2):
    server = pool(1, Servant(7.0), RATE_PER_S, scheduler=scheduler)
    assert holds(interval(server, draw_ms, wait), mg1_wait(0.1, 7.0, cv2))


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_as_many_dispatchers_as_processors_are_as_many_servers(scheduler):
    server = pool(3, Servant(21.0), RATE_PER_S, processors=3, scheduler=scheduler)
    assert holds(interval(server, exponential(21.0), wait), mmc_wait(0.1, 21.0, 3))


def test_a_receiver_is_a_single_server_too():
    server = pool(1, Servant(0.0), RATE_PER_S, receiver_ms=7.0, receiver_first_share=0.5)
    traces = [simulate(server, seed, REQUESTS) for seed in range(RUNS)]
    found = mean_interval([one.columns()["receiver_queue_ms"][WARM_UP:].mean() for one in traces], CONFIDENCE)
    assert holds(found, mg1_wait(0.1, 7.0, 0))


@pytest.mark.parametrize("draw_ms", [exponential(7.0), constant(7.0), two_kinds], ids=["M", "D", "G"])
def test_many_dispatchers_that_share_are_processor_sharing_whatever_the_demands(draw_ms):
    server = pool(300, Servant(7.0), RATE_PER_S, scheduler=ProcessorSharing())
    assert holds(interval(server, draw_ms, response), shared_response(0.1, 7.0))


@pytest.mark.parametrize("kind_ms", [3.5, 38.5])
def test_who_shares_is_slowed_down_in_proportion_to_its_demand(kind_ms):
    def slow_down(trace, work):
        mine = work.piece_ms.sum(axis=1) == kind_ms
        mine[:WARM_UP] = False
        return (trace.replied_ms - trace.arrival_ms)[mine].mean() / kind_ms

    server = pool(300, Servant(7.0), RATE_PER_S, scheduler=ProcessorSharing())
    assert holds(interval(server, two_kinds, slow_down), 1 / (1 - 0.7))


def test_little_s_law_in_the_steady_state():
    # Of a queue with an exact mean number: M/M/1 has load / (1 - load) in it.
    def number(trace, work):
        begin, end = trace.arrival_ms[WARM_UP], trace.arrival_ms[-1]
        return occupancy(trace.arrival_ms, trace.replied_ms, begin, end)

    server = pool(1, Servant(7.0), RATE_PER_S)
    assert holds(interval(server, exponential(7.0), number), 0.7 / 0.3)


def test_delays_alone_are_as_many_servers_as_there_are_dispatchers():
    # Erlang's C once more, the servers being dispatchers that need no processor.
    def delayed(seed):
        work = with_services(server, seed, REQUESTS, constant(0.0))
        work.piece_ms[:, DELAY] = np.random.default_rng([seed, 1]).exponential(35.0, REQUESTS)
        return wait(simulate_workload(server, work), work)

    server = pool(5, Servant(0.0, delay_ms=35.0), RATE_PER_S)
    found = mean_interval([delayed(seed) for seed in range(RUNS)], CONFIDENCE)
    assert holds(found, mmc_wait(0.1, 35.0, 5))


def test_the_exact_results_by_their_textbook_values():
    assert mg1_wait(0.5, 1.0, 1) == pytest.approx(1) and mg1_wait(0.5, 1.0, 0) == pytest.approx(0.5)
    assert mmc_wait(0.5, 1.0, 1) == pytest.approx(mg1_wait(0.5, 1.0, 1))
    # M/M/2 at a load of r waits r^2 / (1 - r^2) service times.
    assert mmc_wait(1.0, 1.0, 2) == pytest.approx(0.25 / 0.75)
    assert shared_response(0.5, 1.0) == pytest.approx(2)


@pytest.mark.parametrize("call", [lambda: mg1_wait(1, 1, 1), lambda: mmc_wait(2, 1, 2), lambda: shared_response(2, 1)])
def test_without_a_steady_state_there_is_no_mean(call):
    with pytest.raises(BadParameter, match="utilisation 1|utilisation 2"):
        call()
