"""Declarations of the AAA study: Ait Messoud and Lahit, "Generic AAA Architecture Performance testing" (c. 2005).

Properties are named as the server's own (`perfstudies.systems.aaa`), and these are the lab's:

- ``container``: ``glassfish`` (the descendant of the study's) or ``openejb`` (whose pool is a strict limit);
- ``clients``: how many of the study's four machines send, from the first on, or more;
- ``gap_ms``: between the starts of a client's requests;
- ``timer``: the request's TimerCondition, in time units of ``timer.unit_ms``;
- ``ttl_ms``: how long a client waits for its answer, the connection's time to live;
- ``policy``: the type of the request; ``mix``: shares of other requests, as ``type:share`` with commas between;
- ``concurrency``: connections that each send their next request when the last is answered;
- ``rates``: offered rates, requests a second, one after the other, each for ``step_s``;
- ``network``: ``access-lines`` (the four clients' own, where this machine may shape them) or ``loopback``;
- ``cpus``: how many processors the server may use.

All times are the study's own; a size's ``time_scale`` divides those of `SCALED`.
"""

from __future__ import annotations

from itertools import product

from perfstudies.experiment import Experiment, Factor, Size

MACHINES = ("Azizlap", "Redlap", "Mac-G5b", "Mac-G5c")
"""The study's clients (section 4.3), in the order of the client numbers."""

SCALED = ("gap_ms", "ttl_ms", "timer.unit_ms", "ejb.access_timeout_ms")
"""Properties that a size's time scale divides."""

UNIT_SEEN_MS = "400"
"""Mean EJB time at timer 1 (section 5.3.3)."""
UNIT_ASSUMED_MS = "2000"
"""What the authors took a time unit for (section 5.3.3)."""

STANDARD_SETTINGS = {
    "container": "glassfish",
    "clients": "4",
    "gap_ms": "2000",
    "timer": "1",
    "ttl_ms": "60000",
    "network": "access-lines",
    "http.threads": "100",
    "ejb.max": "32",
    "timer.unit_ms": UNIT_SEEN_MS,
}
"""Those of the study's Example 1; it prints no time to live, 60 s is the lab's choice."""

HTTP_THREADS = Factor("http.threads", ("100", "1000"), ("HTTP 100", "HTTP 1000"))
EJB_POOL = Factor("ejb.max", ("32", "64"), ("EJB 32", "EJB 64"))


def _experiment(name: str, title: str, load: str, factors: tuple[Factor, ...], sizes: dict, **more) -> Experiment:
    return Experiment("aaa", name, title, "aaa", load, factors, sizes=sizes, **more)


POOLS = _experiment(
    "pools",
    "Which pool's size matters to response times, and is there a pattern in them?",
    "timer requests from four clients",
    (HTTP_THREADS, EJB_POOL),
    {
        "smoke": Size(blocks=1, requests=20, time_scale=100),
        "quick": Size(blocks=2, requests=300, time_scale=200),
        "standard": Size(blocks=10, requests=2000, time_scale=100),
        "full": Size(blocks=2, requests=2000),
    },
    fixed=STANDARD_SETTINGS,
    procedure="starts",
    shared_process=True,
)

_ASSUMED = {"timer.unit_ms": UNIT_ASSUMED_MS, "ejb.access_timeout_ms": "30000"}
_FIFTY = {**_ASSUMED, "requests": "50", "clients": "1"}

FIGURES = Factor(
    "figure",
    ("7", "9", "14", "15", "16", "17", "16-strict", "17-strict", "11-5", "11-10", "11-20"),
    (
        "Figures 7, 8, 12, 13: HTTP 100, EJB 32", "Figure 9: HTTP 1000", "Figures 10, 14: EJB 64",
        "Figure 15: HTTP 1000, EJB 64", "Figure 16: timer 10", "Figure 17: timer 5",
        "Figure 16, strict pool", "Figure 17, strict pool",
        "Figure 11: timer 5", "Figure 11: timer 10", "Figure 11: timer 20",
    ),
    {
        "7": {},
        "9": {"http.threads": "1000"},
        "14": {"ejb.max": "64"},
        "15": {"http.threads": "1000", "ejb.max": "64"},
        "16": {"timer": "10", "requests": "1000", **_ASSUMED},
        "17": {"timer": "5", "requests": "1000", **_ASSUMED},
        "16-strict": {"container": "openejb", "timer": "10", "requests": "1000", **_ASSUMED},
        "17-strict": {"container": "openejb", "timer": "5", "requests": "1000", **_ASSUMED},
        "11-5": {"timer": "5", **_FIFTY},
        "11-10": {"timer": "10", **_FIFTY},
        "11-20": {"timer": "20", **_FIFTY},
    },
)  # fmt: skip

OWN_GAP = _experiment(
    "own-gap",
    "What do the figures look like at the study's own gap of 2 s?",
    "timer requests from four clients",
    (FIGURES,),
    {
        "smoke": Size(blocks=1, requests=20, time_scale=100),
        "quick": Size(blocks=2, requests=50, time_scale=200),
        "standard": Size(blocks=1, requests=2000),
        "full": Size(blocks=2, requests=2000),
    },
    fixed=STANDARD_SETTINGS,
    procedure="starts",
    shared_process=True,
)

BEAN_START = _experiment(
    "bean-start",
    "Is there a peak at the start, and is it the making of beans?",
    "timer requests from four clients",
    (
        Factor(
            "start",
            ("cold", "warm", "steady", "slow-beans", "short-idle"),
            (
                "new process", "new deployment, warm process", "32 beans made beforehand",
                "a bean takes 5 ms to make", "idle beans removed after 1 s",
            ),
            {
                "cold": {"warm": "false"},
                "warm": {},
                "steady": {"ejb.steady": "32"},
                "slow-beans": {"ejb.create_ms": "5"},
                "short-idle": {"ejb.idle_s": "1", "ejb.create_ms": "5"},
            },
        ),
    ),
    {
        "smoke": Size(blocks=1, requests=20, time_scale=100),
        "quick": Size(blocks=2, requests=100, time_scale=200),
        "standard": Size(blocks=10, requests=300, time_scale=100),
        "full": Size(blocks=10, requests=2000, time_scale=10),
    },
    fixed=STANDARD_SETTINGS,
    procedure="starts",
    shared_process=True,
)  # fmt: skip

GAPS = _experiment(
    "gaps",
    "Does a gap of 1000 ms between starts make a difference to one of 2000 ms?",
    "timer requests from four clients",
    (Factor("gap_ms", ("1000", "2000"), ("1000 ms", "2000 ms")),),
    {
        "smoke": Size(blocks=1, requests=20, time_scale=100),
        "quick": Size(blocks=2, requests=100, time_scale=100),
        "standard": Size(blocks=10, requests=300, time_scale=100),
        "full": Size(blocks=10, requests=2000),
    },
    fixed={name: value for name, value in STANDARD_SETTINGS.items() if name != "gap_ms"},
    procedure="starts",
    shared_process=True,
)

CONTAINERS = Factor(
    "container",
    ("glassfish", "openejb"),
    ("GlassFish", "OpenEJB, strict pool"),
)

TIMERS = _experiment(
    "timers",
    "From which timer on do requests fail, and which layer fails them?",
    "1000 timer requests from each of four clients",
    (CONTAINERS, Factor("timer", ("1", "5", "10", "20"), ("timer 1", "timer 5", "timer 10", "timer 20"))),
    {
        "smoke": Size(blocks=1, requests=20, time_scale=100),
        "quick": Size(blocks=2, requests=200, time_scale=200),
        "standard": Size(blocks=10, requests=1000, time_scale=100),
        "full": Size(blocks=2, requests=1000),
    },
    fixed={
        **{name: value for name, value in STANDARD_SETTINGS.items() if name not in ("timer", "container")},
        "timer.unit_ms": UNIT_ASSUMED_MS,
        "ejb.access_timeout_ms": "30000",
    },
    procedure="starts",
    shared_process=True,
)

FIFTY = _experiment(
    "fifty",
    "Up to which timer are 50 requests answered, and what does the connection's time to live change?",
    "50 timer requests from one client",
    (
        CONTAINERS,
        Factor("ttl_ms", ("30000", "120000"), ("time to live 30 s", "time to live 120 s")),
        Factor("timer", ("1", "5", "10", "20", "50"), tuple(f"timer {timer}" for timer in (1, 5, 10, 20, 50))),
    ),
    {
        "smoke": Size(blocks=1, requests=10, time_scale=100),
        "quick": Size(blocks=2, requests=50, time_scale=400),
        "standard": Size(blocks=10, requests=50, time_scale=100),
        "full": Size(blocks=10, requests=50),
    },
    fixed={
        **{name: value for name, value in STANDARD_SETTINGS.items() if name not in ("timer", "container", "ttl_ms")},
        "clients": "1",
        "timer.unit_ms": UNIT_ASSUMED_MS,
        "ejb.access_timeout_ms": "30000",
    },
    procedure="starts",
    shared_process=True,
)

TWO_BEANS = _experiment(
    "two-beans",
    "What does a pool of two beans do with ten requests?",
    "10 timer requests from one client",
    (
        Factor(
            "pool",
            ("glassfish-2", "glassfish-32", "openejb-2", "openejb-2-patient"),
            (
                "GlassFish, pool of 2", "GlassFish, pool of 32", "OpenEJB, strict pool of 2",
                "OpenEJB, strict pool of 2, no time limit",
            ),
            {
                "glassfish-2": {"container": "glassfish", "ejb.max": "2"},
                "glassfish-32": {"container": "glassfish", "ejb.max": "32"},
                "openejb-2": {"container": "openejb", "ejb.max": "2"},
                "openejb-2-patient": {"container": "openejb", "ejb.max": "2", "ejb.access_timeout_ms": "2000000"},
            },
        ),
    ),
    {
        "smoke": Size(blocks=1, requests=10, time_scale=400),
        "quick": Size(blocks=2, requests=10, time_scale=200),
        "standard": Size(blocks=10, requests=10, time_scale=100),
        "full": Size(blocks=3, requests=10),
    },
    fixed={
        "clients": "1", "gap_ms": "2000", "timer": "50", "ttl_ms": "2000000", "network": "loopback",
        "http.threads": "10", "timer.unit_ms": UNIT_ASSUMED_MS, "ejb.access_timeout_ms": "30000",
    },
    procedure="starts",
    shared_process=True,
)  # fmt: skip

BURST = _experiment(
    "burst",
    "How many requests at once does the server hold, and how does it recover?",
    "requests at once from four clients, then one after the other",
    (
        Factor(
            "requests",
            ("1000", "4000", "8000", "16000"),
            ("1,000", "4,000", "8,000", "16,000"),
        ),
    ),
    {
        "smoke": Size(blocks=1, time_scale=40),
        "quick": Size(blocks=2, time_scale=40),
        "standard": Size(blocks=10, time_scale=10),
        "full": Size(blocks=10),
    },
    # Thousands of requests at once take longer than a client's usual patience; here it is to outlast them.
    fixed={**STANDARD_SETTINGS, "network": "loopback", "ttl_ms": "600000"},
    procedure="burst",
    shared_process=True,
)

MAX_RATE = _experiment(
    "max-rate",
    "Which rate of requests can the server keep up with?",
    "open arrivals at rising rates",
    (Factor("http.threads", ("100", "1000"), ("HTTP 100", "HTTP 1000")),),
    {
        "smoke": Size(blocks=1, time_scale=40),
        "quick": Size(blocks=2, time_scale=40),
        "standard": Size(blocks=10, time_scale=40),
        "full": Size(blocks=30, time_scale=40),
    },
    fixed={
        **{name: value for name, value in STANDARD_SETTINGS.items() if name != "http.threads"},
        "network": "loopback",
        "clients": "2",
        "rates": "250,500,1000,1500,2000,3000,4000,6000",
        "step_s": "2",
    },
    procedure="rates",
    shared_process=True,
)

WITHOUT_WAITING = {
    **STANDARD_SETTINGS,
    "network": "loopback",
    "clients": "1",
    "concurrency": "8",
    "timer.unit_ms": "0",
}
"""Closed load on a server whose timer does not wait: what is left is its own work."""

CLOSED_SIZES = {
    "smoke": Size(blocks=1, requests=100),
    "quick": Size(blocks=2, requests=300),
    "standard": Size(blocks=10, requests=2000),
    "full": Size(blocks=30, requests=10000),
}


def _closed(name: str, title: str, factor: Factor, shared_process: bool = True, **more: str) -> Experiment:
    fixed = {key: value for key, value in (WITHOUT_WAITING | more).items() if key != factor.name}
    return _experiment(
        name, title, "requests one after the other on some connections", (factor,), CLOSED_SIZES,
        fixed=fixed, procedure="closed", shared_process=shared_process,
    )  # fmt: skip


CONDITIONS = _closed(
    "conditions",
    "What does a complex policy cost?",
    Factor(
        "policy",
        ("Conditions1", "Conditions10", "Conditions100", "Conditions1000"),
        ("1 condition", "10 conditions", "100 conditions", "1,000 conditions"),
    ),
)

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
        "database.connections",
        ("1", "2", "8", "32"),
        ("1 connection", "2 connections", "8 connections", "32 connections"),
    ),
)

PROCESSORS = _closed(
    "processors",
    "Does a second processor double what the server does?",
    Factor("cpus", ("1", "2"), ("one processor", "two processors")),
    shared_process=False,
    policy="Conditions1000",
)

BEANS = _closed(
    "beans",
    "Is a session bean more than twice as fast as an entity bean?",
    Factor("repository", ("session", "entity"), ("session bean (JDBC)", "entity bean (JPA)")),
)

CONCURRENT_CLIENTS = _closed(
    "clients",
    "What do more than four clients at the same time do to response times?",
    Factor("concurrency", ("1", "4", "8", "16", "64"), ("1", "4", "8", "16", "64")),
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

GENERATORS = {"database.connections": (0, 1, 2), "repository": (1, 2, 3), "concurrency": (0, 2, 3)}
"""Of which of the first four columns a further one is the product."""


def screening_points() -> dict[str, dict[str, str]]:
    """Return the sixteen points of the screening design, by name (signs of the first four), as properties."""
    names = list(SCREENED)
    points = {}
    for signs in product((-1, 1), repeat=4):
        row = dict(zip(names[:4], signs, strict=True))
        for name, parts in GENERATORS.items():
            sign = 1
            for part in parts:
                sign *= signs[part]
            row[name] = sign
        points["".join("+" if sign > 0 else "-" for sign in signs)] = {
            name: SCREENED[name][sign > 0] for name, sign in row.items()
        }
    return points


_POINTS = screening_points()
POINT_NAMES = {f"p{number:02d}": signs for number, signs in enumerate(_POINTS, start=1)}
"""Names that a folder can have, and the signs of the first four factors."""

SCREENING = _experiment(
    "screening",
    "Which parameter matters most?",
    "requests one after the other on some connections",
    (
        Factor(
            "point",
            tuple(POINT_NAMES),
            tuple(POINT_NAMES.values()),
            {name: _POINTS[signs] for name, signs in POINT_NAMES.items()},
        ),
    ),
    {
        "smoke": Size(blocks=1, requests=100),
        "quick": Size(blocks=2, requests=100),
        "standard": Size(blocks=10, requests=500),
        "full": Size(blocks=30, requests=10000),
    },
    fixed={
        **{name: value for name, value in WITHOUT_WAITING.items() if name not in SCREENED},
        "timer.unit_ms": "4",
    },
    procedure="closed",
    shared_process=True,
)

SEQUENCES = _experiment(
    "sequences",
    "What do the agent, pull, push and roaming sequences cost?",
    "bandwidth on demand, one request after the other",
    (
        Factor(
            "sequence",
            ("agent", "pull", "push", "roaming"),
            ("Agent", "Pull", "Push", "Roaming agent"),
        ),
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
    shared_process=True,
)  # fmt: skip

EXPERIMENTS = (
    POOLS,
    OWN_GAP,
    BEAN_START,
    GAPS,
    TIMERS,
    FIFTY,
    TWO_BEANS,
    BURST,
    MAX_RATE,
    CONDITIONS,
    MIXES,
    CONNECTIONS,
    PROCESSORS,
    BEANS,
    CONCURRENT_CLIENTS,
    SCREENING,
    SEQUENCES,
)
