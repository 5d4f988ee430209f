"""The AAA study's claims on timers and on two beans, each with the region of a statistic in which it counts as true.

Regions follow from the study's own numbers, or from a stated convention; a rule that is younger than its data says so.
The study ran a Sun application server; its claims are judged on that server's descendant, GlassFish. Those marked
``-strict`` ask the same of a container whose pool is a strict limit.
"""

from __future__ import annotations

from math import inf
from typing import Any

from perfstudies.experiment import Finding
from perfstudies.studies.aaa.base import claim

ALL = 99
"""Share of requests, in percent, that counts as all: all but one in a hundred."""

MOST = 50
"""Share that counts as most."""

GROWS = 1.1
"""Times that grow by 10 % climb; those that change by less are level."""

_ERRORS = "Section 5.3.3, Figures 16 and 17"
_CLIMB = "Section 5.3.3, Figure 11"

_STRICT = "measured in OpenEJB, whose pool is a strict limit, not in the descendant of the study's server"

_KEEPS_UP = (
    "Blocks in which more than one in a hundred at timers 1 and 5 are not answered have no value: they come faster "
    "than they are served. That was added after runs whose times were divided by 200"
)

_FIVE = (
    'by the study\'s text losses begin above timer 5; for them it refers to "Figure 16 and Figure 16", of which the '
    "second seems to mean Figure 17, of timer 5: then it says both, and no answer could contradict it"
)

_UNIT = (
    "how long a time unit is, the lab's own server is told; the study's, whose start it took for random, is not to be "
    "had"
)


def _both(id: str, where: str, words: str, rule: str, *region: Any, **more: Any) -> tuple[Finding, Finding]:
    """Return a claim for the study's kind of container, and the same for a strict pool."""
    return (
        claim(id, where, words, f"GlassFish. {rule}", *region, **more),
        claim(
            f"{id}-strict", where, words, f"OpenEJB with a strict pool. {rule}", *region, **more | {"apart": _STRICT}
        ),
    )


TIMER_FINDINGS = (
    *_both(
        "A8-five", _ERRORS, "With 1000 requests, timers up to 5 are answered.",
        "The smaller of the shares answered at timers 1 and 5; all but one in a hundred.",
        "no losses told", ALL, inf, "%", scale="percent", untestable=_FIVE,
    ),
    *(
        one
        for timer, word in (("10", "ten"), ("20", "twenty"))
        for one in _both(
            f"A8-{word}", _ERRORS, f"With 1000 requests, most get lost or return an error at timer {timer}.",
            f"Share of the requests that are not answered. {_KEEPS_UP}.", "most", MOST, inf, "%", scale="percent",
        )
    ),
    *_both(
        "A8-fifty", _ERRORS, "50 requests are answered with timers up to 20.",
        "The smallest share answered of timers 1, 5, 10 and 20, with a time to live of 120 s; all but one in a "
        "hundred.",
        "good responses", ALL, inf, "%", scale="percent",
    ),
    *(
        claim(
            f"A8-pool-{word}", _ERRORS, f"What fails at timer {timer} is what a strict pool of 32 must fail.",
            "OpenEJB with a strict pool. Share failed less the share of the prediction in which requests are served "
            "first come first served by 32 beans; 5 points either way count as the same.",
            "none given", -5, 5, "points", kind="mechanism", apart=_STRICT,
        )
        for timer, word in (("10", "ten"), ("20", "twenty"))
    ),
    *_both(
        "A9", "Section 5.3.3", "The errors come from the EJB, not from Tomcat or the servlet.",
        "Requests that ended with the container's fault for want of a bean, as a share of all that were not answered, "
        "of all timers with 1000 requests; blocks in which all were answered have no value.",
        "obviously", MOST, inf, "%", kind="mechanism", scale="percent",
    ),
    claim(
        "A9-inside", "Section 5.3.3", "Where connections time out, the request is held up in the EJB container.",
        "OpenEJB with a strict pool, 1000 requests. Requests that waited for a bean or were in one when their client "
        "gave up, as a share of those that timed out; 95 % count as all.",
        "none given", 95, inf, "%", kind="mechanism", scale="percent", apart=_STRICT,
    ),
    *_both(
        "A10-climb", _CLIMB, "With higher timers the total time climbs.",
        "Total time of the second half over that of the first five of each client, of answered requests; 10 % is "
        "the least that counts. On GlassFish 50 requests, timers 5, 10 and 20 and a time to live of 120 s; on OpenEJB "
        "1000 requests and timers 10 and 20, as far as answers came in both parts.",
        "climbs slowly", GROWS, inf, "ratio", kind="direction", scale="log",
    ),
    *_both(
        "A10-faster", _CLIMB, "Total time climbs faster than EJB time.",
        "The climb of A10-climb over that of EJB time; 5 % is the least that counts.", "faster", 1.05, inf, "ratio",
        kind="direction", scale="log",
    ),
    *_both(
        "A10-level", _CLIMB, "Then the times stay level.",
        "Total time of the last quarter over that of the third, for the runs of A10-climb; 10 % either way count as "
        "level.", "stable", 1 / GROWS, GROWS, "ratio", kind="direction", scale="log",
        apart="that times are level says nothing where they did not climb before (A10-climb)",
    ),
    claim(
        "A12", "Section 5.3.3", "A time unit never has the same length.",
        "GlassFish, 1000 requests. Time in the bean over timer: the longest of the timers 1 to 20 over the shortest. "
        "The study took it for 2 s and saw 0.4 s; a quarter is a low bar for another length.",
        "5", 1.25, inf, "ratio", scale="log", untestable=_UNIT,
    ),
    claim(
        "A12-seen", "Section 5.3.3", "A client that divides EJB time by the timer finds other lengths.",
        "OpenEJB with a strict pool, 1000 requests. The same ratio with EJB time, which holds the wait for a bean.",
        "5", 1.25, inf, "ratio", kind="mechanism", scale="log", apart=_STRICT,
    ),
    *_both(
        "A15", "Section 6.4", "A request whose timer is longer than the connection's time to live always fails.",
        "Answered requests of a block in all settings in which that is so: none.", "always", 0, 0, "requests",
        kind="identity",
    ),
    claim(
        "A15-longer", "Section 6.4", "It is the time to live that fails them.",
        "GlassFish. The same timers, as far as they are shorter than the other time to live, with that one: share "
        "answered; all but one in a hundred.", "none given", ALL, inf, "%", kind="mechanism", scale="percent",
    ),
    claim(
        "A16", "Section 5.4", "Connections go on timing out when the container was full and has room again.",
        "OpenEJB with a strict pool, 1000 requests. Time-outs of a block after all 32 beans were busy, while clients "
        "still sent, at moments when fewer were and no request waited for one: at least one. That clients still send "
        "was added after the data: once they do not, there is room in any case.", "remained", 1, inf, "time-outs",
        kind="mechanism", apart=_STRICT,
    ),
    claim(
        "A16-work", "Section 5.4", "The server works on for clients that have given up.",
        "OpenEJB with a strict pool, 1000 requests. Requests that timed out and that the server answered all the same, "
        "as a share of those that timed out; one in ten is the least that counts.",
        "none given", 10, inf, "%", kind="mechanism", scale="percent", apart=_STRICT,
    ),
)  # fmt: skip

_BEANS = "Section 5.3.3"
_OTHER = "measured in OpenEJB, not in the study's server"

TWO_BEANS_FINDINGS = (
    claim(
        "A11", _BEANS, "With a pool of 2 and 10 HTTP threads all of 10 requests are answered.",
        "GlassFish, pool of 2. Whether all of a run's 10 requests are answered, in more than half of the runs. Before "
        "exact tests of counts: the mean number of answers, 10.",
        "10", 50, inf, "% of runs", scale="runs",
    ),
    claim(
        "A11-once", _BEANS, "They are answered because the pool does not limit how many run at once.",
        "GlassFish, pool of 2. The most requests that were in a bean at the same time: more than 2.",
        "none given", 3, inf, "requests", kind="mechanism",
    ),
    claim(
        "A11-kept", _BEANS, "What the pool limits is how many idle beans are kept.",
        "GlassFish, pool of 2. Beans made less beans destroyed, when all is over.", "none given", 2, 2, "beans",
        kind="mechanism",
    ),
    claim(
        "A11-expected", _BEANS, "The authors expected 2 answers and 8 failures: a strict pool gives them.",
        "OpenEJB, strict pool of 2, which waits 30 s for a bean. Requests answered of 10.", "2", 2, 2, "requests",
        kind="mechanism", apart=_OTHER,
    ),
    claim(
        "A11-patient", _BEANS, "A strict pool that lets requests wait answers all 10 too.",
        "OpenEJB, strict pool of 2, no time limit. Whether all of a run's 10 requests are answered, in more than half "
        "of the runs. Before exact tests of counts: the mean number of answers, 10.",
        "none given", 50, inf, "% of runs", kind="mechanism", scale="runs", apart=_OTHER,
    ),
    claim(
        "A11-two", _BEANS, "Such a pool never runs more than 2 at once.",
        "OpenEJB, strict pool of 2, no time limit. The most requests that were in a bean at the same time.",
        "none given", 1, 2, "requests", kind="identity", apart=_OTHER,
    ),
    claim(
        "A11-drawn", _BEANS, "All ten are answered because a time unit has no fixed length.",
        "OpenEJB, strict pool of 2, which waits 30 s for a bean; time units drawn anew for each request, exponential "
        "with the mean of the fixed ones. Whether all of a run's 10 requests are answered, in more than half of the "
        "runs. Set before these runs.",
        "it could be", 50, inf, "% of runs", kind="mechanism", scale="runs", apart=_OTHER,
    ),
)  # fmt: skip
