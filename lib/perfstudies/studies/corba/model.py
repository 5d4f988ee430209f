"""The CORBA study's server as a thread-pool model: what is known of it, what is open, and how near it comes to Table 1.

Demands and arrivals are the study's. What its text leaves open is in `Assumptions`; `fit` fits it. All models and
parameters meet the same arrivals under one seed (common random numbers), so that differences between them are not those
of arrivals.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from perfstudies.errors import require_one_of
from perfstudies.models.pool_simulation import replicate
from perfstudies.models.pool_trace import COLUMNS
from perfstudies.models.schedulers import ProcessorSharing, Scheduler, TimeSlices
from perfstudies.models.thread_pool import Flow, Poa, Servant, ThreadPool
from perfstudies.published import published_table

DISPATCHERS = (1, 2, 4, 6, 8, 10, 15, 20, 25)
FITTED = (1, 4, 8, 15)
"""The rows of Table 1 that open parameters are fitted to; the others judge the model."""
REQUESTS = 15000
RATE_PER_S = 100.0
RECEIVER_MS = 0.925
SERVANT_MS = 5.0
DISPATCHER_MS = 5.6
SOURCES = ("Measured", "Ruby", "Extend")
NO_SLICES_MS = 1e9

NAMES = dict(
    zip(
        COLUMNS,
        ("Receiver queuing", "Receiver completion", "Dispatcher queuing", "Dispatcher completion"),
        strict=True,
    )
)
"""What the study calls the model's columns; all are mean times in ms."""
QUEUING, COMPLETION = list(NAMES.values())[0::2], list(NAMES.values())[1::2]
"""What Figure 2 and what Figure 3 draws."""

OURS = "Ours"
SHARING = "Processor sharing"


@dataclass(frozen=True)
class Assumptions:
    """What the study leaves open.

    Attributes
    ----------
    first_share : float
        How much of the receiver's processor time comes before the hand-over.
    entry_ms : float
        Time from the client's clock to the receiver's buffer. The study measured the receiver's queue from "somewhere
        between client and server-side receiver thread", so that its values hold the way there; the model's do not.
    switch_ms : float
        Processor time that each change to another thread costs, which no thread's own processor time holds.
    least_lead, newest_first
        As in `perfstudies.models.schedulers.TimeSlices`.
    signals, wake_order
        As in `perfstudies.models.thread_pool.ThreadPool`.
    """

    first_share: float = 0.9
    entry_ms: float = 0.0
    switch_ms: float = 0.0
    least_lead: int = 1
    newest_first: bool = True
    signals: str = "one"
    wake_order: str = "longest idle"


def slices(assumptions: Assumptions) -> TimeSlices:
    """Return the study's scheduler under these assumptions."""
    return TimeSlices(
        least_lead=assumptions.least_lead, newest_first=assumptions.newest_first, switch_ms=assumptions.switch_ms
    )


def server(dispatchers: int, assumptions: Assumptions, scheduler: Scheduler | None = None) -> ThreadPool:
    """Return the study's server: one connection, one object at the Root-POA, one processor."""
    return ThreadPool(
        (Flow(RATE_PER_S),),
        (Servant(SERVANT_MS),),
        dispatchers,
        RECEIVER_MS,
        assumptions.first_share,
        # How the other 0.6 ms are split between adapter and marshaling makes no difference to any column.
        (Poa(DISPATCHER_MS - SERVANT_MS),),
        scheduler=slices(assumptions) if scheduler is None else scheduler,
        signals=assumptions.signals,
        wake_order=assumptions.wake_order,
    )


def variants(assumptions: Assumptions) -> dict[str, tuple[Assumptions, Scheduler]]:
    """Return the model as assumed, and with each of its mechanisms left out, by name."""
    whole = slices(assumptions)
    return {
        OURS: (assumptions, whole),
        "Without time slices": (assumptions, replace(whole, tick_ms=NO_SLICES_MS)),
        "Without interrupting wake-ups": (assumptions, replace(whole, wakes_preempt=False)),
        "Without a second phase": (replace(assumptions, first_share=1.0), whole),
        "Without the way in and switches": (
            replace(assumptions, entry_ms=0.0, switch_ms=0.0), replace(whole, switch_ms=0.0),
        ),
        SHARING: (assumptions, ProcessorSharing()),
    }  # fmt: skip


def published(source: str = "Measured") -> pd.DataFrame:
    """Return a source's four columns of Table 1 in ms, with the model's names, indexed by dispatchers.

    Raises
    ------
    BadParameter
        If the source is none of `SOURCES`.
    """
    require_one_of("source", source, SOURCES)
    table = published_table("corba", 1)
    names = ("receiver queuing", "receiver completion", "dispatcher queuing", "dispatcher completion")
    chosen = table[[f"{source} {name} time (ms)" for name in names]]
    return chosen.set_axis(list(COLUMNS), axis="columns").rename_axis("dispatchers")


def replications(
    assumptions: Assumptions,
    seeds: Sequence[int],
    dispatchers: Sequence[int] = DISPATCHERS,
    requests: int = REQUESTS,
    scheduler: Scheduler | None = None,
) -> pd.DataFrame:
    """Return the model's runs: a row a number of dispatchers and a seed, whose arrivals all rows share.

    Columns: ``dispatchers``, ``seed``, those of `published`, and ``response_ms``, both with the time to the receiver.
    """
    runs = replicate([server(count, assumptions, scheduler) for count in dispatchers], seeds, requests)
    for name in ("receiver_queue_ms", "response_ms"):
        runs[name] += assumptions.entry_ms
    return runs.assign(pool=runs["pool"].map(dict(enumerate(dispatchers)))).rename(columns={"pool": "dispatchers"})


def means(runs: pd.DataFrame) -> pd.DataFrame:
    """Return `replications` as Table 1 has them: means over seeds, with the rows and columns of `published`."""
    return runs.groupby("dispatchers")[list(COLUMNS)].mean()


def others(rows: Iterable[int] = DISPATCHERS) -> list[int]:
    """Return those rows that nothing is fitted to."""
    return [count for count in rows if count not in FITTED]


def errors_of_a_true_model(runs: pd.DataFrame, rows: Sequence[int] | None = None) -> np.ndarray:
    """Return by how much measurements of exactly this model would differ from its means: mean absolute errors in ms.

    The study measured each number of dispatchers once. Here a measurement is put together of runs with a seed of their
    own for each number, and compared with the means over all seeds; there are as many as seeds.
    """
    wide = {count: part.sort_values("seed")[list(COLUMNS)].to_numpy() for count, part in runs.groupby("dispatchers")}
    chosen = list(wide) if rows is None else list(rows)
    gaps = [
        # Seeds are moved by one more from row to row, so that no two rows of a measurement share arrivals.
        np.roll(np.abs(wide[count] - wide[count].mean(axis=0)), place, axis=0)
        for place, count in enumerate(chosen)
    ]
    return np.mean(gaps, axis=(0, 2))


def assumptions_of(row: Mapping[str, Any] | pd.Series) -> Assumptions:
    """Return assumptions from a table's row that has a column for each."""
    default = Assumptions()
    return Assumptions(**{name: type(value)(row[name]) for name, value in vars(default).items()})
