"""How fast the compiled thread-pool model is: against the same in SimPy, with more requests, and for all of Table 1.

Both simulate the same requests, in alternating batches, so that a drift of the machine meets both. A test holds both to
the same times for every request.

``python benchmarks/thread_pool_model.py [SHARE]``: of all requests and replications, 1 if not given.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import numpy as np
from peers import simpy_thread_pool
from tqdm import tqdm

from perfstudies.models.pool_simulation import replicate, simulate, simulate_workload
from perfstudies.models.pool_workload import draw
from perfstudies.models.schedulers import ProcessorSharing, Scheduler, TimeSlices, VirtualDeadlines
from perfstudies.models.thread_pool import Flow, Servant, ThreadPool
from perfstudies.stats.growth import exponent
from perfstudies.stats.intervals import mean_interval, ratio_interval

BATCHES = 7
PEER_REQUESTS = 3000
LENGTHS = (4000, 8000, 16000, 32000, 64000, 128000)
ROWS = (1, 2, 4, 6, 8, 10, 15, 20, 25)
REPLICATIONS = 100
STUDY_REQUESTS = 15000


def pool(dispatchers: int, scheduler: Scheduler) -> ThreadPool:
    """Return a server with the study's demands; how the receiver's are split does not matter for speed."""
    return ThreadPool((Flow(100),), (Servant(5.6),), dispatchers, 0.925, 0.9, scheduler=scheduler)


def us_per_request(work, requests: int) -> float:
    """Return the processor time of this thread that some work takes, per request in microseconds."""
    start_ns = time.thread_time_ns()
    work()
    return (time.thread_time_ns() - start_ns) / requests / 1e3


def against_simpy(scheduler: Scheduler, requests: int) -> None:
    """Measure and print how many times faster than SimPy the compiled model is."""
    server = pool(8, scheduler)
    works = [draw(server, seed, requests) for seed in range(BATCHES)]
    simulate_workload(server, works[0])
    pairs = []
    for work in tqdm(works, unit="batch", leave=False):
        peer_us = us_per_request(lambda work=work: simpy_thread_pool.simulate(server, work), requests)
        ours_us = us_per_request(lambda work=work: simulate_workload(server, work), requests)
        pairs.append((peer_us, ours_us))
    peer, ours = zip(*pairs, strict=True)
    ratio = ratio_interval(peer, ours)
    print(
        f"{type(scheduler).__name__}: SimPy {np.mean(peer):.1f}, compiled {np.mean(ours):.2f} us a request; "
        f"ratio {ratio.estimate:.0f} [{ratio.low:.0f}, {ratio.high:.0f}] (95 %, {BATCHES} batches)"
    )


def growth(lengths: Sequence[int]) -> None:
    """Measure and print how cost grows with the number of requests."""
    server = pool(8, TimeSlices())
    found, last = [], []
    for seed in range(BATCHES):
        costs = [us_per_request(lambda n=n, s=seed: simulate(server, s, n), n) * n for n in lengths]
        found.append(exponent(lengths, costs))
        last.append([cost / length for cost, length in zip(costs, lengths, strict=True)])
    whole = mean_interval(found)
    for length, cost in zip(lengths, np.mean(last, axis=0), strict=True):
        print(f"{length:7d} requests: {cost:.2f} us each, drawing and checks included")
    print(f"cost grows as requests to the power {whole.estimate:.2f} [{whole.low:.2f}, {whole.high:.2f}] (95 %)")


def table(replications: int) -> None:
    """Measure and print how long all rows of Table 1 take."""
    for workers in (1, None):
        start_s = time.perf_counter()
        replicate([pool(rows, TimeSlices()) for rows in ROWS], range(replications), STUDY_REQUESTS, workers)
        took_s = time.perf_counter() - start_s
        with_workers = "one worker" if workers else "a worker a processor"
        print(f"Table 1, {len(ROWS)} rows, {replications} replications: {took_s:.1f} s with {with_workers}")


def main() -> None:
    """Measure and print."""
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    start_s = time.perf_counter()
    simulate(pool(1, TimeSlices()), 0, 1)
    print(f"first run in this process, with loading or compiling: {time.perf_counter() - start_s:.1f} s")
    for scheduler in (ProcessorSharing(), TimeSlices(), VirtualDeadlines()):
        against_simpy(scheduler, round(share * PEER_REQUESTS))
    growth([round(share * length) for length in LENGTHS])
    table(max(1, round(share * REPLICATIONS)))


if __name__ == "__main__":
    main()
