"""Calls of somebody's own SOAP service and what each came to: whatever goes wrong after the sending is an outcome."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import Any

import requests
import zeep.exceptions

from perfstudies import sent
from perfstudies.errors import BadParameter
from perfstudies.load import soap
from perfstudies.own.service import plain
from perfstudies.own.service.description import Caller
from perfstudies.sent import Sent

_OF_TRANSPORT = (requests.RequestException, zeep.exceptions.Error, ValueError)
"""What is raised of an answer that did not come, or not whole. Of one that is strange zeep raises whatever it meets."""


class SoapAsker:
    """Calls one operation with the same arguments; secrets that an answer quotes are not put on record."""

    def __init__(self, caller: Caller, arguments: Any, secrets: Sequence[str] = ()):
        self._caller, self._arguments, self._secrets = caller, arguments, secrets
        self.peers = caller.peers

    def ask(self, user: int, number: int, due_ns: int, start_ns: int) -> Sent:
        """Make one call and return its record; faults and transport errors are outcomes, never raised.

        Parameters
        ----------
        user, number : int
            Who sends it, and which of the run's or the user's requests it is.
        due_ns, start_ns : int
            When it is due after the run's start, and when that was: ns of the monotonic clock.

        Raises
        ------
        BadParameter
            If the arguments do not fit the description (nothing was sent then), or an answer redirects to a host that
            is not permitted.
        """
        one, transport = self._caller, self._caller.client.transport
        transport.bytes_out = transport.bytes_in = 0
        sent_ns = time.monotonic_ns()
        outcome, detail = sent.OK, ""
        try:
            one.call(self._arguments)
        except zeep.exceptions.Fault as fault:
            outcome, detail = _fault(fault, one.declared_faults)
        except BadParameter:
            raise  # an answer sent it on to where it may not go
        except Exception as error:
            if not transport.bytes_out:
                problem = f"{dict(self._arguments)} does not fit the description of {one.operation}: {error}"
                raise BadParameter(problem) from error
            outcome, detail = sent.TRANSPORT_ERROR, f"{type(error).__name__}: {error}"
            if transport.bytes_in and not isinstance(error, _OF_TRANSPORT):
                outcome, detail = sent.SYSTEM_ERROR, f"{soap.NO_MESSAGE}: {error}"
        return Sent(
            user=user,
            session=0,
            request=number,
            operation=one.operation,
            intended_ns=due_ns,
            sent_ns=sent_ns - start_ns,
            ended_ns=time.monotonic_ns() - start_ns,
            outcome=outcome,
            detail=plain.hidden(detail, self._secrets)[: sent.MOST_OF_A_DETAIL],
            bytes_out=transport.bytes_out,
            bytes_in=transport.bytes_in,
        )

    def close(self) -> None:
        """Close its connections."""
        self._caller.close()


def _fault(fault: zeep.exceptions.Fault, declared: Collection[str]) -> tuple[str, str]:
    message, details = soap.said_by(fault)
    known = any(child.tag in declared for child in details)
    texts = [text.strip() for child in details if child.tag in declared for text in child.itertext()]
    said = ": ".join([message, *(text for text in texts if text)])
    return sent.APPLICATION_EXCEPTION if known else sent.SYSTEM_ERROR, said
