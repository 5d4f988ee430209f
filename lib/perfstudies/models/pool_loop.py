"""The event loop, compiled: from one event to the next until nothing is left to do, or until a horizon.

numba keeps what it compiled in ``__pycache__`` beside this file and compiles again when this file changes, but does not
see changes in the modules that it calls. So the checksum of them all is a constant of the compiled function, which
makes it part of the key under which numba looks the function up.
"""

from __future__ import annotations

import functools
import math
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numba import njit

from perfstudies.models.inlined import inlined
from perfstudies.models.machine import assign, due, pass_time, tick
from perfstudies.models.machine_deadlines import slice_left_ms
from perfstudies.models.machine_state import Machine
from perfstudies.models.pool_state import DELAY, RESUME, World
from perfstudies.models.pool_steps import arrive, proceed, rouse

COMPILED = ("inlined.py", "machine*.py", "pool_state.py", "pool_steps.py", "pool_loop.py")
WORK, TICK, SLICE, WAKE, ARRIVAL = range(5)


def sources() -> int:
    """Return a checksum of all modules that the compiled code is made of."""
    folder = Path(__file__).parent
    paths = sorted(path for pattern in COMPILED for path in folder.glob(pattern))
    return zlib.crc32(b"\0".join(path.read_bytes() for path in paths))


@functools.cache
def compiled() -> Callable:
    """Return the event loop; the first call in a process loads it, or compiles it where that has not been done."""
    return _build(sources())


def _build(checksum: int) -> Callable:
    @njit(cache=True, nogil=True, _nrt=False)  # type: ignore[call-overload]
    def run(
        arrival_ms: np.ndarray, threads: np.ndarray, processors: np.ndarray, runnable: np.ndarray, clocks: np.ndarray,
        rules: np.ndarray, pools: np.ndarray, buffers: np.ndarray, gates: np.ndarray, poa: np.ndarray, idle: np.ndarray,
        connection: np.ndarray, servant: np.ndarray, piece_ms: np.ndarray, stamp_ms: np.ndarray, behind: np.ndarray,
        queue: np.ndarray, passing: np.ndarray, horizon_ms: float,
    ) -> None:  # fmt: skip
        machine = Machine(threads, processors, runnable, clocks, rules)
        world = World(
            machine, pools, buffers, gates, poa, idle, connection, servant, piece_ms, stamp_ms, behind, queue, passing
        )
        clock, rule, pool = clocks[0], rules[0], pools[0]
        clock.sources = checksum
        while True:
            assign(machine)
            span_ms, name = due(machine)
            event = WORK
            working = name >= 0
            if working and rule.tick_ms > 0 and clock.tick_at_ms - clock.now_ms < span_ms:
                event, span_ms = TICK, max(clock.tick_at_ms - clock.now_ms, 0.0)
            if working and rule.watched:
                left_ms = slice_left_ms(machine)
                if left_ms < span_ms:
                    event, span_ms = SLICE, left_ms
            if pool.sleepers > 0:
                sleeper = first_to_wake(threads, pool.first_dispatcher)
                if threads[sleeper].wakes_at_ms - clock.now_ms < span_ms:
                    event, span_ms, name = WAKE, max(threads[sleeper].wakes_at_ms - clock.now_ms, 0.0), sleeper
            if pool.arrived < arrival_ms.size and arrival_ms[pool.arrived] - clock.now_ms < span_ms:
                event, span_ms = ARRIVAL, max(arrival_ms[pool.arrived] - clock.now_ms, 0.0)
            if span_ms == math.inf:
                return
            over = clock.now_ms + span_ms > horizon_ms
            if over:
                span_ms = horizon_ms - clock.now_ms
            pass_time(machine, span_ms)
            clock.present_ms += pool.present * span_ms
            clock.now_ms += span_ms
            if over:
                return
            if not working and rule.tick_ms > 0 and clock.tick_at_ms <= clock.now_ms:
                # Nothing ran, so that ticks had nobody to count for.
                clock.tick_at_ms = (math.floor(clock.now_ms / rule.tick_ms) + 1) * rule.tick_ms
            if event == WORK:
                threads[name].left_ms = 0.0
                proceed(world, name)
            elif event == TICK:
                clock.now_ms = max(clock.now_ms, clock.tick_at_ms)
                clock.tick_at_ms += rule.tick_ms
                tick(machine)
            elif event == SLICE:
                tick(machine)
            elif event == WAKE:
                pool.sleepers -= 1
                rouse(world, name, RESUME)
                threads[name].left_ms = piece_ms[threads[name].request, RESUME]
            else:
                clock.now_ms = max(clock.now_ms, arrival_ms[pool.arrived])
                pool.arrived += 1
                pool.present += 1
                arrive(world, pool.arrived - 1)

    return run


@inlined
def first_to_wake(threads: np.ndarray, first: int) -> int:
    """Return the dispatcher whose delay ends next."""
    found = -1
    for name in range(first, threads.size):
        if threads[name].step == DELAY and (found < 0 or threads[name].wakes_at_ms < threads[found].wakes_at_ms):
            found = name
    return found
