"""The AAA study's test program (its Appendix B), in zeep: a thread a request, started after a gap each.

Each thread makes a whole call: zeep builds the message, it is sent over a connection of its own, and zeep parses the
reply. As the study's timer did, a request's time begins when its message is built and ends when its reply is parsed.
Starts are due at ``start + n * gap``: a late one is recorded as late and does not move those after it.

Run as a process: ``python -m perfstudies.load.study_client --plan plan.json`` (see `perfstudies.load.client_process`).
"""

from __future__ import annotations

import socket
import sys
import threading
import time
from functools import partial

import zeep
import zeep.exceptions

from perfstudies.errors import BadParameter, SystemFailed
from perfstudies.load import client_process
from perfstudies.load.exchange import HTTP_ERROR, LOST, OK, Exchange, Journal
from perfstudies.load.limits import require_open_files
from perfstudies.load.plan import Plan
from perfstudies.load.soap import connect, message, operation
from perfstudies.load.wire import BadReply, Reply, Request, failure, judge, new_socket, peer, still_open

WSDL_TIMEOUT_S = 60
GIVE_UP = 10
"""After so many requests in a row for which nothing listened, the server counts as dead."""


class _Call(threading.local):
    """What the transport knows of the call that its thread makes."""

    number = 0
    started_ns = 0
    reply: Reply = Reply()


class StudyTransport(zeep.Transport):
    """Carries messages for many threads: each call over a new connection, or over one that was kept."""

    def __init__(self, plan: Plan, **arguments):
        super().__init__(**arguments)
        self._plan, self._call = plan, _Call()
        self._idle: list[socket.socket] = []

    @property
    def call(self) -> _Call:
        """This thread's last call."""
        return self._call

    def begin(self, number: int) -> None:
        """Say which request this thread sends next."""
        self._call.number, self._call.started_ns, self._call.reply = number, 0, Reply()

    def post(self, address, message, headers):
        """Send a message and return the reply."""
        plan, call = self._plan, self._call
        call.started_ns = time.monotonic_ns()
        deadline = time.monotonic() + plan.ttl_s
        data = Request(address, message, headers, plan.keep_alive).numbered(plan.client, call.number)
        connection = self._kept() or _opened(address, plan)
        kept = False
        try:
            connection.settimeout(_left(deadline))
            connection.sendall(data)
            while not call.reply.complete:
                connection.settimeout(_left(deadline))
                received = connection.recv(1 << 16)
                if not call.reply.feed(received) and not received:
                    raise EOFError("closed before the reply was complete")
            kept = plan.keep_alive and call.reply.reusable
        finally:
            if kept:
                self._idle.append(connection)
            else:
                connection.close()
        return call.reply

    def _kept(self) -> socket.socket | None:
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:  # another thread took it
                return None
            if still_open(connection):
                return connection
            connection.close()
        return None


def _opened(address: str, plan: Plan) -> socket.socket:
    connection = new_socket(plan.source)
    try:
        connection.settimeout(plan.ttl_s)
        connection.connect(peer(address))
    except BaseException:
        connection.close()
        raise
    return connection


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("timed out")
    return left


class StudyClient:
    """One client machine's program; `send` is the run."""

    def __init__(self, plan: Plan):
        require_open_files(plan.connections, f"client {plan.client} with {plan.connections} requests under way")
        self.plan = plan
        self._client = connect(plan.wsdl, WSDL_TIMEOUT_S, partial(StudyTransport, plan))
        self._transport: StudyTransport = self._client.transport
        self._call = operation(self._client, plan.operation)
        for body in plan.distinct_bodies():
            # Checked before the run, and warmed up: zeep prepares a message's kind when it first builds one.
            message(self._client, plan.operation, body)
        self._transport.session.close()  # it was only to read the description
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
        limit_ns = start_ns + int(plan.starts_limit_s * 1e9)
        with Journal(plan.record, plan.total_log, plan.ejb_log) as journal:
            for number in range(plan.requests):
                intended_ns = start_ns + int(number * plan.gap_ms * 1e6)
                stop.wait(max(0.0, (intended_ns - time.monotonic_ns()) / 1e9))
                if why := self._room(stop, limit_ns):
                    why = f"{why}; {number} of {plan.requests} requests were sent"
                    break
                self._start(number, start_ns, intended_ns, journal, stop)
            for _ in range(plan.outstanding):  # whoever has all of them is alone
                self._slots.acquire()
        if self._errors:
            raise self._errors[0]
        return why

    def _start(self, *request) -> None:
        try:
            threading.Thread(target=self._thread, args=request).start()
        except RuntimeError as error:
            stop = request[-1]
            self._errors.append(SystemFailed(f"no further thread: {error}. Lower the plan's outstanding."))
            self._slots.release()
            stop.set()

    def _room(self, stop: threading.Event, limit_ns: int) -> str:
        """Take a slot for a thread, or return why there will be none."""
        while True:
            if stop.is_set():
                return "it was stopped"
            if self._refusals >= GIVE_UP:
                return "nothing listens at the server's address any more"
            if time.monotonic_ns() > limit_ns:
                return f"its time of {self.plan.starts_limit_s:g} s was over"
            if self._slots.acquire(timeout=0.1):
                return ""

    def _thread(self, number: int, start_ns: int, intended_ns: int, journal: Journal, stop: threading.Event) -> None:
        try:
            journal.add(self._exchange(number, start_ns, intended_ns))
        except BaseException as error:  # handed to the sender, which ends the client
            self._errors.append(error)
            stop.set()
        finally:
            self._slots.release()

    def _exchange(self, number: int, start_ns: int, intended_ns: int) -> Exchange:
        self._transport.begin(number)
        call = self._transport.call
        refused = False
        try:
            self._call(**self.plan.body(number))
            outcome, detail = OK, ""
        except zeep.exceptions.ValidationError as error:
            raise BadParameter(f"request {number} does not fit the service's description: {error}") from error
        except zeep.exceptions.Error as error:
            outcome, detail = judge(call.reply)
            if outcome == OK:  # SOAP, but not what the description says
                outcome, detail = HTTP_ERROR, str(error)[:100]
        except (BadReply, EOFError) as error:
            outcome, detail = LOST, str(error)
        except OSError as error:
            outcome, detail = failure(error, call.reply)
            refused = isinstance(error, ConnectionRefusedError)
        ended_ns = time.monotonic_ns()
        self._refusals = self._refusals + 1 if refused else 0
        return Exchange(
            client=self.plan.client,
            number=number,
            intended_us=(intended_ns - start_ns) // 1000,
            started_us=(call.started_ns - start_ns) // 1000,
            ended_us=(ended_ns - start_ns) // 1000,
            ejb_ms=call.reply.ejb_ms,
            outcome=outcome,
            detail=detail,
            bytes_in=len(call.reply.content),
        )


if __name__ == "__main__":
    sys.exit(client_process.main(lambda plan: StudyClient(plan).send))
