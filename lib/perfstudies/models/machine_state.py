"""What a simulated machine is made of, as compiled code keeps it: threads, processors, a clock and a rule."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

# The rules for who runs, numbered for `RULE.kind`.
SHARING, SLICES, DEADLINES = range(3)

# What becomes of a thread's lag while it sleeps, numbered for `RULE.lag`.
LAG_LOST, LAG_KEPT, LAG_FADES = range(3)

THREAD = np.dtype(
    [
        ("left_ms", np.float64),  # processor time that the present piece of work still needs
        ("wakes_at_ms", np.float64),  # when a delay ends
        ("virtual_ms", np.float64),  # virtual deadlines: processor time got, as of the runnable threads' common zero
        ("deadline_ms", np.float64),  # virtual deadlines: where the present slice ends, in virtual time
        ("held_ms", np.float64),  # virtual deadlines: the deadline with which it was given the processor
        ("lag_ms", np.float64),  # virtual deadlines: how far behind the average it was when it blocked
        ("fading", np.int64),  # virtual deadlines: 1 while it is blocked but still counts, as it got too much
        ("step", np.int64),  # what it is doing, see `pool_state`
        ("request", np.int64),  # for whom; -1 for nobody
        ("place", np.int64),  # where in the list of runnable threads; -1 if it is blocked
        ("processor", np.int64),  # which it runs on; -1 for none
        ("counter", np.int64),  # time slices: ticks left
        ("woken", np.int64),  # the number of its last wake-up, of all wake-ups
        ("behind", np.int64),  # who waits behind it at a gate; -1 for nobody
    ],
    align=True,
)

PROCESSOR = np.dtype([("thread", np.int64), ("resched", np.int64)], align=True)

CLOCK = np.dtype(
    [
        ("now_ms", np.float64),
        ("tick_at_ms", np.float64),
        ("busy_ms", np.float64),  # summed over processors
        ("wasted_ms", np.float64),  # processors idle while threads waited: 0, or the code is wrong
        ("present_ms", np.float64),  # requests in the system, integrated over time
        ("runnable", np.int64),
        ("fading", np.int64),  # threads that are
        ("wakes", np.int64),
        ("switches", np.int64),
        ("preemptions", np.int64),
        ("recharges", np.int64),
        ("sources", np.int64),  # which code ran, see `pool_loop`
    ],
    align=True,
)

RULE = np.dtype(
    [
        ("kind", np.int64),
        ("tick_ms", np.float64),  # 0 for no ticks
        ("switch_ms", np.float64),
        ("wakes_preempt", np.int64),
        ("base_ticks", np.int64),
        ("least_lead", np.int64),
        ("newest_first", np.int64),
        ("slice_ms", np.float64),
        ("watched", np.int64),
        ("lag", np.int64),  # one of the kinds below
        ("finishes_slice", np.int64),
    ],
    align=True,
)


# A named tuple of the plain kind, which is the one that numba promises to compile.
Machine = namedtuple(
    "Machine",
    [
        "threads",
        "processors",
        "runnable",  # names of threads; the first `clock.runnable` count
        "clock",  # one element, so that functions can change it
        "rule",  # one element
    ],
)
Machine.__doc__ = "All parts of a machine."


def new_machine(threads: int, processors: int, rule: np.ndarray) -> Machine:
    """Return an idle machine at time 0."""
    state = np.zeros(threads, dtype=THREAD)
    for name in ("request", "place", "processor", "behind"):
        state[name] = -1
    state["counter"] = rule["base_ticks"][0]
    cores = np.zeros(processors, dtype=PROCESSOR)
    cores["thread"] = -1
    clock = np.zeros(1, dtype=CLOCK)
    clock["tick_at_ms"] = rule["tick_ms"]
    return Machine(state, cores, np.full(threads, -1, dtype=np.int64), clock, rule)
