"""What the STEP study claims of monitors: regions in which it counts as true.

Regions follow from the study's own numbers, or from a stated convention; a rule that is younger than its data says so.
"""

from __future__ import annotations

from math import inf

from perfstudies.studies.step.base import claim

_T2 = "Table 2, Figure 7"

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
        "16.93", 0, inf, "percentage points", kind="direction", apart="as of S4-union: the study adds the records up",
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
        "Runs in which that is so of a request: if it is so of one in a hundred, a low bar for often, then in 9.6 % of "
        "runs of ten requests. Before, runs had four.", "many", 9.6, inf, "%", "mechanism", "runs",
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
        "Share of the engine slice; up to 0.1 % either way counts as none. Before, it was taken for an identity.",
        "0.00", -NO_SLICE, NO_SLICE, "%",
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
