"""What the experiments of the AAA study share: its clients, its settings, and the properties that they vary.

Properties are named as the server's own (`perfstudies.studies.aaa.server.containers`), and these are the lab's:

- ``container``: ``glassfish`` (the descendant of the study's) or ``openejb`` (whose pool is a strict limit);
- ``clients``: how many of the study's four machines send, from the first on, or more;
- ``gap_ms``: between the starts of a client's requests;
- ``timer``: the request's TimerCondition, in time units of ``timer.unit_ms``;
- ``ttl_ms``: how long a client waits for its answer, the connection's time to live;
- ``policy``: the type of the request; ``mix``: shares of other requests, as ``type:share`` with commas between;
- ``concurrency``: connections that each send their next request when the last is answered;
- ``rates``: offered rates, requests a second, one after the other, each for ``step_s``;
- ``network``: ``access-lines`` (the four clients' own, where this machine may shape them) or ``loopback``;
- ``database``: ``h2``, in the server's own process, or ``mariadb``, one of its own (on the loopback network only);
- ``database.cut``: whether MariaDB ends all of the server's connections in the middle of a burst;
- ``cpus``: how many processors the server may use; ``cpu.percent``: how much of one processor's time at most.

Times are the study's own, or in its scale; a size's ``time_scale`` divides those of `SCALED`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from perfstudies.experiment import Experiment, Factor, Finding

MACHINES = ("Azizlap", "Redlap", "Mac-G5b", "Mac-G5c")
"""The study's clients (section 4.3), in the order of the client numbers."""

OPERATION = "AAARequest"
"""Of the AAA server, for whatever a client may ask it."""

SCALED = ("gap_ms", "ttl_ms", "timer.unit_ms", "ejb.access_timeout_ms", "database.idle_s", "step_s")
"""Properties that a size's time scale divides."""

NEAR_PACE = 10
"""By how much times may be divided for a run to be near the study's own pace: the server's own work, which is not
divided, takes a few of 40 ms then. At 100 it is most of a response time, and decides how that ranges."""

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


def without(*varied: str) -> dict[str, str]:
    """Return the standard settings but for those that an experiment varies."""
    return {name: value for name, value in STANDARD_SETTINGS.items() if name not in varied}


def declare(name: str, title: str, load: str, factors: tuple[Factor, ...], sizes: dict, **more: Any) -> Experiment:
    """Return an experiment of the study; arguments as of `Experiment`."""
    return Experiment("aaa", name, title, "aaa", load, factors, sizes=sizes, **more)


claim = partial(Finding, "aaa")
"""Makes a finding of the study; arguments as of `Finding`."""
