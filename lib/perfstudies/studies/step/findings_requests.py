"""What the STEP study claims of a request's time, its slices, types and lengths: regions in which it counts as true.

Regions follow from the study's own numbers, or from a stated convention; a rule that is younger than its data says so.
"""

from __future__ import annotations

from math import inf

from perfstudies.studies.step.base import claim

STUDY_HEAP_MB = 256
"""The study kept the default: of JDK 1.6.0_18 on 32-bit Windows, whose client VM took a quarter of the memory and at
most 256 MB, on machines with 3 GB (its section 3.2; release notes of Java SE 6, update 18)."""

_T1, _T3, _T4 = "Table 1, Figure 6", "Table 3, Figure 9", "Table 4, Figure 10"
_ABOVE = (
    "what a further character costs between Large and XXLarge over that between Small and Large, within a block: above "
    "1 if it grows above linear, however much a request costs at any length. This rule is younger than its data. An "
    "earlier one took the exponent of time over length, which a fixed cost lowers, and the claim was not reproduced."
)
_SINGLE = "the study takes all requests of a load; reservations alone are another reading"

TIME_BREAKDOWN_FINDINGS = (
    claim(
        "S1", _T1, "Service is the largest slice of a request's time.",
        "Share of Service over that of the largest other slice.", "4.96", 1, inf, "ratio", "direction", "log",
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
        "The smaller of engine over writes and writes over reads.", "1.18", 1, inf, "ratio", "direction", "log",
    ),
    claim(
        "S3", _T1, "Web and Web Service together take about 6 % of the time.",
        "Sum of the two shares within a factor of 2 of the published.", "5.92", 2.96, 11.84, "%", scale="percent",
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
        "S9", _T3, "Reservations that fail, and are rolled back, take less time than those that succeed.",
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

SIZE_FINDINGS = (
    claim(
        "S10", _T4, "Request time grows above linear with message length.",
        f"Of request time, {_ABOVE}", "above linear", 1, inf, "ratio", kind="direction", scale="log",
    ),
    claim(
        "S10-reservations", _T4, "The time of a reservation grows above linear with its message.",
        "The same of reservations alone.", "above linear", 1, inf, "ratio", "direction", "log", apart=_SINGLE,
    ),
    claim(
        "S11", "Table 4, Figure 11", "The time for XML grows above linear with message length too.",
        f"Of the Web Service slice, {_ABOVE}", "above linear", 1, inf, "ratio", kind="direction", scale="log",
    ),
    claim(
        "S11-reservations", "Table 4, Figure 11", "The time for a reservation's XML grows above linear.",
        "The same of reservations alone.", "above linear", 1, inf, "ratio", "direction", "log", apart=_SINGLE,
    ),
    claim(
        "S11-share", "Table 4, Figure 11", "Yet the Web Service slice's share falls.",
        "Its share at the longest messages over that at the shortest.", "0.31", 0, 1, "ratio", "direction", "log",
    ),
    claim(
        "S12-small", "Table 4", "With short messages writes take less than 1 % of the time.",
        "Share of Hibernate's writes in the load Small.", "0.80", 0, 1, "%", kind="direction", scale="percent",
    ),
    claim(
        "S12-large", "Table 4", "With long messages writes take over a third of the time.",
        "Share of Hibernate's writes in the load XXLarge.", "36.88", 100 / 3, 100, "%", "direction", "percent",
    ),
    claim(
        "S13-memory", "Figure 12", "Long messages fail for lack of heap.",
        "Runs of the ramp with a failed request whose server logged an OutOfMemoryError; nine of ten are the rule.",
        "lack of Java heap", 90, 100, "%", kind="mechanism", scale="runs",
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
