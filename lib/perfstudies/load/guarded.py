"""A requests session that opens connections only where it is permitted to, redirects included, and knows to whom."""

from __future__ import annotations

import socket
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from perfstudies.permit import Permit


def session(permit: Permit, peers: set[str]) -> requests.Session:
    """Return a session that belongs to nobody else.

    Parameters
    ----------
    permit : Permit
        Where it may send; what it refuses is a `BadParameter`, before a connection is opened.
    peers : set of str
        Is given the address of each host that a connection was opened to.
    """
    made = requests.Session()
    # No proxy and no .netrc: neither belongs between a load and a server.
    made.trust_env = False
    adapter = _Adapter(permit, peers)
    for scheme in ("http://", "https://"):
        made.mount(scheme, adapter)
    return made


class _Adapter(HTTPAdapter):
    def __init__(self, permit: Permit, peers: set[str]):
        self._permit, self._peers = permit, peers
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        super().init_poolmanager(*arguments, **options)
        self.poolmanager.pool_classes_by_scheme = {
            "http": _pool(HTTPConnectionPool, HTTPConnection, self._permit, self._peers),
            "https": _pool(HTTPSConnectionPool, HTTPSConnection, self._permit, self._peers),
        }

    def send(self, request: requests.PreparedRequest, *arguments: Any, **options: Any) -> requests.Response:
        # Every request comes here, also those that a redirect asks for.
        self._permit.require(str(request.url))
        return super().send(request, *arguments, **options)


def _pool(pool: Any, connection: Any, permit: Permit, peers: set[str]) -> type:
    class Connection(connection):
        def _new_conn(self) -> Any:
            for *_, address in socket.getaddrinfo(self._dns_host, self.port, type=socket.SOCK_STREAM):
                permit.require_peer(self.host, str(address[0]))
            made = super()._new_conn()
            peers.add(made.getpeername()[0])
            return made

    class Pool(pool):
        ConnectionCls = Connection

    return Pool
