"""zeep's messages over plain sockets: few system calls, connections that are kept, and nothing between.

zeep's own transport sends through requests, whose sessions, adapters and pools cost several times what zeep itself
needs for a call. `perfstudies.load.prepared` makes zeep's own part cheaper; `benchmarks/load_clients.py` measures both.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from typing import Any

import zeep

from perfstudies.load.guarded import REPLY_LIMIT
from perfstudies.load.http.wire import BadReply, Reply, head, new_socket, peer, still_open


class SocketTransport(zeep.Transport):
    """Carries messages for any number of threads, each call over a connection of its own or a kept one.

    Only messages go this way; descriptions are read by zeep's own transport. Nothing is sent twice, redirected,
    compressed or sent through a proxy. A fault or another status than 200 is zeep's to judge, and it does.

    Parameters
    ----------
    source : str
        Address that connections come from; empty: the system's choice.
    keep_alive : bool
        Whether a connection serves further calls. One that its server closed meanwhile does not.
    **arguments
        zeep's; ``operation_timeout`` is how long a call may take altogether, in seconds.

    Raises
    ------
    TimeoutError
        By a call that took longer.
    OSError
        By a call whose connection was refused or broke.
    EOFError
        By a call whose connection ended before the reply was complete.
    perfstudies.load.http.wire.BadReply
        By a call that was answered with something else than HTTP, or with too much.
    BadParameter
        By a call to an address that is not plain HTTP over IPv4.
    """

    def __init__(self, source: str = "", keep_alive: bool = True, **arguments: Any):
        super().__init__(**arguments)
        self._source, self._keep_alive = source, keep_alive
        self._idle: dict[str, list[socket.socket]] = {}

    def post(self, address: str, message: bytes, headers: Mapping[str, str]) -> Reply:
        """Send a message and return the reply."""
        reply = Reply()
        fixed = head(address, tuple(headers.items()), self._keep_alive)
        self.exchange(address, b"%b%d\r\n\r\n%b" % (fixed, len(message), message), reply, self.operation_timeout)
        return reply

    def exchange(self, address: str, data: bytes, reply: Reply, timeout_s: float | None) -> None:
        """Send a request's bytes and fill a reply, which holds what came even if the exchange breaks."""
        deadline = time.monotonic() + timeout_s if timeout_s is not None else None
        connection = self._kept(address) or self._opened(address, timeout_s)
        kept, taken = False, 0
        try:
            connection.settimeout(_left(deadline))
            connection.sendall(data)
            while not reply.complete:
                connection.settimeout(_left(deadline))
                received = connection.recv(1 << 16)
                taken += len(received)
                if taken > REPLY_LIMIT:
                    raise BadReply(f"the reply is longer than {REPLY_LIMIT} bytes")
                if not reply.feed(received) and not received:
                    raise EOFError("closed before the reply was complete")
            kept = self._keep_alive and reply.reusable
        finally:
            if kept:
                self._idle.setdefault(address, []).append(connection)
            else:
                connection.close()

    def close(self) -> None:
        """Close the connections that are kept. Calls that are under way keep theirs."""
        for address in list(self._idle):
            while connection := self._taken(address):
                connection.close()

    def _kept(self, address: str) -> socket.socket | None:
        while connection := self._taken(address):
            if still_open(connection):
                return connection
            connection.close()
        return None

    def _taken(self, address: str) -> socket.socket | None:
        try:
            return self._idle[address].pop()
        except (KeyError, IndexError):  # none was kept, or another thread took it
            return None

    def _opened(self, address: str, timeout_s: float | None) -> socket.socket:
        where = peer(address)
        connection = new_socket(self._source)
        try:
            connection.settimeout(timeout_s)
            connection.connect(where)
        except BaseException:
            connection.close()
            raise
        return connection


def _left(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("timed out")
    return left
