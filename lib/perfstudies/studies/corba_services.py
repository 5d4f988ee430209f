"""The thread-pool model with the demands of other studies' services, on the very arrivals of their recorded runs.

A service's demands are measured at its lowest load and stay as they are: the model then says what waiting for two
processors and for a thread makes of them at higher loads. Lab and service shared a machine, so that each model comes
twice: with the service's work alone, and with that of its clients on the same processors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from perfstudies.errors import BadParameter
from perfstudies.models.pool_simulation import simulate_workload
from perfstudies.models.pool_workload import at_times
from perfstudies.models.schedulers import VirtualDeadlines
from perfstudies.models.thread_pool import Flow, Poa, Servant, ThreadPool
from perfstudies.recording import Recording

PROCESSORS = 2
"""Of the machines on which the runs were recorded."""
ALONE, TOGETHER = "Service alone", "Service and clients"
FLIGHT_THREADS = 200
"""Tomcat's default, which the Flight service has."""
CALM_RATE, CALM_USERS = "250", "1"
"""The lowest loads: there demands are measured."""
OK = "ok"


@dataclass(frozen=True)
class AgentDemands:
    """What a request needs of the AAA service, in ms.

    Attributes
    ----------
    server_ms, client_ms : float
        Processor time of the processes a request, over whole runs.
    delay_ms : float
        In the bean, which waits: no processor.
    way_ms : float
        What a request takes beside all these when hardly another is there.
    """

    server_ms: float
    client_ms: float
    delay_ms: float
    way_ms: float


def agent_demands(recorded: Recording) -> AgentDemands:
    """Measure the AAA service's demands in runs of ``aaa/max-rate``.

    Raises
    ------
    BadParameter
        If no request was answered at the rate `CALM_RATE`.
    """
    samples, runs = recorded.samples, recorded.runs
    calm = samples[(samples["phase"] == CALM_RATE) & (samples["outcome"] == OK)]
    if calm.empty:
        raise BadParameter(f"no request was answered at {CALM_RATE} requests/s, where demands are measured")
    requests = runs["requests_sent"].sum()
    server_ms, client_ms = (1000 * runs[f"cpu_{side}_s"].sum() / requests for side in ("server", "client"))
    delay_ms = float(calm["asm_ms"].mean())
    way_ms = max(float(calm["response_ms"].mean()) - delay_ms - server_ms - client_ms, 0.0)
    return AgentDemands(float(server_ms), float(client_ms), delay_ms, way_ms)


def agent(recorded: Recording, needs: AgentDemands) -> pd.DataFrame:
    """Return mean times of ``aaa/max-rate`` from when requests were due until they were answered.

    Returns
    -------
    DataFrame
        A row a run and a rate: ``level`` (requests/s), ``block``, ``measured_ms``, and what each model predicts for the
        same arrivals, by its name.
    """
    rows = []
    answered = recorded.samples[recorded.samples["outcome"] == OK]
    for (threads, block, phase), part in answered.groupby(["http.threads", "block", "phase"], observed=True):
        arrival_ms = np.sort(part["intended_us"].to_numpy()) / 1000
        said = {}
        for name, cpu_ms in {ALONE: needs.server_ms, TOGETHER: needs.server_ms + needs.client_ms}.items():
            servant = Servant(cpu_ms, delay_ms=needs.delay_ms)
            # What the calm rate takes beside the model's part stays as it is.
            other_ms = needs.way_ms + needs.server_ms + needs.client_ms - cpu_ms
            said[name] = _mean_ms(_machine([servant], int(threads)), arrival_ms) + other_ms
        rows.append({"level": int(phase), "block": block, "measured_ms": part["response_ms"].mean()} | said)
    return pd.DataFrame(rows).sort_values(["level", "block"], ignore_index=True)


@dataclass(frozen=True)
class FlightDemands:
    """What a request needs of the Flight service: by operation, in ms.

    Attributes
    ----------
    server_ms : dict
        From the client's sending to the answer, for a single user: nobody else is there, and nothing waits for a disk.
    between_ms : dict
        From an answer to the same user's next request: what the client does meanwhile, on the same machine.
    """

    server_ms: dict[str, float]
    between_ms: dict[str, float]


def flight_demands(recorded: Recording) -> FlightDemands:
    """Measure the Flight service's demands in those runs of ``step/users`` that have a single user.

    Raises
    ------
    BadParameter
        If no run has.
    """
    calm = _measured(recorded)[lambda calls: calls["users"] == CALM_USERS]
    if calm.empty:
        raise BadParameter(f"no run with users = {CALM_USERS}, where demands are measured")
    by_operation = calm.assign(between_ms=_between_ms(calm)).groupby("operation")
    return FlightDemands(by_operation["elapsed_ms"].mean().to_dict(), by_operation["between_ms"].mean().to_dict())


def flight(recorded: Recording, needs: FlightDemands) -> pd.DataFrame:
    """Return mean times of ``step/users`` as its clients saw them.

    Returns
    -------
    DataFrame
        As `agent`'s, with the number of users as ``level``.
    """
    operations = list(needs.server_ms)
    servants = [Servant(needs.server_ms[name], poa=number) for number, name in enumerate(operations)]
    models = {
        ALONE: _machine(servants, FLIGHT_THREADS, [Poa() for _ in operations]),
        # The client works after the answer, as a second phase does.
        TOGETHER: _machine(
            servants, FLIGHT_THREADS, [Poa(needs.between_ms[name], first_share=0.0) for name in operations]
        ),
    }
    rows = []
    for (users, block), part in _measured(recorded).groupby(["users", "block"], observed=True):
        sent = part.sort_values("sent_ns", kind="stable")
        arrival_ms = (sent["sent_ns"] - sent["sent_ns"].iloc[0]).to_numpy() / 1e6
        servant = sent["operation"].map(operations.index).to_numpy()
        said = {name: _mean_ms(model, arrival_ms, servant) for name, model in models.items()}
        rows.append({"level": int(users), "block": block, "measured_ms": part["elapsed_ms"].mean()} | said)
    return pd.DataFrame(rows).sort_values(["level", "block"], ignore_index=True)


def clients_work_ms(recorded: Recording) -> pd.DataFrame:
    """Return what a client of ``step/users`` takes between an answer and its next request, a row a run: mean in ms."""
    calls = _measured(recorded)
    means = calls.assign(between_ms=_between_ms(calls)).groupby(["users", "block"], observed=True)["between_ms"].mean()
    return means.rename_axis(["level", "block"]).reset_index().assign(level=lambda frame: frame["level"].astype(int))


def _machine(servants: Sequence[Servant], threads: int, poas: Sequence[Poa] = (Poa(),)) -> ThreadPool:
    # Rates play no part: arrivals are given.
    flows = tuple(Flow(1.0, servant) for servant in range(len(servants)))
    scheduler = VirtualDeadlines()
    return ThreadPool(flows, tuple(servants), threads, poas=tuple(poas), processors=PROCESSORS, scheduler=scheduler)


def _mean_ms(pool: ThreadPool, arrival_ms: np.ndarray, servant: np.ndarray | None = None) -> float:
    return simulate_workload(pool, at_times(pool, arrival_ms, servant)).means()["response_ms"]


def _measured(recorded: Recording) -> pd.DataFrame:
    return recorded.calls[recorded.calls["measured"]]


def _between_ms(calls: pd.DataFrame) -> pd.Series:
    """Return from each answer to the same user's next request; missing after the last."""
    ordered = calls.sort_values(["run", "user", "sent_ns"])
    following = ordered.groupby(["run", "user"], observed=True)["sent_ns"].shift(-1)
    return ((following - ordered["ended_ns"]) / 1e6).reindex(calls.index)
