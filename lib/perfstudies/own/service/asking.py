"""Who asks for a user: by SOAP or by plain HTTP, as the target is declared."""

from __future__ import annotations

from perfstudies.own.service.calls import call
from perfstudies.own.service.declaration import Load, Target
from perfstudies.own.service.description import Description, caller
from perfstudies.own.service.http_calls import HttpAsker
from perfstudies.own.service.http_declaration import HttpTarget
from perfstudies.permit import Permit
from perfstudies.sent import Sent


class SoapAsker:
    """Calls one operation with the same arguments."""

    def __init__(self, target: Target, description: Description, permit: Permit, timeout_s: float, most_bytes: int):
        self._caller = caller(target, description, permit, timeout_s, most_bytes)
        self._arguments = target.arguments
        self.peers = self._caller.peers

    def ask(self, user: int, number: int, due_ns: int, start_ns: int) -> Sent:
        """Send a request and return its record."""
        return call(self._caller, self._arguments, user, number, due_ns, start_ns)

    def close(self) -> None:
        """Close its connections."""
        self._caller.close()


Asker = SoapAsker | HttpAsker
"""Sends a user's requests, over connections of its own."""


def asker(target: Target | HttpTarget, description: Description | None, permit: Permit, load: Load) -> Asker:
    """Return who asks a target; a `BadParameter` or `SystemFailed` as of `SoapAsker` or `HttpAsker`."""
    if isinstance(target, HttpTarget):
        return HttpAsker(target, permit, load.timeout_s, load.reply_bytes)
    if description is None:
        raise ValueError("a SOAP target is called by its description")
    return SoapAsker(target, description, permit, load.timeout_s, load.reply_bytes)
