"""The live broker as a thread-pool model: its demands are measured at some sizes of the pool, others are predicted.

JacORB has a thread between receiver and dispatchers, which holds a request until a dispatcher is idle and then hands it
to the one that was so last. A prediction meets the very arrivals of the run that it is compared with, so that the
difference between the two is none of arrivals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from perfstudies.errors import BadParameter
from perfstudies.models.pool_simulation import simulate_workload
from perfstudies.models.pool_trace import COLUMNS
from perfstudies.models.pool_workload import at_times
from perfstudies.models.schedulers import ProcessorSharing, Scheduler, TimeSlices, VirtualDeadlines
from perfstudies.models.thread_pool import Controller, Flow, Servant, ThreadPool
from perfstudies.runs.recording import Recording
from perfstudies.stats.intervals import estimates

CALIBRATED = ("2", "10")
"""Sizes of the pool at which demands are measured; they are not predicted."""

PRESENT = VirtualDeadlines(slice_ms=1.4, watched=True, lag="fades")
"""The scheduler of Linux 6.18 on two processors. The target object reads its processor time all the while."""
AT_TICKS = replace(PRESENT, watched=False)
SCHEDULERS: dict[str, Scheduler] = {
    "Virtual deadlines": PRESENT,
    "The same, slices end at ticks": AT_TICKS,
    "The same, lag kept (Linux 6.6)": replace(PRESENT, slice_ms=1.5, lag="kept"),
    "Time slices (Linux 2.4)": TimeSlices(),
    "Processor sharing": ProcessorSharing(),
}
"""What the prediction is made with."""


@dataclass(frozen=True)
class Demands:
    """What a request needs, measured at the sizes `CALIBRATED`.

    Attributes
    ----------
    receiver_ms, controller_ms, dispatcher_ms : float
        Processor time of the threads, by their own clocks.
    first_share : float
        How much of the receiver's comes before the hand-over; from requests that met an idle server.
    entry_ms : float
        From the client's sending until the receiver is woken, if the server is idle.
    switch_ms : float
        What it takes until a woken thread runs, counted as processor time: from the hand-over until the dispatcher has
        the request, less the controller's work, if the server is idle; half of it, as two threads are woken.
    """

    receiver_ms: float
    controller_ms: float
    dispatcher_ms: float
    first_share: float
    entry_ms: float
    switch_ms: float


DEMANDS = {
    "receiver_ms": "Receiver, processor time (ms)",
    "first_share": "of it before the hand-over (share)",
    "controller_ms": "Controller, processor time (ms)",
    "dispatcher_ms": "Dispatcher, processor time (ms)",
    "entry_ms": "From the client to the receiver (ms)",
    "switch_ms": "Until a woken thread runs (ms)",
}
"""The attributes of `Demands` in words."""


def demands(recorded: Recording, levels: Sequence[str] = CALIBRATED, factor: str = "dispatchers") -> Demands:
    """Measure what a request needs, in the runs at some levels of a factor.

    Raises
    ------
    BadParameter
        If no run has one of the levels, or no request met an idle server.
    """
    runs = recorded.runs[recorded.runs[factor].isin(levels)]
    samples = recorded.samples[recorded.samples[factor].isin(levels)]
    if runs.empty:
        raise BadParameter(f"no run with {factor} = {' or '.join(levels)}: measure one, its demands predict the others")
    alone = samples[_met_an_idle_server(samples)]
    if alone.empty:
        raise BadParameter("no request met an idle server; measure at a lower rate")
    receiver_ms, controller_ms, dispatcher_ms = (
        float(runs[f"{kind}_cpu_ms"].mean()) for kind in ("receiver", "controller", "dispatcher")
    )
    first_ms = min(float(alone["hand_over_ms"].median()), receiver_ms)
    switch_ms = max(float(alone["dispatcher_queue_ms"].median()) - controller_ms, 0.0) / 2
    entry_ms = max(float(alone["receiver_queue_ms"].median()) - switch_ms, 0.0)
    return Demands(receiver_ms, controller_ms, dispatcher_ms, first_ms / receiver_ms, entry_ms, switch_ms)


def server(dispatchers: int, needs: Demands, scheduler: Scheduler, rate_per_s: float = 100.0) -> ThreadPool:
    """Return the live server's model; a scheduler that switches has the measured cost of it."""
    switching = scheduler if isinstance(scheduler, ProcessorSharing) else replace(scheduler, switch_ms=needs.switch_ms)
    return ThreadPool(
        (Flow(rate_per_s),),
        (Servant(needs.dispatcher_ms),),
        dispatchers,
        needs.receiver_ms,
        needs.first_share,
        scheduler=switching,
        controller=Controller(needs.controller_ms),
        hand_over="direct",
        wake_order="last idle",
    )


def of_level(recorded: Recording, factor: str, level: str) -> Recording:
    """Return the runs of a recording at a level of a factor."""
    samples, runs = (frame[frame[factor] == level] for frame in (recorded.samples, recorded.runs))
    return replace(recorded, samples=samples, runs=runs)


def measured(recorded: Recording, factor: str = "dispatchers") -> pd.DataFrame:
    """Return means of runs in ms: the factor as a number, ``block``, the columns of Table 1, and ``response_ms``.

    The response time is from when the request was sent until the reply is
    written.
    """
    samples = recorded.samples
    way = ["receiver_queue_ms", "hand_over_ms", "dispatcher_queue_ms", "dispatcher_ms"]
    chosen = samples.assign(response_ms=samples[way].sum(axis=1))
    runs = chosen.groupby([factor, "block"], observed=True)[[*COLUMNS, "response_ms"]].mean().reset_index()
    return runs.assign(**{factor: runs[factor].astype(int)}).sort_values([factor, "block"], ignore_index=True)


def predicted(
    recorded: Recording, needs: Demands, scheduler: Scheduler, factor: str = "dispatchers", dispatchers: int = 0
) -> pd.DataFrame:
    """Return what the model says of each run, in the columns of `measured`.

    Parameters
    ----------
    recorded : Recording
        The runs, whose arrivals the model meets.
    needs, scheduler
        Of the model.
    factor : str
        What the runs differ in.
    dispatchers : int
        The size of the pool, where that is not the factor.
    """
    rows = []
    level: Any
    for (level, block), samples in recorded.samples.groupby([factor, "block"], observed=True):
        pool = server(dispatchers or int(level), needs, scheduler)
        arrival_ms = np.sort(samples["sent_ns"].to_numpy() / 1e6 + needs.entry_ms)
        means = simulate_workload(pool, at_times(pool, arrival_ms)).means()
        means = {name: to + (needs.entry_ms if name in ("receiver_queue_ms", "response_ms") else 0.0)
                 for name, to in means.items()}  # fmt: skip
        rows.append({factor: int(level), "block": block} | means)
    return pd.DataFrame(rows).sort_values([factor, "block"], ignore_index=True)


def errors(predictions: Mapping[str, pd.DataFrame], runs: pd.DataFrame) -> pd.DataFrame:
    """Return by how much predictions of single runs err on average (ms).

    Parameters
    ----------
    predictions : mapping of str to DataFrame
        By the scheduler's name, in the columns of `measured`.
    runs : DataFrame
        From `measured`: the runs that are predicted.

    Returns
    -------
    DataFrame
        A row a prediction: means over blocks of absolute errors with their intervals, of the columns of Table 1, of
        ``All four`` together, and of ``response_ms``.
    """
    goal = runs.set_index(["dispatchers", "block"])
    gaps = {name: (one.set_index(goal.index.names) - goal).abs() for name, one in predictions.items()}
    scheduler = "Scheduler of the model"
    by_block = pd.concat(gaps, names=[scheduler]).groupby([scheduler, "block"], sort=False).mean()
    by_block.insert(len(COLUMNS), "All four", by_block[[*COLUMNS]].mean(axis=1))
    return estimates(by_block.groupby(level=0, sort=False)).map(lambda error: error.clipped(lowest=0))


def predicted_by_own(recorded: Recording, scheduler: Scheduler, factor: str, dispatchers: int) -> pd.DataFrame:
    """Return `predicted` with the demands measured at each level itself: what is wrong then is not the demands."""
    parts = []
    for level in recorded.runs[factor].unique():
        part = replace(recorded, samples=recorded.samples[recorded.samples[factor] == level])
        parts.append(predicted(part, demands(recorded, [level], factor), scheduler, factor, dispatchers))
    return pd.concat(parts, ignore_index=True)


def _met_an_idle_server(samples: pd.DataFrame) -> pd.Series:
    """Return which requests were sent when all earlier ones of their run had been answered."""
    found = []
    for _, run in samples.groupby("run", observed=True):
        own = run.sort_values("sent_ns")
        before_ns = own["ended_ns"].cummax().shift(fill_value=-1)
        found.append(own["sent_ns"] > before_ns)
    return pd.concat(found).reindex(samples.index)
