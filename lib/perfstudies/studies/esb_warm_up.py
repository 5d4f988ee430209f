"""Warming up the processes of the ESB study: together at a rate that leaves room to compile, then until each is level.

A JVM compiles what runs often, and for that it needs the processors that a full load takes away: under a closed load
of a hundred clients Camel was still getting faster after a minute, at four times the rate of its first seconds. So all
that a block needs is first sent messages at a moderate rate, together; then each by itself gets windows of a closed
load, until one brings no more than `LEVEL` times the best before it. What is left of warm-up is found in each log.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from perfstudies.load.rate import RateResult, run_rate
from perfstudies.load.rate_plan import RatePlan
from perfstudies.workloads.esb_messages import Message

TOGETHER_S = {"smoke": 0.5, "quick": 3, "standard": 45, "full": 60}
"""How long they get messages together, by profile."""
TOGETHER_PER_S = 2500
"""Messages a second of all of them together; half of what two processors do when nothing is compiled yet."""
WINDOW_S = 5.0
MOST_WINDOWS = {"smoke": 0, "quick": 0, "standard": 10, "full": 20}
"""How many windows of a closed load one gets at most, by profile."""
LEVEL = 1.05
CONNECTIONS = 100
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
        connections: int = CONNECTIONS,
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


def unrecorded(plan: RatePlan, alive: Callable[[], bool]) -> RateResult:
    """Carry out a load and remove its log; errors as of `run_rate`."""
    try:
        return run_rate(plan, alive)
    finally:
        plan.record.unlink(missing_ok=True)


def warm_up(
    targets: Sequence[Target], profile: str, place: Path, alive: Callable[[], bool]
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
    seconds, rate = TOGETHER_S[profile], TOGETHER_PER_S / max(1, len(targets))
    plans = [
        target.plan(place / f"warm-up-{number}.bin", seconds, rate=rate, seed=number)
        for number, target in enumerate(targets)
    ]
    with ThreadPoolExecutor(max(1, len(plans))) as pool:
        for done in [pool.submit(unrecorded, plan, alive) for plan in plans]:
            done.result()
    return [
        {"name": target.name, "per_s": until_level(_windows(target, place, alive), MOST_WINDOWS[profile])}
        for target in targets
    ]


def _windows(target: Target, place: Path, alive: Callable[[], bool]) -> Callable[[], float]:
    plan = target.plan(place / "window.bin", WINDOW_S)
    return lambda: unrecorded(plan, alive).ended / WINDOW_S


def until_level(window: Callable[[], float], most: int) -> list[float]:
    """Return the rates of windows, up to the first that brings no more than `LEVEL` times the best before it.

    Parameters
    ----------
    window : callable
        Measures one; returns its rate.
    most : int
        How many there are at most.
    """
    rates: list[float] = []
    while len(rates) < most:
        rates.append(round(window(), 1))
        if len(rates) > 1 and rates[-1] <= LEVEL * max(rates[:-1]):
            break
    return rates
