"""What the compiled loop works on: its settings and counters, a record a connection, and room for what comes in."""

from __future__ import annotations

import socket
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np

from perfstudies.load.rate.heads import HEAD_LIMIT
from perfstudies.load.rate.libc import EPOLL_EVENT, POLLFD
from perfstudies.load.rate.plan import RatePlan
from perfstudies.load.rate.replies import REPLY, tail_bytes

EVENTS = 512  # taken from the kernel at a time; one more is what the kernel is told
RECEIVE_BYTES = 1 << 18
GIVE_UP = 10  # refused connections in a row after which the client ends: so many, or three for each connection

CLOSED, CONNECTING, IDLE, BUSY, BACKOFF = range(5)
"""States of a connection; a request may be attached to it in any but `IDLE`."""

CONNECTION = np.dtype(
    [
        ("row", np.int64),  # of its request in the log; -1: none
        ("since_ns", np.int64),  # when it began to connect or to send
        ("wake_ns", np.int64),  # when it is tried again
        ("sent", np.int64),  # bytes of the request
        ("requests", np.int64),
        ("generation", np.int64),  # tells events of an earlier socket
        ("fd", np.int32),
        ("state", np.int32),
        ("failures", np.int32),  # in a row
        ("used", np.int8),  # whether its socket carried a request before
        ("writing", np.int8),  # whether it waits until it can send
    ],
    align=True,
)

CONTROL = np.dtype(
    [
        ("start_ns", np.int64),
        ("end_ns", np.int64),  # no request begins after it
        ("drain_ns", np.int64),  # how long what is under way is waited for after the end
        ("timeout_ns", np.int64),
        ("tick_ns", np.int64),
        ("requests_per_connection", np.int64),  # 0: no limit
        ("max_requests", np.int64),
        ("due", np.int64),  # arrivals whose time has come
        ("next", np.int64),  # the first arrival that waits for a connection
        ("refused", np.int64),  # in a row
        ("give_up", np.int64),
        ("busy", np.int64),  # requests that have a connection, open or not yet
        ("opened", np.int64),  # connections that are open
        ("carrying", np.int64),  # and those of them with a request
        ("connecting", np.int64),
        ("resting", np.int64),  # connections that are tried again later
        ("cursor", np.int64),
        ("epoll", np.int32),
        ("family", np.int32),
        ("error", np.int32),  # what the client itself ran out of (errno)
        ("is_open", np.int8),  # open arrivals
        ("running", np.int8),  # after the start; before it connections are opened
    ],
    align=True,
)

STOP = 0
"""Where `State.flags` holds whether no further request may begin."""


class State(NamedTuple):
    """All that the loop works on; every part is an array that it alone writes to (`flags` excepted)."""

    control: np.ndarray
    header: np.ndarray
    rows: np.ndarray
    connections: np.ndarray
    replies: np.ndarray
    heads: np.ndarray
    tails: np.ndarray
    scratch: np.ndarray
    buffer: np.ndarray
    events: np.ndarray
    poll: np.ndarray
    time: np.ndarray
    option: np.ndarray
    address: np.ndarray
    message: np.ndarray
    must: np.ndarray
    schedule: np.ndarray
    flags: np.ndarray


def new_state(plan: RatePlan, header: np.ndarray, rows: np.ndarray, schedule: np.ndarray, epoll: int) -> State:
    """Make what the loop works on.

    Parameters
    ----------
    plan : RatePlan
        What is to be sent.
    header, rows : arrays
        The log, mapped (`perfstudies.load.rate.log`).
    schedule : array of int64
        When open arrivals are due, in ns from the start; empty for closed clients.
    epoll : int
        The descriptor of an epoll instance.
    """
    count, tail = plan.connections, tail_bytes(plan.must_contain)
    control = np.zeros(1, CONTROL)
    control["timeout_ns"] = control["drain_ns"] = int(plan.timeout_s * 1e9)
    control["tick_ns"] = min(max(int(plan.timeout_s * 5e7), 5_000_000), 100_000_000)
    control["requests_per_connection"] = plan.requests_per_connection
    control["max_requests"] = plan.max_requests
    control["give_up"] = max(GIVE_UP, 3 * count)
    control["is_open"] = plan.rate > 0
    control["epoll"] = epoll
    address = _socket_address(plan.address)
    control["family"] = int(np.frombuffer(address, np.uint16, 1)[0])
    connections = np.zeros(count, CONNECTION)
    connections["row"] = connections["fd"] = -1
    return State(
        control=control,
        header=header,
        rows=rows,
        connections=connections,
        replies=np.zeros(count, REPLY),
        heads=np.empty((count, HEAD_LIMIT), np.uint8),  # untouched until a head comes in pieces: no memory
        tails=np.empty((count, tail), np.uint8),
        scratch=np.empty(2 * tail, np.uint8),
        buffer=np.empty(RECEIVE_BYTES, np.uint8),
        events=np.zeros(EVENTS + 1, EPOLL_EVENT),
        poll=np.zeros(1, POLLFD),
        time=np.zeros(2, np.int64),
        option=np.zeros(2, np.int32),
        address=_bytes(address),
        message=_bytes(plan.request()),
        must=_bytes(plan.must_contain),
        schedule=schedule,
        flags=np.zeros(1, np.int64),
    )


def _bytes(data: bytes) -> np.ndarray:
    return np.frombuffer(data, np.uint8).copy()


def _socket_address(address: str) -> bytes:
    """Return struct sockaddr_in or sockaddr_in6."""
    parts = urlsplit(address)
    host = "127.0.0.1" if parts.hostname == "localhost" else parts.hostname or ""
    port = (parts.port or 80).to_bytes(2, "big")
    if ":" in host:
        family, rest = socket.AF_INET6, bytes(4) + socket.inet_pton(socket.AF_INET6, host) + bytes(4)
    else:
        family, rest = socket.AF_INET, socket.inet_pton(socket.AF_INET, host) + bytes(8)
    return np.uint16(family).tobytes() + port + rest
