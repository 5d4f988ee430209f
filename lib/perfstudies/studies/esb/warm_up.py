"""Warming up the processes of the ESB study: one after the other, by few clients and then by many, until each is level.

A JVM compiles what runs often, beside what it is to compile for. A closed load of a hundred clients leaves the compiler
one thread's share among hundreds: Camel was then still getting faster after a minute, at four times the rate of its
first seconds. A load at a low rate leaves it the time and gives it no cause: after 20,000 messages Camel answered
3,000 a second, twice in a row, and more than 8,000 some minutes later. A few clients ask for as much as can be answered
and leave the compiler its share; many clients, afterwards, take ways through the code that few do not. What is left of
warm-up is found in each run's own log.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from perfstudies.load.rate.plan import RatePlan
from perfstudies.load.rate.run import RateResult, run_rate
from perfstudies.servers.process import Process
from perfstudies.studies.esb.workload.echo import Message

WINDOW_S = {"smoke": 0.3, "quick": 5, "standard": 5, "full": 5}
"""How long a window of messages is, by profile."""
CLIENTS = {"smoke": (4,), "quick": (4,), "standard": (4, 100), "full": (4, 100)}
"""How many clients ask, one number after the other, by profile."""
MOST_WINDOWS = {"smoke": 1, "quick": 1, "standard": 12, "full": 24}
"""How many windows each number of clients has at most, by profile."""
LEVEL = 1.05
PATIENCE = 2
"""So many windows in a row have to bring nothing: the compiler works in bursts, with plateaus between them."""
TIMEOUT_S = 30.0
HIGHEST_RATE_PER_S = 100_000
"""Room in a log for so many messages a second; none of the systems comes near."""


@dataclass(frozen=True)
class Target:
    """What is warmed up: a name for it, an address, and a message that it answers."""

    name: str
    address: str
    message: Message

    def plan(
        self,
        record: Path,
        seconds: float,
        connections: int,
        rate: float = 0.0,
        messages: int = 0,
        timeout_s: float = TIMEOUT_S,
        seed: int = 0,
    ) -> RatePlan:
        """Return a load on it; arguments as of `RatePlan`, `messages` are those of each connection."""
        return RatePlan(
            address=self.address,
            message=self.message.content,
            headers=self.message.headers,
            connections=connections,
            requests_per_connection=messages,
            max_requests=messages * connections or int(HIGHEST_RATE_PER_S * max(1.0, seconds)),
            duration_s=seconds,
            rate=rate,
            seed=seed,
            timeout_s=timeout_s,
            must_contain=self.message.must_contain,
            record=record,
        )


def unrecorded(plan: RatePlan, alive: Callable[[], bool], client: Process) -> RateResult:
    """Carry out a load by a client and remove its log; errors as of `run_rate`."""
    try:
        return run_rate(plan, alive, client=client)
    finally:
        plan.record.unlink(missing_ok=True)


def warm_up(
    targets: Sequence[Target], profile: str, place: Path, alive: Callable[[], bool], client: Process
) -> list[dict[str, object]]:
    """Warm up processes that have just been started.

    Parameters
    ----------
    targets : sequence of Target
        What they answer.
    profile : str
        How much.
    place : Path
        A folder for logs that are removed again.
    alive : callable
        Whether the processes still run.
    client : Process
        Who asks, of `rate_client`.

    Returns
    -------
    list of dict
        For a manifest: each one's ``name``, and the answered messages a second of its windows (``per_s``).

    Raises
    ------
    SystemFailed
        If a process died or answered nothing.
    """
    place.mkdir(parents=True, exist_ok=True)
    return [
        {
            "name": target.name,
            "per_s": [
                rate
                for clients in CLIENTS[profile]
                for rate in until_level(_window(target, clients, profile, place, alive, client), MOST_WINDOWS[profile])
            ],
        }
        for target in targets
    ]


def _window(
    target: Target, clients: int, profile: str, place: Path, alive: Callable[[], bool], client: Process
) -> Callable[[], float]:
    seconds = WINDOW_S[profile]
    plan = target.plan(place / "window.bin", seconds, clients)
    return lambda: round(unrecorded(plan, alive, client).ended / seconds, 1)


def until_level(window: Callable[[], float], most: int) -> list[float]:
    """Return windows' rates, up to where `PATIENCE` of them bring no more than `LEVEL` times the best before them.

    Parameters
    ----------
    window : callable
        Measures one; returns its rate.
    most : int
        How many there are at most.
    """
    rates: list[float] = []
    while len(rates) < most:
        rates.append(window())
        if len(rates) > PATIENCE and max(rates[-PATIENCE:]) <= LEVEL * max(rates[:-PATIENCE]):
            break
    return rates
