"""What the STEP study claims of log levels, caches, networks and users: regions in which it counts as true.

Regions follow from the study's own numbers, or from a stated convention; a rule that is younger than its data says so.
"""

from __future__ import annotations

from math import inf

from perfstudies.studies.step.base import claim

SAME = 1.05
"""Levels whose costs differ by less than 5 % either way count as the same: the study's own five differ by 0.6 %."""

MONITORS_DIFFER = 332.91 / 289.89
"""Table 8's time at info over the sum of Table 1."""

_T5, _T8 = "Table 5, Figure 13", "Table 8, Figure 16"
_WHICH = "the study does not say whether its cache holds collections, and that decides: with them requests are"

LOGGING_COST_FINDINGS = (
    *(
        claim(
            f"S21-{level}", _T8, f"The level {level} costs the same as off.",
            "Ratio of request times within a run in which levels alternate, on the same requests; 5 % either way count "
            "as the same.",
            published, 1 / SAME, SAME, "ratio", scale="log",
        )
        for level, published in (("fatal", "0.999"), ("error", "0.998"), ("warn", "1.004"), ("info", "1.001"))
    ),
    claim(
        "S22-enormous", _T8, "Beyond info the cost of logging is enormous.",
        "Request time at debug over that at info; twice is a low bar for enormous.", "13.31", 2, inf, "ratio",
        kind="direction", scale="log",
    ),
    claim(
        "S22-debug", _T8, "The level debug costs about 13 times off.",
        "Ratio of request times within a factor of 2 of the published.", "13.33", 6.66, 26.7, "ratio", scale="log",
    ),
    claim(
        "S22-trace", _T8, "The level trace costs about 113 times off.",
        "Ratio of request times within a factor of 2 of the published.", "112.6", 56.3, 225, "ratio", scale="log",
    ),
    claim(
        "S23-debug", "Table 8", "At debug a run of the study writes 296 MB: about 3 MB a request.",
        "Functional log that a measured request adds, within a factor of 2 of the published.", "2.98", 1.49, 5.96, "MB",
        scale="log",
    ),
    claim(
        "S23-trace", "Table 8", "At trace a run of the study writes 2 GB: about 20 MB a request.",
        "Functional log that a measured request adds, within a factor of 2 of the published.", "20.4", 10.2, 40.8, "MB",
        scale="log",
    ),
    claim(
        "S23-nothing", "Table 8", "At off and fatal nothing is written.",
        "Bytes in the functional logs of both: none.", "0", 0, 0, "bytes", kind="identity",
    ),
    claim(
        "S21-monitor", "Tables 1 and 8",
        "Requests at info take 333 ms in Table 8, under Perf4J, and 290 ms in Table 1, under Layer: the "
        "monitor makes the difference.",
        "Our reading of two tables that the study does not compare. Request time at info under Perf4J over that under "
        "Layer: from half to twice the published difference on the log scale.",
        "1.148", MONITORS_DIFFER**0.5, MONITORS_DIFFER**2, "ratio", kind="mechanism", scale="log",
        apart="our reading of two tables, which the study does not compare; on the same runs as S6-layer, whose "
        "reciprocal it is",
    ),
)  # fmt: skip

CACHE_FINDINGS = (
    claim(
        "S14-read-only", _T5, "With a local database the read-only cache changes nothing.",
        "Request time with it over that without, within a block; 5 % either way count as the same.",
        "negligible effect", 1 / SAME, SAME, "ratio", scale="log",
    ),
    claim(
        "S14-read-write", _T5, "With a local database the read-write cache makes requests slower.",
        "Request time with it over that without, within a block.", "decreases performance", 1, inf, "ratio",
        kind="direction", scale="log", untestable=f"{_WHICH} faster; with objects alone slower (cache-causes)",
    ),
    claim(
        "S14-reads", _T5, "With a local database the read-write cache doubles the share of Hibernate's reads.",
        "Ratio of shares within a block, within a factor of 2 of the published 10.65 % over 4.52 %.",
        "2.36", 1.18, 4.71, "ratio", scale="log",
    ),
    claim(
        "S15", _T5, "Over 100 Mbit/s requests are only marginally slower than with a local database.",
        "Request time without cache over that at the local database: not faster by more than 5 %, and slower by a "
        "quarter at most, which is what the shares of the two web layers in Table 5 suggest (1.24).",
        "marginally worse", 1 / SAME, 1.25, "ratio", scale="log",
    ),
    claim(
        "S15-read-only", _T5, "Over 100 Mbit/s the read-only cache does not help: it does so only over 10 Mbit/s.",
        "Request time with it over that without, within a block; up to 5 % faster count as no help.",
        "only 10 Megabit", 1 / SAME, inf, "ratio", kind="direction", scale="log",
    ),
    claim(
        "S16-read-only", _T5, "Over 10 Mbit/s the read-only cache makes requests faster.",
        "Request time with it over that without, within a block; up to 5 % faster count as no help, as over 100 "
        "Mbit/s. An earlier rule took any ratio below 1, and could not be decided.",
        "beneficial", -inf, 1 / SAME, "ratio", kind="direction", scale="log",
    ),
    claim(
        "S16-slow", _T5, "Over 10 Mbit/s requests take about three times as long as over faster networks.",
        "Geometric mean of the times without cache and with the read-only one over that of the same at the local "
        "database and over 100 Mbit/s, within a factor of 2 of the published. Younger than its data: before, the "
        "read-write cache was averaged in, and what that holds is not told.", "3", 1.5, 6, "ratio", scale="log",
    ),
    claim(
        "S16-advice", "Section 3.11",
        "The best is to leave the second-level cache off, over 10 Mbit/s too: not even the read-write cache helps.",
        "Request time with the read-write cache over that without, over 10 Mbit/s, within a block; up to 5 % faster "
        "count as no help. The advice is the study's; that it is meant over this link and of this cache too is our "
        "reading.", "leave it turned off", 1 / SAME, inf, "ratio", kind="direction", scale="log",
        untestable=f"{_WHICH} much faster; with objects alone they take the same time (cache-causes)",
    ),
)  # fmt: skip

USER_FINDINGS = (
    claim(
        "S17", "Table 6, Figure 14", "From 1 to 16 users the request time stays in the same order of magnitude.",
        "Request time with 16 users over that with one; ten times either way is another order of magnitude.",
        "same order of magnitude", 0.1, 10, "ratio", scale="log",
        untestable="who never pauses keeps the server busy, so 16 users wait 16 times as long as one, less what more "
        "processors do at the same time: the machine decides, not the service",
    ),
    claim(
        "S18-same", "Table 7, Figure 15", "The share of application exceptions does not depend on the users.",
        "Share with 16 users less that with one, each less the share of mistakes that its requests carry; 2 points "
        "either way count as the same: the study's own five differ by 1.62.",
        "1.62", -2, 2, "points", kind="identity",
    ),
    claim(
        "S18-level", "Table 7, Figure 15", "It is 11 to 13 % of the requests.",
        "Share of application exceptions with 1 to 16 users together.", "11.04 to 12.66", 11, 13, "%", scale="percent",
        untestable="the load draws the mistakes that become exceptions, a quarter of the requests: the share says what "
        "was drawn, nothing of the server",
    ),
    claim(
        "S19-one", "Table 7, Figure 15", "A single user meets no system error.",
        "Runs of one user with a system error. Up to half a percent of the requests counts as none; if as many end so, "
        "70 % of runs of 240 requests have one. An earlier rule had runs of 60.", "0", -inf, 70, "%", scale="runs",
    ),
    claim(
        "S19-trend", "Table 7, Figure 15", "System errors become more frequent with the users.",
        "Slope of their share over doublings of users, from 1 to 16; at least a point for each.",
        "7.43", 1, inf, "points", kind="direction",
    ),
    claim(
        "S19-sixteen", "Table 7, Figure 15", "With 16 users about 31 % of the requests end with a system error.",
        "Their share within a factor of 2 of the published.", "30.85", 15.4, 61.7, "%", scale="percent",
    ),
    claim(
        "S20-stale", "Section 3.11", "The errors are stale objects: concurrent changes of the same ones.",
        "Errors of a block that Hibernate counted as failures of its optimistic lock; 95 % count as all.",
        "caused by these", 95, 100, "%", kind="mechanism", scale="percent",
    ),
    claim(
        "S20-root", "Section 3.11", "The one domain root, to which all add, makes them frequent.",
        "Share of errors with 4 users without the domain root less that with it: at least a point fewer.",
        "magnified", -inf, -1, "points", kind="mechanism",
    ),
)  # fmt: skip
