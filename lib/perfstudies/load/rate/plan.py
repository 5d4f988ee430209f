"""What a client for high rates has to send, and how: written by the lab, read by the client's process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from perfstudies.errors import BadParameter
from perfstudies.load.http.plan_file import FilePlan
from perfstudies.permit import LOOPBACK

CONNECTIONS_LIMIT = 20_000
REQUESTS_LIMIT = 20_000_000
DURATION_LIMIT_S = 3600.0
TIMEOUT_LIMIT_S = 600.0
RATE_LIMIT = 1_000_000.0
MESSAGE_LIMIT = 16 << 20
MUST_CONTAIN_LIMIT = 256
_CHUNK = 1 << 16
_OWN_HEADERS = ("host", "content-length", "connection", "transfer-encoding", "expect")


@dataclass(frozen=True, kw_only=True)
class RatePlan(FilePlan):
    """One run of the client for high rates: the same message again and again over persistent connections.

    Attributes
    ----------
    address : str
        Where it goes: an ``http`` address on loopback.
    message : bytes
        The body of each request.
    headers : mapping
        Header fields beside ``Host``, ``Connection`` and ``Content-Length``.
    connections : int
        How many connections send; all are opened before the start.
    requests_per_connection : int
        After how many requests a closed client's connection has sent all (0: no such limit).
    max_requests : int
        How many requests may be sent in all, and how many rows the log has room for.
    duration_s : float
        After which no further request begins.
    rate : float
        0: closed, each connection sends its next request when its last has ended. Above 0: open, Poisson arrivals of
        that mean rate per second; each takes a connection that is free, or waits for one in order.
    seed : int
        Of the arrivals.
    timeout_s : float
        How long a request may take, and how long those under way at the end are waited for.
    must_contain : bytes
        What a whole reply has in its body; empty: nothing is asked for.
    record : Path
        Where the log goes (see `perfstudies.load.rate.log`).
    """

    address: str
    message: bytes
    record: Path
    connections: int
    max_requests: int
    duration_s: float
    headers: Mapping[str, str] = field(default_factory=dict)
    requests_per_connection: int = 0
    rate: float = 0.0
    seed: int = 0
    timeout_s: float = 60.0
    must_contain: bytes = b""

    def __post_init__(self) -> None:
        LOOPBACK.require(self.address)
        _check_address(self.address)
        _within("connections", self.connections, 1, CONNECTIONS_LIMIT)
        _within("max_requests", self.max_requests, 1, REQUESTS_LIMIT)
        _within("requests_per_connection", self.requests_per_connection, 0, REQUESTS_LIMIT)
        _within("duration_s", self.duration_s, 1e-3, DURATION_LIMIT_S)
        _within("timeout_s", self.timeout_s, 1e-3, TIMEOUT_LIMIT_S)
        _within("rate", self.rate, 0, RATE_LIMIT)
        _within("the message's length", len(self.message), 0, MESSAGE_LIMIT)
        _within("the length of must_contain", len(self.must_contain), 0, MUST_CONTAIN_LIMIT)
        if self.seed < 0:
            raise BadParameter(f"seed = {self.seed!r}: it must not be below 0")
        if self.rate and self.requests_per_connection:
            raise BadParameter("requests_per_connection limits closed clients only: leave it 0 where a rate is given")
        for name, value in self.headers.items():
            if name.lower() in _OWN_HEADERS:
                raise BadParameter(f"the header {name} is the client's own: leave it out")
            if not name.isascii() or not name.replace("-", "").isalnum() or any(sign in value for sign in "\r\n\0"):
                raise BadParameter(f"{name!r}: {value!r} is no header field")

    def request(self) -> bytes:
        """Return the bytes of one request."""
        parts = urlsplit(self.address)
        target = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
        lines = [f"POST {target} HTTP/1.1", f"Host: {parts.netloc}", "Connection: keep-alive"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        lines += [f"Content-Length: {len(self.message)}", "", ""]
        return "\r\n".join(lines).encode("latin-1") + self.message

    def schedule_ns(self) -> np.ndarray:
        """Return when each open arrival is due, in ns from the start; empty for closed clients."""
        if not self.rate:
            return np.empty(0, np.int64)
        random, end_ns = np.random.default_rng(self.seed), self.duration_s * 1e9
        chunks, count, last_ns = [], 0, 0.0
        # In pieces of one size, so that a longer run of the same seed begins with the same arrivals.
        while last_ns < end_ns and count < self.max_requests:
            due_ns = last_ns + np.cumsum(random.exponential(1e9 / self.rate, _CHUNK))
            chunks.append(due_ns)
            last_ns, count = due_ns[-1], count + _CHUNK
        due_ns = np.concatenate(chunks)
        return due_ns[due_ns < end_ns][: self.max_requests].astype(np.int64)


def _within(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:  # not a number is outside, too
        raise BadParameter(f"{name} = {value!r}: it must be {least:g} to {most:,.10g}")


def _check_address(address: str) -> None:
    try:
        parts = urlsplit(address)
        known = parts.scheme == "http" and (parts.port is None or parts.port > 0)
    except ValueError:
        known = False
    if not known or not address.isascii() or any(sign.isspace() for sign in address):
        raise BadParameter(f"{address!r} is no http address")
