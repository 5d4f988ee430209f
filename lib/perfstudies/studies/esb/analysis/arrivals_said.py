"""What a closed load hides: computed sentences, each with its interval."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from perfstudies.experiment import Experiment
from perfstudies.report.settings import at
from perfstudies.report.tables import interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.intervals import Interval, mean_interval, ratio_interval, share_interval
from perfstudies.studies.esb.analysis.arrivals import (
    ARRIVALS,
    CLOSED,
    OVERLOAD,
    STOPPED,
    engines,
    over_closed,
    pair,
    values,
)
from perfstudies.studies.esb.analysis.arrivals_stall import held_up_share
from perfstudies.studies.esb.analysis.failures import failed_text
from perfstudies.studies.esb.analysis.mediation import ROUTE, indexed
from perfstudies.studies.esb.analysis.runs import labels

FOUND, NOT_MEASURED = "Found", "Not measured."
TAIL = "all_response_p99_ms"
HALF = "open-50"


def found_table(recorded: Recording, experiment: Experiment, connections: int) -> pd.DataFrame:
    """Return what was found: a row a question, with an answer for each engine.

    Parameters
    ----------
    recorded : Recording
        Of the arrivals.
    experiment : Experiment
        Whose labels are printed.
    connections : int
        Of the load.
    """
    runs = recorded.runs
    questions: dict[str, Callable[[str], str]] = {
        "What does a closed load say of times at half the rate?": lambda route: _tails(runs, route, CLOSED, HALF),
        "What does it say of too high a rate?": lambda route: _tails(runs, route, OVERLOAD, CLOSED),
        "What does a clock hide that starts when a message is sent?": lambda route: _hidden(runs, route, OVERLOAD),
        "And if the engine stops for a while?": lambda route: _hidden(runs, route, STOPPED[HALF]),
        "How many messages does a stop hold up?": lambda route: _held_up(runs, route),
        "Does the 99 % quantile of a closed load tell of the stop?": lambda route: _told(runs, route, CLOSED),
        "Does that of open arrivals?": lambda route: _told(runs, route, HALF),
        "Do a closed load's times follow from its rate?": lambda route: _clients(runs, route, connections),
    }
    label, rows = labels(experiment), {}
    for question, answer in questions.items():
        for route in engines(recorded):
            rows[question, label(ROUTE, route)] = {FOUND: _sentence(answer(route)) or NOT_MEASURED}
    rows["Do messages fail?", "All"] = {FOUND: _sentence(failed_text(runs))}
    return indexed(rows, ["Question", "Engine"])


def _sentence(said: str) -> str:
    return f"{said[:1].upper()}{said[1:]}." if said else ""


def _tails(runs: pd.DataFrame, route: str, above: str, below: str) -> str:
    both = pair(runs, route, above, below, TAIL)
    if both[0].empty:
        return ""
    return (
        f"99 % within {both[0].mean():,.1f} ms {_load(runs, route, above)} and {both[1].mean():,.1f} ms "
        f"{_load(runs, route, below)}, {_text(ratio_interval(*both))} times as long"
    )


def _load(runs: pd.DataFrame, route: str, arrivals: str) -> str:
    """Return a load in words; open ones by the share that was really offered."""
    if arrivals == CLOSED:
        return "under the closed load"
    share = over_closed(runs)[(runs[ROUTE] == route) & (runs[ARRIVALS] == arrivals)].mean()
    return f"at {100 * share:.0f} % of its rate"


def _hidden(runs: pd.DataFrame, route: str, arrivals: str) -> str:
    both = at(runs, {ROUTE: route, ARRIVALS: arrivals})[[TAIL, "all_service_p99_ms"]].dropna()
    if both.empty:
        return ""
    found = ratio_interval(both.iloc[:, 0], both.iloc[:, 1])
    return (
        f"99 % within {both.iloc[:, 0].mean():,.1f} ms from when they were due and {both.iloc[:, 1].mean():,.1f} ms "
        f"from when they were sent, {_text(found)} times as long"
    )


def _held_up(runs: pd.DataFrame, route: str) -> str:
    said = {}
    for base, arrivals in STOPPED.items():
        share = held_up_share(at(runs, {ROUTE: route, ARRIVALS: arrivals}))
        if len(share):
            found = share_interval(share)
            text = interval_text(100 * found.estimate, 100 * found.low, 100 * found.high)
            said["closed" if base == CLOSED else "open at half the rate"] = f"{text} %"
    return ", ".join(f"{name} {text}" for name, text in said.items())


def _told(runs: pd.DataFrame, route: str, base: str) -> str:
    both = pair(runs, route, STOPPED[base], base, TAIL)
    if both[0].empty:
        return ""
    whole = ratio_interval(*both)
    told = "it grows" if whole.low > 1 else "it falls" if whole.high < 1 else "it is not told apart"
    return f"{told}, with the stop over without it: {_text(whole)}"


def _clients(runs: pd.DataFrame, route: str, connections: int) -> str:
    under_way = values(runs, route, CLOSED, "under_way_response")
    if under_way.empty:
        return ""
    found = mean_interval(under_way)
    return f"its rate times its mean time is {_text(found, 1)}, of {connections} clients"


def _text(found: Interval, digits: int = 2) -> str:
    return interval_text(found.estimate, found.low, found.high, digits)
