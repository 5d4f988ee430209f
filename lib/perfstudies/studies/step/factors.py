"""What the experiments of the STEP study vary, and what each level sets."""

from __future__ import annotations

from perfstudies.experiment import Factor

LOG_LEVELS = Factor(
    name="log.level",
    levels=("off", "fatal", "error", "warn", "info", "debug", "trace"),
    labels=("Off", "Fatal", "Error", "Warn", "Info", "Debug", "Trace"),
)

GENERATIONS = Factor(name="generation", levels=("2009", "today"), labels=("libraries of 2009", "today's libraries"))
"""What the service is built from: the libraries of the study's day come first, for its findings are judged on them."""

STORES = Factor(name="database", levels=("mariadb", "h2"), labels=("MariaDB", "H2"))
"""Where the service keeps its objects: in a server of its own, as the study's MySQL was, or within its process."""

INTERCEPTION = Factor(
    name="monitor.collections", levels=("false", "true"), labels=("objects (the study's)", "objects and collections")
)

SLICE_VARIANTS = Factor(
    name="variant",
    levels=("as-study", "manual-flush", "lazy-disk", "client-vm"),
    labels=("as the study", "no flush after a search", "commits wait for no disk", "client VM"),
    properties={
        "as-study": {},
        "manual-flush": {"flush": "manual-when-read-only"},
        "lazy-disk": {"database.flush_at_commit": "false"},
        "client-vm": {"java.vm": "client"},
    },
)

MONITORS = Factor(
    name="monitor",
    levels=("none", "perf4j", "event", "layer-unwrapped", "layer"),
    labels=("None", "Perf4J", "Event", "Layer -Hwrap", "Layer"),
    properties={
        "none": {"monitor": "none"},
        # What writes every interception, some three thousand lines a request, fills a disk soon.
        "perf4j": {"monitor": "perf4j", "monitor.wrap": "false", "monitor.kept_requests": "4"},
        "event": {"monitor": "event", "monitor.wrap": "false", "monitor.kept_requests": "4"},
        "layer-unwrapped": {"monitor": "layer", "monitor.wrap": "false"},
        "layer": {"monitor": "layer"},
    },
)

LOADS = Factor(
    name="load",
    levels=("SizeSmall", "SizeMedium", "SizeLarge", "SizeXLarge", "SizeXXLarge"),
    labels=("Small", "Medium", "Large", "XLarge", "XXLarge"),
)

HEAPS = Factor(name="heap_mb", levels=("64", "256"), labels=("64 MB", "256 MB"))
"""What HotSpot's client VM took at most by default: 64 MB until update 17 of Java SE 6; from update 18 on, which the
study had, 256 MB on a machine of its size."""

HEAPS_OF_CLIENT_VM = Factor(name="java.vm", levels=("client-64m", "client"), labels=("64 MB", "256 MB"))
"""The same heaps with the rest of what HotSpot's client VM was."""

LINKS = Factor(
    name="link", levels=("local", "100mbit", "10mbit"), labels=("Local DB", "100 Mbit LAN DB", "10 Mbit LAN DB")
)
"""How far the database is: directly over the loopback, or behind as much as the study's networks let pass."""

CACHES = Factor(
    name="cache", levels=("none", "read-only", "read-write"), labels=("no cache", "r-only cache", "r-w cache")
)

CACHED_OBJECTS = Factor(
    name="cache",
    levels=("none", "read-write", "read-write-objects"),
    labels=("no cache", "r-w cache", "r-w cache of objects alone"),
)
"""With and without what is in collections, which the study does not say."""

FAR_OR_NEAR = Factor(name="link", levels=("local", "10mbit"), labels=("Local DB", "10 Mbit LAN DB"))

PROCESSORS = Factor(
    name="processor",
    levels=("whole", "part"),
    labels=("whole processors", "a fifth of one"),
    properties={"whole": {}, "part": {"cpu.percent": "20"}},
)
"""What the service's process gets of the machine's processors."""

USERS = Factor(name="users", levels=("1", "2", "4", "8", "16", "64"), labels=("1", "2", "4", "8", "16", "64"))

REMEDIES = Factor(
    name="remedy",
    levels=("none", "random-numbers", "no-root", "no-root-random-numbers", "retry", "think-500", "think-1000"),
    labels=(
        "None", "Random numbers", "No domain root", "No root, random numbers", "Retry",
        "Think up to 500 ms", "Think up to 1000 ms",
    ),
    properties={
        "none": {},
        "random-numbers": {"reservation.numbers": "random"},
        "no-root": {"domain.root": "false"},
        "no-root-random-numbers": {"domain.root": "false", "reservation.numbers": "random"},
        "retry": {"transaction.retries": "100"},
        "think-500": {"load": "MaxThink500ms"},
        "think-1000": {"load": "MaxThink1000ms"},
    },
)  # fmt: skip

_OUTPUT_PARTS = {
    "": ("", {}),
    "-no-location": (", no location", {"log.location": "false"}),
    "-no-console": (", no console", {"log.console": "false"}),
    "-asynchronous": (", asynchronous", {"log.async": "true"}),
    "-service-only": (", service code only", {"log.level": "info"}),
    "-other-user": (", another user's", {"log.user": "user-1@localhost"}),
}
_OUTPUTS = {
    f"{level}{part}": (
        f"{level.title()}{label}",
        {"log.level": level} | properties | ({"log.level.service": level} if part == "-service-only" else {}),
    )
    for level in ("debug", "trace")
    for part, (label, properties) in _OUTPUT_PARTS.items()
}

LOG_OUTPUTS = Factor(
    name="log.output",
    levels=("info", *_OUTPUTS),
    labels=("Info", *(label for label, _ in _OUTPUTS.values())),
    properties={"info": {"log.level": "info"}} | {name: properties for name, (_, properties) in _OUTPUTS.items()},
)
