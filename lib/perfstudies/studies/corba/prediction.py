"""What the live broker's model says of loads and machines that were not measured: the study's projected growth.

Demands come from two measured rates; the model is simulated from nearly idle to nearly saturated, as it is, with a
faster or a second processor, and with fewer or more dispatchers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from perfstudies.models.pool_load import utilisations
from perfstudies.models.pool_simulation import replicate
from perfstudies.models.schedulers import Scheduler
from perfstudies.models.thread_pool import ThreadPool
from perfstudies.studies.corba.live import Demands, server

CALIBRATED = ("40", "120")
"""Rates at which demands are measured; the others are predicted."""
AS_IT_IS = "As it is"
BUSY = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
"""How busy the busiest part is at each simulated rate."""


@dataclass(frozen=True)
class Scenario:
    """A machine: how many times faster each processor is, how many there are, and the size of the pool."""

    faster: float = 1.0
    processors: int = 1
    dispatchers: int = 10


SCENARIOS = {
    AS_IT_IS: Scenario(),
    "1 dispatcher": Scenario(dispatchers=1),
    "25 dispatchers": Scenario(dispatchers=25),
    "Processor twice as fast": Scenario(faster=2.0),
    "Two processors": Scenario(processors=2),
}


def machine(scenario: Scenario, needs: Demands, scheduler: Scheduler, rate_per_s: float) -> ThreadPool:
    """Return a scenario's model; the way from the client stays as it is."""
    times = ("receiver_ms", "controller_ms", "dispatcher_ms", "switch_ms")
    scaled = replace(needs, **{name: getattr(needs, name) / scenario.faster for name in times})
    pool = server(scenario.dispatchers, scaled, scheduler, rate_per_s)
    return replace(pool, processors=scenario.processors)


def capacity_per_s(scenario: Scenario, needs: Demands, scheduler: Scheduler) -> float:
    """Return the rate at which the busiest part is always busy, by its work alone: no pool does more."""
    return 1.0 / max(utilisations(machine(scenario, needs, scheduler, 1.0)).values())


def growth(
    needs: Demands, scheduler: Scheduler, seeds: Sequence[int], requests: int, busy: Sequence[float] = BUSY
) -> pd.DataFrame:
    """Simulate all scenarios from nearly idle to nearly saturated.

    Returns
    -------
    DataFrame
        A row a scenario, a rate and a seed: ``scenario``, ``rate_per_s``, ``busy``, ``seed``, and ``response_ms`` from
        the client's sending to the reply.
    """
    cases = [
        (name, share * capacity_per_s(scenario, needs, scheduler), share)
        for name, scenario in SCENARIOS.items() for share in busy
    ]  # fmt: skip
    pools = [machine(SCENARIOS[name], needs, scheduler, rate) for name, rate, _ in cases]
    runs = replicate(pools, seeds, requests)
    kinds = pd.DataFrame(cases, columns=["scenario", "rate_per_s", "busy"])
    found = runs[["pool", "seed", "response_ms"]].join(kinds, on="pool").drop(columns="pool")
    return found.assign(response_ms=found["response_ms"] + needs.entry_ms)
