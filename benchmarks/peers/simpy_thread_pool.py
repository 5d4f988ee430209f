"""The thread-pool model once more, with SimPy: a process a thread, as its documentation would have it written.

It shares declarations and workloads with `perfstudies.models`, and no code of the simulation. It is what the compiled
simulation is timed against, and a test holds both to the same times for every request.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np
import simpy

from peers.simpy_machine import Machine, Thread
from perfstudies.models import pool_state as at
from perfstudies.models.pool_workload import Workload
from perfstudies.models.thread_pool import ThreadPool


@dataclass
class Gate:
    """How many may still enter, and who waits."""

    free: int
    waiting: deque[Thread] = field(default_factory=deque)


class Server:
    """All processes of one run; `stamp_ms` is what they write."""

    def __init__(self, pool: ThreadPool, workload: Workload):
        self.pool, self.workload = pool, workload
        self.env = simpy.Environment()
        self.machine = Machine(self.env, pool.processors, pool.scheduler)
        self.stamp_ms = np.full((workload.arrival_ms.size, at.STAMPS), np.nan)
        self.buffers = [deque() for _ in range(pool.connections)]
        self.queue, self.passing, self.idle = deque(), deque(), deque()
        self.poas = [Gate(one.threads or pool.dispatchers) for one in pool.poas]
        self.servants = [Gate(one.threads or pool.dispatchers) for one in pool.servants]
        self.direct = pool.hand_over == "direct"
        self.missing = 2 * workload.arrival_ms.size
        self.over = self.env.event()
        self.receivers = [self.machine.thread() for _ in self.buffers]
        self.controller = self.machine.thread() if pool.controller else None
        for number, me in enumerate(self.receivers):
            self.env.process(self.receive(me, self.buffers[number]))
        if self.controller:
            self.env.process(self.control(self.controller))
        for _ in range(pool.dispatchers):
            self.env.process(self.dispatch(self.machine.thread()))
        self.env.process(self.arrive())

    def stamp(self, request: int, what: int) -> None:
        self.stamp_ms[request, what] = self.env.now
        if what in (at.RECEIVER_FREE, at.DISPATCHER_FREE):
            self.missing -= 1
            if self.missing == 0:
                self.over.succeed()

    def piece(self, me: Thread, request: int, what: int):
        """Do a piece of work; an empty one takes no time."""
        ms = self.workload.piece_ms[request, what]
        if ms > 0:
            yield self.machine.run(me, float(ms))

    def rest(self, me: Thread) -> simpy.Event:
        """Block; return what happens when the thread was woken and runs."""
        if me in self.machine.runnable:
            self.machine.block(me)
        return self.machine.run(me, 0.0)

    def arrive(self):
        for request, arrival_ms in enumerate(self.workload.arrival_ms):
            yield self.env.timeout(max(0.0, arrival_ms - self.env.now))
            connection = self.workload.connection[request]
            self.buffers[connection].append(request)
            self.rouse(self.receivers[connection])
            self.machine.plan()

    def rouse(self, thread: Thread) -> None:
        if thread.idle:
            thread.idle = False
            self.machine.wake(thread)

    def receive(self, me: Thread, buffer: deque):
        while True:
            if not buffer:
                me.idle = True
                yield self.rest(me)
            request = buffer.popleft()
            self.stamp(request, at.RECEIVED)
            yield from self.piece(me, request, at.RECEIVE)
            self.stamp(request, at.HANDED_OVER)
            if self.controller:
                self.passing.append(request)
                self.rouse(self.controller)
            else:
                self.offer(request)
            yield from self.piece(me, request, at.CLEAN)
            self.stamp(request, at.RECEIVER_FREE)
            if buffer:
                yield self.machine.run(me, 0.0)

    def control(self, me: Thread):
        while True:
            if not self.passing:
                me.idle = True
                yield self.rest(me)
            request = self.passing.popleft()
            self.stamp(request, at.PASSED)
            yield from self.piece(me, request, at.CONTROL)
            while self.pool.controller.waits and not self.idle:
                me.request = request
                yield self.rest(me)
            me.request = None
            self.offer(request)
            if self.passing:
                yield self.machine.run(me, 0.0)

    def next_idle(self) -> Thread:
        return self.idle.pop() if self.pool.wake_order == "last idle" else self.idle.popleft()

    def offer(self, request: int) -> None:
        if self.direct and self.idle:
            thread = self.next_idle()
            thread.request = request
            self.machine.wake(thread)
            return
        self.queue.append(request)
        if not self.direct:
            for _ in range(len(self.idle) if self.pool.signals == "all" else min(1, len(self.idle))):
                self.machine.wake(self.next_idle())

    def enter(self, me: Thread, gate: Gate):
        if gate.free:
            gate.free -= 1
        else:
            gate.waiting.append(me)
            yield self.rest(me)

    def leave(self, gate: Gate) -> None:
        if gate.waiting:
            self.machine.wake(gate.waiting.popleft())
        else:
            gate.free += 1

    def dispatch(self, me: Thread):
        while True:
            if me.request is None and not self.queue:
                if me in self.machine.runnable:
                    self.machine.block(me)
                self.idle.append(me)
                if self.controller and self.controller.request is not None:
                    if self.controller not in self.machine.runnable:
                        self.machine.wake(self.controller)
                yield self.machine.run(me, 0.0)
                continue
            request = self.queue.popleft() if me.request is None else me.request
            yield from self.handle(me, request)
            me.request = self.queue.popleft() if self.direct and self.queue else None
            if me.request is not None or self.queue:
                yield self.machine.run(me, 0.0)

    def handle(self, me: Thread, request: int):
        self.stamp(request, at.DISPATCHED)
        servant = self.workload.servant[request]
        poa = self.poas[self.pool.servants[servant].poa]
        yield from self.enter(me, poa)
        yield from self.piece(me, request, at.ADAPT)
        yield from self.enter(me, self.servants[servant])
        self.stamp(request, at.SERVED_FROM)
        yield from self.piece(me, request, at.SERVE)
        delay_ms = float(self.workload.piece_ms[request, at.DELAY])
        if delay_ms > 0:
            self.machine.block(me)
            self.env.timeout(delay_ms, me).callbacks.append(self.awake)
            yield self.machine.run(me, 0.0)
        yield from self.piece(me, request, at.RESUME)
        self.stamp(request, at.SERVED)
        self.leave(self.servants[servant])
        yield from self.piece(me, request, at.MARSHAL)
        self.stamp(request, at.REPLIED)
        self.leave(poa)
        yield from self.piece(me, request, at.FINISH)
        self.stamp(request, at.DISPATCHER_FREE)

    def awake(self, timer: simpy.Event) -> None:
        self.machine.wake(timer.value)
        self.machine.plan()


def simulate(pool: ThreadPool, workload: Workload) -> np.ndarray:
    """Return the times of all requests, in the columns of `perfstudies.models.pool_state`."""
    server = Server(pool, workload)
    server.env.run(until=server.over)
    return server.stamp_ms
