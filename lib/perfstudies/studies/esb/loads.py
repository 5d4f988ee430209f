"""Experiments of the ESB study in which prepared messages are sent at a high rate: reports 01, 02 and 05."""

from __future__ import annotations

from functools import partial

from perfstudies.experiment import Factor, Size
from perfstudies.studies.esb.base import STANDARD_SETTINGS, declare, route

MESSAGES_OF_THE_STUDY = 500_000
"""Sent at each level of concurrency."""

_shared = partial(declare, procedure="rate", shared_process=True)

CONCURRENCY = Factor("connections", ("1000", "500", "250", "100", "50"), ("1,000", "500", "250", "100", "50"))


def _sizes(
    standard_blocks: int = 10, quick_scale: float = 4, quick_blocks: int = 2, **quick_levels: tuple[str, ...]
) -> dict[str, Size]:
    """Return sizes of loads that `seconds` bounds; quick's with its levels, ``_`` for ``.``, none without blocks."""
    quick = Size(blocks=quick_blocks, time_scale=quick_scale, levels=quick_levels)
    return {
        "smoke": Size(blocks=1, time_scale=12),
        **({"quick": quick} if quick_blocks else {}),
        "standard": Size(blocks=standard_blocks),
        "full": Size(blocks=10, time_scale=0.25),
    }


THROUGHPUT = _shared(
    "throughput",
    "How many messages a second pass through each engine, at the study's levels of concurrency?",
    "prepared messages on persistent connections, each sent when the last is answered",
    (route("direct", "synapse", "synapse-tuned", "camel", "camel-zero-copy"), CONCURRENCY),
    {
        **_sizes(quick_scale=8, connections=("1000", "50")),
        "standard": Size(blocks=15, blocks_at=dict.fromkeys(("direct", "synapse", "synapse-tuned"), 10)),  # E6 takes 15
        # The study's own number of messages; the time only bounds it.
        "full": Size(blocks=10, requests=MESSAGES_OF_THE_STUDY, time_scale=0.01),
    },
    fixed={**STANDARD_SETTINGS, "seconds": "11", "blocks_a_process": "2"},
)

BOUNDS = _shared(
    "bounds",
    "What does a hop cost that does as little as possible, and one that does more?",
    "prepared messages on persistent connections, each sent when the last is answered",
    (
        route("direct", "tcp-relay", "http-proxy", "synapse-nhttp", "camel-tuned"),
        Factor("connections", ("1000", "50"), ("1,000", "50")),
    ),
    _sizes(quick_blocks=0),
    fixed={**STANDARD_SETTINGS, "seconds": "6"},
)

RELAY = _shared(
    "relay",
    "Is it the transport of the study's day that makes a hop cost, and that takes to more threads?",
    "prepared messages on persistent connections, each sent when the last is answered",
    (
        route("direct", "synapse", "synapse-relay", "synapse-2.1-relay", "synapse-2.1-relay-tuned"),
        Factor("connections", ("1000", "250", "50"), ("1,000", "250", "50")),
    ),
    _sizes(
        standard_blocks=9, quick_blocks=4,  # short runs decide what rests on them in four, and not in three
        route=("direct", "synapse-2.1-relay", "synapse-2.1-relay-tuned"), connections=("50",),
    ),
    fixed={**STANDARD_SETTINGS, "seconds": "8", "blocks_a_process": "1"},
)  # fmt: skip

SHARES = _shared(
    "shares",
    "What does concurrency do where every client has to send its share of the messages, as the study's had?",
    "prepared messages on persistent connections, each sent when the last is answered, as many by each client",
    (route("direct", "synapse-2.1-relay"), CONCURRENCY),
    {
        "smoke": Size(blocks=1, requests=5_000),
        "standard": Size(blocks=27, requests=150_000, blocks_at={"direct": 12}),  # E4 takes 27, by its first eight
        "full": Size(blocks=12, requests=MESSAGES_OF_THE_STUDY),
    },
    # The time only bounds a run: it ends when all messages have been answered.
    fixed={**STANDARD_SETTINGS, "seconds": "120", "blocks_a_process": "1"},
)

OPEN_FILES = declare(
    "open-files",
    "Does a limit of open files break the run, and only with more threads?",
    "prepared messages on persistent connections, each sent when the last is answered",
    (
        route("synapse", "synapse-tuned"),
        Factor("open_files", ("1024", "20000"), ("1,024 open files", "20,000 open files")),
    ),
    # Eleven runs that agree decide by a sign test, after the correction for all of the study's findings.
    _sizes(standard_blocks=11, quick_blocks=0),
    # A new engine takes up to 6 s for a message of 1,000 clients'; one that has no files left never answers.
    fixed={**STANDARD_SETTINGS, "connections": "1000", "seconds": "4", "timeout_s": "15"},
    procedure="rate",
)

PROXY = Factor(
    "proxy",
    ("direct", "cbr-body", "cbr-soap-header", "cbr-transport-header", "xslt", "secure"),
    ("Direct", "Routing on body", "Routing on SOAP header", "Routing on transport header", "XSLT", "WS-Security"),
)

MEDIATION = _shared(
    "mediation",
    "What does looking at a message, changing it or opening it cost, and how does that grow with its length?",
    "prepared messages on persistent connections, each sent when the last is answered",
    (
        route("synapse", "camel"),
        PROXY,
        Factor(
            "message_bytes",
            ("500", "1024", "5120", "10240", "102400"),
            ("500 B", "1 KB", "5 KB", "10 KB", "100 KB"),
        ),
    ),
    _sizes(standard_blocks=5, quick_scale=6, proxy=("direct", "xslt"), message_bytes=("500", "10240")),
    fixed={**STANDARD_SETTINGS, "connections": "80", "seconds": "3"},
)  # fmt: skip

CLIENTS = _shared(
    "clients",
    "How many clients do the engines hold, and from how many on do messages fail?",
    "prepared messages on persistent connections, each sent when the last is answered",
    (
        route("synapse", "camel"),
        Factor("proxy", ("direct", "cbr-body", "xslt"), ("Direct", "Routing on body", "XSLT")),
        Factor("connections", ("20", "80", "320", "1280", "2560"), ("20", "80", "320", "1,280", "2,560")),
    ),
    _sizes(standard_blocks=5, quick_scale=3, route=("synapse",), proxy=("direct",), connections=("20", "1280")),
    fixed={**STANDARD_SETTINGS, "message_bytes": "1024", "seconds": "3"},
)

ARRIVALS = _shared(
    "arrivals",
    "What does a closed load hide that open arrivals show?",
    "prepared messages, each sent when the last is answered or at random times whatever is answered",
    (
        route("synapse", "camel"),
        Factor(
            "arrivals",
            ("closed", "open-50", "open-80", "open-110", "closed-stall", "open-50-stall"),
            (
                "Closed", "Open, 50 %", "Open, 80 %", "Open, 110 %", "Closed, engine stopped for 1 s",
                "Open, 50 %, engine stopped for 1 s",
            ),
            {
                "closed": {"rate": "0", "stall_s": "0"},
                # Shares of what a closed load on the same connections got through just before, in the same process.
                "open-50": {"rate": "50%", "stall_s": "0"},
                "open-80": {"rate": "80%", "stall_s": "0"},
                "open-110": {"rate": "110%", "stall_s": "0"},
                "closed-stall": {"rate": "0", "stall_s": "1"},
                "open-50-stall": {"rate": "50%", "stall_s": "1"},
            },
        ),
    ),
    _sizes(
        standard_blocks=6, quick_scale=4, route=("synapse",),
        arrivals=("closed", "open-50", "open-110", "closed-stall", "open-50-stall"),
    ),
    fixed={
        **{name: to for name, to in STANDARD_SETTINGS.items() if name != "rate"},
        "connections": "50",
        "seconds": "8",
    },
)  # fmt: skip
