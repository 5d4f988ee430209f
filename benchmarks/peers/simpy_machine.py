"""Processors under a scheduler, for threads that are SimPy processes."""

from __future__ import annotations

import math

import simpy

from perfstudies.models.schedulers import ProcessorSharing, TimeSlices, VirtualDeadlines

ROUNDING_MS = 0.3e-6


def ns(ms: float) -> int:
    """Return whole nanoseconds, in which the kernel counts."""
    return math.floor(ms * 1e6 + 0.5)


class Thread:
    """What the machine knows of a thread; its process waits for `ran`."""

    def __init__(self, counter: int = 0):
        self.left_ms = 0.0
        self.ran: simpy.Event | None = None
        self.processor: int | None = None
        self.woken = 0
        self.counter = counter
        self.virtual_ms = self.deadline_ms = self.held_ms = self.lag_ms = 0.0
        self.idle = False
        self.request: int | None = None


class Machine:
    """Lets threads run; whoever changes who may run calls `plan` when all changes of the moment are made."""

    def __init__(self, env: simpy.Environment, processors: int, scheduler):
        self.env = env
        self.sharing = isinstance(scheduler, ProcessorSharing)
        policies = {TimeSlices: Slices, VirtualDeadlines: Deadlines}
        self.policy = None if self.sharing else policies[type(scheduler)](scheduler)
        self.switch_ms = 0.0 if self.sharing else scheduler.switch_ms
        self.processors = processors
        self.running: list[Thread | None] = [None] * processors
        self.changed: set[int] = set()
        self.threads: list[Thread] = []
        self.runnable: list[Thread] = []
        self.since_ms, self.wakes, self.version = 0.0, 0, 0
        if not self.sharing:
            env.process(self.ticks(scheduler.tick_ms))

    def thread(self) -> Thread:
        """Make a blocked thread."""
        self.threads.append(Thread(getattr(self.policy, "base_ticks", 0)))
        return self.threads[-1]

    def wake(self, thread: Thread) -> None:
        """Make a blocked thread runnable."""
        self.settle()
        self.wakes += 1
        thread.woken = self.wakes
        if self.policy:
            self.policy.place(self, thread)
        self.runnable.append(thread)
        if self.policy:
            for number, running in enumerate(self.running):
                if running is None and number not in self.changed:
                    self.changed.add(number)
                    return
            if self.policy.scheduler.wakes_preempt:
                self.policy.interrupt(self, thread)

    def block(self, thread: Thread) -> None:
        """Make a runnable thread blocked."""
        self.settle()
        if self.policy:
            self.policy.leave(self, thread)
        self.runnable.remove(thread)
        if thread.processor is not None:
            self.running[thread.processor] = None
            self.changed.add(thread.processor)
            thread.processor = None

    def run(self, thread: Thread, ms: float) -> simpy.Event:
        """Return what happens when a thread has had this much time; 0 waits until it runs."""
        self.settle()
        thread.left_ms, thread.ran = ms, self.env.event()
        self.plan()
        return thread.ran

    def plan(self) -> None:
        """Choose who runs, and set the time of what ends first."""
        self.settle()
        for number in sorted(self.changed):
            before, after = self.running[number], self.policy.pick(self, number)
            if after is not before:
                if before is not None:
                    before.processor = None
                self.running[number] = after
                if after is not None:
                    after.processor = number
                    after.left_ms += self.switch_ms
                    after.held_ms = after.deadline_ms
        self.changed.clear()
        self.version += 1
        working = [one for one in self.working() if one.ran is not None and not one.ran.triggered]
        if working:
            first = min(working, key=lambda one: (one.left_ms, one.woken))
            timer = self.env.timeout(first.left_ms / self.rate(), (self.version, first))
            timer.callbacks.append(self.end)
        if getattr(self.policy, "watched", False):
            self.watch()

    def watch(self) -> None:
        """Set the time at which the first slice is used up."""
        left_ms = [max(one.deadline_ms - one.virtual_ms, 0.0) for one in self.working()]
        if left_ms:
            timer = self.env.timeout(min(left_ms), self.version)
            timer.callbacks.append(self.used_up)

    def used_up(self, timer: simpy.Event) -> None:
        """Begin a new slice, unless the plan has changed since."""
        if timer.value == self.version:
            self.settle()
            self.policy.tick(self)
            self.plan()

    def end(self, timer: simpy.Event) -> None:
        """End a thread's work, unless the plan has changed since."""
        version, thread = timer.value
        if version == self.version:
            self.settle()
            thread.left_ms = 0.0
            thread.ran.succeed()

    def working(self) -> list[Thread]:
        """Return who runs."""
        return self.runnable if self.sharing else [one for one in self.running if one is not None]

    def rate(self) -> float:
        """Return how fast they run."""
        return min(1.0, self.processors / max(1, len(self.runnable))) if self.sharing else 1.0

    def settle(self) -> None:
        """Count the time since the last change as worked."""
        span_ms, self.since_ms = self.env.now - self.since_ms, self.env.now
        if span_ms > 0:
            rate = self.rate()
            for thread in self.working():
                thread.left_ms = max(0.0, thread.left_ms - span_ms * rate)
                thread.virtual_ms += span_ms

    def ticks(self, tick_ms: float):
        """Tick for ever."""
        while True:
            yield self.env.timeout(tick_ms)
            self.settle()
            self.policy.tick(self)
            self.plan()


class Slices:
    """Linux 2.4."""

    def __init__(self, scheduler: TimeSlices):
        self.scheduler, self.base_ticks = scheduler, scheduler.base_ticks

    @staticmethod
    def goodness(thread: Thread) -> int:
        return thread.counter and thread.counter + 20

    def place(self, machine: Machine, thread: Thread) -> None:
        pass

    def leave(self, machine: Machine, thread: Thread) -> None:
        pass

    def interrupt(self, machine: Machine, thread: Thread) -> None:
        running = [one for one in machine.running if one is not None]
        if running:
            worst = min(running, key=self.goodness)
            if self.goodness(thread) - self.goodness(worst) >= self.scheduler.least_lead:
                machine.changed.add(worst.processor)

    def pick(self, machine: Machine, number: int) -> Thread | None:
        current = machine.running[number]
        direction = 1 if self.scheduler.newest_first else -1

        def rank(one: Thread) -> tuple:
            return self.goodness(one), one is current, direction * one.woken

        candidates = [one for one in machine.runnable if one is current or one.processor is None]
        if not candidates:
            return None
        while not any(one.counter for one in candidates):
            for one in machine.threads:
                one.counter = one.counter // 2 + self.base_ticks
        return max(candidates, key=rank)

    def tick(self, machine: Machine) -> None:
        for one in machine.working():
            one.counter = max(0, one.counter - 1)
            if one.counter == 0:
                machine.changed.add(one.processor)


class Deadlines:
    """Linux since 6.6."""

    def __init__(self, scheduler: VirtualDeadlines):
        self.scheduler = scheduler
        self.watched = scheduler.watched
        self.fading: list[Thread] = []

    def average(self, machine: Machine) -> float:
        counted = machine.runnable + self.fading
        return sum(one.virtual_ms for one in counted) / len(counted)

    def place(self, machine: Machine, thread: Thread) -> None:
        if thread in self.fading:
            still = thread.virtual_ms > self.average(machine) + ROUNDING_MS
            self.fading.remove(thread)
            thread.lag_ms = 0.0
            if still:
                return
        count = len(machine.runnable) + len(self.fading)
        lag_ms = thread.lag_ms if count and self.scheduler.lag != "lost" else 0.0
        average_ms = self.average(machine) if count else 0.0
        virtual_ms = average_ms - (lag_ms * (count + 1) / count if count else 0.0)
        thread.virtual_ms = ns(virtual_ms) / 1e6
        thread.deadline_ms = thread.virtual_ms + self.scheduler.slice_ms

    def leave(self, machine: Machine, thread: Thread) -> None:
        most_ms = max(2 * self.scheduler.slice_ms, self.scheduler.tick_ms)
        lag_ms = self.average(machine) - thread.virtual_ms
        thread.lag_ms = max(-most_ms, min(most_ms, lag_ms))
        if self.scheduler.lag == "fades" and lag_ms < -ROUNDING_MS:
            self.fading.append(thread)

    def interrupt(self, machine: Machine, thread: Thread) -> None:
        self.tick(machine)
        running = [one for one in machine.running if one is not None]
        if running:
            last = max(running, key=lambda one: one.deadline_ms)
            if self.first_in_line(machine, last.processor) is thread:
                machine.changed.add(last.processor)

    def pick(self, machine: Machine, number: int) -> Thread | None:
        while True:
            first = self.first_in_line(machine, number)
            if first not in self.fading:
                return first
            self.fading.remove(first)
            first.lag_ms = 0.0

    def first_in_line(self, machine: Machine, number: int) -> Thread | None:
        current = machine.running[number]
        candidates = [one for one in machine.runnable + self.fading if one is current or one.processor is None]
        if not candidates:
            return None
        share_ms = self.average(machine) + ROUNDING_MS
        eligible = [one for one in candidates if one.virtual_ms <= share_ms]
        if not eligible:
            return min(candidates, key=lambda one: (ns(one.virtual_ms), one is not current, one.woken))
        if current in eligible and self.scheduler.finishes_slice and current.held_ms == current.deadline_ms:
            return current
        return min(eligible, key=lambda one: (ns(one.deadline_ms), one is not current, one.woken))

    def tick(self, machine: Machine) -> None:
        for one in machine.working():
            if one.virtual_ms >= one.deadline_ms - ROUNDING_MS:
                one.deadline_ms = one.virtual_ms + self.scheduler.slice_ms
                if len(machine.runnable) + len(self.fading) > 1:
                    machine.changed.add(one.processor)
