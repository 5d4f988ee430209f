"""The tickets of the push sequence as anybody can read them: six lines and a signature, both in the URL's Base64."""

from __future__ import annotations

import base64

from perfstudies.errors import SystemFailed


def _fields(ticket: str) -> list[str]:
    """Return user, service, bandwidth (Mbit/s), session, the last ms at which the ticket is good, and its nonce."""
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
