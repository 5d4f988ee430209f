"""The values that decide the findings on a client's pool of connections."""

from __future__ import annotations

from typing import Any

import pandas as pd

from perfstudies.experiment import Finding
from perfstudies.runs.recording import Recording
from perfstudies.studies.esb.analysis.releases import KIND, cost_pairs, release_runs
from perfstudies.studies.esb.connections import CLIENT_CONNECTIONS, DEFAULT, FEW, FINDINGS, MANY, RELEASE

CLIENT, CONNECTIONS = CLIENT_CONNECTIONS.factors


def cases(
    pooled: Recording, times: pd.DataFrame, releases: Recording, cost: pd.DataFrame
) -> list[tuple[Finding, pd.Series, str]]:
    """Return the findings with their values by block, and the scale of each test.

    Parameters
    ----------
    pooled : Recording
        Of the experiment on clients and connections.
    times : DataFrame
        From `run_times` of the same.
    releases : Recording
        Of the experiment on what gives connections back.
    cost : DataFrame
        From `run_times` of the experiment on its cost.
    """
    most = pooled.runs.set_index([CLIENT.name, CONNECTIONS.name])["most_at_once"]
    slow = times[times[CLIENT.name] == "axis2"].pivot(index="block", columns=CONNECTIONS.name, values="total_ms")
    slow = slow.reindex(columns=[FEW, MANY]).dropna()
    of = release_runs(releases)
    nothing = of[of[RELEASE.name] == "none"].set_index(KIND.name)["answered"]
    share = of.assign(given=100 * of["given"] / of["calls"], answered=100 * of["answered"] / of["calls"])
    least = share.groupby([RELEASE.name, "block"], observed=True)[["given", "answered"]].min()
    option, cleanup = cost_pairs(cost)
    values = {
        "E9": (_at(most, ("axis2", FEW)), "identity"),
        "E9-auto-two": (_at(most, ("axis2-auto", FEW)), "identity"),
        "E9-default": (_at(most, ("axis2", DEFAULT)), "identity"),
        "E9-twenty": (_at(most, ("axis2", MANY)), "identity"),
        "E9-slow": (slow[FEW] / slow[MANY], "log"),
        "E9-hang": (_at(nothing, "new"), "identity"),
        "E9-hang-one": (_at(nothing, "kept"), "identity"),
        "E9-cleanup": (_at(least["answered"], "cleanup"), "identity"),
        "E9-auto-release": (_at(least["given"], "auto"), "identity"),
        "E9-auto": (_at(least["answered"], "auto"), "identity"),
        "E9-cost": (option / cleanup, "log"),
    }
    return [(finding, *values[finding.id]) for finding in FINDINGS]


def _at(values: pd.Series, level: Any) -> pd.Series:
    """Return the values of a level of the index; none if it was not measured."""
    return values.loc[[level]] if level in values.index else values.iloc[:0]
