"""A server's process: started, waited for until it answers, and stopped whatever happens.

The server's standard input is a pipe that nobody writes to. When this process ends, however it ends, the
pipe closes, and the server takes that as its order to stop: so it never outlives its parent.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfstudies.errors import SystemFailed

READY = "READY "
TAIL_LINES = 15
ENDING_S = 5.0
"""How long a process may go on that has closed its output."""


def tail(log: Path, lines: int = TAIL_LINES) -> str:
    """Return the last lines of a text file, reading no more than its last 64 KiB."""
    if not log.exists():
        return ""
    with open(log, "rb") as file:
        file.seek(max(0, log.stat().st_size - 65536))
        text = file.read().decode("utf-8", errors="replace")
    return "\n".join(text.splitlines()[-lines:])


@contextmanager
def telling(*processes: Process) -> Iterator[None]:
    """Let what fails meanwhile say how the first of these ended that has, with the end of its log."""
    try:
        yield
    except SystemFailed as error:
        ended = next((process for process in processes if not process.alive()), None)
        if ended is None:
            raise
        raise ended.failure(str(error)) from error


class Process:
    """A running server.

    Attributes
    ----------
    address : str
        What it said after ``READY``.
    log : Path
        Where its standard error goes.
    """

    def __init__(self, name: str, popen: subprocess.Popen, log: Path):
        self.name, self.log, self.address = name, log, ""
        self.popen: Any = popen  # whether it has pipes is known where it is started

    @property
    def pid(self) -> int:
        """The process's number."""
        return self.popen.pid

    def alive(self) -> bool:
        """Whether the process still runs."""
        return self.popen.poll() is None

    def failure(self, problem: str) -> SystemFailed:
        """Return an error with a problem, the exit status and the end of the log."""
        status = self.popen.poll()
        ended = "it is still running" if status is None else f"it ended with status {status}"
        return SystemFailed(f"{self.name}: {problem} ({ended}). The end of {self.log}:\n{tail(self.log)}")

    def output_ended(self, problem: str) -> SystemFailed:
        """Return an error with a problem of a server that has closed its output, as one does that ends."""
        try:
            self.popen.wait(ENDING_S)
        except subprocess.TimeoutExpired:
            return self.failure(f"{problem}: it closed its output and goes on")
        return self.failure(f"{problem} and ended")

    def wait_ready(self, timeout_s: float) -> None:
        """Wait for the line ``READY address``; `SystemFailed` if it does not come in time."""
        line = self.line(timeout_s, "was not ready")
        if not line.startswith(READY):
            raise self.failure(f"said {line!r} instead of being ready")
        self.address = line.removeprefix(READY)

    def ask(self, line: str, timeout_s: float = 30) -> str:
        """Send a line to the server's standard input and return the line it answers; `SystemFailed` if none comes."""
        try:
            self.popen.stdin.write(f"{line}\n".encode())
            self.popen.stdin.flush()
        except BrokenPipeError:
            raise self.failure(f"ended before it could be asked {line!r}") from None
        return self.line(timeout_s, f"did not answer {line!r}")

    def command(self, line: str, answer: str, timeout_s: float = 30) -> None:
        """Send a line and wait for its answer; `SystemFailed` if it gives another."""
        said = self.ask(line, timeout_s)
        if said != answer:
            raise self.failure(f"answered {line!r} with {said!r}")

    def told(self, line: str, word: str, timeout_s: float = 30) -> str:
        """Send a line and return what follows a word in its answer; `SystemFailed` if that begins with another."""
        answer = self.ask(line, timeout_s)
        said, _, rest = answer.partition(" ")
        if said != word:
            raise self.failure(f"answered {line!r} with {answer!r}")
        return rest

    def line(self, timeout_s: float, otherwise: str) -> str:
        """Return the next line of its output; `SystemFailed` if none comes in time, with what it did not do then."""
        deadline = time.monotonic() + timeout_s
        said = b""
        stdout = self.popen.stdout
        while not said.endswith(b"\n"):
            left_s = deadline - time.monotonic()
            if left_s <= 0 or not select.select([stdout], [], [], left_s)[0]:
                raise self.failure(f"{otherwise} after {timeout_s:g} s")
            byte = os.read(stdout.fileno(), 1)
            if not byte:
                raise self.output_ended(otherwise)
            said += byte
        return said.decode("utf-8", errors="replace").strip()

    def stop(self, timeout_s: float) -> None:
        """Ask the server to end by closing its input, and kill it if it does not; `SystemFailed` if it had to be."""
        self.popen.stdin.close()
        self.wait_stopped(timeout_s)

    def wait_stopped(self, timeout_s: float) -> None:
        """Wait until the server, asked to end, has ended; `SystemFailed` if it does not, or does not end well."""
        try:
            status = self.popen.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise self.failure(f"did not stop within {timeout_s:g} s and was killed") from None
        if status != 0:
            raise self.failure("did not end well")

    def close(self) -> None:
        """Close the pipes to an ended server."""
        for pipe in (self.popen.stdin, self.popen.stdout):
            with suppress(BrokenPipeError):
                pipe.close()


@dataclass(frozen=True)
class Deployed:
    """A server's process with one deployment of a web service at a time."""

    process: Process

    @property
    def endpoint(self) -> str:
        """Address that requests go to."""
        return self.process.address

    @property
    def wsdl(self) -> str:
        """Address of its description."""
        return f"{self.endpoint}?wsdl"

    def statistics(self) -> dict[str, int]:
        """Return the server's counters since the last call, or since the deployment."""
        return json.loads(self.process.told("statistics", "STATISTICS"))

    def deploy_by(self, config: Path, timeout_s: float) -> None:
        """Replace the deployment by a fresh one, whose settings are in a file; `SystemFailed` if there is none then."""
        answer = self.process.ask(f"deploy {config}", timeout_s)
        if not answer.startswith(READY):
            raise self.process.failure(f"did not deploy: {answer}")
        self.process.address = answer.removeprefix(READY)


@contextmanager
def serve(
    name: str, command: Sequence[str], log: Path, start_timeout_s: float = 60, stop_timeout_s: float = 60
) -> Iterator[Process]:
    """Start a server, wait until it is ready, and stop it at the end of the block.

    Parameters
    ----------
    name : str
        What to call it in messages.
    command : sequence of str
        The program and its arguments. It prints one line ``READY address`` on its standard output when it
        answers, and stops when its standard input ends.
    log : Path
        Where its standard error goes.
    start_timeout_s, stop_timeout_s : float
        How long it may take to be ready and to stop.

    Raises
    ------
    SystemFailed
        If it does not start, dies, or does not stop; the message ends with the end of its log.
    """
    with open(log, "wb") as stderr:
        # Its own session: Ctrl-C in the terminal reaches the lab, which then stops the server in order.
        popen = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, start_new_session=True
        )
    with supervised(Process(name, popen, log), start_timeout_s, stop_timeout_s) as process:
        yield process


@contextmanager
def supervised(process: Process, start_timeout_s: float, stop_timeout_s: float) -> Iterator[Process]:
    """Wait until a started process is ready, and stop it at the end of the block; arguments and errors as `serve`."""
    try:
        process.wait_ready(start_timeout_s)
        try:
            yield process
        except SystemFailed as error:
            raise process.failure(str(error)) from error
        process.stop(stop_timeout_s)
    finally:
        if process.alive():
            process.popen.kill()
        process.popen.wait()
        process.close()
