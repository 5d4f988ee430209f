"""The CORBA study's server as a thread-pool model: what is known of it, what is not, and how well it then fits Table 1.

Demands and arrivals are the study's. What its text leaves open is fitted to the measured values of four of the nine
rows only; the other rows judge it. All models and parameters meet the same arrivals (common random numbers), so that
the error is a smooth function of the parameters although each value is simulated.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pandas as pd
from scipy.optimize import minimize

from perfstudies.errors import BadParameter
from perfstudies.models.pool_simulation import replicate
from perfstudies.models.pool_trace import COLUMNS
from perfstudies.models.schedulers import ProcessorSharing, Scheduler, TimeSlices
from perfstudies.models.thread_pool import Flow, Poa, Servant, ThreadPool
from perfstudies.published import published_table

DISPATCHERS = (1, 2, 4, 6, 8, 10, 15, 20, 25)
FITTED = (1, 4, 8, 15)
REQUESTS = 15000
RATE_PER_S = 100.0
RECEIVER_MS = 0.925
SERVANT_MS = 5.0
DISPATCHER_MS = 5.6
SOURCES = ("Measured", "Ruby", "Extend")
NO_SLICES_MS = 1e9


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


CONTINUOUS = {"first_share": (0.5, 1.0), "entry_ms": (0.0, 1.0), "switch_ms": (0.0, 0.1)}
CHOICES = {
    "least_lead": (1, 2),
    "newest_first": (True, False),
    "signals": ("one", "all"),
    "wake_order": ("longest idle", "last idle"),
}


@dataclass(frozen=True)
class Fit:
    """The assumptions that fit best, and the mean absolute errors in ms.

    Attributes
    ----------
    assumptions : Assumptions
    fitted_ms, others_ms, all_ms : float
        Over the cells of the rows that were fitted, of the others, and of all.
    """

    assumptions: Assumptions
    fitted_ms: float
    others_ms: float
    all_ms: float


def server(dispatchers: int, assumptions: Assumptions, scheduler: Scheduler | None = None) -> ThreadPool:
    """Return the study's server: one connection, one object at the Root-POA, one processor."""
    slices = TimeSlices(
        least_lead=assumptions.least_lead, newest_first=assumptions.newest_first, switch_ms=assumptions.switch_ms
    )
    return ThreadPool(
        (Flow(RATE_PER_S),),
        (Servant(SERVANT_MS),),
        dispatchers,
        RECEIVER_MS,
        assumptions.first_share,
        # How the other 0.6 ms are split between adapter and marshaling makes no difference to any column.
        (Poa(DISPATCHER_MS - SERVANT_MS),),
        scheduler=slices if scheduler is None else scheduler,
        signals=assumptions.signals,
        wake_order=assumptions.wake_order,
    )


def published(source: str = "Measured") -> pd.DataFrame:
    """Return a source's four columns of Table 1 in ms, with the model's names, indexed by dispatchers.

    Raises
    ------
    BadParameter
        If the source is none of `SOURCES`.
    """
    if source not in SOURCES:
        raise BadParameter.choice("source", source, SOURCES)
    table = published_table("corba", 1)
    names = ("receiver queuing", "receiver completion", "dispatcher queuing", "dispatcher completion")
    chosen = table[[f"{source} {name} time (ms)" for name in names]]
    return chosen.set_axis(list(COLUMNS), axis="columns").rename_axis("dispatchers")


def simulated(
    assumptions: Assumptions,
    seeds: Sequence[int],
    dispatchers: Sequence[int] = DISPATCHERS,
    requests: int = REQUESTS,
    scheduler: Scheduler | None = None,
) -> pd.DataFrame:
    """Return the model's Table 1: means over runs, with the rows and columns of `published`."""
    table = replicate([server(count, assumptions, scheduler) for count in dispatchers], seeds, requests)
    means = table.groupby("pool")[list(COLUMNS)].mean()
    means["receiver_queue_ms"] += assumptions.entry_ms
    return means.set_axis(pd.Index(dispatchers, name="dispatchers"), axis="index")


def mean_error_ms(table: pd.DataFrame, rows: Iterable[int] | None = None) -> float:
    """Return the mean absolute difference to the measured cells, over all rows of a table or some."""
    chosen = table.index if rows is None else list(rows)
    return float((table.loc[chosen] - published().loc[chosen]).abs().to_numpy().mean())


def fit(
    seeds: Sequence[int],
    requests: int = REQUESTS,
    start: Assumptions = Assumptions(),
    choices: dict[str, tuple] | None = None,
    target: pd.DataFrame | None = None,
) -> Fit:
    """Fit what is open to the rows `FITTED`, by least squares over their cells.

    For every combination of the choices the continuous parameters are found by Nelder and Mead's method within the
    bounds `CONTINUOUS`; the best combination wins. No value of another row enters.

    Parameters
    ----------
    seeds : sequence of int
        Of the replications.
    requests : int
        In each run.
    start : Assumptions
        Where the search begins.
    choices : dict, optional
        Values to try by name; `CHOICES` if not given, and {} for those of `start` only.
    target : DataFrame, optional
        Another table than the measured one, for tests.
    """
    goal = (published() if target is None else target).loc[list(FITTED)]
    tried = CHOICES if choices is None else choices

    def squares(values: np.ndarray, base: Assumptions) -> float:
        found = simulated(_with(base, values), seeds, FITTED, requests)
        return float(((found - goal) ** 2).to_numpy().mean())

    results = []
    for combination in product(*tried.values()):
        base = replace(start, **dict(zip(tried, combination, strict=True)))
        found = minimize(
            squares,
            [getattr(base, name) for name in CONTINUOUS],
            args=(base,),
            method="Nelder-Mead",
            bounds=list(CONTINUOUS.values()),
            options={"xatol": 1e-3, "fatol": 1e-5, "initial_simplex": _simplex(base)},
        )
        results.append((found.fun, _with(base, found.x)))
    best = min(results, key=lambda one: one[0])[1]
    table = simulated(best, seeds, DISPATCHERS, requests)
    others = [count for count in DISPATCHERS if count not in FITTED]
    return Fit(best, mean_error_ms(table, FITTED), mean_error_ms(table, others), mean_error_ms(table))


def ablation(assumptions: Assumptions, seeds: Sequence[int], requests: int = REQUESTS) -> pd.DataFrame:
    """Return the mean absolute error over all cells, with each mechanism left out and the rest as it is.

    Returns
    -------
    DataFrame
        A row a model: error_ms, and the error of each column.
    """
    fitted = server(1, assumptions).scheduler
    models = {
        "as fitted": (assumptions, None),
        "without time slices": (assumptions, replace(fitted, tick_ms=NO_SLICES_MS)),
        "without wake-ups that interrupt": (assumptions, replace(fitted, wakes_preempt=False)),
        "without a second phase": (replace(assumptions, first_share=1.0), None),
        "processor sharing": (assumptions, ProcessorSharing()),
    }
    rows = {}
    for name, (assumed, scheduler) in models.items():
        errors = (simulated(assumed, seeds, DISPATCHERS, requests, scheduler) - published()).abs()
        rows[name] = {"error_ms": errors.to_numpy().mean()} | errors.mean().to_dict()
    return pd.DataFrame.from_dict(rows, orient="index")


def _with(base: Assumptions, values: Sequence[float]) -> Assumptions:
    return replace(base, **{name: float(value) for name, value in zip(CONTINUOUS, values, strict=True)})


def _simplex(base: Assumptions) -> np.ndarray:
    """Return a start and one step along each parameter, a fifth of its range, inwards."""
    start = np.array([getattr(base, name) for name in CONTINUOUS])
    low, high = np.array(list(CONTINUOUS.values())).T
    step = (high - low) / 5
    return np.vstack([start, start + np.diag(np.where(start + step <= high, step, -step))])
