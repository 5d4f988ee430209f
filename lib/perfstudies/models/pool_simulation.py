"""Runs of the thread-pool model: one run, a given workload, or replications side by side."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd

from perfstudies.errors import BadParameter
from perfstudies.models.machine_state import new_machine
from perfstudies.models.pool_laws import require_laws
from perfstudies.models.pool_load import require_capacity
from perfstudies.models.pool_loop import compiled
from perfstudies.models.pool_state import IDLE, POOL, STAMPS, lines
from perfstudies.models.pool_trace import Trace
from perfstudies.models.pool_workload import Workload, draw, require_allowed
from perfstudies.models.schedulers import compiled_rule
from perfstudies.models.thread_pool import ThreadPool
from perfstudies.models.values import positive_number

WORTH_THREADS = 8
"""Fewer runs than these take longer side by side than one after the other: most of a short one is Python."""


def simulate(pool: ThreadPool, seed: int, requests: int | None = None, horizon_ms: float | None = None) -> Trace:
    """Simulate one run.

    Parameters
    ----------
    pool : ThreadPool
    seed : int
        The same seed gives the same result, and the same arrivals in every model with the same flows.
    requests : int, optional
        How many arrive; the run goes on until all have ended.
    horizon_ms : float, optional
        When to stop, whatever is still under way then. A model that cannot keep up needs one.

    Raises
    ------
    BadParameter
        If a value is not allowed, neither `requests` nor `horizon_ms` is given, or a part has a utilisation of 1 or
        more and there is no horizon.
    """
    if horizon_ms is None:
        require_capacity(pool)
    return simulate_workload(pool, draw(pool, seed, requests, horizon_ms), horizon_ms)


def simulate_workload(pool: ThreadPool, workload: Workload, horizon_ms: float | None = None) -> Trace:
    """Simulate one run of given requests: recorded arrivals, or demands that vary.

    Raises
    ------
    BadParameter
        If the workload is none of this model, or the horizon not above 0.
    BrokenLaw
        If the run breaks a law that every run obeys; a fault of the code.
    """
    require_allowed(pool, workload)
    if horizon_ms is not None:
        positive_number("horizon_ms", horizon_ms)
    rule = compiled_rule(pool.scheduler)
    first_dispatcher = pool.connections + (pool.controller is not None)
    machine = new_machine(first_dispatcher + pool.dispatchers, pool.processors, rule)
    machine.threads["step"] = IDLE
    requests = workload.arrival_ms.size
    stamp_ms = np.full((requests, STAMPS), np.nan)
    behind, queue, passing = (np.full(requests, -1, dtype=np.int64) for _ in range(3))
    state = _pool_state(pool, first_dispatcher)
    limits = [one.threads for one in pool.poas] + [one.threads for one in pool.servants]
    gates = lines(len(limits), np.array([pool.dispatchers if limit is None else limit for limit in limits]))
    # Copies: an array that must not be written to is another type to the compiler, and all would be compiled once more.
    compiled()(
        np.array(workload.arrival_ms, dtype=np.float64, order="C"),
        *machine,
        state,
        lines(pool.connections),
        gates,
        np.array([servant.poa for servant in pool.servants], dtype=np.int64),
        np.arange(first_dispatcher, first_dispatcher + pool.dispatchers, dtype=np.int64),
        np.array(workload.connection, dtype=np.int64, order="C"),
        np.array(workload.servant, dtype=np.int64, order="C"),
        np.array(workload.piece_ms, dtype=np.float64, order="C"),
        stamp_ms,
        behind,
        queue,
        passing,
        np.inf if horizon_ms is None else float(horizon_ms),
    )
    arrived, clock = int(state["arrived"][0]), machine.clock[0]
    trace = Trace(  # type: ignore[call-arg, misc]
        workload.arrival_ms[:arrived],
        *stamp_ms[:arrived].T,
        workload.connection[:arrived],
        workload.servant[:arrived],
        ended_ms=float(clock["now_ms"]),
        complete=bool(state["ended"][0] == requests),
        busy_ms=float(clock["busy_ms"]),
        wasted_ms=float(clock["wasted_ms"]),
        present_ms=float(clock["present_ms"]),
        switches=int(clock["switches"]),
        preemptions=int(clock["preemptions"]),
        recharges=int(clock["recharges"]),
    )
    require_laws(trace, workload, float(rule["switch_ms"][0]), horizon_ms is not None)
    return trace


def replicate(
    pools: Sequence[ThreadPool], seeds: Sequence[int], requests: int, workers: int | None = None
) -> pd.DataFrame:
    """Simulate every model with every seed, side by side, and return the means of each run.

    Models with the same flows meet the same arrivals under one seed, so that differences between them are those of
    paired runs.

    Parameters
    ----------
    pools : sequence of ThreadPool
    seeds : sequence of int
        One a replication.
    requests : int
        In each run.
    workers : int, optional
        How many runs at a time; as many as there are processors.

    Returns
    -------
    DataFrame
        A row a run: pool (its number in `pools`), seed, and `Trace.means`.

    Raises
    ------
    BadParameter
        As `simulate`, for any model, before the first run begins.
    """
    if not pools or len(seeds) == 0:
        raise BadParameter("nothing to simulate: give at least one pool and one seed")
    for pool in pools:
        require_capacity(pool)
    compiled()
    cases = [(number, seed) for number in range(len(pools)) for seed in seeds]

    def means(case: tuple[int, int]) -> dict[str, float]:
        return simulate(pools[case[0]], case[1], requests).means()

    if len(cases) < WORTH_THREADS:
        rows = [means(case) for case in cases]
    else:
        with ThreadPoolExecutor(workers or os.cpu_count()) as executor:
            rows = list(executor.map(means, cases))
    table = pd.DataFrame(cases, columns=["pool", "seed"])
    return pd.concat([table, pd.DataFrame(rows)], axis=1)


def _pool_state(pool: ThreadPool, first_dispatcher: int) -> np.ndarray:
    """Return the server before its first request: all dispatchers idle."""
    state = np.zeros(1, dtype=POOL)
    state["controller"] = -1 if pool.controller is None else pool.connections
    state["controller_waits"] = pool.controller is not None and pool.controller.waits
    state["first_dispatcher"] = first_dispatcher
    state["poas"] = len(pool.poas)
    state["direct"] = pool.hand_over == "direct"
    state["signals_all"] = pool.signals == "all"
    state["newest_idle"] = pool.wake_order == "last idle"
    state["idle"] = pool.dispatchers
    return state
