"""Experiments beyond those of the STEP study: what makes its results what they are, and how sure they are."""

from __future__ import annotations

from dataclasses import replace

from perfstudies.experiment import ARMS, Size
from perfstudies.studies.step.base import declare
from perfstudies.studies.step.factors import (
    CACHED_OBJECTS,
    CACHES,
    FAR_OR_NEAR,
    GENERATIONS,
    HEAPS_OF_CLIENT_VM,
    LINKS,
    LOADS,
    LOG_LEVELS,
    LOG_OUTPUTS,
    MONITORS,
    PROCESSORS,
    REMEDIES,
    SLICE_VARIANTS,
    STORES,
)

SLICE_CAUSES = declare(
    name="slice-causes",
    title="What makes the slices as large as they are?",
    load="SizeMedium",
    factors=(GENERATIONS, SLICE_VARIANTS),
    fixed={"log.level": "info", "database": "mariadb"},
    shared_process=True,
    sizes={
        "smoke": Size(blocks=1, sessions=1),
        # What is looked for changes a share by several points, and runs of a setting differ by one or two.
        "standard": Size(blocks=12, sessions=30, warm_up_sessions=10),
        "full": Size(blocks=30, sessions=50, warm_up_sessions=10),
    },
)

COMBINED_RECORDS = declare(
    name="combined-records",
    title="How long do reads seem to take once Perf4J's records of 0 ms are combined, and what changes that?",
    load="SizeMedium",
    factors=(SLICE_VARIANTS.select(("as-study", "lazy-disk", "client-vm")),),
    fixed=dict(MONITORS.sets("perf4j")) | {
        "generation": "2009", "database": "mariadb", "log.level": "info", "monitor.kept_requests": "10",
    },
    shared_process=True,
    sizes={
        "smoke": Size(blocks=1, sessions=5, levels={"variant": ("as-study",)}),
        "quick": Size(blocks=8, sessions=5, warm_up_sessions=1, levels={"variant": ("as-study",)}),
        # From the 30 runs of `monitors`: 58 and 63 decide two claims, and 70 tell what no run shows from the rare.
        "standard": Size(blocks=72, sessions=30, warm_up_sessions=10, blocks_at={"lazy-disk": 24, "client-vm": 24}),
        "full": Size(blocks=72, sessions=50, warm_up_sessions=10),
    },
)  # fmt: skip

WHOLE_LOADS = declare(
    name="whole-loads",
    title="What do all 50 sessions of each of the study's loads make of it?",
    load="SizeMedium",
    factors=(LOADS,),
    fixed={"generation": "2009", "database": "mariadb", "log.level": "info"},
    shared_process=True,
    sizes={
        "smoke": Size(blocks=1, sessions=2, levels={"load": ("SizeSmall", "SizeXXLarge")}),
        "quick": Size(blocks=4, sessions=5, warm_up_sessions=1, levels={"load": ("SizeSmall", "SizeXXLarge")}),
        "standard": Size(
            blocks=12, sessions=50, warm_up_sessions=10, warm_up_sessions_at={"SizeXLarge": 4, "SizeXXLarge": 2}
        ),
        "full": Size(blocks=30, sessions=50, warm_up_sessions=10),
    },
)

SIZES_AGAIN = declare(
    name="sizes-again",
    title="Is it the machine that makes the share of XML fall with the message?",
    load="SizeMedium",
    factors=(GENERATIONS, STORES, LOADS.select(("SizeSmall", "SizeXXLarge"))),
    fixed={"log.level": "info"},
    shared_process=True,
    # As message-size, for another make of processor. Of its share blocks differ by 13 %: four tell 0.72 from 0.96. Five
    # were planned, and are four, as the first took eight minutes; nothing else of it had been looked at.
    sizes={
        "smoke": Size(blocks=1, sessions=1, levels={"database": ("mariadb",)}),
        "standard": Size(blocks=4, sessions=26, warm_up_sessions=10, warm_up_sessions_at={"SizeXXLarge": 2}),
        "full": Size(blocks=30, sessions=50, warm_up_sessions=10),
    },
)

SIZES_ALONE = declare(
    name="sizes-alone",
    title="Is it the server processes beside it that keep the share of XML from falling with the message?",
    load="SizeMedium",
    factors=(LOADS.select(("SizeSmall", "SizeXXLarge")),),
    fixed={"generation": "2009", "database": "mariadb", "log.level": "info"},
    shared_process=True,
    # As sizes-again, with one process: 0.72 would blame the others, 0.95 what it served. Eight blocks tell these apart.
    sizes={
        "smoke": Size(blocks=1, sessions=1),
        "standard": Size(blocks=8, sessions=26, warm_up_sessions=10, warm_up_sessions_at={"SizeXXLarge": 2}),
        "full": SIZES_AGAIN.sizes["full"],
    },
)

HEAP_LOAD = declare(
    name="heap-load",
    title="Which messages of the study's longest load does a heap of its day fail?",
    load="SizeXXLarge",
    factors=(HEAPS_OF_CLIENT_VM,),
    fixed={"generation": "2009", "database": "mariadb", "log.level": "info"},
    # A request fails by what was reserved before it, too: runs have the study's 50 sessions and no warm-up.
    sizes={
        "smoke": Size(blocks=1, sessions=1),
        "standard": Size(blocks=6, sessions=50),
        "full": Size(blocks=30, sessions=50),
    },
)

CACHE_CAUSES = declare(
    name="cache-causes",
    title="Is it collections that make a read-write cache fast?",
    load="SizeMedium",
    factors=(FAR_OR_NEAR, CACHED_OBJECTS),
    fixed={"generation": "2009", "database": "mariadb", "log.level": "info", "statistics": "true"},
    shared_process=True,
    sizes={
        "smoke": Size(blocks=1, sessions=1, levels={"cache": ("none", "read-write-objects")}),
        "standard": Size(
            blocks=12, sessions=30, warm_up_sessions=10, sessions_at={"10mbit": 26}, warm_up_sessions_at={"10mbit": 4}
        ),
        "full": Size(blocks=30, sessions=50, warm_up_sessions=10),
    },
)

NEAR_CACHE = declare(
    name="near-cache",
    title="Does a read-only cache change a request's time near the database?",
    load="SizeMedium",
    factors=(CACHES.select(("none", "read-only")),),
    fixed={"generation": "2009", "database": "mariadb", "log.level": "info", "statistics": "true"},
    sizes={
        "smoke": Size(blocks=1, sessions=1),
        "standard": Size(blocks=60, sessions=40, warm_up_sessions=100),
        "full": Size(blocks=60, sessions=50, warm_up_sessions=100),
    },
)

CACHE_OVER_100MBIT = replace(
    NEAR_CACHE,
    name="cache-over-100mbit",
    title="Does a read-only cache make requests faster over 100 Mbit/s?",
    fixed={**NEAR_CACHE.fixed, "link": "100mbit"},
    # Pairs of near-cache differ by 3.7 %. Of such, 16 show at power 0.9 that a request is not 5 % faster, corrected for
    # all claims of the study.
    sizes={
        "smoke": Size(blocks=1, sessions=1),
        "standard": Size(blocks=16, sessions=40, warm_up_sessions=70),
        "full": NEAR_CACHE.sizes["full"],
    },
)

SLOW_SERVER = declare(
    name="slow-server",
    title="Is it the server's speed that decides how much a slow link to the database weighs?",
    load="SizeMedium",
    factors=(LINKS, PROCESSORS),
    fixed={"generation": "2009", "database": "mariadb", "log.level": "info"},
    shared_process=True,
    sizes={
        "smoke": Size(blocks=1, sessions=1),
        # What is looked for is a factor of several, and blocks differ by hundredths.
        "standard": Size(blocks=6, sessions=25, warm_up_sessions=10, warm_up_sessions_at={"10mbit": 4}),
        "full": Size(blocks=30, sessions=50, warm_up_sessions=10),
    },
)

STALE_REMEDIES = declare(
    name="remedies",
    title="Which remedy removes the stale objects of concurrent users, and at what cost?",
    load="SizeMedium",
    factors=(GENERATIONS, REMEDIES),
    fixed={
        "database": "mariadb", "log.level": "info", "statistics": "true", "connection.pool_size": "100", "users": "4",
    },
    shared_process=True,
    sizes={
        "smoke": Size(blocks=1, sessions=1, levels={"generation": ("2009",)}),
        "quick": Size(blocks=2, sessions=2, warm_up_sessions=1, levels={"generation": ("2009",)}),
        "standard": Size(blocks=12, sessions=15, warm_up_sessions=10),
        "full": Size(blocks=30, sessions=50, warm_up_sessions=10),
    },
)  # fmt: skip

QUIET_LEVELS = declare(
    name="quiet-levels",
    title="Do the quiet levels of logging differ?",
    procedure="alternating",
    bench="alternating",
    load="SizeMedium",
    factors=(GENERATIONS,),
    fixed={
        "database": "mariadb", "monitor": "perf4j", "monitor.wrap": "false", "monitor.kept_requests": "0",
        "log.alternates": ",".join(LOG_LEVELS.levels[:5]),
    },
    shared_process=True,
    sizes={
        "smoke": Size(blocks=1, sessions=1),
        "standard": Size(blocks=30, sessions=20, warm_up_sessions=10),
        "full": Size(blocks=30, sessions=50, warm_up_sessions=10),
    },
)  # fmt: skip

LOGGING_PARTS = declare(
    name="logging-parts",
    title="Which part of logging costs how much?",
    load="SizeMedium",
    factors=(GENERATIONS, LOG_OUTPUTS),
    fixed={"database": "mariadb"},
    shared_process=True,
    # What takes seconds a request sends two, and is compared on those; what takes less sends fifty and more.
    sizes={
        "smoke": Size(
            blocks=1, sessions=1, requests_at=dict.fromkeys(LOG_OUTPUTS.levels, 1),
            levels={"log.output": ("info", "debug", "debug-no-location")},
        ),
        # In a pilot of one block no place in the code took five sixths off debug; console and thread an eighth at most.
        "standard": Size(
            blocks=12, sessions=30, warm_up_sessions=10,
            requests_at=dict.fromkeys(("trace", "trace-no-console", "trace-asynchronous"), 2),
        ),
        "full": Size(blocks=30, sessions=50, warm_up_sessions=10),
    },
)  # fmt: skip

EQUAL_SETTINGS = declare(
    name="equal-settings",
    title="Is a difference found where there is none?",
    load="SizeMedium",
    factors=(ARMS,),
    fixed={"generation": "2009", "database": "mariadb", "log.level": "info"},
    sizes={
        "smoke": Size(blocks=2, sessions=1),
        "standard": Size(blocks=40, sessions=30, warm_up_sessions=100),
        "full": Size(blocks=100, sessions=50, warm_up_sessions=100),
    },
)
