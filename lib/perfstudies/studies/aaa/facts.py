"""What a run of the AAA study tells about itself, for its manifest."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence

from perfstudies.runs.plan import PlannedRun
from perfstudies.servers.java import java_version
from perfstudies.studies.aaa.server import containers
from perfstudies.studies.aaa.settings import RunSettings

SETTLES_WITHIN_S, POLL_S = 30, 0.1
STATES = ("beans_alive", "heap_used_bytes")
"""What the server tells as it is now; its other numbers count since it was last asked."""


def workload(planned: PlannedRun, settings: RunSettings, requests: int, phases: Sequence[Mapping[str, object]]) -> dict:
    """Return what was sent: how much of which load by how many clients, in which phases."""
    return {
        "load": planned.experiment.load,
        "amount": planned.experiment.size(planned.profile).amount_of(planned.setting),
        "requests": requests,
        "clients": settings.clients,
        "gap_ms": settings.gap_ms,
        "ttl_ms": settings.ttl_ms,
        "unit_ms": settings.unit_ms,
        "time_scale": settings.time_scale,
        "phases": list(phases),
    }


def system(planned: PlannedRun, settings: RunSettings) -> dict:
    """Return what answered: the container, its Java, its libraries, and the build's checksum."""
    return {
        "name": planned.experiment.system,
        "container": settings.container,
        "java": java_version(),
        "libraries": [path.name for path in containers.jars(settings.container)],
        "build": containers.build(),
    }


def counted(server: containers.Server) -> dict[str, int]:
    """Wait until the server has nothing left to do for clients that have gone, and return what it counted."""
    deadline = time.monotonic() + SETTLES_WITHIN_S
    total = server.statistics()
    while time.monotonic() < deadline:
        time.sleep(POLL_S)
        since = server.statistics()
        for name, count in since.items():
            if name.endswith("_max"):
                total[name] = max(total[name], count)
            else:
                total[name] = count if name in STATES else total[name] + count
        if not since["threads_busy_max"]:
            break
    return total


def children_s() -> float:
    """Return the processor time in seconds that this process's ended children have used."""
    times = os.times()
    return times.children_user + times.children_system
