"""Whole zeep calls over a connection of their own or a kept one, and what each came to.

zeep builds the message, it is sent, and zeep parses the reply. What goes wrong on the way or there is an outcome, as of
`perfstudies.exchange`; an answer that took longer than its client waits is one too.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import zeep
import zeep.exceptions

from perfstudies.errors import BadParameter
from perfstudies.exchange import HTTP_ERROR, LOST, OK
from perfstudies.load.http.plan import Plan
from perfstudies.load.http.socket_transport import SocketTransport
from perfstudies.load.http.wire import BadReply, Reply, Request, failure, judge
from perfstudies.load.soap import connect

WSDL_TIMEOUT_S = 60
GIVE_UP = 10
"""After so many requests in a row for which nothing listened, the server counts as dead."""


def ended_early(plan: Plan, start_ns: int, stop: threading.Event, refusals: int) -> str:
    """Return why no further request of a client may start; empty if one may."""
    if stop.is_set():
        return "it was stopped"
    if refusals >= GIVE_UP:
        return "nothing listens at the server's address any more"
    if time.monotonic_ns() > start_ns + plan.starts_limit_s * 1e9:
        return f"its time of {plan.starts_limit_s:g} s was over"
    return ""


@dataclass(frozen=True)
class Told:
    """What a call came to.

    Attributes
    ----------
    outcome, detail : str
        As of `perfstudies.exchange`.
    answer : object
        zeep's, if there was one.
    reply : Reply
        As it came over the wire, as far as it did.
    started_ns : int
        When its message began to be sent, of the monotonic clock; 0 if it did not.
    refused : bool
        Whether nothing listened.
    """

    outcome: str
    detail: str
    answer: Any
    reply: Reply
    started_ns: int
    refused: bool


def client_of(wsdl: str, plan: Plan) -> zeep.Client:
    """Return a zeep client for `call`, with the time limit, the source address and the connections of a plan.

    Raises
    ------
    BadParameter, SystemFailed
        As `perfstudies.load.soap.connect`.
    """
    return connect(wsdl, WSDL_TIMEOUT_S, partial(_CallTransport, plan))


def call(client: zeep.Client, method: Callable[..., object], number: int, arguments: Mapping[str, Any]) -> Told:
    """Make a call as a request of a number.

    Parameters
    ----------
    client : zeep.Client
        Of `client_of`; threads may share it.
    method : callable
        Its operation (see `perfstudies.load.soap.operation`).
    number : int
        Sent with the request, for the server's record.
    arguments : dict
        The operation's.

    Raises
    ------
    BadParameter
        If they do not fit the service's description.
    """
    client.transport.begin(number)
    made, answer, refused = client.transport.call, None, False
    try:
        answer = method(**arguments)
        outcome, detail = OK, ""
    except zeep.exceptions.ValidationError as error:
        raise BadParameter(f"request {number} does not fit the service's description: {error}") from error
    except zeep.exceptions.Error as error:
        outcome, detail = judge(made.reply)
        if outcome == OK:  # SOAP, but not what the description says
            outcome, detail = HTTP_ERROR, str(error)[:100]
    except (BadReply, EOFError) as error:
        outcome, detail = LOST, str(error)
    except OSError as error:
        outcome, detail = failure(error, made.reply)
        refused = isinstance(error, ConnectionRefusedError)
    return Told(outcome, detail, answer, made.reply, made.started_ns, refused)


class _Call(threading.local):
    """What the transport knows of the call that its thread makes."""

    number = 0
    started_ns = 0
    reply: Reply = Reply()


class _CallTransport(SocketTransport):
    """Carries messages as a plan says, each with the number of its request."""

    def __init__(self, plan: Plan, **arguments: Any):
        super().__init__(plan.source, plan.keep_alive, **arguments)
        self._plan, self.call = plan, _Call()

    def begin(self, number: int) -> None:
        """Say which request this thread sends next."""
        self.call.number, self.call.started_ns, self.call.reply = number, 0, Reply()

    def post(self, address: str, message: bytes, headers: Mapping[str, str]) -> Reply:
        """Send a message and return the reply."""
        plan, call = self._plan, self.call
        call.started_ns = time.monotonic_ns()
        data = Request(address, message, headers, plan.keep_alive).numbered(plan.client, call.number)
        self.exchange(address, data, call.reply, plan.ttl_s)
        return call.reply
