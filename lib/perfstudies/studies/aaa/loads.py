"""The loads of the AAA study's experiments: which clients send what, in which phases, when.

A request carries its client's number; a phase's clients count from `PHASE_STEP` times the phase, so that the server's
record tells phases apart.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from perfstudies.exchange import OK
from perfstudies.load.http.plan import BURST, OPEN, STUDY, USERS, Plan
from perfstudies.runs.plan import PlannedRun
from perfstudies.studies.aaa.base import OPERATION
from perfstudies.studies.aaa.limits import KEPT_UP
from perfstudies.studies.aaa.server import access_lines
from perfstudies.studies.aaa.server.access_lines import AccessLines
from perfstudies.studies.aaa.settings import RunSettings

PHASE_STEP = 100
NOT_RECORDED = 99 * PHASE_STEP
"""The client of requests that only prepare a run: no part of its record."""
LOAD = "load"
Phases = Iterator[tuple[str, list[dict[str, Any]]]]
BEFORE, DURING, AFTER = "before", "burst", "after"
RECOVERY_REQUESTS = {"smoke": 50, "quick": 50, "standard": 200, "full": 200}
"""One after the other on one connection, before a burst and after it, by profile."""
OUTSTANDING = 4000
"""Requests that open arrivals have under way at most."""


@dataclass(frozen=True)
class Phase:
    """Part of a run: a name, its clients' plans, and when they began (ns of the monotonic clock; 0 before)."""

    name: str
    plans: tuple[Plan, ...]
    start_ns: int = 0


def body(policy: str, timer: int) -> dict[str, Any]:
    """Return the arguments of a request, as in the study's Appendix C."""
    return {"version": "0.1", "type": policy, "TimerCondition": timer, "TimerAction": 10}


def bodies(settings: RunSettings, count: int, seed: int) -> tuple[dict[str, Any], ...]:
    """Return the arguments of a client's requests: one for all, or if they are mixed one a request, drawn by a seed."""
    plain = body(settings.policy, settings.timer)
    if not settings.mix:
        return (plain,)
    kinds = [plain, *(invalid() if name == "invalid" else body(name, settings.timer) for name in settings.mix)]
    weights = [1 - sum(settings.mix.values()), *settings.mix.values()]
    return tuple(random.Random(seed).choices(kinds, weights, k=count))


def invalid() -> dict[str, Any]:
    """Return the arguments of a request that the server has to refuse: there is no such policy."""
    return body("NoSuchPolicy01", 1)


def phases(
    planned: PlannedRun, settings: RunSettings, wsdl: str, folder: Path, lines: AccessLines | None
) -> Iterator[Phase]:
    """Yield a run's phases in their order.

    Parameters
    ----------
    planned, settings : PlannedRun, RunSettings
        What is to be sent.
    wsdl : str
        Address of the service's description.
    folder : Path
        Where the records go.
    lines : AccessLines or None
        The clients' lines, if they have their own.
    """
    make = {"starts": _starts, "burst": _burst, "rates": _rates, "closed": _closed}[planned.experiment.procedure]
    for number, (name, parts) in enumerate(make(planned, settings)):
        plans = tuple(
            Plan(
                wsdl=wsdl,
                operation=OPERATION,
                client=number * PHASE_STEP + client,
                record=folder / f"client-{number}-{client}.csv",
                ttl_s=settings.ttl_ms / 1000,
                source=access_lines.address(client) if lines else "",
                **_logs(folder, client, part),
                **part,
            )
            for client, part in enumerate(parts)
        )
        yield Phase(name, plans)


def is_enough(settings: RunSettings, phase: Phase) -> bool:
    """Whether no higher rate has to be offered, because the server did not keep up with this one."""
    if not settings.rates_per_s:
        return False
    sent = pd.concat([pd.read_csv(plan.record) for plan in phase.plans])
    return bool(min((sent["outcome"] == OK).mean(), _in_time(sent)) < KEPT_UP)


def _in_time(sent: pd.DataFrame) -> float:
    """Return how long requests were due for, as a share of the time until the last had ended.

    Not against the planned time: random arrivals of some hundred requests take a tenth more or less.
    """
    first_us = sent["intended_us"].min()
    return (sent["intended_us"].max() - first_us) / max(1, sent["ended_us"].max() - first_us)


def _logs(folder: Path, client: int, part: Mapping[str, Any]) -> dict[str, Any]:
    """Return where the study's own logs go, which only its own program writes."""
    if part["arrivals"] != STUDY:
        return {}
    return {"total_log": folder / f"Total_Timelog-{client}", "ejb_log": folder / f"EJB_Timelog-{client}"}


def _seed(planned: PlannedRun, client: int) -> int:
    return planned.block * PHASE_STEP + client


def _starts(planned: PlannedRun, settings: RunSettings) -> Phases:
    yield (
        LOAD,
        [
            {
                "arrivals": STUDY,
                "requests": settings.requests,
                "bodies": bodies(settings, settings.requests, _seed(planned, client)),
                "gap_ms": settings.gap_ms,
            }
            for client in range(settings.clients)
        ],
    )


def _burst(planned: PlannedRun, settings: RunSettings) -> Phases:
    one = {"bodies": (body(settings.policy, settings.timer),)}
    alone = {"arrivals": USERS, "requests": RECOVERY_REQUESTS[planned.profile], **one}
    share = {"arrivals": BURST, "requests": settings.requests // settings.clients, **one}
    yield BEFORE, [alone]
    yield DURING, [share] * settings.clients
    yield AFTER, [alone]


def _rates(planned: PlannedRun, settings: RunSettings) -> Phases:
    for rate in settings.rates_per_s:
        yield (
            f"{rate:g}",
            [
                {
                    "arrivals": OPEN,
                    "requests": round(rate * settings.step_s / settings.clients),
                    "bodies": (body(settings.policy, settings.timer),),
                    "rate_per_s": rate / settings.clients,
                    "seed": _seed(planned, client),
                    "outstanding": OUTSTANDING,
                    "keep_alive": True,
                }
                for client in range(settings.clients)
            ],
        )


def _closed(planned: PlannedRun, settings: RunSettings) -> Phases:
    yield (
        LOAD,
        [
            {
                "arrivals": USERS,
                "requests": settings.requests // settings.clients,
                "bodies": bodies(settings, settings.requests // settings.clients, _seed(planned, client)),
                "users": settings.concurrency,
                "keep_alive": True,
            }
            for client in range(settings.clients)
        ],
    )
