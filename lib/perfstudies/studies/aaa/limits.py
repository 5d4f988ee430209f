"""Experiments on what the AAA study left open: overload, and loads without waiting (its sections 6 and 7)."""

from __future__ import annotations

from collections.abc import Mapping

from perfstudies.experiment import ARMS, Experiment, Factor, Size
from perfstudies.stats.factorial import fractional
from perfstudies.studies.aaa.base import STANDARD_SETTINGS, declare, without

KEPT_UP = 0.9
"""A rate is the last that is offered if a smaller share of its requests is answered, or they take as much longer."""

BURST = declare(
    "burst",
    "How many requests at once does the server hold, and how does it recover?",
    "requests at once from four clients, then one after the other",
    (Factor("requests", ("1000", "8000", "16000"), ("1,000", "8,000", "16,000")),),
    {
        "smoke": Size(blocks=1, time_scale=40),
        "standard": Size(blocks=12, time_scale=5),
        "full": Size(blocks=12),
    },
    # Clients wait as they do elsewhere, which is enough for as many as the study says that its server processes at the
    # same time, and not for twice as many. At these scales threads, not processors, decide how long it takes.
    fixed={**STANDARD_SETTINGS, "network": "loopback", "database": "mariadb"},
    procedure="burst",
    shared_process=True,
)

CUT = declare(
    "cut",
    "What do requests at once come to if the database ends its connections meanwhile?",
    "requests at once from four clients, then one after the other",
    (Factor("requests", ("8000",), ("8,000",)),),
    {"smoke": Size(blocks=1, time_scale=40), "standard": Size(blocks=5, time_scale=5), "full": Size(blocks=5)},
    fixed={**BURST.fixed, "database.cut": "true"},
    procedure="burst",
    shared_process=True,
)

QUEUE = declare(
    "queue",
    "Does a bound on the requests that wait for a thread lose connections?",
    "requests at once from four clients, then one after the other",
    (Factor("http.queue", ("-1", "4096"), ("no bound, as elsewhere here", "4,096, as GlassFish comes")),),
    {"smoke": Size(blocks=1, time_scale=40), "standard": Size(blocks=6, time_scale=5), "full": Size(blocks=12)},
    fixed={**BURST.fixed, "requests": "8000"},
    procedure="burst",
    shared_process=True,
)

MAX_RATE = declare(
    "max-rate",
    "Which rate of requests can the server keep up with?",
    "open arrivals at rising rates",
    (Factor("http.threads", ("100", "1000"), ("HTTP 100", "HTTP 1000")),),
    {
        "smoke": Size(blocks=1, time_scale=80),
        "standard": Size(blocks=10, time_scale=40),
        "full": Size(blocks=30, time_scale=10),
    },
    fixed={
        **without("http.threads"), "network": "loopback", "clients": "2", "step_s": "80",
        "rates": "250,500,1000,1500,2000,3000,4000,6000",
    },
    procedure="rates",
    shared_process=True,
)  # fmt: skip

WITHOUT_WAITING = {**STANDARD_SETTINGS, "network": "loopback", "clients": "1", "concurrency": "8", "timer.unit_ms": "0"}
"""Closed load on a server whose timer does not wait: what is left is its own work."""

CLOSED_SIZES = {
    "smoke": Size(blocks=1, requests=100),
    "standard": Size(blocks=10, requests=2000),
    "full": Size(blocks=30, requests=10000),
}


def _closed(name: str, title: str, factor: Factor, sizes: Mapping[str, Size] = CLOSED_SIZES, **more: str) -> Experiment:
    """Declare an experiment with a closed load; `sizes` are its own, further arguments properties."""
    fixed = {key: value for key, value in (WITHOUT_WAITING | more).items() if key != factor.name}
    return declare(
        name, title, "requests one after the other on some connections", (factor,), {**CLOSED_SIZES, **sizes},
        fixed=fixed, procedure="closed", shared_process=True,
    )  # fmt: skip


CONDITIONS = _closed(
    "conditions",
    "What does a complex policy cost?",
    Factor(
        "policy", ("Conditions1", "Conditions10", "Conditions100", "Conditions1000"),
        ("1 condition", "10 conditions", "100 conditions", "1,000 conditions"),
    ),
)  # fmt: skip

MIXES = _closed(
    "mixes",
    "What do mixes of valid, invalid and complex requests cost?",
    Factor(
        "mix",
        ("valid", "invalid-20", "complex-20", "both-20"),
        ("all valid", "20 % invalid", "20 % complex", "20 % invalid, 20 % complex"),
        {
            "valid": {"mix": ""},
            "invalid-20": {"mix": "invalid:0.2"},
            "complex-20": {"mix": "Conditions1000:0.2"},
            "both-20": {"mix": "invalid:0.2,Conditions1000:0.2"},
        },
    ),
)

CONNECTIONS = _closed(
    "connections",
    "What do database connections limit?",
    Factor(
        "database.connections", ("1", "2", "8", "32"),
        ("1 connection", "2 connections", "8 connections", "32 connections"),
    ),
)  # fmt: skip

DATABASES = _closed(
    "databases",
    "Does it matter which database holds the policies?",
    Factor("database", ("h2", "mariadb"), ("H2, in the server's process", "MariaDB, a process of its own")),
)

PROCESSORS = _closed(
    "processors",
    "Does twice the processor double what the server does: one twice as fast, or a second one?",
    Factor(
        "cpus",
        ("half", "1", "2"),
        ("half of a processor", "one processor", "two processors"),
        {"half": {"cpus": "1", "cpu.percent": "50"}, "1": {"cpus": "1"}, "2": {"cpus": "2"}},
    ),
    policy="Conditions1000",
)

BEANS = _closed(
    "beans",
    "Is a session bean more than twice as fast as an entity bean?",
    Factor("repository", ("session", "entity"), ("session bean (JDBC)", "entity bean (JPA)")),
    # Six short blocks decide A14 in its report, four with fewer requests do not (one live run of each). By a pilot of
    # three blocks the repository's means over 1,000 requests of a run differ by half of themselves.
    {"quick": Size(blocks=6, requests=300), "standard": Size(blocks=20, requests=6000)},
)

ENTITY_BEANS = _closed(
    "entity-beans",
    "Is a session bean more than twice as fast as an entity bean of EJB 2.1?",
    Factor(
        "repository", ("session", "entity", "entity-2.1"),
        ("session bean (JDBC)", "entity bean (JPA)", "entity bean (EJB 2.1)"),
    ),
    # GlassFish has them no more.
    container="openejb",
)  # fmt: skip

CONCURRENT_CLIENTS = _closed(
    "clients",
    "What do more than four clients at the same time do to response times?",
    Factor("concurrency", ("1", "4", "8", "16", "64"), ("1", "4", "8", "16", "64")),
)

EQUAL_SETTINGS = declare(
    "equal-settings",
    "Is a difference found where there is none?",
    "requests one after the other on some connections",
    (ARMS,),
    {
        "smoke": Size(blocks=2, requests=100),
        "standard": Size(blocks=30, requests=2000),
        "full": Size(blocks=100, requests=10000),
    },
    fixed=WITHOUT_WAITING,
    procedure="closed",
)

SCREENED = {
    "timer": ("1", "5"),
    "http.threads": ("4", "100"),
    "ejb.max": ("2", "64"),
    "policy": ("Conditions1", "Conditions100"),
    "database.connections": ("1", "8"),
    "repository": ("session", "entity"),
    "concurrency": ("4", "16"),
}
"""Seven parameters, low and high, for a 2^(7-3) design of resolution IV: its last three are products of others."""

PRODUCTS = {
    "database.connections": ("timer", "http.threads", "ejb.max"),
    "repository": ("http.threads", "ejb.max", "policy"),
    "concurrency": ("timer", "ejb.max", "policy"),
}
"""Of which of the first four parameters' columns a further one is the product."""

_BASIC = list(SCREENED)[: -len(PRODUCTS)]
_SIGNS = fractional(list(SCREENED), PRODUCTS).runs.sort_values(_BASIC).to_dict("records")
SCREENING_SIGNS = {f"p{number:02d}": signs for number, signs in enumerate(_SIGNS, start=1)}
"""The sixteen points of the screening design by names that a folder can have: each parameter's sign, -1 or 1."""

SCREENING = declare(
    "screening",
    "Which parameter matters most?",
    "requests one after the other on some connections",
    (
        Factor(
            "point",
            tuple(SCREENING_SIGNS),
            tuple("".join("+" if signs[one] > 0 else "-" for one in _BASIC) for signs in SCREENING_SIGNS.values()),
            {
                point: {name: levels[signs[name] > 0] for name, levels in SCREENED.items()}
                for point, signs in SCREENING_SIGNS.items()
            },
        ),
    ),
    {
        "smoke": Size(blocks=1, requests=100),
        "quick": Size(blocks=3, requests=60),  # three decide A7 in its report, two do not
        "standard": Size(blocks=10, requests=500),
        "full": Size(blocks=30, requests=10000),
    },
    fixed={**{name: value for name, value in WITHOUT_WAITING.items() if name not in SCREENED}, "timer.unit_ms": "4"},
    procedure="closed",
    shared_process=True,
)
