"""Virtual deadlines as in Linux since 6.6. See `schedulers.VirtualDeadlines`."""

from __future__ import annotations

import math

from numba import njit

# Sums of virtual times are rounded, the kernel's whole nanoseconds are not: differences below this are none.
ROUNDING_MS = 1e-9


@njit
def place(machine, name):
    """Give a woken thread, before it is listed as runnable, its virtual time and deadline."""
    clock, rule, thread = machine.clock[0], machine.rule[0], machine.threads[name]
    count = clock.runnable
    thread.virtual_ms = 0.0
    if count > 0:
        thread.virtual_ms = _average(machine)
        if rule.keeps_lag:
            # With it among them the average moves towards it; only so is its lag then the old one.
            thread.virtual_ms -= thread.lag_ms * (count + 1) / count
    thread.virtual_ms = _ns(thread.virtual_ms) / 1e6
    thread.deadline_ms = thread.virtual_ms + rule.slice_ms


@njit
def leave(machine, name):
    """Keep the lag of a thread that blocks, while it is still listed as runnable."""
    rule, thread = machine.rule[0], machine.threads[name]
    most = max(2 * rule.slice_ms, rule.tick_ms)
    thread.lag_ms = min(max(_average(machine) - thread.virtual_ms, -most), most)


@njit
def tick(machine):
    """Begin new slices where one is used up; somebody has to be chosen there, if anybody waits."""
    clock, rule = machine.clock[0], machine.rule[0]
    for number in range(machine.processors.size):
        running = machine.processors[number].thread
        if running >= 0:
            thread = machine.threads[running]
            if thread.virtual_ms >= thread.deadline_ms - ROUNDING_MS:
                thread.deadline_ms = thread.virtual_ms + rule.slice_ms
                if clock.runnable > 1:
                    machine.processors[number].resched = 1


@njit
def victim(machine, name):
    """Return the processor on which a woken thread interrupts; -1 if on none."""
    tick(machine)  # a wake-up notices used-up slices as a tick does
    threads, processors = machine.threads, machine.processors
    where, latest = -1, 0.0
    for number in range(processors.size):
        running = processors[number].thread
        if running >= 0 and (where < 0 or threads[running].deadline_ms > latest):
            where, latest = number, threads[running].deadline_ms
    return where if where >= 0 and pick(machine, where) == name else -1


@njit
def pick(machine, number):
    """Return who runs next on a processor: a waiting thread or the one that has it; -1 if there is none."""
    threads, clock = machine.threads, machine.clock[0]
    if clock.runnable == 0:
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
    for where in range(clock.runnable):
        other = machine.runnable[where]
        if threads[other].processor >= 0:
            continue
        if least < 0 or _behind(threads, other, least):
            least = other
        if threads[other].virtual_ms <= share and (best < 0 or _sooner(threads, other, best)):
            best = other
    # On several processors all eligible threads may be running; a processor is then not left idle.
    return best if best >= 0 else least


@njit
def hold(machine, name):
    """Note with which deadline a thread was given its processor."""
    machine.threads[name].held_ms = machine.threads[name].deadline_ms


@njit
def _average(machine):
    total = 0.0
    count = machine.clock[0].runnable
    for where in range(count):
        total += machine.threads[machine.runnable[where]].virtual_ms
    return total / count


@njit
def _sooner(threads, one, other):
    return _first(threads, one, other, threads[one].deadline_ms, threads[other].deadline_ms)


@njit
def _behind(threads, one, other):
    return _first(threads, one, other, threads[one].virtual_ms, threads[other].virtual_ms)


@njit
def _first(threads, one, other, its_ms, others_ms):
    """Return whether a waiting thread comes before another one by its time."""
    if _ns(its_ms) != _ns(others_ms):
        return its_ms < others_ms
    # Equal times: the running thread stays, otherwise who waits longest.
    return threads[other].processor < 0 and threads[one].woken < threads[other].woken


@njit
def _ns(ms):
    """Return whole nanoseconds, in which the kernel counts: threads that wake at the same moment are then equals."""
    return math.floor(ms * 1e6 + 0.5)
