"""Time slices as in Linux 2.4: ticks count down, and the largest counter runs. See `schedulers.TimeSlices`."""

from __future__ import annotations

from typing import Any

import numpy as np

from perfstudies.models.inlined import inlined
from perfstudies.models.machine_state import Machine

RANK = 20  # what the kernel adds to a counter above 0 for a thread of ordinary rank


@inlined
def goodness(counter: int) -> int:
    """Return how much the kernel likes to run a thread; 0 if its slice is used up."""
    return counter + RANK if counter > 0 else 0


@inlined
def victim(machine: Machine, name: int) -> int:
    """Return the processor on which a woken thread interrupts; -1 if on none."""
    threads, processors = machine.threads, machine.processors
    where, least = -1, 0
    for number in range(processors.size):
        running = processors[number].thread
        # One without a thread has been promised to a thread that woke in this very moment.
        if running >= 0:
            weight = goodness(threads[running].counter)
            if where < 0 or weight < least:
                where, least = number, weight
    lead = goodness(threads[name].counter) - least
    return where if where >= 0 and lead >= machine.rule[0].least_lead else -1


@inlined
def pick(machine: Machine, number: int) -> int:
    """Return who runs next on a processor: a waiting thread or the one that has it; -1 if there is none."""
    threads, clock, rule = machine.threads, machine.clock[0], machine.rule[0]
    current = machine.processors[number].thread
    while True:
        best, weight = current, -1
        if current >= 0:
            weight = goodness(threads[current].counter)
        for place in range(clock.runnable):
            other = machine.runnable[place]
            if threads[other].processor >= 0:
                continue
            its = goodness(threads[other].counter)
            if its > weight or (its == weight and best != current and _before(threads, rule, other, best)):
                best, weight = other, its
        if weight != 0:
            return best
        clock.recharges += 1
        for one in range(threads.size):
            threads[one].counter = threads[one].counter // 2 + rule.base_ticks


@inlined
def tick(machine: Machine) -> None:
    """Take a tick from every running thread; where none is left, somebody has to be chosen."""
    threads, processors = machine.threads, machine.processors
    for number in range(processors.size):
        running = processors[number].thread
        if running >= 0:
            threads[running].counter = max(threads[running].counter - 1, 0)
            if threads[running].counter == 0:
                processors[number].resched = 1


@inlined
def _before(threads: np.ndarray, rule: Any, one: int, other: int) -> bool:
    if rule.newest_first:
        return threads[one].woken > threads[other].woken
    return threads[one].woken < threads[other].woken
