"""A load client as a process: it gets ready, waits for its start, sends, and never outlives its parent.

It takes lines on its standard input: ``PLAN file``, to which it answers ``READY client N``, then ``GO start_ns``, a
time of the monotonic clock, later perhaps ``STOP``: start no further request. When all of a plan is sent it says
``SENT`` and may be given another plan. It ends at once when its standard input ends: what it recorded until then is on
disk. If not all was sent it ends with a status and the reason on its standard error.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

from perfstudies.errors import PerfstudiesError, SystemFailed
from perfstudies.load.http.plan import Plan

FAILED, ENDED_EARLY, ORPHANED = 1, 3, 4
SENT = "SENT"

Send = Callable[[int, threading.Event], str]
"""Sends everything: given when to start and an event that says when to stop; returns why it ended early, or nothing."""


class Orders:
    """What the lab tells this process line by line; the process ends when there can be no further line.

    Parameters
    ----------
    stop : callable
        Is called, on a thread of its own, when no further request is to begin.
    """

    def __init__(self, stop: Callable[[], object]) -> None:
        self._stop = stop
        self._told: SimpleQueue[tuple[str, str]] = SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def after(self, command: str) -> str:
        """Return what follows a command, the next that comes; a `SystemFailed` if another does."""
        said, rest = self._told.get()
        if said != command:
            raise SystemFailed(f"the client was told {said!r} instead of {command}")
        return rest

    def _listen(self) -> None:
        # Unbuffered: this thread must not hold a lock of sys.stdin when the process ends.
        for line in open(sys.stdin.fileno(), "rb", buffering=0, closefd=False):
            command, _, rest = line.decode("utf-8", errors="replace").strip().partition(" ")
            if command == "STOP":
                self._stop()
            else:
                self._told.put((command, rest))
        # The parent is gone. Nothing waits for the requests under way: no thread of them may keep this process.
        os._exit(ORPHANED)


def main(prepare: Callable[[Plan], Send]) -> int:
    """Run a client as the process's main program and return its exit status.

    Parameters
    ----------
    prepare : callable
        Given a plan, does all that must not be measured, and returns what sends.
    """
    stop = threading.Event()
    orders = Orders(stop.set)
    try:
        while True:
            plan = Plan.read(Path(orders.after("PLAN")))
            send = prepare(plan)
            print(f"READY client {plan.client}", flush=True)
            if early := send(int(orders.after("GO")), stop):
                return say(f"client {plan.client} ended early: {early}", ENDED_EARLY)
            print(SENT, flush=True)
    except PerfstudiesError as error:
        return say(str(error), FAILED)


def say(problem: str, status: int) -> int:
    """Say on standard error why a client ends, and return the status with which it does."""
    print(problem, file=sys.stderr, flush=True)
    return status
