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
        "smoke": Size(blocks=1, sessions=3),
        "quick": Size(blocks=3, sessions=25),
        "standard": Size(blocks=30, sessions=50),
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
    sizes={
        "smoke": Size(blocks=1, sessions=1),
        "quick": Size(blocks=3, sessions=2),
        "standard": Size(blocks=30, sessions=5),
        "full": Size(blocks=30, sessions=50),
    },
)

EXPERIMENTS = (TIME_BREAKDOWN, LOGGING_COST)
