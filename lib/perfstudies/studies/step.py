"""Declarations of the STEP study: M. L. Pardal, "Performance assessment of the STEP Framework" (2010)."""

from __future__ import annotations

from math import inf

from perfstudies.experiment import Experiment, Factor, Finding, Size

LOG_LEVELS = Factor(
    name="log.level",
    levels=("off", "fatal", "error", "warn", "info", "debug", "trace"),
    labels=("Off", "Fatal", "Error", "Warn", "Info", "Debug", "Trace"),
)

INTERCEPTION = Factor(
    name="monitor.collections",
    levels=("false", "true"),
    labels=("objects (the study's)", "objects and collections"),
)

TIME_BREAKDOWN = Experiment(
    study="step",
    name="time-breakdown",
    title="Where does the time of a request go?",
    system="flight",
    load="SizeMedium",
    factors=(INTERCEPTION,),
    fixed={"log.level": "info"},
    sizes={
        "smoke": Size(blocks=2, sessions=3),
        "quick": Size(blocks=3, sessions=6),
        "standard": Size(blocks=30, sessions=25),
        "full": Size(blocks=30, sessions=50),
    },
)

LOGGING_COST = Experiment(
    study="step",
    name="logging-cost",
    title="What does each level of logging cost?",
    system="flight",
    load="SizeMedium",
    factors=(LOG_LEVELS,),
    # A request at trace takes seconds: its runs send fewer, and are compared on those that all levels send.
    sizes={
        "smoke": Size(blocks=2, sessions=1),
        "quick": Size(blocks=3, sessions=1, warm_up_sessions=1),
        "standard": Size(blocks=30, sessions=4, warm_up_sessions=6, sessions_at={"trace": 1}),
        "full": Size(blocks=30, sessions=50, warm_up_sessions=6),
    },
)

EXPERIMENTS = (TIME_BREAKDOWN, LOGGING_COST)

SAME = 1.05
"""Levels whose costs differ by less than 5 % either way count as the same: the study's own five differ by 0.6 %."""

_T1, _T8 = "Table 1, Figure 6", "Table 8, Figure 16"


def _claim(id: str, where: str, claim: str, rule: str, published: str, low: float, high: float, unit: str) -> Finding:
    return Finding(id, "step", where, claim, rule, published, low, high, unit)


TIME_BREAKDOWN_FINDINGS = (
    _claim(
        "S1", _T1, "Service is the largest slice of a request's time.",
        "Share of Service over that of the largest other slice.", "4.96", 1, inf, "ratio",
    ),
    _claim(
        "S1-share", _T1, "Service takes about 70 % of the time.",
        "Share of Service within 10 percentage points of the published.", "70.07", 60, 80, "%",
    ),
    _claim(
        "S2", _T1, "Hibernate's three slices together come second.",
        "The smaller of Service over Hibernate and Hibernate over Web and Web Service together.",
        "2.92", 1, inf, "ratio",
    ),
    _claim(
        "S2-share", _T1, "Hibernate takes about 24 % of the time.",
        "Sum of its three shares within 10 percentage points of the published.", "24.00", 14, 34, "%",
    ),
    _claim(
        "S2-order", _T1, "Within Hibernate the engine takes more than writes, and writes more than reads.",
        "The smaller of engine over writes and writes over reads.", "1.18", 1, inf, "ratio",
    ),
    _claim(
        "S3", _T1, "Web and Web Service together take about 6 % of the time.",
        "Sum of the two shares within a factor of 2 of the published.", "5.92", 2.96, 11.84, "%",
    ),
)  # fmt: skip

LOGGING_COST_FINDINGS = (
    *(
        _claim(
            f"S21-{level}", _T8, f"The level {level} costs the same as off.",
            "Ratio of request times within a block, on the same requests; 5 % either way count as the same.",
            published, 1 / SAME, SAME, "ratio",
        )
        for level, published in (("fatal", "0.999"), ("error", "0.998"), ("warn", "1.004"), ("info", "1.001"))
    ),
    _claim(
        "S22-enormous", _T8, "Beyond info the cost of logging is enormous.",
        "Request time at debug over that at info; twice is a low bar for enormous.", "13.31", 2, inf, "ratio",
    ),
    _claim(
        "S22-debug", _T8, "The level debug costs about 13 times off.",
        "Ratio of request times within a factor of 2 of the published.", "13.33", 6.66, 26.7, "ratio",
    ),
    _claim(
        "S22-trace", _T8, "The level trace costs about 113 times off.",
        "Ratio of request times within a factor of 2 of the published.", "112.6", 56.3, 225, "ratio",
    ),
    _claim(
        "S23-debug", "Table 8", "At debug a run of the study writes 296 MB: about 3 MB a request.",
        "Functional log that a measured request adds, within a factor of 2 of the published.", "2.98", 1.49, 5.96, "MB",
    ),
    _claim(
        "S23-trace", "Table 8", "At trace a run of the study writes 2 GB: about 20 MB a request.",
        "Functional log that a measured request adds, within a factor of 2 of the published.", "20.4", 10.2, 40.8, "MB",
    ),
    _claim(
        "S23-nothing", "Table 8", "At off and fatal nothing is written.",
        "Bytes in the functional logs of both: none.", "0", 0, 0, "bytes",
    ),
)  # fmt: skip
