"""Declarations of the ESB study: "ESB performance" and two older posts of the same weblog (2010 to 2012)."""

from __future__ import annotations

from perfstudies.studies import esb_connections, esb_reliable
from perfstudies.studies.esb_base import ROUTE_LABELS, ROUTES
from perfstudies.studies.esb_loads import ARRIVALS, BOUNDS, CLIENTS, MEDIATION, OPEN_FILES, PROXY, THROUGHPUT

__all__ = [
    "ARRIVALS",
    "BOUNDS",
    "CLIENTS",
    "EXPERIMENTS",
    "MEDIATION",
    "OPEN_FILES",
    "PROXY",
    "ROUTES",
    "ROUTE_LABELS",
    "THROUGHPUT",
]

EXPERIMENTS = (
    THROUGHPUT,
    BOUNDS,
    OPEN_FILES,
    MEDIATION,
    CLIENTS,
    ARRIVALS,
    *esb_connections.EXPERIMENTS,
    *esb_reliable.EXPERIMENTS,
)
