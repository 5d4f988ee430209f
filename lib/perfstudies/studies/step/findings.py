"""The STEP study's claims in our words, each with the region of a statistic in which it counts as true.

Regions follow from the study's own numbers, or from a stated convention; a rule that is younger than its data says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from math import inf

from perfstudies.experiment import Finding

SAME = 1.05
"""Levels whose costs differ by less than 5 % either way count as the same: the study's own five differ by 0.6 %."""

MONITORS_DIFFER = 332.91 / 289.89
"""Table 8's time at info over the sum of Table 1."""

STUDY_HEAP_MB = 256
"""The study kept the default: of JDK 1.6.0_18 on 32-bit Windows, whose client VM took a quarter of the memory and at
most 256 MB, on machines with 3 GB (its section 3.2; release notes of Java SE 6, update 18)."""

_T1, _T8 = "Table 1, Figure 6", "Table 8, Figure 16"

claim = partial(Finding, "step")

TIME_BREAKDOWN_FINDINGS = (
    claim(
        "S1", _T1, "Service is the largest slice of a request's time.",
        "Share of Service over that of the largest other slice.", "4.96", 1, inf, "ratio",
        kind="direction", scale="log",
    ),
    claim(
        "S1-share", _T1, "Service takes about 70 % of the time.",
        "Share of Service within 10 percentage points of the published.", "70.07", 60, 80, "%", scale="percent",
    ),
    claim(
        "S2", _T1, "Hibernate's three slices together come second.",
        "The smaller of Service over Hibernate and Hibernate over Web and Web Service together.",
        "2.92", 1, inf, "ratio", kind="direction", scale="log",
    ),
    claim(
        "S2-share", _T1, "Hibernate takes about 24 % of the time.",
        "Sum of its three shares within 10 percentage points of the published.", "24.00", 14, 34, "%", scale="percent",
    ),
    claim(
        "S2-order", _T1, "Within Hibernate the engine takes more than writes, and writes more than reads.",
        "The smaller of engine over writes and writes over reads.", "1.18", 1, inf, "ratio",
        kind="direction", scale="log",
    ),
    claim(
        "S3", _T1, "Web and Web Service together take about 6 % of the time.",
        "Sum of the two shares within a factor of 2 of the published.", "5.92", 2.96, 11.84, "%", scale="percent",
    ),
)  # fmt: skip

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
        apart="our reading of two tables, which the study does not compare",
    ),
)  # fmt: skip

_T5 = "Table 5, Figure 13"

CACHE_FINDINGS = (
    claim(
        "S14-read-only", _T5, "With a local database the read-only cache changes nothing.",
        "Request time with it over that without, within a block; 5 % either way count as the same.",
        "negligible effect", 1 / SAME, SAME, "ratio", scale="log",
    ),
    claim(
        "S14-read-write", _T5, "With a local database the read-write cache makes requests slower.",
        "Request time with it over that without, within a block.", "decreases performance", 1, inf, "ratio",
        kind="direction", scale="log",
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
        "none given", 1 / SAME, inf, "ratio", kind="direction", scale="log",
    ),
    claim(
        "S16-read-only", _T5, "Over 10 Mbit/s the read-only cache makes requests faster.",
        "Request time with it over that without, within a block.", "beneficial", -inf, 1, "ratio",
        kind="direction", scale="log",
    ),
    claim(
        "S16-slow", _T5, "Over 10 Mbit/s requests take about three times as long as over faster networks.",
        "Geometric mean of the times of the 10 Mbit/s settings over that of the same caches at the local database and "
        "over 100 Mbit/s, within a factor of 2 of the published.", "3", 1.5, 6, "ratio", scale="log",
    ),
    claim(
        "S16-advice", "Section 3.11",
        "The best is to leave the second-level cache off, over 10 Mbit/s too: not even the read-write cache helps.",
        "Request time with the read-write cache over that without, over 10 Mbit/s, within a block; up to 5 % faster "
        "count as no help.", "leave it turned off", 1 / SAME, inf, "ratio", kind="direction", scale="log",
    ),
)  # fmt: skip

SIZE_FINDINGS = (
    claim(
        "S10", "Table 4, Figure 10", "Request time grows faster than message length.",
        "Exponent of mean request time over mean message length, over the five loads of a block.",
        "none given", 1, inf, "", kind="direction",
    ),
    claim(
        "S10-reservations", "Table 4, Figure 10", "The time of a reservation grows faster than its message.",
        "The same over a block's single reservations; searches, which do not grow, are left out.",
        "none given", 1, inf, "", kind="direction",
    ),
    claim(
        "S11", "Table 4, Figure 11", "The time for XML grows faster than message length too.",
        "Exponent of the Web Service slice over mean message length, over the five loads of a block.",
        "none given", 1, inf, "", kind="direction",
    ),
    claim(
        "S11-reservations", "Table 4, Figure 11", "The time for a reservation's XML grows faster than its message.",
        "The same over a block's single reservations.", "none given", 1, inf, "", kind="direction",
    ),
    claim(
        "S11-share", "Table 4, Figure 11", "Yet the Web Service slice's share falls.",
        "Its share at the longest messages over that at the shortest.", "0.31", 0, 1, "ratio",
        kind="direction", scale="log",
    ),
    claim(
        "S12-small", "Table 4", "With short messages writes take less than 1 % of the time.",
        "Share of Hibernate's writes in the load Small.", "0.80", 0, 1, "%", scale="percent",
    ),
    claim(
        "S12-large", "Table 4", "With long messages writes take over a third of the time.",
        "Share of Hibernate's writes in the load XXLarge.", "36.88", 100 / 3, 100, "%", scale="percent",
    ),
    claim(
        "S13-memory", "Figure 12", "Long messages fail for lack of heap.",
        "Runs of the ramp with a failed request whose server logged an OutOfMemoryError; nine of ten are the rule.",
        "none given", 90, 100, "%", kind="mechanism", scale="runs",
        apart="in a heap that has a limit some message must exceed it",
    ),
    claim(
        "S13-length", "Figure 12", "Messages above 150,000 characters fail.",
        f"Length of the request at which failing begins in a heap of {STUDY_HEAP_MB} MB, which the study's virtual "
        "machine took by default: the geometric mean of a run's largest success and its failure, within a factor of 2.",
        "150", 75, 300, "thousand characters", scale="log",
    ),
    claim(
        "S13-service", "Table 4, Figure 12", "Service's share falls with message length because requests fail.",
        "Its share at the longest messages over that at the shortest, in runs without a failing request: if failures "
        "are the cause it does not fall there.",
        "0.68", 1, inf, "ratio", kind="mechanism", scale="log",
    ),
)  # fmt: skip

USER_FINDINGS = (
    claim(
        "S17", "Table 6, Figure 14", "From 1 to 16 users the request time stays in the same order of magnitude.",
        "Request time with 16 users over that with one; ten times either way is another order of magnitude.",
        "none given", 0.1, 10, "ratio", scale="log",
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
        "Share of system errors with one user: none.", "0.00", 0, 0, "%", scale="percent",
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
        "none given", 95, 100, "%", kind="mechanism", scale="percent",
    ),
    claim(
        "S20-root", "Section 3.11", "The one domain root, to which all add, makes them frequent.",
        "Share of errors with 4 users without the domain root less that with it: at least a point fewer.",
        "none given", -inf, -1, "points", kind="mechanism",
    ),
)  # fmt: skip

_T2, _T3 = "Table 2, Figure 7", "Table 3, Figure 9"

NO_SLICE = 0.1
"""A slice below 0.1 % of the request counts as none: that much is the clock being read."""

OVERLAP = "Hibernate 7 ends the loading of objects in another order: the records overlap, so their sum is no time"
"""Why no finding that adds up Perf4J's records of loads can be tested with today's libraries."""
SUMS_OF_RECORDS = ("S4", "S5", "S5-writes", "S5-share", "S5-impossible")

MONITOR_FINDINGS = (
    claim(
        "S4", _T2, "Raw Perf4J records show a third of the Hibernate time that Layer shows.",
        "Hibernate's share by the sum of the records over that by Layer, within a block; within a factor of 2 of the "
        "published.", "0.335", 0.167, 0.67, "ratio", scale="log"
    ),
    claim(
        "S4-union", _T2, "The same, with each moment counted once where records lie within each other.",
        "Hibernate's share by the union of Perf4J's records over that by Layer, in the same region.",
        "0.335", 0.167, 0.67, "ratio", scale="log",
        apart="the study adds the records up; counting each moment once is another reading",
    ),
    claim(
        "S4-service", _T2, "What Perf4J does not see of Hibernate is counted as Service.",
        "Share of Service by the union of Perf4J's records, less that by Layer.",
        "16.93", 0, inf, "percentage points", kind="direction",
    ),
    claim(
        "S5", _T2, "Combining Perf4J's records of 0 ms makes reads grossly too long.",
        "Share of reads by combined records over that by the raw ones; twice is a low bar for grossly.",
        "23.0", 2, inf, "ratio", scale="log"
    ),
    claim(
        "S5-writes", _T2, "Combining Perf4J's records of 0 ms makes writes longer too.",
        "Share of writes by combined records over that by the raw ones, within a factor of 2 of the published.",
        "2.37", 1.19, 4.74, "ratio", scale="log"
    ),
    claim(
        "S5-share", _T2, "With combined records reads take about 79 % of the time.",
        "Share of reads within 10 percentage points of the published.", "79.25", 69, 89, "%",
    ),
    claim(
        "S5-impossible", "Section 3.11",
        "With combined records Hibernate often takes longer than the Service around it.",
        "Requests of which that is so; one in a hundred is a low bar for often.", "many", 1, inf, "%",
        kind="mechanism", scale="percent"
    ),
    *(
        claim(
            f"S6-{level}", "Section 3.11", f"{label} costs less than Perf4J.",
            f"The client's request time under {label} over that under Perf4J, within a block, on the same requests.",
            "less", -inf, 1, "ratio", kind="direction", scale="log",
        )
        for level, label in (("event", "Event"), ("layer", "Layer"))
    ),
    claim(
        "S7", _T2, "Without wrapping, Layer shows no engine slice.",
        "Share of the engine slice; up to 0.1 % either way counts as none.", "0.00", -NO_SLICE, NO_SLICE, "%",
        kind="identity",
    ),
    claim(
        "S7-lost", _T2, "Without wrapping, a large part of Hibernate's time is lost.",
        "Hibernate's share without over that with wrapping, within a block; within a factor of 2 of the published.",
        "0.380", 0.19, 0.76, "ratio", scale="log",
    ),
    claim(
        "S7-event", _T2, "Event shows what Layer without wrapping shows.",
        "Hibernate's share by Event over that by Layer without wrapping, within a block; a quarter either way counts "
        "as the same.", "1.11", 1 / 1.25, 1.25, "ratio", scale="log",
    ),
)  # fmt: skip

TYPE_FINDINGS = (
    *(
        claim(
            f"S8-{kind}", _T3, f"{label} write nothing.",
            f"{label} with any time in the writes slice: none.", "0", 0, 0, "count", kind="identity",
        )
        for kind, label in (("searches", "Searches"), ("faults", "Faults"))
    ),
    claim(
        "S9", _T3, "Failed reservations take less time than those that succeed: a roll-back saves time.",
        "Time of reservations that failed over those that succeeded, each brought to the same group size.",
        "significant savings", -inf, 1, "ratio", kind="direction", scale="log",
    ),
    claim(
        "S9-engine", _T3, "Faults hardly use Hibernate's engine: a tenth of a reservation's share.",
        "Engine's share of faults over that of reservations, within a factor of 2 of the published.",
        "0.101", 0.05, 0.202, "ratio", scale="log",
    ),
    claim(
        "S9-order", _T3, "The engine's share grows from faults over searches to reservations.",
        "The smaller of searches over faults and reservations over searches.", "1.71", 1, inf, "ratio",
        kind="direction", scale="log",
    ),
)  # fmt: skip


def with_todays_libraries(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings as they can be tested with today's libraries: those that add up records of loads cannot."""
    return [replace(one, untestable=OVERLAP) if one.id in SUMS_OF_RECORDS else one for one in findings]
