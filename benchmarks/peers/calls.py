"""Whole zeep calls, in this process: what each way of sending costs it."""

from __future__ import annotations

import time
from random import Random

import requests
import zeep

from peers import echo
from perfstudies.errors import SystemFailed
from perfstudies.load.http.socket_transport import SocketTransport
from perfstudies.load.prepared import prepare

BATCHES = 15
CALLS = 20
TIMEOUT_S = 30


class ZeepCalls:
    """Zeep clients, one for each way of sending; calling this measures all of them, in batches by turns."""

    def __init__(self, address: str, random: Random, share: float = 1):
        self._batches = max(1, round(BATCHES * share))
        quiet = requests.Session()
        quiet.trust_env = False
        clients = {
            "zeep + requests": echo.client(),
            "zeep + requests, trust_env off": echo.client(transport=zeep.Transport(session=quiet)),
            "zeep + SocketTransport": _on_sockets(),
            "zeep + SocketTransport, prepared": _prepared(),
        }
        self._random = random
        self._services = {name: made.create_service(echo.PORT, address) for name, made in clients.items()}
        self._arguments = echo.body(echo.REQUEST_BYTES)
        self.names = tuple(clients)

    def __call__(self) -> dict[str, float]:
        """Return by name the processor time of a call, in us."""
        used = dict.fromkeys(self.names, 0.0)
        for batch in range(self._batches + 1):
            for name in self._random.sample(self.names, len(self.names)):
                start = time.process_time()
                self._calls(self._services[name])
                if batch:  # the first warms up
                    used[name] += time.process_time() - start
        return {name: seconds / self._batches / CALLS * 1e6 for name, seconds in used.items()}

    def _calls(self, service) -> None:
        for _ in range(CALLS):
            answer = service.echo(**self._arguments)
        if len(answer.order) != echo.ORDERS or answer.order[-1].volume != 2000:
            raise SystemFailed(f"not what was sent came back: {answer}")


def _on_sockets() -> zeep.Client:
    return echo.client(transport=SocketTransport(operation_timeout=TIMEOUT_S))


def _prepared() -> zeep.Client:
    client = _on_sockets()
    if "echo" not in prepare(client):
        raise SystemFailed("the echo service's messages are not plain any more: nothing was prepared")
    return client
