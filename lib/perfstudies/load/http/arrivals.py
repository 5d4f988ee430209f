"""Other arrivals than the study's program: a burst, open arrivals at a rate, and closed users.

Its threads cannot send thousands of requests at once. Here zeep builds each kind of message once, beforehand, and one
thread sends the prepared requests over as many connections as it takes:

``burst``  All connections are opened before the start; then all requests are sent as fast as it goes.
``open``   Requests are due at times that do not depend on any answer, drawn or even; each is sent when due, late only
           if `outstanding` are under way, and its due time is on record, so that waiting is never hidden.
``users``  Each user sends its next request when its last is answered.

Run as a process: ``python -m perfstudies.load.http.arrivals`` (see `perfstudies.load.http.client_process`).
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator

from perfstudies.exchange import REFUSED, Journal
from perfstudies.load.http import client_process
from perfstudies.load.http.calls import WSDL_TIMEOUT_S, ended_early
from perfstudies.load.http.connections import Connections
from perfstudies.load.http.limits import require_open_files
from perfstudies.load.http.plan import BURST, OPEN, Plan
from perfstudies.load.http.wire import Request
from perfstudies.load.soap import connect, message

OPENING_AT_ONCE = 256  # fewer than a server's queue of connections that it has not accepted yet


def due_ns(plan: Plan, start_ns: int) -> Iterator[int]:
    """Yield when the requests of open arrivals are due: a Poisson process by the plan's seed, or evenly."""
    draw, at_s = random.Random(plan.seed), 0.0
    for number in range(plan.requests):
        at_s = at_s + draw.expovariate(plan.rate_per_s) if plan.poisson else number / plan.rate_per_s
        yield start_ns + int(at_s * 1e9)


class Arrivals:
    """One client; `send` is the run."""

    def __init__(self, plan: Plan):
        require_open_files(plan.connections, f"client {plan.client} with {plan.connections} connections")
        self.plan = plan
        client = connect(plan.wsdl, WSDL_TIMEOUT_S)
        kinds, address = {}, ""
        for body in plan.distinct_bodies():
            address, envelope, headers = message(client, plan.operation, body)
            kinds[json.dumps(body, sort_keys=True)] = Request(address, envelope, headers, plan.keep_alive)
        client.transport.session.close()  # it was only to read the description
        requests = [kinds[json.dumps(body, sort_keys=True)] for body in plan.bodies]

        def data(number: int) -> bytes:
            return requests[number if len(requests) > 1 else 0].numbered(plan.client, number)

        self.connections = Connections(plan, address, data)
        if plan.arrivals == BURST:
            self._open()

    def send(self, start_ns: int, stop: threading.Event) -> str:
        """Send all requests; return why not all were sent, or nothing.

        Raises
        ------
        SystemFailed
            If a request could not be made: not by the server's fault.
        """
        connections = self.connections
        connections.start_ns = start_ns
        with Journal(self.plan.record, self.plan.total_log, self.plan.ejb_log) as journal:
            connections.journal = journal
            time.sleep(max(0, start_ns - time.monotonic_ns()) / 1e9)
            try:
                return {BURST: self._burst, OPEN: self._at_rate}.get(self.plan.arrivals, self._users)(start_ns, stop)
            finally:
                connections.close()

    def _open(self) -> None:
        connections, left = self.connections, self.plan.requests
        deadline = time.monotonic() + self.plan.open_s
        while left or connections.busy:
            left_s = deadline - time.monotonic()
            while left and left_s > 0 and connections.busy < OPENING_AT_ONCE:
                connections.open(left_s)
                left -= 1
            if left_s <= 0:
                connections.unopened += [(REFUSED, "not opened in time")] * left
                left = 0
            connections.step(1)

    def _burst(self, start_ns: int, stop: threading.Event) -> str:
        connections, plan = self.connections, self.plan
        unopened = deque(connections.unopened)
        opened = len(connections.idle)
        for number in range(opened):
            connections.send(number, start_ns)
        for number in range(opened, plan.requests):
            connections.fail(number, start_ns, *unopened.popleft())
        self._finish()
        return ""

    def _at_rate(self, start_ns: int, stop: threading.Event) -> str:
        connections, plan = self.connections, self.plan
        why = ""
        for number, intended_ns in enumerate(due_ns(plan, start_ns)):
            while not (why := ended_early(plan, start_ns, stop, connections.refusals)):
                left_s = (intended_ns - time.monotonic_ns()) / 1e9
                if left_s <= 0 and connections.busy < plan.outstanding:
                    break
                connections.step(left_s if left_s > 0 else 1)
            if why:
                why = f"{why}; {number} of {plan.requests} requests were sent"
                break
            connections.drop_closed()
            connections.send(number, intended_ns)
            connections.step(0)
        self._finish()
        return why

    def _users(self, start_ns: int, stop: threading.Event) -> str:
        connections, plan = self.connections, self.plan
        end_ns = float("inf") if plan.duration_s is None else start_ns + plan.duration_s * 1e9
        connections.ended.extend([start_ns] * plan.users)
        number, why = 0, ""
        while number < plan.requests and time.monotonic_ns() < end_ns:
            if why := ended_early(plan, start_ns, stop, connections.refusals):
                why = f"{why}; {number} requests were sent"
                break
            while connections.ended and number < plan.requests:
                connections.send(number, connections.ended.popleft())
                number += 1
            connections.step(1)
        self._finish()
        return why

    def _finish(self) -> None:
        self.connections.step(0)
        while self.connections.busy:
            self.connections.step(1)


if __name__ == "__main__":
    sys.exit(client_process.main(lambda plan: Arrivals(plan).send))
