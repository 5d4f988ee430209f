"""Declarations of the ESB study: "ESB performance" and two older posts of the same weblog (2010 to 2012)."""

from __future__ import annotations

from perfstudies.studies import esb_connections, esb_reliable
from perfstudies.studies.esb_base import ROUTE_LABELS, ROUTES
from perfstudies.studies.esb_loads import ARRIVALS, BOUNDS, CLIENTS, MEDIATION, OPEN_FILES, PROXY, THROUGHPUT

__all__ = [
    "ARRIVALS",
    "AWAITED",
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

EXPERIMENTS = (THROUGHPUT, BOUNDS, OPEN_FILES, *esb_connections.EXPERIMENTS)

AWAITED = (MEDIATION, CLIENTS, *esb_reliable.EXPERIMENTS, ARRIVALS)
"""Declared and tested; their recorded runs follow, and their reports with them."""
