"""Declarations of the AAA study: Ait Messoud and Lahit, "Generic AAA Architecture Performance testing" (c. 2005)."""

from __future__ import annotations

from perfstudies.experiment import Factor, Size
from perfstudies.publication import Publication
from perfstudies.studies.aaa.base import MACHINES, SCALED, STANDARD_SETTINGS, declare
from perfstudies.studies.aaa.limits import (
    BEANS,
    BURST,
    CONCURRENT_CLIENTS,
    CONDITIONS,
    CONNECTIONS,
    CUT,
    DATABASES,
    ENTITY_BEANS,
    EQUAL_SETTINGS,
    MAX_RATE,
    MIXES,
    PROCESSORS,
    PRODUCTS,
    QUEUE,
    SCREENED,
    SCREENING,
    SCREENING_SIGNS,
)
from perfstudies.studies.aaa.starts import (
    BEAN_START,
    CONTAINERS,
    EJB_POOL,
    FIFTY,
    FIGURES,
    GAPS,
    HTTP_THREADS,
    IDLE_CONNECTIONS,
    OWN_GAP,
    POOLS,
    TIMERS,
    TWO_BEANS,
    UNIT_LENGTHS,
)

PUBLICATION = Publication(
    "aaa",
    "AAA",
    "Generic AAA Architecture Performance testing",
    "Aziz Ait Messoud and Redouan Lahit",
    "University of Amsterdam, about 2005",
    "How an authorization server in an EJB container answers: patterns over time, pools, timers, overload.",
)

SEQUENCES = declare(
    "sequences",
    "What do the agent, pull, push and roaming sequences cost?",
    "bandwidth on demand, one request after the other",
    (
        Factor("sequence", ("agent", "pull", "push", "roaming"), ("Agent", "Pull", "Push", "Roaming agent")),
    ),
    {
        "smoke": Size(blocks=1, requests=10),
        "quick": Size(blocks=2, requests=50),
        "standard": Size(blocks=10, requests=300),
        "full": Size(blocks=30, requests=2000),
    },
    fixed={
        "container": "glassfish", "network": "loopback", "ttl_ms": "60000", "http.threads": "100", "ejb.max": "32",
        "ticket.lifetime_ms": "1000",
    },
    procedure="sequences",
    bench="parties",
    shared_process=True,
)  # fmt: skip

EXPERIMENTS = (
    POOLS, UNIT_LENGTHS, OWN_GAP, IDLE_CONNECTIONS, BEAN_START, GAPS, TIMERS, FIFTY, TWO_BEANS, BURST, CUT, QUEUE,
    MAX_RATE, CONDITIONS, MIXES, CONNECTIONS, DATABASES, PROCESSORS, BEANS, ENTITY_BEANS, CONCURRENT_CLIENTS,
    SCREENING, SEQUENCES, EQUAL_SETTINGS,
)  # fmt: skip
