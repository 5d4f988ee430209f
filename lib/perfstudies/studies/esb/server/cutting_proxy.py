"""A proxy that cuts connections by a plan: before a server has seen a request, or after it has answered one.

Which requests meet that is drawn beforehand from a seed, by their order of arrival, so that every way to deliver
messages goes through the same faults. A cut is a reset: whoever waits for the answer learns at once that none
will come, and not whether the server acted.
"""

from __future__ import annotations

import random
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import BinaryIO

from perfstudies.errors import BadParameter, require_one_of

NONE, BEFORE, AFTER, EITHER = "none", "before", "after", "either"
PATIENCE_S = 30


@dataclass(frozen=True)
class Cuts:
    """Which requests are cut: some in a row, as a network fails for a while and not for a message here and there.

    A message whose answer is lost alone would soon be covered by the next one's acknowledgement.

    Attributes
    ----------
    where : {"none", "before", "after", "either"}
        Before the request reaches the server, after its answer left it, or now this and now that.
    burst, period : int
        Of each `period` requests, `burst` in a row are cut, from a drawn one on.
    seed : int or str
        Of the draw.
    """

    where: str = NONE
    burst: int = 10
    period: int = 20
    seed: int | str = 0

    def __post_init__(self) -> None:
        require_one_of("where", self.where, (NONE, BEFORE, AFTER, EITHER))
        if not 0 < self.burst < self.period:
            raise BadParameter(f"burst = {self.burst} of period = {self.period}: something has to get through")

    def of(self, ordinal: int) -> str:
        """Return what happens to the n-th request, counted from 0."""
        period, place = divmod(ordinal, self.period)
        first = random.Random(f"{self.seed}/{period}").randrange(self.period - self.burst)
        if not first <= place < first + self.burst:
            return NONE
        return random.Random(f"{self.seed}/{ordinal}").choice((BEFORE, AFTER)) if self.where == EITHER else self.where


@dataclass(frozen=True)
class Passed:
    """A request that came: its order, when (ns, monotonic clock), its SOAP action, and what was done to it."""

    ordinal: int
    at_ns: int
    action: str
    cut: str


class CuttingProxy:
    """A running proxy; made by `cutting`.

    Attributes
    ----------
    port : int
        Where it listens, on the loopback interface.
    target : int
        The server's port, which may change while it runs.
    passed : list of Passed
        The requests so far.
    """

    def __init__(self, listener: socket.socket, target: int, cuts: Cuts, one_at_a_time: bool = False):
        self._listener, self.target, self._cuts = listener, target, cuts
        self._turn = threading.Lock() if one_at_a_time else nullcontext()
        self.port: int = listener.getsockname()[1]
        self.passed: list[Passed] = []
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()

    def serve(self) -> None:
        """Accept connections until the listener is closed."""
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._connection, args=(client,), daemon=True).start()

    def close(self) -> None:
        """Close the listener and every connection."""
        # Shutting it down wakes the thread that accepts; closing alone does not.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for one in self._open:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def _connection(self, client: socket.socket) -> None:
        with self._known(client), client.makefile("rb") as requests:
            try:
                while request := _message(requests):
                    cut = self._next(request)
                    answer = b"" if cut == BEFORE else self._exchange(request)
                    if answer and cut != AFTER:
                        client.sendall(answer)
                        continue
                    # A reset: closing in order would look like a server that ended its part.
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    return
            except OSError:
                return

    def _exchange(self, request: bytes) -> bytes:
        """Return the server's answer to a request; empty if there is no server, or it ends before."""
        with self._turn:
            try:
                # A connection for each request: a server that was restarted meanwhile is met anew.
                server = socket.create_connection(("127.0.0.1", self.target), timeout=PATIENCE_S)
                with self._known(server), server.makefile("rb") as answers:
                    server.sendall(request)
                    return _message(answers)
            except OSError:
                return b""

    def _next(self, request: bytes) -> str:
        with self._lock:
            ordinal = len(self.passed)
            cut = self._cuts.of(ordinal)
            self.passed.append(Passed(ordinal, time.monotonic_ns(), _action(request), cut))
        return cut

    @contextmanager
    def _known(self, one: socket.socket) -> Iterator[None]:
        with self._lock:
            self._open.add(one)
        try:
            yield
        finally:
            with self._lock:
                self._open.discard(one)
            one.close()


@contextmanager
def cutting(target: int, cuts: Cuts, one_at_a_time: bool = False) -> Iterator[CuttingProxy]:
    """Run a proxy in front of a port of the loopback interface; closes all its connections at the end.

    Parameters
    ----------
    target : int
        The server's port.
    cuts : Cuts
        Which requests are cut.
    one_at_a_time : bool
        Whether the server gets a request only when it has answered the one before; the others wait here.
    """
    proxy = CuttingProxy(socket.create_server(("127.0.0.1", 0)), target, cuts, one_at_a_time)
    accepting = threading.Thread(target=proxy.serve, daemon=True)
    accepting.start()
    try:
        yield proxy
    finally:
        proxy.close()
        accepting.join()


def _message(stream: BinaryIO) -> bytes:
    """Return the next HTTP message as it came; empty if the connection has ended before its end."""
    head = b""
    length, chunked = 0, False
    while not head.endswith(b"\r\n\r\n"):
        line = stream.readline()
        if not line:
            return b""
        head += line
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
        elif name.strip().lower() == b"transfer-encoding":
            chunked = b"chunked" in value.lower()
    if chunked:
        return _chunks(stream, head)
    body = stream.read(length)
    return head + body if len(body) == length else b""


def _chunks(stream: BinaryIO, message: bytes) -> bytes:
    while line := stream.readline():
        size = int(line.split(b";")[0], 16)
        message += line + stream.read(size) + stream.readline()
        if size == 0:
            return message
    return b""


def _action(request: bytes) -> str:
    """Return the last part of a request's SOAP action."""
    for line in request.partition(b"\r\n\r\n")[0].split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"soapaction":
            return value.decode("ascii", errors="replace").strip().strip('"').replace(":", "/").rsplit("/", 1)[-1]
    return ""
