"""Declarations of the STEP study: M. L. Pardal, "Performance assessment of the STEP Framework" (2010)."""

from __future__ import annotations

from perfstudies.experiment import Size
from perfstudies.publication import Publication
from perfstudies.studies.step.base import declare
from perfstudies.studies.step.declared_causes import (
    CACHE_CAUSES,
    CACHE_OVER_100MBIT,
    COMBINED_RECORDS,
    EQUAL_SETTINGS,
    HEAP_LOAD,
    LOGGING_PARTS,
    NEAR_CACHE,
    QUIET_LEVELS,
    SIZES_AGAIN,
    SIZES_ALONE,
    SLICE_CAUSES,
    SLOW_SERVER,
    STALE_REMEDIES,
    WHOLE_LOADS,
)
from perfstudies.studies.step.factors import (
    CACHED_OBJECTS,
    CACHES,
    FAR_OR_NEAR,
    GENERATIONS,
    HEAPS,
    HEAPS_OF_CLIENT_VM,
    INTERCEPTION,
    LINKS,
    LOADS,
    LOG_LEVELS,
    LOG_OUTPUTS,
    MONITORS,
    PROCESSORS,
    REMEDIES,
    SLICE_VARIANTS,
    STORES,
    USERS,
)

PUBLICATION = Publication(
    "step",
    "STEP",
    "Performance assessment of the STEP Framework",
    "Miguel L. Pardal",
    "Technical University of Lisbon, 2010",
    "Where the time of a web service's request goes, layer by layer: message size, caches, users, log levels.",
)

TIME_BREAKDOWN = declare(
    name="time-breakdown",
    title="Where does the time of a request go?",
    load="SizeMedium",
    factors=(GENERATIONS, STORES, INTERCEPTION),
    fixed={"log.level": "info"},
    sizes={
        "smoke": Size(blocks=2, sessions=2, levels={"monitor.collections": ("false",)}),
        "quick": Size(
            blocks=4, sessions=8, warm_up_sessions=6,
            levels={"monitor.collections": ("false",), "database": ("mariadb",)},
        ),
        # In a pilot of three blocks times fell until some 100 to 200 requests, on every library and database.
        "standard": Size(blocks=30, sessions=40, warm_up_sessions=100),
        "full": Size(blocks=30, sessions=50, warm_up_sessions=100),
    },
)  # fmt: skip

MONITOR_COMPARISON = declare(
    name="monitors",
    title="What does each monitor see, and what does it cost?",
    load="SizeMedium",
    factors=(GENERATIONS, STORES, MONITORS),
    fixed={"log.level": "info"},
    shared_process=True,
    sizes={
        "smoke": Size(blocks=1, sessions=2, levels={"database": ("mariadb",)}),
        "quick": Size(blocks=2, sessions=3, warm_up_sessions=1, levels={"database": ("mariadb",)}),
        "standard": Size(blocks=30, sessions=30, warm_up_sessions=10),
        "full": Size(blocks=30, sessions=50, warm_up_sessions=10),
    },
)

MESSAGE_SIZE = declare(
    name="message-size",
    title="How does a request's time grow with its message?",
    load="SizeMedium",
    factors=(GENERATIONS, STORES, LOADS),
    fixed={"log.level": "info"},
    shared_process=True,
    sizes={
        "smoke": Size(blocks=2, sessions=1, levels={"database": ("mariadb",)}),
        "quick": Size(
            blocks=2, sessions=2, warm_up_sessions=1, sessions_at={"SizeXXLarge": 1}, levels={"database": ("mariadb",)}
        ),
        # In a pilot of one block a character of the two longest loads cost the same from a deployment's first request.
        # A run has 50 measured requests. A block takes seven to ten minutes: 12 were measured first, 9 a day later.
        "standard": Size(
            blocks=21, sessions=26, warm_up_sessions=10, warm_up_sessions_at={"SizeXLarge": 4, "SizeXXLarge": 2}
        ),
        "full": Size(blocks=30, sessions=50, warm_up_sessions=10),
    },
)

HEAP_LIMIT = declare(
    name="heap-limit",
    title="At which message length does a server with a bounded heap fail?",
    procedure="ramp",
    bench="ramp",
    load="SizeXXLarge",
    factors=(GENERATIONS, HEAPS),
    fixed={"database": "mariadb", "log.level": "info"},
    # The ramp of each run ends by itself; a session is a request of the ramp, and this many are its bound.
    sizes={
        "smoke": Size(blocks=1, sessions=40, levels={"generation": ("2009",)}),
        "standard": Size(blocks=12, sessions=40),
        "full": Size(blocks=30, sessions=50),
    },
)

CACHES_AND_NETWORKS = declare(
    name="caches",
    title="What do second-level caches bring, near the database and far from it?",
    load="SizeMedium",
    factors=(GENERATIONS, LINKS, CACHES),
    fixed={"database": "mariadb", "log.level": "info", "statistics": "true"},
    shared_process=True,
    sizes={
        "smoke": Size(blocks=1, sessions=1, levels={"generation": ("2009",)}),
        "quick": Size(blocks=4, sessions=2, warm_up_sessions=1, levels={"generation": ("2009",)}),
        # In a pilot of one block requests over 10 Mbit/s took the same time from the first on, others after some ten.
        "standard": Size(
            blocks=12, sessions=30, warm_up_sessions=10, sessions_at={"10mbit": 25}, warm_up_sessions_at={"10mbit": 4}
        ),
        "full": Size(blocks=30, sessions=50, warm_up_sessions=10),
    },
)

CONCURRENT_USERS = declare(
    name="users",
    title="What happens when users work at the same time?",
    load="SizeMedium",
    factors=(GENERATIONS, USERS),
    fixed={"database": "mariadb", "log.level": "info", "statistics": "true", "connection.pool_size": "100"},
    shared_process=True,
    sizes={
        "smoke": Size(blocks=1, sessions=1),
        # As many users as the study had: more is what the lab adds, and takes a third of the time.
        "quick": Size(
            blocks=2, sessions=3, warm_up_sessions=1, sessions_at={"16": 2},
            levels={"users": ("1", "2", "4", "8", "16")},
        ),
        # All users together have 120 sessions or more: as much comes into the database of one as of 16.
        "standard": Size(
            blocks=12, sessions=120, warm_up_sessions=10, sessions_at={"2": 60, "4": 30, "8": 15, "16": 8, "64": 4}
        ),
        "full": Size(blocks=30, sessions=50, warm_up_sessions=10),
    },
)  # fmt: skip

LOGGING_COST = declare(
    name="logging-cost",
    title="What does each level of logging cost?",
    load="SizeMedium",
    factors=(GENERATIONS, STORES, LOG_LEVELS),
    # The study's logging runs had Perf4J. What it writes is compared elsewhere, and is not kept here.
    fixed={"monitor": "perf4j", "monitor.wrap": "false", "monitor.kept_requests": "0"},
    shared_process=True,
    # A request at debug takes most of a second, one at trace seconds: their runs send few, and are compared on those
    # that all levels send.
    sizes={
        "smoke": Size(blocks=1, sessions=1, requests_at={"trace": 1}, levels={"database": ("mariadb",)}),
        "quick": Size(
            blocks=3, sessions=2, warm_up_sessions=1, requests_at={"trace": 1}, levels={"database": ("mariadb",)}
        ),
        "standard": Size(blocks=30, sessions=30, warm_up_sessions=10, requests_at={"debug": 12, "trace": 2}),
        "full": Size(blocks=30, sessions=50, warm_up_sessions=10, requests_at={"debug": 50, "trace": 10}),
    },
)

EXPERIMENTS = (
    TIME_BREAKDOWN, SLICE_CAUSES, MONITOR_COMPARISON, COMBINED_RECORDS, MESSAGE_SIZE, HEAP_LIMIT, WHOLE_LOADS,
    SIZES_AGAIN, SIZES_ALONE, HEAP_LOAD, CACHES_AND_NETWORKS, CACHE_CAUSES, NEAR_CACHE, CACHE_OVER_100MBIT, SLOW_SERVER,
    CONCURRENT_USERS, STALE_REMEDIES, LOGGING_COST, QUIET_LEVELS, LOGGING_PARTS, EQUAL_SETTINGS,
)  # fmt: skip
