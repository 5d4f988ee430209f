"""Experiments with the AAA study's own program: requests that start a gap after each other (its sections 4 and 5)."""

from __future__ import annotations

from functools import partial

from perfstudies.experiment import Factor, Size
from perfstudies.studies.aaa.base import NEAR_PACE, STANDARD_SETTINGS, UNIT_ASSUMED_MS, declare, without

START_REQUESTS = 100
"""Requests of a client that are left out as a run's start, by plan, in what is about the time after it: in a pilot of
two runs times fell for the first 50 to 100. The start itself has an experiment of its own, `BEAN_START`."""

AGREEING_BLOCKS = 12
"""Where all runs of a setting come to the same, an exact test of ten blocks gives 0.001, which is more than a test's
share of the level among this study's findings by Holm's procedure (0.0006); of twelve, 0.0002."""

_declare = partial(declare, procedure="starts", shared_process=True)

HTTP_THREADS = Factor("http.threads", ("100", "1000"), ("HTTP 100", "HTTP 1000"))
EJB_POOL = Factor("ejb.max", ("32", "64"), ("EJB 32", "EJB 64"))

POOLS = _declare(
    "pools",
    "Which pool's size matters to response times, and is there a pattern in them?",
    "timer requests from four clients",
    (HTTP_THREADS, EJB_POOL),
    {
        "smoke": Size(blocks=1, requests=20, time_scale=100),
        # Divided by 200 most requests timed out in a young process, which says nothing of pools.
        "quick": Size(blocks=3, requests=60, time_scale=50),
        # In the pilot the clients' moving averages ranged over 1 to 3 %, far from the 21 % that decide. After the start
        # a run holds the longest of the study's patterns four times.
        "standard": Size(blocks=AGREEING_BLOCKS, requests=START_REQUESTS + 4 * 200, time_scale=NEAR_PACE),
        "full": Size(blocks=2, requests=2000),
    },
    fixed=STANDARD_SETTINGS,
)

UNIT_LENGTHS = _declare(
    "unit-lengths",
    "Does a time unit that is drawn anew for each request make the study's pattern?",
    "timer requests from four clients",
    (Factor("timer.random", ("false", "true"), ("one length for all", "drawn for each request")),),
    {
        "smoke": Size(blocks=1, requests=20, time_scale=100),
        # As pools. Means of 50 drawn waits range over a factor of 1.8, as exact as 5 % in a run: five decide among all.
        "standard": Size(blocks=5, requests=START_REQUESTS + 4 * 200, time_scale=NEAR_PACE),
        "full": Size(blocks=2, requests=2000),
    },
    fixed=STANDARD_SETTINGS,
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

OWN_GAP = _declare(
    "own-gap",
    "What do the figures look like at the study's own gap of 2 s?",
    "timer requests from four clients",
    (FIGURES,),
    {
        # Where minutes count there is no time for the study's own gap, which is what it is about.
        "smoke": Size(blocks=1, requests=20, time_scale=100),
        "standard": Size(blocks=1, requests=2000),
        "full": Size(blocks=2, requests=2000),
    },
    fixed=STANDARD_SETTINGS,
)  # fmt: skip

IDLE_CONNECTIONS = _declare(
    "idle-connections",
    "Does the database pool's idle time-out make a pattern of response times?",
    "timer requests from four clients",
    (
        Factor(
            "database.idle_s", ("100", "300", "0"), ("idle time-out 100 s", "idle time-out 300 s", "no idle time-out")
        ),
    ),
    {
        "smoke": Size(blocks=1, requests=120, time_scale=100),
        # The longer time-out comes three times in a run, the shorter one nine times.
        "standard": Size(blocks=6, requests=480, time_scale=NEAR_PACE),
        "full": Size(blocks=2, requests=2000),
    },
    fixed=STANDARD_SETTINGS,
)

BEAN_START = _declare(
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
        # Divided by 100, requests came faster than a new process compiles: 270 of 60,000 timed out.
        "standard": Size(blocks=AGREEING_BLOCKS, requests=150, time_scale=NEAR_PACE),
        "full": Size(blocks=10, requests=2000, time_scale=NEAR_PACE),
    },
    fixed=STANDARD_SETTINGS,
)  # fmt: skip

GAPS = _declare(
    "gaps",
    "Does a gap of 1000 ms between starts make a difference to one of 2000 ms?",
    "timer requests from four clients",
    (Factor("gap_ms", ("1000", "2000"), ("1000 ms", "2000 ms")),),
    {
        "smoke": Size(blocks=1, requests=20, time_scale=100),
        "standard": Size(blocks=AGREEING_BLOCKS, requests=START_REQUESTS + 200, time_scale=NEAR_PACE),
        "full": Size(blocks=10, requests=2000),
    },
    fixed=without("gap_ms"),
)

CONTAINERS = Factor("container", ("glassfish", "openejb"), ("GlassFish", "OpenEJB, strict pool"))

TIMERS = _declare(
    "timers",
    "From which timer on do requests fail, and which layer fails them?",
    "1000 timer requests from each of four clients",
    (CONTAINERS, Factor("timer", ("1", "5", "10", "20"), ("timer 1", "timer 5", "timer 10", "timer 20"))),
    {
        "smoke": Size(blocks=1, requests=20, time_scale=100),
        # Divided by 200, GlassFish lost nine of ten requests at any timer: they came faster than it serves them.
        "quick": Size(blocks=3, requests=100, time_scale=100, levels={"timer": ("5", "10")}),
        "standard": Size(blocks=AGREEING_BLOCKS, requests=1000, time_scale=100),
        "full": Size(blocks=2, requests=1000),
    },
    fixed={**without("timer", "container"), **_ASSUMED},
)

FIFTY = _declare(
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
        "standard": Size(blocks=AGREEING_BLOCKS, requests=50, time_scale=100),
        "full": Size(blocks=10, requests=50),
    },
    fixed={**without("timer", "container", "ttl_ms"), "clients": "1", **_ASSUMED},
)

TWO_BEANS = _declare(
    "two-beans",
    "What does a pool of two beans do with ten requests?",
    "10 timer requests from one client",
    (
        Factor(
            "pool",
            ("glassfish-2", "glassfish-32", "openejb-2", "openejb-2-patient", "openejb-2-drawn"),
            (
                "GlassFish, pool of 2", "GlassFish, pool of 32", "OpenEJB, strict pool of 2",
                "OpenEJB, strict pool of 2, no time limit", "OpenEJB, strict pool of 2, drawn time units",
            ),
            {
                "glassfish-2": {"container": "glassfish", "ejb.max": "2"},
                "glassfish-32": {"container": "glassfish", "ejb.max": "32"},
                "openejb-2": {"container": "openejb", "ejb.max": "2"},
                "openejb-2-patient": {"container": "openejb", "ejb.max": "2", "ejb.access_timeout_ms": "2000000"},
                "openejb-2-drawn": {"container": "openejb", "ejb.max": "2", "timer.random": "true"},
            },
        ),
    ),
    {
        "smoke": Size(blocks=1, requests=10, time_scale=400),
        # Twelve runs that all end alike decide what rests on them, among all findings, too: those of the pool of two.
        "quick": Size(
            blocks=12, requests=10, time_scale=400, blocks_at=dict.fromkeys(("openejb-2", "openejb-2-patient"), 2),
            levels={"pool": ("glassfish-2", "openejb-2", "openejb-2-patient")},
        ),
        "standard": Size(blocks=AGREEING_BLOCKS, requests=10, time_scale=100),
        "full": Size(blocks=3, requests=10),
    },
    fixed={
        "clients": "1", "gap_ms": "2000", "timer": "50", "ttl_ms": "2000000", "network": "loopback",
        "http.threads": "10", **_ASSUMED,
    },
)  # fmt: skip
