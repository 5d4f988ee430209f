"""The seam between what threads do and who of them runs: waking, blocking, time that passes, and choosing.

A rule of its own gives a compiled module with `pick`, `victim` and `tick`, and a line in each of the functions below.
"""

from __future__ import annotations

import math

from perfstudies.models import machine_deadlines as deadlines
from perfstudies.models import machine_slices as slices
from perfstudies.models.inlined import inlined
from perfstudies.models.machine_state import DEADLINES, SHARING, SLICES, Machine


@inlined
def wake(machine: Machine, name: int) -> None:
    """Make a blocked thread runnable; it may interrupt another, which `assign` then sees to."""
    clock, rule, thread = machine.clock[0], machine.rule[0], machine.threads[name]
    if rule.kind == DEADLINES:
        deadlines.place(machine, name)
    thread.place = clock.runnable
    machine.runnable[clock.runnable] = name
    clock.runnable += 1
    clock.wakes += 1
    thread.woken = clock.wakes
    if rule.kind == SHARING:
        return
    for number in range(machine.processors.size):
        processor = machine.processors[number]
        if processor.thread < 0 and processor.resched == 0:
            processor.resched = 1
            return
    where = -1
    if rule.wakes_preempt and rule.kind == SLICES:
        where = slices.victim(machine, name)
    elif rule.wakes_preempt:
        where = deadlines.victim(machine, name)
    if where >= 0:
        machine.processors[where].resched = 1


@inlined
def block(machine: Machine, name: int) -> None:
    """Take a thread out of the runnable ones; its processor is free."""
    clock, thread = machine.clock[0], machine.threads[name]
    if machine.rule[0].kind == DEADLINES:
        deadlines.leave(machine, name)
    clock.runnable -= 1
    last = machine.runnable[clock.runnable]
    machine.runnable[thread.place] = last
    machine.threads[last].place = thread.place
    thread.place = -1
    if thread.processor >= 0:
        machine.processors[thread.processor].thread = -1
        machine.processors[thread.processor].resched = 1
        thread.processor = -1


@inlined
def assign(machine: Machine) -> None:
    """Choose again on the processors where something has changed."""
    clock, rule = machine.clock[0], machine.rule[0]
    if rule.kind == SHARING:
        return
    for number in range(machine.processors.size):
        processor = machine.processors[number]
        if processor.resched == 0:
            continue
        processor.resched = 0
        before = processor.thread
        after = slices.pick(machine, number) if rule.kind == SLICES else deadlines.pick(machine, number)
        if after == before:
            continue
        if before >= 0:
            machine.threads[before].processor = -1
            clock.preemptions += 1
        processor.thread = after
        if after >= 0:
            machine.threads[after].processor = number
            machine.threads[after].left_ms += rule.switch_ms
            clock.switches += 1
            if rule.kind == DEADLINES:
                deadlines.hold(machine, after)


@inlined
def due(machine: Machine) -> tuple[float, int]:
    """Return in how many ms the next running thread ends its piece of work, and which; infinite and -1 if none runs."""
    threads, clock = machine.threads, machine.clock[0]
    span, name = math.inf, -1
    if machine.rule[0].kind == SHARING:
        for place in range(clock.runnable):
            one = machine.runnable[place]
            left = threads[one].left_ms
            if left < span or (left == span and threads[one].woken < threads[name].woken):
                span, name = left, one
        if name >= 0:
            span /= _rate(machine)
        return span, name
    for number in range(machine.processors.size):
        one = machine.processors[number].thread
        if one >= 0:
            left = threads[one].left_ms
            if left < span or (left == span and threads[one].woken < threads[name].woken):
                span, name = left, one
    return span, name


@inlined
def pass_time(machine: Machine, span_ms: float) -> None:
    """Let the running threads work for a while in which nothing happens."""
    threads, clock = machine.threads, machine.clock[0]
    if machine.rule[0].kind == SHARING:
        if clock.runnable > 0:
            rate = _rate(machine)
            for place in range(clock.runnable):
                thread = threads[machine.runnable[place]]
                thread.left_ms = max(thread.left_ms - span_ms * rate, 0.0)
            clock.busy_ms += span_ms * rate * clock.runnable
        return
    busy = 0
    for number in range(machine.processors.size):
        running = machine.processors[number].thread
        if running >= 0:
            busy += 1
            threads[running].left_ms = max(threads[running].left_ms - span_ms, 0.0)
            threads[running].virtual_ms += span_ms
    clock.busy_ms += span_ms * busy
    clock.wasted_ms += span_ms * min(machine.processors.size - busy, clock.runnable - busy)


@inlined
def tick(machine: Machine) -> None:
    """Let a tick of the clock pass."""
    if machine.rule[0].kind == SLICES:
        slices.tick(machine)
    else:
        deadlines.tick(machine)


@inlined
def _rate(machine: Machine) -> float:
    return min(1.0, machine.processors.size / machine.clock[0].runnable)
