"""Many connections in one thread: each carries a prepared request at a time, and every request gets its record.

`Connections` sends, receives and writes records; when to send what is the caller's (`perfstudies.load.http.arrivals`).
"""

from __future__ import annotations

import errno
import os
import selectors
import socket
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from perfstudies.exchange import LOST, Exchange, Journal
from perfstudies.load.http.plan import Plan
from perfstudies.load.http.wire import BadReply, Reply, failure, judge, new_socket, peer, still_open

READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE
OPENING = -1  # the number of no request: a connection that is opened beforehand
WAKE_S = 0.1  # how long nothing may be looked at but the sockets


class Connection:
    """A connection and the request that it carries."""

    __slots__ = ("connected", "data", "intended_ns", "number", "reply", "socket", "started_ns", "version")

    def __init__(self) -> None:
        self.socket: socket.socket | Any = None
        self.connected, self.number, self.version = False, OPENING, 0
        self.intended_ns = self.started_ns = 0
        self.data: bytes | memoryview = b""
        self.reply = Reply()


class Connections:
    """The connections of one client.

    Attributes
    ----------
    idle : list of Connection
        Open and without a request.
    ended : deque of int
        When requests ended (nanoseconds), for the caller to take.
    unopened : list of (str, str)
        Outcome and detail of each connection that could not be opened beforehand.
    busy : int
        Connections with a request, or being opened.
    refusals : int
        How many requests in a row found nothing listening.
    """

    def __init__(self, plan: Plan, address: str, data: Callable[[int], bytes]):
        self.idle: list[Connection] = []
        self.ended: deque[int] = deque()
        self.unopened: list[tuple[str, str]] = []
        self.busy = self.refusals = 0
        self.journal: Journal | Any = None
        self.start_ns = 0
        self._plan, self._peer, self._data = plan, peer(address), data
        self._selector = selectors.DefaultSelector()
        # All requests live equally long, so they run out of time in the order of their starts.
        self._deadlines: deque[tuple[int, Connection, int]] = deque()
        self._over: list[tuple[int, int, int, int, Exception | None, Reply]] = []

    def open(self, ttl_s: float) -> None:
        """Begin to open a connection for later; it will be in `idle`, or the reason why not in `unopened`."""
        connection = Connection()
        self._begin(connection, OPENING, 0, ttl_s)

    def send(self, number: int, intended_ns: int) -> None:
        """Send a request over an idle connection, or over a new one if none is idle."""
        connection = self.idle.pop() if self.idle else Connection()
        self._begin(connection, number, intended_ns, self._plan.ttl_s)

    def drop_closed(self) -> None:
        """Forget the idle connection that is next if the server closed it: after a reply it may."""
        while self.idle and not still_open(self.idle[-1].socket):
            self.idle.pop().socket.close()

    def fail(self, number: int, intended_ns: int, outcome: str, detail: str) -> None:
        """Record a request that could not be sent."""
        now_ns = time.monotonic_ns()
        self._write(number, intended_ns, now_ns, now_ns, outcome, detail, Reply())

    def step(self, timeout_s: float) -> None:
        """Wait for the connections, but no longer than a time, and do what there is to do on each."""
        while self._deadlines and self._deadlines[0][1].version != self._deadlines[0][2]:
            self._deadlines.popleft()
        if self._deadlines:
            timeout_s = min(timeout_s, (self._deadlines[0][0] - time.monotonic_ns()) / 1e9)
        if self._over:
            timeout_s = 0
        for key, _ in self._selector.select(max(0.0, min(timeout_s, WAKE_S))):
            self._ready(key.data)
        now_ns = time.monotonic_ns()
        while self._deadlines and self._deadlines[0][0] <= now_ns:
            _, connection, version = self._deadlines.popleft()
            if connection.version == version:
                self._end(connection, TimeoutError("timed out" if connection.connected else "timed out connecting"))
        self._settle()

    def close(self) -> None:
        """Close all connections."""
        for key in list(self._selector.get_map().values()):
            key.data.socket.close()
        for connection in self.idle:
            connection.socket.close()
        self._selector.close()

    def _begin(self, connection: Connection, number: int, intended_ns: int, ttl_s: float) -> None:
        connection.number, connection.intended_ns = number, intended_ns
        connection.data = b"" if number == OPENING else self._data(number)
        connection.reply = Reply()
        connection.started_ns = time.monotonic_ns()
        self._deadlines.append((connection.started_ns + int(ttl_s * 1e9), connection, connection.version))
        self.busy += 1
        try:
            if connection.socket is None:
                self._connect(connection)
            else:
                self._push(connection)
        except OSError as error:
            self._end(connection, error)

    def _connect(self, connection: Connection) -> None:
        connection.socket = new_socket(self._plan.source)
        connection.socket.setblocking(False)
        code = connection.socket.connect_ex(self._peer)
        if code not in (0, errno.EINPROGRESS):
            raise OSError(code, os.strerror(code))
        self._selector.register(connection.socket, WRITE, connection)

    def _ready(self, connection: Connection) -> None:
        try:
            if not connection.connected:
                code = connection.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                if code:
                    raise OSError(code, os.strerror(code))
                connection.connected = True
                if connection.number == OPENING:
                    self._free(connection)
                    return
            if connection.data:
                self._push(connection)
            self._pull(connection)
        except OSError as error:
            self._end(connection, error)

    def _push(self, connection: Connection) -> None:
        try:
            sent = connection.socket.send(connection.data)
        except BlockingIOError:
            sent = 0
        connection.data = memoryview(connection.data)[sent:] if sent < len(connection.data) else b""
        events = READ | WRITE if connection.data else READ
        registered = self._selector.get_map().get(connection.socket)
        if registered is None:
            self._selector.register(connection.socket, events, connection)
        elif registered.events != events:
            self._selector.modify(connection.socket, events, connection)

    def _pull(self, connection: Connection) -> None:
        try:
            received = connection.socket.recv(1 << 16)
            if connection.reply.feed(received):
                self._end(connection, None)
            elif not received:
                self._end(connection, EOFError("closed before the reply was complete"))
        except BlockingIOError:
            pass
        except BadReply as error:
            self._end(connection, error)

    def _free(self, connection: Connection) -> None:
        self._selector.unregister(connection.socket)
        connection.version += 1
        self.busy -= 1
        self.idle.append(connection)

    def _end(self, connection: Connection, error: Exception | None) -> None:
        """Take the time; what the reply says is looked at when all sockets have been served."""
        ended_ns = time.monotonic_ns()
        sent = (connection.number, connection.intended_ns, connection.started_ns)
        self._over.append((*sent, ended_ns, error, connection.reply))
        if error is None and self._plan.keep_alive and connection.reply.reusable:
            self._free(connection)
            return
        if connection.socket is not None:
            if connection.socket in self._selector.get_map():
                self._selector.unregister(connection.socket)
            connection.socket.close()
        connection.version += 1
        self.busy -= 1

    def _settle(self) -> None:
        over, self._over = self._over, []
        for number, intended_ns, started_ns, ended_ns, error, reply in over:
            if error is None:
                outcome, detail = judge(reply)
            elif isinstance(error, OSError):
                outcome, detail = failure(error, reply)
            else:
                outcome, detail = LOST, str(error)
            if number == OPENING:
                self.unopened.append((outcome, detail))
                continue
            self.refusals = self.refusals + 1 if isinstance(error, ConnectionRefusedError) else 0
            self._write(number, intended_ns, started_ns, ended_ns, outcome, detail, reply)
            self.ended.append(ended_ns)

    def _write(
        self, number: int, intended_ns: int, started_ns: int, ended_ns: int, outcome: str, detail: str, reply: Reply
    ) -> None:
        start_ns = self.start_ns
        self.journal.add(
            Exchange(
                client=self._plan.client,
                number=number,
                intended_us=(intended_ns - start_ns) // 1000,
                started_us=(started_ns - start_ns) // 1000,
                ended_us=(ended_ns - start_ns) // 1000,
                ejb_ms=reply.ejb_ms,
                outcome=outcome,
                detail=detail,
                bytes_in=len(reply.content),
            )
        )
