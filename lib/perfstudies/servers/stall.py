"""Stops a process for a while and lets it go on: ``python -m perfstudies.servers.stall PID FOR_S``.

A program of its own, because a stopped process does not notice that its parent has died: this one lets it go on
whatever happens to the lab, and does not stop it at all once its own standard input has ended. It takes a line, the
moment to stop the process, and answers with one, the moments at which it was stopped and went on, all in nanoseconds of
the monotonic clock.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from perfstudies.errors import SystemFailed

LONGEST_S = 30


class Stall:
    """A stop that is to be.

    Attributes
    ----------
    moments : list of int
        When the process was stopped and when it went on, ns of the monotonic clock; empty until the block has ended.
    """

    def __init__(self, child: subprocess.Popen):
        self._child = child
        self.moments: list[int] = []

    def at(self, moment_ns: int) -> None:
        """Say when the process is to be stopped, in ns of the monotonic clock."""
        assert self._child.stdin is not None
        with suppress(BrokenPipeError):  # why it has ended is told when the block ends
            self._child.stdin.write(f"{moment_ns}\n".encode())
            self._child.stdin.flush()


@contextmanager
def stalled(pid: int, for_s: float) -> Iterator[Stall]:
    """Stop a process once during the block, when it is told to.

    Raises
    ------
    SystemFailed
        If the process was not stopped: it could not be, or the block ended before.
    """
    command = [sys.executable, "-m", "perfstudies.servers.stall", str(pid), str(for_s)]
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    stall = Stall(child)
    try:
        yield stall
    finally:
        said, problem = child.communicate()
    if child.returncode != 0 or len(said.split()) != 2:
        raise SystemFailed(f"process {pid} was not stopped as planned: {problem.decode(errors='replace').strip()}")
    stall.moments += map(int, said.split())


def main(arguments: list[str]) -> int:
    """Stop the process as the arguments say; return the exit status."""
    pid, for_s = int(arguments[0]), float(arguments[1])
    if not 0 <= for_s <= LONGEST_S:
        print(f"a process is stopped for at most {LONGEST_S} s, not {for_s:g}", file=sys.stderr)
        return 2
    # A number may come to name another process; this handle cannot.
    process = os.pidfd_open(pid)
    # Unbuffered, so that waiting for more input sees all that has come.
    told = open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)
    moment = told.readline()
    left_s = (int(moment) - time.monotonic_ns()) / 1e9 if moment else 0.0
    if not moment or select.select([told], [], [], max(0.0, left_s))[0]:
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
