"""Whole zeep calls, in this process: what each way of sending costs it."""

from __future__ import annotations

import time
from collections.abc import Callable

import requests
import zeep

from peers import echo
from perfstudies.load.prepared import prepare
from perfstudies.load.socket_transport import SocketTransport

CALLS = 300
WARM_UP = 50
TIMEOUT_S = 30


def zeep_clients(address: str) -> dict[str, Callable[[], float]]:
    """Return by name what measures a round of calls: the processor's time of one, in us."""
    quiet = requests.Session()
    quiet.trust_env = False
    makers = {
        "zeep + requests": echo.client,
        "zeep + requests, trust_env off": lambda: echo.client(transport=zeep.Transport(session=quiet)),
        "zeep + SocketTransport": _on_sockets,
        "zeep + SocketTransport, prepared": _prepared,
    }
    return {name: _round(make(), address) for name, make in makers.items()}


def _on_sockets() -> zeep.Client:
    return echo.client(transport=SocketTransport(operation_timeout=TIMEOUT_S))


def _prepared() -> zeep.Client:
    client = _on_sockets()
    if "echo" not in prepare(client):
        raise RuntimeError("the echo service's messages are not plain any more")
    return client


def _round(client: zeep.Client, address: str) -> Callable[[], float]:
    service, arguments = client.create_service(echo.PORT, address), echo.body(echo.REQUEST_BYTES)

    def calls(count: int) -> None:
        for _ in range(count):
            answer = service.echo(**arguments)
        if len(answer.order) != echo.ORDERS or answer.order[-1].volume != 2000:
            raise RuntimeError(f"not what was sent came back: {answer}")

    def measure() -> float:
        calls(WARM_UP)
        start = time.process_time()
        calls(CALLS)
        return (time.process_time() - start) / CALLS * 1e6

    return measure
