"""What one client of a run has to send, and how: written by the lab, read by the client's process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfstudies.errors import BadParameter, require_one_of
from perfstudies.load.http.plan_file import FilePlan
from perfstudies.permit import is_loopback

STUDY, BURST, OPEN, USERS = "study", "burst", "open", "users"
ARRIVALS = (STUDY, BURST, OPEN, USERS)
"""How requests arrive: a thread each after a gap (the study's program), all at once, at a rate, or one user's after
the other's answer."""

SLACK_S = 60  # how much later than planned a client may be before it ends early
USERS_LIMIT_S = 600


@dataclass(frozen=True, kw_only=True)
class Plan(FilePlan):
    """One client's part of a run.

    Attributes
    ----------
    wsdl : str
        Address of the service's description, on loopback.
    operation : str
        The operation to call.
    client : int
        The client's number; its requests carry it.
    requests : int
        How many to send; at most, where `duration_s` ends the run.
    bodies : tuple of mappings
        The arguments of the call: one for all requests, or one a request.
    record : Path
        Where the record goes (see `perfstudies.exchange`).
    total_log, ejb_log : Path or None
        Where the study's two logs go; only its own program (arrivals ``study``) writes them.
    arrivals : str
        One of `ARRIVALS`.
    gap_ms : float
        Between two starts of threads (``study``).
    rate_per_s : float
        Mean rate of arrivals (``open``).
    poisson : bool
        Whether the times between arrivals are exponential; otherwise they are even (``open``).
    seed : int
        Of the arrivals (``open``).
    users : int
        How many connections send, each its next request when the last is answered (``users``).
    duration_s : float or None
        After which users start no further request (``users``).
    ttl_s : float
        Time to live of a request's connection: how long the client waits for the whole exchange.
    open_s : float
        How long opening all connections of a burst may take (``burst``).
    keep_alive : bool
        Whether a connection carries further requests. The study's program opened one a request.
    outstanding : int
        Bound of requests (and threads) under way. A request that is due meanwhile starts late, and its record says so.
    limit_s : float or None
        After which no further request starts, and the client ends early; None is what the plan needs and a minute.
    source : str
        The loopback address to send from; empty for the system's choice.
    """

    wsdl: str
    operation: str
    client: int
    requests: int
    bodies: tuple[Mapping[str, Any], ...]
    record: Path
    total_log: Path | None = None
    ejb_log: Path | None = None
    arrivals: str = STUDY
    gap_ms: float = 2000.0
    rate_per_s: float = 0.0
    poisson: bool = True
    seed: int = 0
    users: int = 1
    duration_s: float | None = None
    ttl_s: float = 60.0
    open_s: float = 30.0
    keep_alive: bool = False
    outstanding: int = 1000
    limit_s: float | None = None
    source: str = ""

    def __post_init__(self) -> None:
        require_one_of("arrivals", self.arrivals, ARRIVALS)
        for name in ("requests", "outstanding", "users", "ttl_s", "open_s"):
            if not getattr(self, name) > 0:
                raise BadParameter(f"{name} = {getattr(self, name)!r}: it must be above 0")
        if self.client < 0 or self.gap_ms < 0:
            raise BadParameter("a client's number and the gap between its requests must not be below 0")
        if self.arrivals == OPEN and not self.rate_per_s > 0:
            raise BadParameter(f"rate_per_s = {self.rate_per_s!r}: open arrivals need a rate above 0")
        if len(self.bodies) not in (1, self.requests):
            raise BadParameter(f"{len(self.bodies)} bodies for {self.requests} requests: give one, or one a request")
        if self.source and not is_loopback(self.source):
            raise BadParameter(f"source = {self.source!r}: clients send from an address of the loopback interface only")

    def body(self, number: int) -> Mapping[str, Any]:
        """Return the arguments of a request's call."""
        return self.bodies[number if len(self.bodies) > 1 else 0]

    def distinct_bodies(self) -> list[Mapping[str, Any]]:
        """Return each of the bodies once, in the order of its first use."""
        return list({json.dumps(body, sort_keys=True): body for body in self.bodies}.values())

    @property
    def connections(self) -> int:
        """How many connections may be open at a time."""
        if self.arrivals == USERS:
            return self.users
        return self.requests if self.arrivals == BURST else min(self.requests, self.outstanding)

    @property
    def starts_limit_s(self) -> float:
        """After how long no further request starts."""
        if self.limit_s is not None:
            return self.limit_s
        if self.arrivals == USERS:
            return USERS_LIMIT_S if self.duration_s is None else self.duration_s + SLACK_S
        planned_s = {STUDY: self.requests * self.gap_ms / 1000, BURST: 0, OPEN: 0}[self.arrivals]
        if self.arrivals == OPEN:
            planned_s = self.requests / self.rate_per_s
        return planned_s + SLACK_S
