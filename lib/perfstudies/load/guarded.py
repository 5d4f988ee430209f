"""A requests session that opens connections only where it is permitted to, redirects included, and knows to whom.

What it reads is bounded, too: a request's time-out holds from its first byte to the reply's last, where requests itself
begins anew with every piece that it reads; and a reply may only be so long, as it comes and when it is unpacked.
"""

from __future__ import annotations

import io
import socket
import time
from collections.abc import Iterator
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import DecodeError

from perfstudies.permit import Permit

REPLY_LIMIT = 1 << 26
"""The largest reply that is read, in bytes: of what comes, head and all, and of what it is when unpacked."""


def session(permit: Permit, peers: set[str], most_bytes: int = REPLY_LIMIT) -> requests.Session:
    """Return a session that belongs to nobody else.

    Parameters
    ----------
    permit : Permit
        Where it may send; what it refuses is a `BadParameter`, before a connection is opened.
    peers : set of str
        Is given the address of each host that a connection was opened to.
    most_bytes : int
        The longest reply that is read; a longer one is a ``requests.ConnectionError`` or ``ContentDecodingError``.
    """
    made = requests.Session()
    # No proxy and no .netrc: neither belongs between a load and a server.
    made.trust_env = False
    adapter = _Adapter(permit, peers, most_bytes)
    for scheme in ("http://", "https://"):
        made.mount(scheme, adapter)
    return made


class _Adapter(HTTPAdapter):
    def __init__(self, permit: Permit, peers: set[str], most_bytes: int):
        self._permit, self._peers, self._most_bytes = permit, peers, most_bytes
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        super().init_poolmanager(*arguments, **options)
        self.poolmanager.pool_classes_by_scheme = {
            "http": _pool(HTTPConnectionPool, HTTPConnection, self._permit, self._peers, self._most_bytes),
            "https": _pool(HTTPSConnectionPool, HTTPSConnection, self._permit, self._peers, self._most_bytes),
        }

    def send(self, request: requests.PreparedRequest, *arguments: Any, **options: Any) -> requests.Response:
        # Every request comes here, also those that a redirect asks for.
        self._permit.require(str(request.url))
        response = super().send(request, *arguments, **options)
        response.raw.stream = self._bounded(response.raw.stream)  # type: ignore[method-assign]
        return response

    def _bounded(self, stream: Any) -> Any:
        """Return what yields a reply's content as `stream` does, up to the limit."""

        def pieces(*arguments: Any, **options: Any) -> Iterator[bytes]:
            length = 0
            for piece in stream(*arguments, **options):
                length += len(piece)
                if length > self._most_bytes:
                    raise DecodeError(f"the reply is longer than {self._most_bytes} bytes when it is unpacked")
                yield piece

        return pieces


class _Reading(io.RawIOBase):
    """Reads a connection until its deadline, and so many bytes at most."""

    def __init__(self, raw: io.RawIOBase, made: Any, deadline: float | None, most_bytes: int):
        self._raw, self._made, self._deadline, self._left = raw, made, deadline, most_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if self._deadline is not None:
            left_s = self._deadline - time.monotonic()
            if left_s <= 0:
                raise TimeoutError("timed out")
            self._made.settimeout(left_s)
        read = self._raw.readinto(buffer)
        self._left -= read or 0
        if self._left < 0:
            raise OSError("the reply is longer than may be read")
        return read

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Bounded:
    """A connection's socket whose replies are read as `_Reading` does; all else is the socket's."""

    def __init__(self, made: Any, most_bytes: int):
        self._made, self._most_bytes = made, most_bytes
        self.deadline: float | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made, name)

    def makefile(self, *_: Any, **__: Any) -> io.BufferedReader:
        raw = self._made.makefile("rb", buffering=0)
        return io.BufferedReader(_Reading(raw, self._made, self.deadline, self._most_bytes))


def _pool(pool: Any, connection: Any, permit: Permit, peers: set[str], most_bytes: int) -> type:
    class Connection(connection):
        def _new_conn(self) -> Any:
            for *_, address in socket.getaddrinfo(self._dns_host, self.port, type=socket.SOCK_STREAM):
                permit.require_peer(self.host, str(address[0]))
            made = super()._new_conn()
            peers.add(made.getpeername()[0])
            return made

        def connect(self) -> None:
            super().connect()
            self.sock: Any = _Bounded(self.sock, most_bytes)

        def request(self, *arguments: Any, **options: Any) -> None:
            begun = time.monotonic()
            if self.sock is None:
                self.connect()
            self.sock.deadline = begun + self.timeout if isinstance(self.timeout, int | float) else None
            super().request(*arguments, **options)

    class Pool(pool):
        ConnectionCls = Connection

    return Pool
