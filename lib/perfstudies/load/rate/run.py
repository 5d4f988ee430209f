"""A load at a high rate: a client's process that is told what to send, begun, watched, and ended whatever happens."""

from __future__ import annotations

import json
import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from perfstudies.errors import MissingTool, SystemFailed
from perfstudies.files import temporary
from perfstudies.load.http.client_program import started, tell
from perfstudies.load.http.limits import require_open_files
from perfstudies.load.rate.log import HEADER
from perfstudies.load.rate.plan import RatePlan
from perfstudies.servers.process import Process

LEAD_S = 0.2  # until the client has read when to begin
READY_TIMEOUT_S = 300  # the first start on a machine compiles the loop
POLL_S = 0.25
GONE_S = 2  # a process that is killed closes its connections some time before it can be seen to have ended
STOP_S = 30  # how long a client may take to end, beyond its requests' time


@dataclass(frozen=True)
class RateResult:
    """What a client says of its run.

    Attributes
    ----------
    start_ns, ended_ns : int
        When it began and had its last answer: nanoseconds of the monotonic clock. The log's times count from the first.
    cpu_user_s, cpu_system_s : float
        The processor's time that sending and receiving took, and nothing else.
    sent, ended : int
        Requests that were sent or could not be, and those of them that came to an end, whatever it was.
    ended_early : str
        Why not all was sent that should have been; empty if it was.
    """

    start_ns: int
    ended_ns: int
    cpu_user_s: float
    cpu_system_s: float
    sent: int
    ended: int
    ended_early: str


def run_rate(
    plan: RatePlan,
    alive: Callable[[], bool] = lambda: True,
    progress: Callable[[int], None] | None = None,
    begins: Callable[[int], None] | None = None,
    client: Process | None = None,
) -> RateResult:
    """Send what a plan says, and wait until all has ended.

    Parameters
    ----------
    plan : RatePlan
        What to send; its log is there afterwards, whatever happens.
    alive, progress
        As of `perfstudies.load.http.clients.run_clients`.
    begins : callable or None
        Told once, just before, when the first request is due: nanoseconds of the monotonic clock.
    client : Process or None
        One of `rate_client`, which has nothing else to send; by default one is started, and ended, for this plan. After
        an error it is of no use any more.

    Raises
    ------
    BadParameter
        If the plan needs more than this machine allows.
    MissingTool
        If this machine cannot run the client.
    SystemFailed
        If no connection could be opened, or the server died or the client failed, with the end of what it said. What
        had ended is in the log.
    """
    require_linux()
    require_open_files(plan.connections, f"a client with {plan.connections} connections")
    if client is None:
        with rate_client() as client:
            return run_rate(plan, alive, progress, begins, client)
    path = client.log.with_name("plan.json")
    plan.write(path)
    tell(client, f"PLAN {path}")
    client.wait_ready(READY_TIMEOUT_S + plan.timeout_s)
    start_ns = time.monotonic_ns() + int(LEAD_S * 1e9)
    tell(client, f"GO {start_ns}")
    if begins is not None:
        begins(start_ns)
    result = _result(client, _wait(client, plan, alive, progress))
    give_up = time.monotonic() + GONE_S
    while result.ended_early and time.monotonic() < give_up:
        if not alive():
            raise _died(plan, f"the client ended early: {result.ended_early}")
        time.sleep(POLL_S / 10)
    return result


@contextmanager
def rate_client() -> Iterator[Process]:
    """Start a client that sends one plan after another, each given to `run_rate`; end it at the end.

    Its start takes as long as a short run does, and is over before anything is measured.
    """
    with (
        temporary("rate") as folder,
        started("the client for high rates", "perfstudies.load.rate.client", folder / "client.log") as client,
    ):
        yield client


def require_linux() -> None:
    """Raise `MissingTool` unless the client can run here."""
    if not sys.platform.startswith("linux"):
        raise MissingTool(
            f"the client for high rates waits by epoll, which {sys.platform} does not have. Measure on Linux (a "
            'virtual machine or a container will do), or use the recorded runs (source = "reference").'
        )


def _wait(client: Process, plan: RatePlan, alive: Callable[[], bool], progress: Callable[[int], None] | None) -> bytes:
    """Wait until the client has sent all, and return what it says of it."""
    said, died = b"", False
    give_up = time.monotonic() + LEAD_S + plan.duration_s + 2 * plan.timeout_s + STOP_S
    while not said.endswith(b"\n"):
        if select.select([client.popen.stdout], [], [], POLL_S)[0]:
            data = os.read(client.popen.stdout.fileno(), 1 << 16)
            if not data and not died:
                raise client.output_ended("did not send all that it had to")
            if not data:
                break
            said += data
        if progress is not None:
            progress(_ended(plan.record))
        if not died and not alive():
            died = True
            give_up = min(give_up, time.monotonic() + plan.timeout_s + STOP_S)
            tell(client, "STOP")
        if time.monotonic() > give_up:
            raise client.failure("did not end in time" + (" after the server had died" if died else ""))
    if died:
        early = "the client stopped in order" if said.endswith(b"\n") else "the client ended, too, and said nothing"
        raise _died(plan, early)
    return said


def _died(plan: RatePlan, early: str) -> SystemFailed:
    return SystemFailed(f"the server died while requests to {plan.address} were sent; {early}. {_begun(plan.record)}")


def _result(client: Process, said: bytes) -> RateResult:
    try:
        return RateResult(**json.loads(said))
    except (ValueError, TypeError) as error:
        raise client.failure(f"said {said[:100]!r} instead of what it cost") from error


def _header(record: Path) -> np.ndarray:
    try:
        return np.fromfile(record, HEADER, 1)
    except OSError:
        return np.empty(0, HEADER)


def _ended(record: Path) -> int:
    header = _header(record)
    return int(header["ended"][0]) if header.size else 0


def _begun(record: Path) -> str:
    header = _header(record)
    counted = f"{header['ended'][0]} of {header['begun'][0]} requests that had begun have ended" if header.size else ""
    return f"{counted}; they are in {record}"
