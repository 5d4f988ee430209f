"""The AAA study's four sequences (its section 2.1) as a user goes through them, and tickets that must be refused.

One user, one request after the other: bandwidth on demand, by zeep, over a connection to each party that stays open. A
request is all that the user does until the service is set up; in the push sequence these are two exchanges, first with
the AAA server for a ticket, then with the service equipment.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from perfstudies.errors import SystemFailed, require_one_of
from perfstudies.exchange import OK, SOAP_FAULT, Exchange, Journal
from perfstudies.load.http.calls import GIVE_UP, Told, call, client_of
from perfstudies.load.http.plan import Plan
from perfstudies.load.soap import operation
from perfstudies.studies.aaa.base import OPERATION

AAA_SERVER, EQUIPMENT = "AAA server", "service equipment"
VERSION, USER, SERVICE, BANDWIDTH_MBIT, DURATION_MS = "0.1", "user", "bandwidth", 10, 1000
WANTED = {"User": USER, "Bandwidth": BANDWIDTH_MBIT, "Duration": DURATION_MS}
LONGEST_WAIT_S = 30.0
"""How long a run waits for a ticket to expire. Of one that lives longer it says so instead."""


class Step(NamedTuple):
    """One exchange of the user with a party."""

    party: str
    operation: str
    arguments: dict


def _asked(policy: str, **more: Any) -> Step:
    return Step(AAA_SERVER, OPERATION, {"version": VERSION, "type": policy, **more})


TICKET = _asked("Ticket01", User=USER, Service=SERVICE, Bandwidth=BANDWIDTH_MBIT)
WITH_TICKET = Step(EQUIPMENT, "RequestWithTicket", {"User": USER, "Duration": DURATION_MS})
SEQUENCES = {
    "agent": (_asked("BoDpolicy01", **WANTED),),
    "pull": (Step(EQUIPMENT, "Request", WANTED),),
    "push": (TICKET, WITH_TICKET),
    "roaming": (_asked("Roaming01", **WANTED),),
}
"""What the user does in each; a step after another hands over the ticket that the other gave."""


def run_sequence(
    kind: str,
    aaa_wsdl: str,
    equipment_wsdl: str,
    requests: int,
    record_path: Path,
    ttl_s: float,
    progress: Callable[[Sequence[Path]], None] | None = None,
) -> dict[str, object]:
    """Go through a sequence a number of times, and try a ticket that is expired, one tampered with and one used before.

    The tickets are tried before the first request and after the last, so they are no part of any.

    Parameters
    ----------
    kind : {"agent", "pull", "push", "roaming"}
        Which sequence.
    aaa_wsdl, equipment_wsdl : str
        Addresses of the descriptions of the user's AAA server and of the service equipment, on loopback.
    requests : int
        How often.
    record_path : Path
        Where the client's record goes (see `perfstudies.exchange`). An EJB time is the user's own AAA server's;
        there is none in the pull sequence, whose reply comes from the equipment.
    ttl_s : float
        How long an exchange may take.
    progress : callable, optional
        Called between requests, with the record.

    Returns
    -------
    dict
        ``start_ns``: when the first request was due, nanoseconds of the monotonic clock; the record's times count from
        it. ``ticket_expired``, ``ticket_tampered``, ``ticket_replayed``: what came back, a fault's name or ``yes``.

    Raises
    ------
    BadParameter
        For an unknown sequence.
    SystemFailed
        If a description cannot be read, a service was not granted, or nothing listens any more.
    """
    require_one_of("sequence", kind, SEQUENCES)
    user = _User(aaa_wsdl, equipment_wsdl, requests, Path(record_path), ttl_s)
    tickets, expiring = _used_and_changed(user), user.ticket()
    start_ns = _send(user, SEQUENCES[kind], requests, Path(record_path), progress)
    return {"start_ns": start_ns, **tickets, "ticket_expired": _expired(user, expiring)}


class _User:
    """A connection to each party."""

    def __init__(self, aaa_wsdl: str, equipment_wsdl: str, requests: int, record: Path, ttl_s: float):
        self._clients = {}
        for party, wsdl, name in ((AAA_SERVER, aaa_wsdl, OPERATION), (EQUIPMENT, equipment_wsdl, "Request")):
            plan = Plan(
                wsdl=wsdl,
                operation=name,
                client=0,
                requests=requests,
                bodies=({},),
                record=record,
                ttl_s=ttl_s,
                keep_alive=True,
            )
            self._clients[party] = client_of(wsdl, plan)

    def call(self, number: int, step: Step, **more: Any) -> Told:
        """Make an exchange, as part of a request."""
        client = self._clients[step.party]
        return call(client, operation(client, step.operation), number, {**step.arguments, **more})

    def ticket(self) -> str:
        """Return a new ticket, or nothing if none was given."""
        told = self.call(0, TICKET)
        return str(told.answer.Ticket or "") if told.outcome == OK else ""

    def hand_over(self, ticket: str) -> str:
        """Try a ticket at the equipment and return what came back."""
        return _came_back(self.call(0, WITH_TICKET, Ticket=ticket)) if ticket else "no ticket was given"


def _send(
    user: _User, steps: Sequence[Step], requests: int, record: Path, progress: Callable[[Sequence[Path]], None] | None
) -> int:
    refused = 0
    start_ns = intended_ns = time.monotonic_ns()
    with Journal(record) as journal:
        for number in range(requests):
            done = _steps(user, steps, number)
            ended_ns = time.monotonic_ns()
            first, last = done[0], done[-1]
            journal.add(
                Exchange(
                    client=0,
                    number=number,
                    intended_us=(intended_ns - start_ns) // 1000,
                    started_us=(first.started_ns - start_ns) // 1000,
                    ended_us=(ended_ns - start_ns) // 1000,
                    ejb_ms=first.reply.ejb_ms,
                    outcome=last.outcome,
                    detail=last.detail,
                    bytes_in=sum(len(told.reply.content) for told in done),
                )
            )
            intended_ns = ended_ns
            if last.outcome == OK and _came_back(last) != "yes":
                raise SystemFailed(f"request {number} was not granted: {', '.join(_messages(last.answer))}")
            refused = refused + 1 if not last.reply.started else 0
            if refused == GIVE_UP:
                raise SystemFailed(f"{GIVE_UP} requests in a row had no reply, the last: {last.outcome}, {last.detail}")
            if progress is not None:
                progress([record])
    return start_ns


def _steps(user: _User, steps: Sequence[Step], number: int) -> list[Told]:
    """Make a request's exchanges until one goes wrong."""
    done = [user.call(number, steps[0])]
    for step in steps[1:]:
        if done[-1].outcome == OK and _came_back(done[-1]) == "yes":
            done.append(user.call(number, step, Ticket=done[-1].answer.Ticket))
    return done


def _came_back(told: Told) -> str:
    """Return the reply's answer, or why there is none."""
    if told.outcome == OK:
        return str(told.answer.Answer)
    return told.detail if told.outcome == SOAP_FAULT else f"{told.outcome}: {told.detail}"


def _messages(answer: Any) -> list[str]:
    said = answer.Message
    return [said] if isinstance(said, str) else list(said or ["no reason was given"])


def _used_and_changed(user: _User) -> dict[str, str]:
    """Try a ticket with another bandwidth than was signed, then as it was given, which is good once, then again."""
    ticket = user.ticket()
    tampered = user.hand_over(more_bandwidth(ticket)) if ticket else "no ticket was given"
    first = user.hand_over(ticket)
    replayed = user.hand_over(ticket) if first == "yes" else f"the first use was answered {first}"
    return {"ticket_tampered": tampered, "ticket_replayed": replayed}


def _expired(user: _User, ticket: str) -> str:
    """Try a ticket when its time is over."""
    if not ticket:
        return "no ticket was given"
    left_s = not_after_s(ticket) - time.time()
    if left_s > LONGEST_WAIT_S:
        return "not tried: it lives too long"
    time.sleep(max(0.0, left_s + 0.05))
    return user.hand_over(ticket)


def _fields(ticket: str) -> list[str]:
    """Return what anybody can read of a ticket, six lines and a signature, both in the URL's Base64.

    User, service, bandwidth (Mbit/s), session, the last ms at which the ticket is good, and its nonce.
    """
    signed = ticket.partition(".")[0]
    try:
        fields = base64.urlsafe_b64decode(signed + "=" * (-len(signed) % 4)).decode().split("\n")
    except ValueError as error:
        raise SystemFailed(f"the AAA server gave something else than a ticket: {ticket[:80]!r}") from error
    if len(fields) != 6:
        raise SystemFailed(f"a ticket has 6 fields, and this one {len(fields)}: {ticket[:80]!r}")
    return fields


def more_bandwidth(ticket: str) -> str:
    """Return a ticket for a hundred times the bandwidth, with the signature of the given one."""
    fields = _fields(ticket)
    fields[2] = str(100 * int(fields[2]))
    changed = base64.urlsafe_b64encode("\n".join(fields).encode()).decode().rstrip("=")
    return f"{changed}.{ticket.partition('.')[2]}"


def not_after_s(ticket: str) -> float:
    """Return until when a ticket is good, in seconds since 1970."""
    return int(_fields(ticket)[4]) / 1000
