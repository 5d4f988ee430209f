"""The STEP study's claims in our words, each with the region of a statistic in which it counts as true.

Regions are drawn before anything is measured: from the study's own numbers, or a stated convention.
"""

from __future__ import annotations

from math import inf

from perfstudies.experiment import Finding

SAME = 1.05
"""Levels whose costs differ by less than 5 % either way count as the same: the study's own five differ by 0.6 %."""

MONITORS_DIFFER = 332.91 / 289.89
"""Table 8's time at info over the sum of Table 1."""

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
    _claim(
        "S21-monitor", "Tables 1 and 8",
        "Requests at info take 333 ms in Table 8, measured with Perf4J, and 290 ms in Table 1, measured with Layer: the monitor "
        "makes the difference.",
        "Our reading of two tables that the study does not compare. Request time at info under Perf4J over that under Layer: from "
        "half to twice the published difference on the log scale.", "1.148", MONITORS_DIFFER**0.5, MONITORS_DIFFER**2, "ratio",
    ),
)  # fmt: skip

_T5 = "Table 5, Figure 13"

CACHE_FINDINGS = (
    _claim(
        "S14-read-only", _T5, "With a local database the read-only cache changes nothing.",
        "Request time with it over that without, within a block; 5 % either way count as the same.",
        "negligible effect", 1 / SAME, SAME, "ratio",
    ),
    _claim(
        "S14-read-write", _T5, "With a local database the read-write cache makes requests slower.",
        "Request time with it over that without, within a block.", "decreases performance", 1, inf, "ratio",
    ),
    _claim(
        "S14-reads", _T5, "With a local database the read-write cache doubles the share of Hibernate's reads.",
        "Ratio of shares within a block, within a factor of 2 of the published 10.65 % over 4.52 %.",
        "2.36", 1.18, 4.71, "ratio",
    ),
    _claim(
        "S15", _T5, "Over 100 Mbit/s requests are only marginally slower than with a local database.",
        "Request time without cache over that at the local database: not faster by more than 5 %, and slower by a quarter at most, "
        "which is what the shares of the two web layers in Table 5 suggest (1.24).",
        "marginally worse", 1 / SAME, 1.25, "ratio",
    ),
    _claim(
        "S15-read-only", _T5, "Over 100 Mbit/s the read-only cache does not help: it does so only over 10 Mbit/s.",
        "Request time with it over that without, within a block; up to 5 % faster count as no help.",
        "none given", 1 / SAME, inf, "ratio",
    ),
    _claim(
        "S16-read-only", _T5, "Over 10 Mbit/s the read-only cache makes requests faster.",
        "Request time with it over that without, within a block.", "beneficial", -inf, 1, "ratio",
    ),
    _claim(
        "S16-slow", _T5, "Over 10 Mbit/s requests take about three times as long as over faster networks.",
        "Geometric mean of the times of the 10 Mbit/s settings over that of the same caches at the local database and "
        "over 100 Mbit/s, within a factor of 2 of the published.", "3", 1.5, 6, "ratio",
    ),
)  # fmt: skip
