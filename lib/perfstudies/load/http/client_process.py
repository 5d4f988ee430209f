"""A load client as a process: it gets ready, waits for its start, sends, and never outlives its parent.

It prints ``READY client N``, takes lines on its standard input (``GO start_ns``, a time of the monotonic clock; later
perhaps ``STOP``: start no further request), and ends at once when its standard input ends: what it recorded until then
is on disk. It exits with 0 if all it had to send was sent, otherwise with another status and the reason on its standard
error.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from perfstudies.errors import PerfstudiesError
from perfstudies.load.http.plan import Plan

FAILED, ENDED_EARLY, ORPHANED = 1, 3, 4

Send = Callable[[int, threading.Event], str]
"""Sends everything: given when to start and an event that says when to stop; returns why it ended early, or nothing."""


def main(prepare: Callable[[Plan], Send]) -> int:
    """Run a client as the process's main program and return its exit status.

    Parameters
    ----------
    prepare : callable
        Given the plan, does all that must not be measured, and returns what sends.
    """
    parser = argparse.ArgumentParser(description="One client of a run, started by the lab.")
    parser.add_argument("--plan", type=Path, required=True, help="the client's plan (JSON)")
    try:
        plan = Plan.read(parser.parse_args().plan)
        send = prepare(plan)
        print(f"READY client {plan.client}", flush=True)
        # Unbuffered: the thread that reads on must not hold a lock of sys.stdin when the process ends.
        commands = open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)
        command, _, start = commands.readline().decode().partition(" ")
        if command != "GO":
            return say(f"client {plan.client} was told {command!r} instead of when to GO", ORPHANED)
        stop = threading.Event()
        threading.Thread(target=_listen, args=(commands, stop), daemon=True).start()
        early = send(int(start), stop)
    except PerfstudiesError as error:
        return say(str(error), FAILED)
    return say(f"client {plan.client} ended early: {early}", ENDED_EARLY) if early else 0


def _listen(commands: BinaryIO, stop: threading.Event) -> None:
    for line in commands:
        if line.strip() == b"STOP":
            stop.set()
    # The parent is gone. Nothing waits for the requests under way: no thread of them may keep this process.
    os._exit(ORPHANED)


def say(problem: str, status: int) -> int:
    """Say on standard error why a client ends, and return the status with which it does."""
    print(problem, file=sys.stderr, flush=True)
    return status
