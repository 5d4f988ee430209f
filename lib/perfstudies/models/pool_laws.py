"""Laws that every simulated run obeys, whatever its parameters; a run that breaks one is never returned.

Each compares two numbers that the simulation comes by in different ways: what the event loop counted as time passed,
and what the requests' own times add up to. Little's law is the finite one of `perfstudies.stats.occupancy`.
"""

from __future__ import annotations

import numpy as np

from perfstudies.errors import BrokenLaw
from perfstudies.models.pool_state import DELAY
from perfstudies.models.pool_trace import Trace
from perfstudies.models.pool_workload import Workload

RELATIVE = 1e-9
ORDER = (
    ("arrival_ms", "received_ms"),
    ("received_ms", "handed_over_ms"),
    ("handed_over_ms", "receiver_free_ms"),
    ("handed_over_ms", "passed_ms"),
    ("handed_over_ms", "dispatched_ms"),
    ("passed_ms", "dispatched_ms"),
    ("dispatched_ms", "served_from_ms"),
    ("served_from_ms", "served_ms"),
    ("served_ms", "replied_ms"),
    ("replied_ms", "dispatcher_free_ms"),
)


def require_laws(trace: Trace, workload: Workload, switch_ms: float, bounded: bool) -> None:
    """Refuse a run that breaks a law.

    Parameters
    ----------
    trace, workload
        What the run wrote and what it was given.
    switch_ms : float
        What each change of a processor to another thread costs.
    bounded : bool
        Whether there was a horizon; otherwise every request has to end, and all work to be done.

    Raises
    ------
    BrokenLaw
        The simulation's own code is wrong; parameters cannot cause it.
    """
    for earlier, later in ORDER:
        before, after = getattr(trace, earlier), getattr(trace, later)
        bad = np.flatnonzero(after < before)  # missing times are in no order
        if bad.size:
            raise BrokenLaw(f"request {bad[0]}: {later} comes before {earlier}")
    if not (trace.complete or bounded):
        raise BrokenLaw(f"{int(np.isnan(trace.dispatcher_free_ms).sum())} requests never ended, without a horizon")
    work_ms = np.delete(workload.piece_ms, DELAY, axis=1).sum() + trace.switches * switch_ms
    # With every event the clock is rounded to its last digit.
    rounding_ms = 100 * np.finfo(float).eps * trace.ended_ms * (trace.arrival_ms.size + trace.switches)
    if not bounded:
        _equal("work done", trace.busy_ms, "work given", work_ms, rounding_ms)
    elif trace.busy_ms > work_ms * (1 + RELATIVE) + rounding_ms:
        raise BrokenLaw(f"work done ({trace.busy_ms} ms) is more than work given ({work_ms} ms)")
    if trace.wasted_ms != 0:
        raise BrokenLaw(f"a processor stood idle for {trace.wasted_ms} ms while a thread waited for one")
    ends_ms = np.where(np.isnan(trace.dispatcher_free_ms), trace.ended_ms, trace.dispatcher_free_ms)
    spent_ms = float((ends_ms - trace.arrival_ms).sum())
    _equal("requests in the system over time", trace.present_ms, "time of all requests", spent_ms, rounding_ms)


def _equal(one: str, value: float, other: str, expected: float, rounding_ms: float) -> None:
    if abs(value - expected) > RELATIVE * max(abs(value), abs(expected)) + rounding_ms:
        raise BrokenLaw(f"{one} ({value}) differs from {other} ({expected})")
