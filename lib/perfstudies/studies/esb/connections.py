"""Experiments on the post "Improving Axis2 http transport client" (17 January 2010), and its claims.

Properties of a run:

- ``client``: ``axis2`` (over commons-httpclient 3) or ``zeep`` (over requests);
- ``axis2.version``: one of `VERSIONS`, today's if it is not there;
- ``connections``: that the pool keeps to a host, ``default``: what the client has if nobody says, or ``own``: Axis2
  makes its HTTP client itself, where otherwise the lab gives it one, as the post advises;
- ``threads``: that call at the same time, each its next when its last has ended; together they make a run's calls;
- ``release``: what gives a connection back in Axis2: ``cleanup`` and ``auto`` as in the post, ``option`` (Axis2's own
  callTransportCleanup), ``read`` (nothing, but the answer is read), ``none`` (nothing, and it is not read) or ``never``
  (likewise, and Axis2 does not clean up before a service client's next call, as it does by itself from 1.5.1 on);
- ``service.client``: whether a thread's calls share a service client (``kept``) or each has its own (``new``);
- ``pool.waits``: whether a zeep call that finds no connection waits for one, or opens a further one;
- ``pool.timeout_ms``: how long an Axis2 call waits for a connection; 0 is for ever;
- ``delay_ms``: how long the service takes; ``orders`` and ``padding``: what a message holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import inf

from perfstudies.experiment import Experiment, Factor, Size
from perfstudies.studies.esb.base import claim, declare

AXIS2, ZEEP = "axis2", "zeep"
FEW, MANY, DEFAULT, OWN = "2", "20", "default", "own"
BEFORE, POSTS, LATER, TODAY = "1.5", "1.5.1", "1.5.6", "1.7.9"
VERSIONS = (BEFORE, POSTS, LATER, TODAY)
"""Of Axis2: the last of which the post says that each request has a client of its own, the one that it speaks of, the
last of that line, and the last whose client can still use commons-httpclient 3."""
THREADS = 20
DELAY_MS = 20
CALLS_OF_A_CLIENT = 6
"""Without clean-up, on two connections: two would be answered, and the others wait until their time is over."""

STANDARD_SETTINGS = {
    "connections": FEW,
    "threads": str(THREADS),
    "release": "cleanup",
    "service.client": "kept",
    "pool.waits": "true",
    "pool.timeout_ms": "0",
    "delay_ms": str(DELAY_MS),
    "orders": "1",
    "padding": "370",
}
"""A slow service, and a message of about 780 bytes with its envelope, as in the study's other post."""


def _settings(*varied: str, other: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the standard settings and others instead, without those that are varied."""
    return {name: value for name, value in (STANDARD_SETTINGS | dict(other or {})).items() if name not in varied}


_declare = partial(
    declare, procedure="connections", bench="connections_bench", reader="connections_read", shared_process=True
)

CLIENT = Factor(
    "client",
    ("axis2", "axis2-auto", "zeep", "zeep-growing"),
    ("Axis2, clean-up", "Axis2, auto release", "zeep, pool that waits", "zeep, pool that grows"),
    {
        "axis2": {"client": AXIS2, "release": "cleanup"},
        "axis2-auto": {"client": AXIS2, "release": "auto"},
        "zeep": {"client": ZEEP, "pool.waits": "true"},
        "zeep-growing": {"client": ZEEP, "pool.waits": "false"},
    },
)

CLIENT_CONNECTIONS = _declare(
    "client-connections",
    "How many calls run at the same time, and how long does each take?",
    "calls of 20 threads, each its next when its last has ended",
    (CLIENT, Factor("connections", (DEFAULT, FEW, MANY), ("default", "2", "20"))),
    {
        "smoke": Size(blocks=1, requests=40),
        "standard": Size(blocks=10, requests=200),
        "full": Size(blocks=30, requests=2000),
    },
    fixed=_settings("connections", "release", "pool.waits"),
)

WAITING = _declare(
    "waiting",
    "How does a call's time grow with the threads that share two connections?",
    "calls of some threads, each its next when its last has ended",
    (
        Factor("client", (AXIS2, ZEEP), ("Axis2", "zeep")),
        Factor("threads", ("1", "2", "5", "10", "20", "40"), ("1", "2", "5", "10", "20", "40")),
    ),
    {
        "smoke": Size(blocks=1, requests=10, levels={"threads": ("1", "5")}),
        "standard": Size(blocks=10, requests=200),
        "full": Size(blocks=30, requests=2000),
    },
    fixed=_settings("threads"),
)

RELEASE = Factor(
    "release",
    ("cleanup", "auto", "option", "read", "none", "never"),
    (
        "cleanupTransport()", "AUTO_RELEASE_CONNECTION", "callTransportCleanup",
        "nothing, answer read", "nothing, answer not read", "nothing, Axis2's own clean-up off",
    ),
)  # fmt: skip

VERSION = Factor("axis2.version", VERSIONS, tuple(f"Axis2 {one}" for one in VERSIONS))
OLD_AND_NEW = VERSION.select((POSTS, TODAY))

RELEASES = _declare(
    "release",
    "What gives a connection back, and what happens if nothing does?",
    "calls of one thread, one after the other",
    (VERSION, RELEASE, Factor("service.client", ("kept", "new"), ("one for all calls", "a new one a call"))),
    {
        "smoke": Size(blocks=1, requests=CALLS_OF_A_CLIENT, levels={"axis2.version": (POSTS, TODAY)}),
        # Eleven runs that all end alike decide what rests on them, among all findings of the study, too.
        "quick": Size(
            blocks=11, requests=CALLS_OF_A_CLIENT, blocks_at={TODAY: 2, "never": 2},
            levels={"axis2.version": (POSTS, TODAY), "release": ("cleanup", "auto", "none", "never")},
        ),
        "standard": Size(blocks=10, requests=CALLS_OF_A_CLIENT),
        "full": Size(blocks=30, requests=CALLS_OF_A_CLIENT),
    },
    fixed=_settings(
        "axis2.version", "release", "service.client",
        other={"client": AXIS2, "connections": DEFAULT, "threads": "1", "pool.timeout_ms": "300"},
    ),
)  # fmt: skip

RELEASE_COST = _declare(
    "release-cost",
    "Does it cost time to have the whole answer read before the call returns?",
    "calls of one thread, one after the other",
    (OLD_AND_NEW, RELEASE.select(("cleanup", "option"))),
    {
        "smoke": Size(blocks=1, requests=20),
        # In 30 blocks E9-cost was undecided; by them it takes 85.
        "standard": Size(blocks=90, requests=500),
        "full": Size(blocks=90, requests=5000),
    },
    fixed=_settings("release", other={"client": AXIS2, "threads": "1", "delay_ms": "0", "orders": "100"}),
)

CALLS = Factor(
    "calls",
    ("own", "cleanup-2", "cleanup-20", "auto-2", "auto-20"),
    (
        "Axis2's own client, clean-up", "the post's client, 2 connections, clean-up",
        "the post's client, 20, clean-up", "the post's client, 2, auto release", "the post's client, 20, auto release",
    ),
    {
        "own": {"connections": OWN, "release": "cleanup"},
        "cleanup-2": {"connections": FEW, "release": "cleanup"},
        "cleanup-20": {"connections": MANY, "release": "cleanup"},
        "auto-2": {"connections": FEW, "release": "auto"},
        "auto-20": {"connections": MANY, "release": "auto"},
    },
)  # fmt: skip

CLIENT_VERSIONS = _declare(
    "client-versions",
    "How many calls run at the same time in which version of Axis2, and whose HTTP client makes them?",
    "calls of 20 threads, each its next when its last has ended",
    (VERSION, CALLS),
    {
        "smoke": Size(blocks=1, requests=40, levels={"axis2.version": (BEFORE, POSTS), "calls": ("own", "cleanup-2")}),
        # As those of `release`.
        "quick": Size(
            blocks=11, requests=60, blocks_at={TODAY: 2, "auto-20": 2}, levels={"axis2.version": (BEFORE, POSTS, TODAY)}
        ),
        "standard": Size(blocks=10, requests=200),
        "full": Size(blocks=30, requests=2000),
    },
    # A call that finds no connection is given up after four times what one waits for its turn at worst.
    fixed=_settings("connections", "release", other={"client": AXIS2, "pool.timeout_ms": "2000"}),
)

EXPERIMENTS: tuple[Experiment, ...] = (CLIENT_CONNECTIONS, CLIENT_VERSIONS, WAITING, RELEASES, RELEASE_COST)

POST = '"Improving Axis2 http transport client"'
TWICE = 2
"""A call that takes less than twice as long counts as no problem."""
COSTS = 1.05
"""A tree that is built sooner costs something if a call takes 5 % more."""
ANSWERED = 99
"""All but one of a hundred; there are fewer calls than that, so it is all."""

FINDINGS = (
    claim(
        "E9-separate", POST, "Until Axis2 1.5 each request has an HTTP client of its own by default.",
        f"Connections that Axis2 {BEFORE} opens with the clients that it makes itself, over calls; {THREADS} threads "
        "that clean up after each.",
        "a client a request", 1, 1, "connections a call", kind="mechanism",
    ),
    claim(
        "E9-one", POST, "Axis2 1.5.1 uses one HTTP client for all requests.",
        f"Connections that Axis2 {POSTS} opens likewise; a client keeps two to a host.",
        "one client", 1, 2, "connections", kind="mechanism",
    ),
    claim(
        "E9", POST, "With two connections only two calls run at a time, if the client cleans up after each.",
        f"The most calls at once that the service saw in a run of {THREADS} threads; Axis2 {POSTS}, of which the post "
        "speaks, here as in all that follow.",
        "two", 2, 2, "calls", kind="mechanism",
    ),
    claim(
        "E9-auto-two", POST, "The same if connections are released automatically.",
        "The same with AUTO_RELEASE_CONNECTION.", "two", 2, 2, "calls", kind="mechanism",
    ),
    claim(
        "E9-default", POST, "Two connections are the default.",
        "The same with the client that Axis2 makes itself.", "two", 2, 2, "calls", kind="mechanism",
    ),
    claim(
        "E9-twenty", POST, "Twenty connections lift that.",
        "The most calls at once with 20 connections; nine of ten threads, as a thread also reads answers.",
        "20 connections", 0.9 * THREADS, THREADS, "calls", kind="mechanism",
    ),
    claim(
        "E9-slow", POST, "Two connections cause problems with slow services.",
        "A call's mean time with 2 connections over that with 20, within a block; a service that takes 20 ms, and 20 "
        "threads. Twice as long is the least that counts.",
        "problems", TWICE, inf, "ratio", kind="direction", scale="log",
    ),
    claim(
        "E9-hang", POST, "Without clean-up a service cannot be invoked more than twice.",
        f"Calls answered of {CALLS_OF_A_CLIENT} that each have a client of their own, with nothing cleaned up.",
        "twice", 2, 2, "calls", kind="mechanism",
    ),
    claim(
        "E9-hang-one", POST, "The same for the calls of one client.",
        f"Calls answered of {CALLS_OF_A_CLIENT} of one client, with nothing cleaned up.",
        "twice", 2, 2, "calls", kind="mechanism",
    ),
    claim(
        "E9-cleanup", POST, "cleanupTransport() after each call solves that.",
        "Calls answered, of all with clean-up; the smaller share of a block's two kinds of client.",
        "solves", ANSWERED, inf, "%", kind="mechanism", scale="percent",
    ),
    claim(
        "E9-auto-release", POST, "AUTO_RELEASE_CONNECTION gives the connection back, too.",
        "Calls that were given a connection, of all with that property; likewise.",
        "releases", ANSWERED, inf, "%", kind="mechanism", scale="percent",
    ),
    claim(
        "E9-auto", POST, "AUTO_RELEASE_CONNECTION solves it, too: answers come, as they are read before the release.",
        "Calls whose answer could be read, of all with that property; likewise.",
        "solves", ANSWERED, inf, "%", kind="mechanism", scale="percent",
    ),
    claim(
        "E9-cost", POST, "It may cost performance to read the answer into a tree before the call returns.",
        "A call's mean time with callTransportCleanup, which does that, over that with cleanupTransport(), within a "
        f"block; answers of 100 orders, which the caller reads anyway. {100 * (COSTS - 1):.0f} % more is the least "
        "that counts.",
        "may have a hit", COSTS, inf, "ratio", kind="direction", scale="log",
        apart="the post says it of AUTO_RELEASE_CONNECTION; callTransportCleanup is an option beside the post's two",
    ),
)  # fmt: skip
