"""Virtual deadlines as in Linux since 6.6. See `schedulers.VirtualDeadlines`."""

from __future__ import annotations

import math

import numpy as np

from perfstudies.models.inlined import inlined
from perfstudies.models.machine_state import LAG_FADES, LAG_LOST, Machine

# The kernel counts in whole nanoseconds; what rounding to them does to an average of two is no difference.
ROUNDING_MS = 0.3e-6


@inlined
def place(machine: Machine, name: int) -> None:
    """Give a woken thread, before it is listed as runnable, its virtual time and deadline."""
    clock, rule, thread = machine.clock[0], machine.rule[0], machine.threads[name]
    lag_ms = thread.lag_ms
    if thread.fading:
        still = thread.virtual_ms > _average(machine) + ROUNDING_MS
        fade(machine, name)
        if still:
            return
        lag_ms = 0.0
    count = clock.runnable + clock.fading
    thread.virtual_ms = 0.0
    if count > 0:
        thread.virtual_ms = _average(machine)
        if rule.lag != LAG_LOST:
            # With it among them the average moves towards it; only so is its lag then the old one.
            thread.virtual_ms -= lag_ms * (count + 1) / count
    thread.virtual_ms = _ns(thread.virtual_ms) / 1e6
    thread.deadline_ms = thread.virtual_ms + rule.slice_ms


@inlined
def leave(machine: Machine, name: int) -> None:
    """Keep the lag of a thread that blocks, while it is still listed as runnable, or let it fade if it got too much."""
    clock, rule, thread = machine.clock[0], machine.rule[0], machine.threads[name]
    most = max(2 * rule.slice_ms, rule.tick_ms)
    average = _average(machine)
    thread.lag_ms = min(max(average - thread.virtual_ms, -most), most)
    if rule.lag == LAG_FADES and thread.virtual_ms > average + ROUNDING_MS:
        thread.fading = 1
        clock.fading += 1


@inlined
def fade(machine: Machine, name: int) -> None:
    """Let a blocked thread count no more: its lag is gone."""
    thread = machine.threads[name]
    thread.fading = 0
    thread.lag_ms = 0.0
    machine.clock[0].fading -= 1


@inlined
def tick(machine: Machine) -> None:
    """Begin new slices where one is used up; somebody has to be chosen there, if anybody waits."""
    clock, rule = machine.clock[0], machine.rule[0]
    for number in range(machine.processors.size):
        running = machine.processors[number].thread
        if running >= 0:
            thread = machine.threads[running]
            if thread.virtual_ms >= thread.deadline_ms - ROUNDING_MS:
                thread.deadline_ms = thread.virtual_ms + rule.slice_ms
                if clock.runnable + clock.fading > 1:
                    machine.processors[number].resched = 1


@inlined
def slice_left_ms(machine: Machine) -> float:
    """Return how long it is until the first running thread has used up its slice; infinite if none runs."""
    left_ms = math.inf
    for number in range(machine.processors.size):
        running = machine.processors[number].thread
        if running >= 0:
            thread = machine.threads[running]
            left_ms = min(left_ms, max(thread.deadline_ms - thread.virtual_ms, 0.0))
    return left_ms


@inlined
def victim(machine: Machine, name: int) -> int:
    """Return the processor on which a woken thread interrupts; -1 if on none."""
    tick(machine)  # a wake-up notices used-up slices as a tick does
    threads, processors = machine.threads, machine.processors
    where, latest = -1, 0.0
    for number in range(processors.size):
        running = processors[number].thread
        if running >= 0 and (where < 0 or threads[running].deadline_ms > latest):
            where, latest = number, threads[running].deadline_ms
    return where if where >= 0 and _first_in_line(machine, where) == name else -1


@inlined
def pick(machine: Machine, number: int) -> int:
    """Return who runs next on a processor: a waiting thread or the one that has it; -1 if there is none."""
    threads = machine.threads
    while True:
        name = _first_in_line(machine, number)
        if name < 0 or threads[name].fading == 0:
            return name
        fade(machine, name)


@inlined
def _first_in_line(machine: Machine, number: int) -> int:
    """Return whose turn it is on a processor, which may be a blocked thread that still counts."""
    threads, clock = machine.threads, machine.clock[0]
    if clock.runnable + clock.fading == 0:
        return -1
    share = _average(machine) + ROUNDING_MS
    current = machine.processors[number].thread
    best, least = -1, -1
    if current >= 0:
        least = current
        if threads[current].virtual_ms <= share:
            if machine.rule[0].finishes_slice and threads[current].held_ms == threads[current].deadline_ms:
                return current
            best = current
    for where in range(clock.runnable if clock.fading == 0 else threads.size):
        other = machine.runnable[where] if clock.fading == 0 else where
        if threads[other].processor >= 0 or (threads[other].place < 0 and threads[other].fading == 0):
            continue
        if least < 0 or _behind(threads, other, least):
            least = other
        if threads[other].virtual_ms <= share and (best < 0 or _sooner(threads, other, best)):
            best = other
    # On several processors all eligible threads may be running; a processor is then not left idle.
    return best if best >= 0 else least


@inlined
def hold(machine: Machine, name: int) -> None:
    """Note with which deadline a thread was given its processor."""
    machine.threads[name].held_ms = machine.threads[name].deadline_ms


@inlined
def _average(machine: Machine) -> float:
    """Return the average virtual time of all who count: the runnable, and the blocked whose lag fades."""
    threads, clock = machine.threads, machine.clock[0]
    total = 0.0
    for where in range(clock.runnable):
        total += threads[machine.runnable[where]].virtual_ms
    if clock.fading > 0:
        for name in range(threads.size):
            if threads[name].fading:
                total += threads[name].virtual_ms
    return total / (clock.runnable + clock.fading)


@inlined
def _sooner(threads: np.ndarray, one: int, other: int) -> bool:
    return _first(threads, one, other, threads[one].deadline_ms, threads[other].deadline_ms)


@inlined
def _behind(threads: np.ndarray, one: int, other: int) -> bool:
    return _first(threads, one, other, threads[one].virtual_ms, threads[other].virtual_ms)


@inlined
def _first(threads: np.ndarray, one: int, other: int, its_ms: float, others_ms: float) -> bool:
    """Return whether a waiting thread comes before another one by its time."""
    if _ns(its_ms) != _ns(others_ms):
        return its_ms < others_ms
    # Equal times: the running thread stays, otherwise who waits longest.
    return threads[other].processor < 0 and threads[one].woken < threads[other].woken


@inlined
def _ns(ms: float) -> int:
    """Return whole nanoseconds, in which the kernel counts: threads that wake at the same moment are then equals."""
    return math.floor(ms * 1e6 + 0.5)
