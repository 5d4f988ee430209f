"""Clients as the lab starts them: a process each, told by lines what to do, and ended whatever happens."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from perfstudies.servers.process import Process

ENDS_WITHIN_S = 5


@contextmanager
def started(name: str, module: str, log: Path, prefix: Sequence[str] = ()) -> Iterator[Process]:
    """Start a client's process and end it at the end of the block.

    Parameters
    ----------
    name : str
        What to call it in messages.
    module : str
        Its program, run by ``python -m``.
    log : Path
        Where its standard error goes.
    prefix : sequence of str
        A command that runs another one; for a network namespace.
    """
    with open(log, "wb") as stderr:
        # Its own session: Ctrl-C in the terminal reaches the lab, which then ends its clients.
        popen = subprocess.Popen(
            [*prefix, sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
        )
    client = Process(name, popen, log)
    try:
        yield client
    finally:
        with suppress(BrokenPipeError):
            client.popen.stdin.close()  # ends it, if it still runs
        try:
            popen.wait(ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            popen.kill()
            popen.wait()
        client.close()


def tell(client: Process, line: str) -> None:
    """Give a client a line, if it still runs: who waits for it sees that it ended, and why."""
    with suppress(BrokenPipeError):
        client.popen.stdin.write(f"{line}\n".encode())
        client.popen.stdin.flush()
