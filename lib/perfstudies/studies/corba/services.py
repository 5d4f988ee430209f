"""The thread-pool model with the demands of other studies' services, on the very arrivals of their recorded runs.

A service's demands are measured at its lowest loads and stay as they are: the model then says what waiting for two
processors and for a thread makes of them at higher loads. Each model comes twice, because a service's own time is not
all the work that a request makes: its clients shared the machine, and its virtual machine works beside requests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.formula.api as smf
from scipy.optimize import brentq

from perfstudies.errors import BadParameter
from perfstudies.models.pool_simulation import simulate_workload
from perfstudies.models.pool_workload import at_times
from perfstudies.models.schedulers import VirtualDeadlines
from perfstudies.models.thread_pool import Flow, Poa, Servant, ThreadPool
from perfstudies.runs.recording import Recording
from perfstudies.stats.interval import Interval

PROCESSORS = 2
"""Of the machines on which the runs were recorded."""
FLIGHT_THREADS = 200
"""Tomcat's default, which the Flight service has."""
AGENT_THREADS = "100"
"""The AAA study's own; starting a thousand takes long, and stands for many of the longest times."""
CALM_RATE, CALM_USERS, NEXT_USERS = "250", "1", "2"
"""The lowest loads: there demands are measured."""
ALONE, WITH_CLIENTS, WITH_MORE = "Service alone", "Service and clients", "Service and work beside it"
MOST_BESIDE_MS = 2000.0
OK = "ok"


@dataclass(frozen=True)
class AgentDemands:
    """What a request needs of the AAA service.

    Attributes
    ----------
    server_ms, client_ms : Interval
        Processor time that each further request adds to a run's, of the server's process and of the clients'.
    delay_ms : float
        In the bean, which waits: no processor. A median.
    way_ms : float
        What a request takes beside all these when hardly another is there. A difference of medians.
    """

    server_ms: Interval
    client_ms: Interval
    delay_ms: float
    way_ms: float


def agent_demands(recorded: Recording) -> AgentDemands:
    """Measure the AAA service's demands in runs of ``aaa/max-rate``.

    A run's processor time holds what starting costs (threads, compiling), however many requests follow. So demands are
    slopes over the number of requests; whether a run was its process's first or second is a term of its own.

    Raises
    ------
    BadParameter
        If no request was answered at the rate `CALM_RATE`, or all runs have as many requests.
    """
    samples, runs = recorded.samples, recorded.runs
    calm = samples[(samples["phase"] == CALM_RATE) & (samples["outcome"] == OK)]
    if calm.empty:
        raise BadParameter(f"no request was answered at {CALM_RATE} requests/s, where demands are measured")
    if runs["requests_sent"].nunique() < 2:
        raise BadParameter("all runs have as many requests; what one more costs cannot be told from them")
    server_ms, client_ms = (_slope_ms(runs, f"cpu_{side}_s") for side in ("server", "client"))
    delay_ms = float(calm["asm_ms"].median())
    way_ms = float(calm["response_ms"].median()) - delay_ms - server_ms.estimate - client_ms.estimate
    return AgentDemands(server_ms, client_ms, delay_ms, max(way_ms, 0.0))


def _slope_ms(runs: pd.DataFrame, column: str) -> Interval:
    fitted = smf.ols(f"{column} ~ requests_sent + C(position)", runs).fit()
    low, high = fitted.conf_int().loc["requests_sent"]
    return Interval(1000 * fitted.params["requests_sent"], 1000 * low, 1000 * high, 0.95, len(runs))


def agent(recorded: Recording, needs: AgentDemands) -> pd.DataFrame:
    """Return median times of ``aaa/max-rate`` with `AGENT_THREADS`, from when requests were due until their answers.

    Medians, because the model knows nothing of what stops a whole process now and then, which means consist of.

    Returns
    -------
    DataFrame
        A row a run and a rate: ``level`` (requests/s), ``block``, ``measured_ms``, ``mean_ms`` (measured, too), and
        what each model predicts for the same arrivals, by its name.
    """
    both_ms = needs.server_ms.estimate + needs.client_ms.estimate
    rows = []
    samples = recorded.samples
    answered = samples[(samples["outcome"] == OK) & (samples["http.threads"] == AGENT_THREADS)]
    phase: Any
    for (block, phase), part in answered.groupby(["block", "phase"], observed=True):
        arrival_ms = np.sort(part["intended_us"].to_numpy()) / 1000
        said = {}
        for name, cpu_ms in {ALONE: needs.server_ms.estimate, WITH_CLIENTS: both_ms}.items():
            pool = _machine([Servant(_to_the_ns(cpu_ms), delay_ms=needs.delay_ms)], int(AGENT_THREADS))
            # What the calm rate takes beside the model's part stays as it is.
            said[name] = float(np.median(_times_ms(pool, arrival_ms))) + needs.way_ms + both_ms - cpu_ms
        times = part["response_ms"]
        row = {"level": int(phase), "block": block, "measured_ms": times.median(), "mean_ms": times.mean()}
        rows.append(row | said)
    return pd.DataFrame(rows).sort_values(["level", "block"], ignore_index=True)


@dataclass(frozen=True)
class FlightDemands:
    """What a request needs of the Flight service.

    Attributes
    ----------
    service_ms : dict
        By operation, from the client's sending to the answer for a single user, when nobody else is there: means.
    beside_ms : float
        Processor time that a request must take beside that for two users to wait as long as they do.
    """

    service_ms: dict[str, float]
    beside_ms: float


def flight_demands(recorded: Recording) -> FlightDemands:
    """Measure the Flight service's demands in those runs of ``step/users`` that have one user or two.

    Raises
    ------
    BadParameter
        If one of both has no run.
    """
    calls = _measured(recorded)
    for users in (CALM_USERS, NEXT_USERS):
        if not (calls["users"] == users).any():
            raise BadParameter(f"no run with users = {users}, where demands are measured")
    calm = calls[calls["users"] == CALM_USERS].groupby("operation", observed=True)["elapsed_ms"].mean()
    own: dict[Any, float] = calm.to_dict()
    two = calls[calls["users"] == NEXT_USERS]

    def gap_ms(beside_ms: float) -> float:
        runs = _flight(two, own, {WITH_MORE: beside_ms})
        return float((runs[WITH_MORE] - runs["measured_ms"]).mean())

    if gap_ms(0.0) >= 0:
        return FlightDemands(own, 0.0)
    return FlightDemands(own, brentq(gap_ms, 0.0, MOST_BESIDE_MS, xtol=0.5))


def flight(recorded: Recording, needs: FlightDemands) -> pd.DataFrame:
    """Return mean times of ``step/users`` as its clients saw them.

    Returns
    -------
    DataFrame
        As `agent`'s without ``mean_ms``, with the number of users as ``level``.
    """
    return _flight(_measured(recorded), needs.service_ms, {ALONE: 0.0, WITH_MORE: needs.beside_ms})


def _flight(calls: pd.DataFrame, service_ms: dict[str, float], beside_ms: dict[str, float]) -> pd.DataFrame:
    operations = list(service_ms)
    models = {
        # Work beside a request is done after its answer, as a second phase is.
        name: _machine(
            [Servant(_to_the_ns(service_ms[one])) for one in operations],
            FLIGHT_THREADS,
            Poa(_to_the_ns(ms), first_share=0.0),
        )
        for name, ms in beside_ms.items()
    }
    rows = []
    users: Any
    for (users, block), part in calls.groupby(["users", "block"], observed=True):
        sent = part.sort_values("sent_ns", kind="stable")
        arrival_ms = (sent["sent_ns"] - sent["sent_ns"].iloc[0]).to_numpy() / 1e6
        servant = sent["operation"].map(operations.index).to_numpy()
        said = {name: float(_times_ms(model, arrival_ms, servant).mean()) for name, model in models.items()}
        rows.append({"level": int(users), "block": block, "measured_ms": part["elapsed_ms"].mean()} | said)
    return pd.DataFrame(rows).sort_values(["level", "block"], ignore_index=True)


def _to_the_ns(measured_ms: float) -> float:
    """Return a demand as the model takes it.

    The last bits of what is fitted or averaged depend on the processor that computes it. Near saturation the model
    makes other queues of them, and the stored outputs would hold on one kind of machine alone.
    """
    return round(measured_ms, 6)


def _machine(servants: Sequence[Servant], threads: int, poa: Poa | None = None) -> ThreadPool:
    # Rates play no part: arrivals are given.
    flows = tuple(Flow(1.0, servant) for servant in range(len(servants)))
    return ThreadPool(
        flows, tuple(servants), threads, poas=(poa or Poa(),), processors=PROCESSORS, scheduler=VirtualDeadlines()
    )


def _times_ms(pool: ThreadPool, arrival_ms: np.ndarray, servant: np.ndarray | None = None) -> np.ndarray:
    trace = simulate_workload(pool, at_times(pool, arrival_ms, servant))
    return trace.replied_ms - trace.arrival_ms


def _measured(recorded: Recording) -> pd.DataFrame:
    return recorded.calls[recorded.calls["measured"]]
