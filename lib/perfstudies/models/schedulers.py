"""How threads share processors: the three rules under which the thread-pool model can run.

A rule is only declared here. What it does is in one compiled module each (`machine_slices`, `machine_deadlines`;
sharing is in `machine`), behind the seam `perfstudies.models.machine`. All rules know threads of equal rank only: the
CORBA study had switched priorities off, and a JVM's threads have equal ones by default.

Sources: the CORBA study, section 2.2; D. P. Bovet and M. Cesati, *Understanding the Linux Kernel*, 2nd edition,
O'Reilly 2002, chapter 11, which the study names, and ``kernel/sched.c`` of Linux 2.4; I. Stoica and H. Abdel-Wahab,
"Earliest eligible virtual deadline first", TR-95-22, Old Dominion University 1995, and ``kernel/sched/fair.c`` of Linux
6.6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perfstudies.errors import BadParameter, require_one_of
from perfstudies.models.machine_state import DEADLINES, LAG_FADES, LAG_KEPT, LAG_LOST, RULE, SHARING, SLICES
from perfstudies.models.values import at_least, not_negative, positive_number

LAGS = {"kept": LAG_KEPT, "fades": LAG_FADES, "lost": LAG_LOST}


@dataclass(frozen=True)
class ProcessorSharing:
    """All runnable threads at once, each at an equal rate: the study's first version of its model.

    Of N runnable threads on c processors each gets min(1, c / N) of a processor. There are no slices, so nothing is
    open.
    """


@dataclass(frozen=True)
class TimeSlices:
    """Linux 2.4: the thread with the largest counter runs; the study's second version.

    Each tick takes one from the counter of the thread that runs. A thread whose counter is 0 is not chosen while
    another has any. When every runnable thread's counter is 0, all threads, blocked ones too, get half their counter
    plus `base_ticks`: who sleeps much collects up to twice that, less one, and so comes before who computes much.

    Attributes
    ----------
    tick_ms : float
        Time between ticks; 10 in the study and in Linux 2.4 on PCs. Ticks come at whole multiples, to all processors at
        once. A very long one (1e9) leaves time slices out: counters then stay equal.
    base_ticks : int
        What is added; the study says "some constant amount". 6 is the kernel's for a thread of ordinary rank, and makes
        the slices of at most 110 ms that the study gives. All threads begin with it.
    least_lead : int
        By how much a woken thread's counter must be larger to interrupt the running one. The study says "larger", that
        is 1; early kernels of the 2.4 series (2.4.3) asked for 2. The kernel compares "goodness": a counter of 0 is 20
        worse than its number.
    wakes_preempt : bool
        Whether a woken thread may interrupt at all; False leaves the study's priorities out, and slices stay.
    newest_first : bool
        Of waiting threads with equal counters, whether the one that woke last comes first, as in the kernel, which puts
        woken threads at the head of its list; the study does not say. The running thread comes before both.
    switch_ms : float
        Processor time that each change of a processor to another thread costs; 0, as the study has none.
    """

    tick_ms: float = 10.0
    base_ticks: int = 6
    least_lead: int = 1
    wakes_preempt: bool = True
    newest_first: bool = True
    switch_ms: float = 0.0

    def __post_init__(self) -> None:
        positive_number("tick_ms", self.tick_ms)
        at_least("base_ticks", self.base_ticks, 1)
        at_least("least_lead", self.least_lead, 1)
        not_negative("switch_ms", self.switch_ms)


@dataclass(frozen=True)
class VirtualDeadlines:
    """Linux since 6.6 (EEVDF): of the threads that got no more than their share, the earliest virtual deadline runs.

    A thread's virtual time is the processor time that it got. Its lag is how far it is behind the average of the
    runnable threads; with a lag of 0 or more it is eligible. Its deadline is `slice_ms` after the virtual time at which
    its present slice began, and moves on when that is used up.

    Attributes
    ----------
    slice_ms : float
        The kernel's base slice: 0.75 times 1 + log2 of the number of processors (at most 8 are counted), so 0.75 on one
        and 1.5, the default, on two. Since Linux 6.15 it is 0.7 times that.
    tick_ms : float
        When used-up slices are noticed, beside wake-ups: 4 for 250 ticks a second, which most distributions set.
    watched : bool
        Whether used-up slices are noticed at once: the kernel brings its books up to date whenever a thread's processor
        time is read, so that threads which do so all the time cannot go on until the next tick.
    lag : {"kept", "fades", "lost"}
        What becomes of the lag of a thread that sleeps. "kept": it comes back with that which it left with (at most two
        slices, or a tick), as in 6.6. "fades": as since 6.12, one that got too much counts as if it were runnable until
        it would be its turn or it wakes, so that the others make up for it meanwhile; its lag is none then. "lost": all
        come back with none.
    wakes_preempt : bool
        Whether a woken thread that would be chosen interrupts the running one.
    finishes_slice : bool
        Whether the running thread, once chosen, is left alone until its slice is used up or it is no longer eligible
        (the kernel's RUN_TO_PARITY).
    switch_ms : float
        As in `TimeSlices`.

    Notes
    -----
    On several processors there is one queue for all. The kernel has one each and moves threads between them now and
    then; with one processor, the study's number, this is no difference.
    """

    slice_ms: float = 1.5
    tick_ms: float = 4.0
    watched: bool = False
    lag: str = "kept"
    wakes_preempt: bool = True
    finishes_slice: bool = True
    switch_ms: float = 0.0

    def __post_init__(self) -> None:
        positive_number("slice_ms", self.slice_ms)
        require_one_of("lag", self.lag, LAGS)
        positive_number("tick_ms", self.tick_ms)
        not_negative("switch_ms", self.switch_ms)


Scheduler = ProcessorSharing | TimeSlices | VirtualDeadlines


def compiled_rule(scheduler: Scheduler) -> np.ndarray:
    """Return a scheduler as the compiled code reads it, shape (1,) of `machine_state.RULE`."""
    rule = np.zeros(1, dtype=RULE)
    if isinstance(scheduler, ProcessorSharing):
        rule["kind"] = SHARING
        return rule
    if isinstance(scheduler, TimeSlices):
        rule["kind"] = SLICES
        names = ("base_ticks", "least_lead", "newest_first")
    elif isinstance(scheduler, VirtualDeadlines):
        rule["kind"] = DEADLINES
        names = ("slice_ms", "watched", "finishes_slice")
        rule["lag"] = LAGS[scheduler.lag]
    else:
        raise BadParameter.choice("scheduler", scheduler, ("ProcessorSharing()", "TimeSlices()", "VirtualDeadlines()"))
    for name in ("tick_ms", "switch_ms", "wakes_preempt", *names):
        rule[name] = getattr(scheduler, name)
    return rule
