"""Stops a process for a while and lets it go on: ``python -m perfstudies.systems.stall PID AFTER_S FOR_S``.

A program of its own, because a stopped process does not notice that its parent has died: this one lets it go on
whatever happens to the lab, and does not stop it at all once its own standard input has ended. It answers with a line,
the two moments in nanoseconds of the monotonic clock.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from perfstudies.errors import SystemFailed

LONGEST_S = 30


@contextmanager
def stalled(pid: int, after_s: float, for_s: float) -> Iterator[list[int]]:
    """Stop a process during the block, some time after its beginning.

    Yields
    ------
    list of int
        Filled at the end of the block: when it was stopped and when it went on, ns of the monotonic clock.

    Raises
    ------
    SystemFailed
        If the process could not be stopped, or the block ended before it went on.
    """
    command = [sys.executable, "-m", "perfstudies.systems.stall", str(pid), str(after_s), str(for_s)]
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    moments: list[int] = []
    try:
        yield moments
    finally:
        said, problem = child.communicate()
    if child.returncode != 0 or len(said.split()) != 2:
        raise SystemFailed(f"process {pid} was not stopped as planned: {problem.decode(errors='replace').strip()}")
    moments += map(int, said.split())


def main(arguments: list[str]) -> int:
    """Stop the process as the arguments say; return the exit status."""
    pid, after_s, for_s = int(arguments[0]), float(arguments[1]), float(arguments[2])
    if not 0 <= for_s <= LONGEST_S:
        print(f"a process is stopped for at most {LONGEST_S} s, not {for_s:g}", file=sys.stderr)
        return 2
    # A number may come to name another process; this handle cannot.
    process = os.pidfd_open(pid)
    if select.select([sys.stdin], [], [], after_s)[0]:
        print("the load ended before the process was stopped", file=sys.stderr)
        return 1
    signal.pidfd_send_signal(process, signal.SIGSTOP)
    try:
        stopped_ns = time.monotonic_ns()
        time.sleep(for_s)
    finally:
        signal.pidfd_send_signal(process, signal.SIGCONT)
    print(stopped_ns, time.monotonic_ns())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
