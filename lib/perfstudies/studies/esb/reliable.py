"""Declarations on reliable messaging: its cost a message, and what is lost and duplicated when something fails.

Of the ESB study's weblog this is about the post "Queued Transaction processing with WS-RM" (8 March 2010), which
describes a model and prints no measurement. The properties of runs:

- ``delivery``: how a message gets from the client's database to the server's (the levels of `DELIVERY`);
- ``fault``: what goes wrong (the levels of `FAULT`);
- ``cut_burst`` and ``cut_period``: so many requests in a row, of each so many, have their connection cut;
- ``again_ms``: after which an unacknowledged message is sent again; 3,000 is CXF's own, which makes faulty runs long;
- ``gap_ms``: the client's pause between its messages;
- ``text_length``: characters of a message besides its number;
- ``kill_at``: the place, of `perfstudies.studies.esb.server.reliable.PLACES`, at which a side is killed; without it
  all in turn;
- ``at_once``: whether the server may get a request while it has not answered another, ``any`` or ``one``;
- ``store_pause_ms``: for which the server's store waits before it stores a message that has come.
"""

from __future__ import annotations

from functools import partial
from math import inf

from perfstudies.experiment import Factor, Size
from perfstudies.studies.esb.base import claim, declare

_declare = partial(declare, bench="reliable_bench", reader="reliable_read")

CALLS, COUNTED, PASSED = "calls.csv.xz", "counted.csv.xz", "requests.csv.xz"
"""A run's raw logs: the client's calls, what both databases say, the requests that came to the proxy."""

LABELS = {
    "plain": "Plain",
    "plain-retry": "Plain, repeated",
    "one-way": "Plain, no answer",
    "reliable": "WS-RM in memory",
    "reliable-stored": "WS-RM, stored",
    "transactional": "WS-RM in transactions",
}
FAULTS = {
    "none": "nothing",
    "cut-before": "connections cut before requests arrive",
    "cut-after": "connections cut after they are answered",
    "server-restart": "server killed and restarted",
    "client-restart": "client killed and restarted",
    "everything": "all of that in one run",
}


def _levels(name: str, labels: dict[str, str], *levels: str) -> Factor:
    return Factor(name, levels, tuple(labels[level] for level in levels))


DELIVERY = _levels("delivery", LABELS, "plain", "plain-retry", "reliable", "reliable-stored", "transactional")
FAULT = _levels("fault", FAULTS, *FAULTS)

COST = _declare(
    "reliable-cost",
    "What does reliable messaging cost a message?",
    "messages one after the other on one connection",
    (_levels("delivery", LABELS, "plain", "one-way", "reliable", "reliable-stored", "transactional"),),
    fixed={"gap_ms": "0", "text_length": "500", "again_ms": "3000"},
    procedure="reliable-cost",
    shared_process=True,
    sizes={
        "smoke": Size(blocks=1, requests=50),
        "standard": Size(blocks=10, requests=1000),
        "full": Size(blocks=30, requests=10000),
    },
)

FAULTY = _declare(
    "reliable-faults",
    "Which messages are lost or applied twice when something fails?",
    "messages one after the other, through a proxy that cuts connections; processes that are killed",
    (DELIVERY, FAULT),
    fixed={"gap_ms": "5", "text_length": "500", "again_ms": "100", "cut_burst": "10", "cut_period": "20"},
    procedure="reliable-faults",
    sizes={
        "smoke": Size(blocks=1, requests=10),
        "quick": Size(
            blocks=2, requests=30,
            levels={
                "delivery": ("plain-retry", "reliable-stored", "transactional"),
                "fault": ("cut-after", "client-restart"),
            },
        ),
        "standard": Size(blocks=6, requests=100),
        "full": Size(blocks=30, requests=500),
    },
)  # fmt: skip

RACE = _declare(
    "reliable-race",
    "Are messages lost because they are acknowledged before they are stored?",
    "messages one after the other, through a proxy that cuts connections; a server that is killed again and again",
    (
        _levels("store_pause_ms", {"0": "at once", "50": "after 50 ms"}, "0", "50"),
        _levels("at_once", {"any": "as they come", "one": "one at a time"}, "any", "one"),
    ),
    # The server is killed as soon as it has answered a message, while some are sent again beside new ones.
    fixed={
        **FAULTY.fixed, "delivery": "transactional", "fault": "server-everything", "kill_at": "received",
        "again_ms": "50", "gap_ms": "30",
    },
    procedure=FAULTY.procedure,
    sizes={
        "smoke": Size(blocks=1, requests=20),
        "standard": Size(blocks=8, requests=100),
        "full": Size(blocks=30, requests=200),
    },
)  # fmt: skip

WARM_UP_MESSAGES = {"smoke": 20, "quick": 50, "standard": 1000, "full": 2000}
"""Messages of each delivery that the two processes of a block have exchanged before times are measured, by profile."""

KILLS = {
    FAULTY.name: {"smoke": 1, "quick": 1, "standard": 3, "full": 3},
    RACE.name: {"smoke": 2, "standard": 5, "full": 10},
}
"""How often a side is killed in a run, by profile; blocks begin with different places, so that all have their turn."""

EXPERIMENTS = (COST, FAULTY, RACE)

POST = "8 March 2010"

HAPPENS = 0.01
"""Percent of runs: what happens in one of ten thousand does happen, and one run of some dozens is enough to say so."""

# Messages of a block were averaged until after the recording, so that one bad run of 30 refuted and 12 clean ones
# proved: now runs are counted, alike in both directions. `HAPPENS` was drawn then, too.
FINDINGS = (
    claim(
        "E10", POST, "With WS-RM and a transaction at each end, every message is delivered once, whatever fails.",
        "Faulty runs, in transactions, in which a message was lost, applied twice, or applied though the client had "
        "not committed it: none. One is enough against it, and no number of clean ones proves it. Runs are counted "
        "since after the recording.",
        "none given", -inf, 0, "%", kind="mechanism", scale="runs",
    ),
    claim(
        "E10-transfer", POST, "WS-RM by itself guarantees delivery between its source and its destination.",
        "The same for WS-RM in memory, of the runs in which only connections were cut: none.",
        "guarantees", -inf, 0, "%", kind="mechanism", scale="runs",
    ),
    claim(
        "E10-plain", POST, "Updating two storages reliably is a problem: without reliable messaging messages are lost.",
        "Faulty runs, plain, in which a message was lost that the client had committed: any; one in ten thousand "
        "counts. Runs are counted since after the recording.",
        "none given", HAPPENS, inf, "%", kind="direction", scale="runs",
    ),
    claim(
        "E10-retry", POST, "Repeating a plain call until it is answered is no remedy: messages are applied twice.",
        "Faulty runs, plain and repeated, in which a message was applied more than once: any, likewise. The post does "
        "not say this; it follows from what it says of two storages.",
        "none given", HAPPENS, inf, "%", kind="direction", scale="runs",
    ),
    claim(
        "E10-stored", POST,
        "WS-RM alone does not carry a message from application to application: that takes the transactions.",
        "Runs in which a side is killed and nothing else fails, WS-RM stored outside the transactions, in which a "
        "message was not applied exactly once: any, likewise.",
        "none given", HAPPENS, inf, "%", kind="mechanism", scale="runs",
    ),
)  # fmt: skip
