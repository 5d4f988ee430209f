"""Declarations of the ESB study: "ESB performance" and two older posts of the same weblog (2010 to 2012)."""

from __future__ import annotations

from perfstudies.publication import Publication
from perfstudies.studies.esb import connections, reliable
from perfstudies.studies.esb.base import ROUTE_LABELS, ROUTES
from perfstudies.studies.esb.loads import (
    ARRIVALS,
    BOUNDS,
    CLIENTS,
    MEDIATION,
    OPEN_FILES,
    PROXY,
    RELAY,
    SHARES,
    THROUGHPUT,
)

PUBLICATION = Publication(
    "esb",
    "ESB",
    "ESB performance, with two older posts",
    "the author of a weblog",
    "2010 to 2012",
    "How many messages two service buses pass on, what a client's connections hide, and what queues lose.",
)

EXPERIMENTS = (
    THROUGHPUT, BOUNDS, RELAY, SHARES, OPEN_FILES, MEDIATION, CLIENTS, ARRIVALS, *connections.EXPERIMENTS,
    *reliable.EXPERIMENTS,
)  # fmt: skip
