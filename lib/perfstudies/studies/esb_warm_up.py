"""Warming up the processes of the ESB study: all together, each by few clients, until none of them gets faster.

A JVM compiles what runs often, beside what it is to compile for. A closed load of a hundred clients leaves the compiler
one thread's share among hundreds: Camel was then still getting faster after a minute, at four times the rate of its
first seconds. A load at a low rate leaves it the time and gives it no cause: after 20,000 messages Camel answered
3,000 a second, twice in a row, and more than 8,000 some minutes later. Two clients each ask for as much as can be
answered and leave the compiler its share. What is left of warm-up is found in each run's own log.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from perfstudies.load.rate import RateResult, run_rate
from perfstudies.load.rate_plan import RatePlan
from perfstudies.workloads.esb_messages import Message

WINDOW_S = {"smoke": 0.5, "quick": 3, "standard": 10, "full": 10}
"""How long a window of messages is, by profile."""
MOST_WINDOWS = {"smoke": 1, "quick": 1, "standard": 12, "full": 24}
"""How many windows there are at most, by profile."""
LEVEL = 1.1
CLIENTS = 2
"""Of each target: few, so that the compilers have their share of the processors."""
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
    seconds = WINDOW_S[profile]
    plans = [target.plan(place / f"warm-up-{number}.bin", seconds, CLIENTS) for number, target in enumerate(targets)]
    with ThreadPoolExecutor(max(1, len(plans))) as pool:

        def window() -> list[float]:
            return [round(one.ended / seconds, 1) for one in pool.map(lambda plan: unrecorded(plan, alive), plans)]

        windows = until_level(window, MOST_WINDOWS[profile])
    return [
        {"name": target.name, "per_s": list(rates)} for target, rates in zip(targets, zip(*windows, strict=True), strict=True)
    ]


def until_level(window: Callable[[], Sequence[float]], most: int) -> list[Sequence[float]]:
    """Return the rates of windows, up to the first in which none is more than `LEVEL` times the best of its own before.

    Parameters
    ----------
    window : callable
        Measures one; returns a rate for each target.
    most : int
        How many there are at most.
    """
    windows: list[Sequence[float]] = []
    while len(windows) < most:
        windows.append(window())
        best = [max(rates) for rates in zip(*windows[:-1], strict=True)]
        if best and all(rate <= LEVEL * before for rate, before in zip(windows[-1], best, strict=True)):
            break
    return windows
