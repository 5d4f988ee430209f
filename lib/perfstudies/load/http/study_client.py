"""A client in zeep that starts a thread a request, each after a fixed gap, whether or not the last one has ended.

Each thread makes a whole call: zeep builds the message, it is sent over a connection of its own, and zeep parses the
reply. A request's time begins when its message is built and ends when its reply is parsed.
Starts are due at ``start + n * gap``: a late one is recorded as late and does not move those after it.

Run as a process: ``python -m perfstudies.load.http.study_client`` (see `perfstudies.load.http.client_process`).
"""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

from perfstudies.errors import SystemFailed
from perfstudies.exchange import Exchange, Journal
from perfstudies.load.http import client_process
from perfstudies.load.http.calls import call, client_of, ended_early
from perfstudies.load.http.limits import require_open_files
from perfstudies.load.http.plan import Plan
from perfstudies.load.soap import message, operation


class StudyClient:
    """One client machine's program; `send` is the run."""

    def __init__(self, plan: Plan):
        require_open_files(plan.connections, f"client {plan.client} with {plan.connections} requests under way")
        self.plan = plan
        self._client = client_of(plan.wsdl, plan)
        self._operation = operation(self._client, plan.operation)
        for body in plan.distinct_bodies():
            # Checked before the run, and warmed up: zeep prepares a message's kind when it first builds one.
            message(self._client, plan.operation, body)
        self._client.transport.session.close()  # it was only to read the description
        self._slots = threading.Semaphore(plan.outstanding)
        self._refusals = 0
        self._errors: list[BaseException] = []

    def send(self, start_ns: int, stop: threading.Event) -> str:
        """Send all requests; return why not all were sent, or nothing.

        Raises
        ------
        SystemFailed, BadParameter
            If a request could not be made: not by the server's fault.
        """
        plan, why = self.plan, ""
        with Journal(plan.record, plan.total_log, plan.ejb_log) as journal:
            for number in range(plan.requests):
                intended_ns = start_ns + int(number * plan.gap_ms * 1e6)
                stop.wait(max(0.0, (intended_ns - time.monotonic_ns()) / 1e9))
                if why := self._room(start_ns, stop):
                    why = f"{why}; {number} of {plan.requests} requests were sent"
                    break
                self._start(number, start_ns, intended_ns, journal, stop)
            for _ in range(plan.outstanding):  # whoever has all of them is alone
                self._slots.acquire()
        if self._errors:
            raise self._errors[0]
        return why

    def _start(self, *request: Any) -> None:
        try:
            threading.Thread(target=self._thread, args=request).start()
        except RuntimeError as error:
            stop = request[-1]
            self._errors.append(SystemFailed(f"no further thread: {error}. Lower the plan's outstanding."))
            self._slots.release()
            stop.set()

    def _room(self, start_ns: int, stop: threading.Event) -> str:
        """Take a slot for a thread, or return why there will be none."""
        while not (why := ended_early(self.plan, start_ns, stop, self._refusals)):
            if self._slots.acquire(timeout=0.1):
                break
        return why

    def _thread(self, number: int, start_ns: int, intended_ns: int, journal: Journal, stop: threading.Event) -> None:
        try:
            journal.add(self._exchange(number, start_ns, intended_ns))
        except BaseException as error:  # handed to the sender, which ends the client
            self._errors.append(error)
            stop.set()
        finally:
            self._slots.release()

    def _exchange(self, number: int, start_ns: int, intended_ns: int) -> Exchange:
        told = call(self._client, self._operation, number, self.plan.body(number))
        ended_ns = time.monotonic_ns()
        self._refusals = self._refusals + 1 if told.refused else 0
        return Exchange(
            client=self.plan.client,
            number=number,
            intended_us=(intended_ns - start_ns) // 1000,
            started_us=(told.started_ns - start_ns) // 1000,
            ended_us=(ended_ns - start_ns) // 1000,
            ejb_ms=told.reply.ejb_ms,
            outcome=told.outcome,
            detail=told.detail,
            bytes_in=len(told.reply.content),
        )


if __name__ == "__main__":
    sys.exit(client_process.main(lambda plan: StudyClient(plan).send))
