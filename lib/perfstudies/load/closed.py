"""Closed virtual users: each sends its next request when the last is answered and its think time is over.

As the STEP study's load executor (section 3.7): a thread a user, a fault is an outcome and the run goes
on. What ends a run early is a server that is dead or hangs.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import requests
import zeep.exceptions

from perfstudies import sent as record
from perfstudies.errors import SystemFailed
from perfstudies.load.prepared import prepare
from perfstudies.load.soap import connect, said_by
from perfstudies.load_file import Request, read
from perfstudies.sent import Recorder, Sent

APPLICATION_FAULT = "flightFault"

TIMEOUT_S = 120
"""How long an answer is waited for, if nothing else is said."""


def run_users(
    wsdl: str, loads: Sequence[Path], records: Sequence[Path], alive: Callable[[], bool], timeout_s: float = TIMEOUT_S
) -> None:
    """Send the users' loads at the same time and write a record a request.

    Parameters
    ----------
    wsdl : str
        Address of the service's description, on loopback.
    loads, records : sequences of Path
        A load file and a record file a user.
    alive : callable
        Whether the server's process still runs; asked after a failed transport.
    timeout_s : float
        How long one call may take before the server counts as hung.

    Raises
    ------
    SystemFailed
        If the server died or hung. Every request that had ended is on record.
    """
    stop = threading.Event()
    failures: list[BaseException] = []
    start = threading.Barrier(len(loads))

    def body(user: int) -> None:
        try:
            _user(user, wsdl, loads[user], records[user], start, stop, alive, timeout_s)
        except BaseException as error:  # handed to the caller's thread, below
            failures.append(error)
            stop.set()
            start.abort()

    threads = [threading.Thread(target=body, args=(user,), name=f"user-{user}") for user in range(len(loads))]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    finally:
        # Ctrl-C arrives here: the users end after the request they are in.
        stop.set()
        for thread in threads:
            thread.join()
    primary = [error for error in failures if not isinstance(error, threading.BrokenBarrierError)]
    if primary:
        raise primary[0]


def _user(
    user: int,
    wsdl: str,
    load: Path,
    records: Path,
    start: threading.Barrier,
    stop: threading.Event,
    alive: Callable[[], bool],
    timeout_s: float,
) -> None:
    client = connect(wsdl, timeout_s)
    prepare(client)
    with Recorder(records) as recorder:
        start.wait(timeout_s)
        previous_ns = time.monotonic_ns()
        for request in read(load):
            intended_ns = previous_ns + request.think_ms * 1_000_000
            if stop.wait(max(0, intended_ns - time.monotonic_ns()) / 1e9) if request.think_ms else stop.is_set():
                return
            sent = call(client, user, request, intended_ns)
            recorder.add(sent)
            if sent.outcome == record.TRANSPORT_ERROR:
                check_server(sent, alive)
            previous_ns = sent.ended_ns


def call(client: zeep.Client, user: int, request: Request, intended_ns: int) -> Sent:
    """Make one call and return its record; faults and transport errors are outcomes, never raised."""
    transport = client.transport
    transport.bytes_out = transport.bytes_in = 0
    sent_ns = time.monotonic_ns()
    try:
        client.service[request.operation](**request.arguments)
        outcome, detail = record.OK, ""
    except zeep.exceptions.Fault as fault:
        outcome, detail = _fault(fault)
    except zeep.exceptions.ValidationError:
        raise  # the load file does not fit the WSDL: nothing was sent, so it is no outcome
    except (requests.RequestException, zeep.exceptions.Error) as error:
        outcome, detail = record.TRANSPORT_ERROR, f"{type(error).__name__}: {error}"
    return Sent(
        user=user,
        session=request.session,
        request=request.request,
        operation=request.operation,
        intended_ns=intended_ns,
        sent_ns=sent_ns,
        ended_ns=time.monotonic_ns(),
        outcome=outcome,
        detail=detail,
        bytes_out=transport.bytes_out,
        bytes_in=transport.bytes_in,
    )


def _fault(fault: zeep.exceptions.Fault) -> tuple[str, str]:
    """Return a fault's outcome and its message with, from its detail, what names the error."""
    message, details = said_by(fault)
    known = any(str(child.tag).rpartition("}")[2] == APPLICATION_FAULT for child in details)
    texts = [text for part in details.itertext() if (text := str(part).strip())]
    return record.APPLICATION_EXCEPTION if known else record.SYSTEM_ERROR, ": ".join([message, *texts])


def check_server(sent: Sent, alive: Callable[[], bool]) -> None:
    """See whether a server whose answer did not come is still there.

    Raises
    ------
    SystemFailed
        If it died, or did not answer in time.
    """
    if not alive():
        raise SystemFailed(f"the server died during request {sent.request} of user {sent.user} ({sent.detail})")
    if "Timeout" in sent.detail.split(":", 1)[0]:
        raise SystemFailed(f"the server hung: request {sent.request} of user {sent.user} ({sent.detail})")
