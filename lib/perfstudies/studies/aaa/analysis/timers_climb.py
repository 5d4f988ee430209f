"""Do times climb along a run, and then stay level? The words of the AAA study on its Figure 11, put into numbers.

Two ways: means of parts of a run over each other, which need no model; and two lines that meet, which say where the
climb ends (`perfstudies.stats.trend`). Both rest on answered requests.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from perfstudies.errors import BadParameter
from perfstudies.report.settings import SETTING
from perfstudies.runs.recording import Recording
from perfstudies.stats.trend import LEAST_POINTS, climb
from perfstudies.studies.aaa.analysis.timers_times import TIMES, answered

EARLY = 5
"""The first requests of each client, that those of the second half are compared with."""
SIMULATED = 199


def climbs(recorded: Recording) -> pd.DataFrame:
    """Return per run how times change along it, as ratios of means of answered requests.

    Columns: ``run``, ``block``, ``setting``; for total and EJB time ``climb`` (second half over the first five of each
    client) and ``level`` (last quarter over the one before), and ``faster`` (climb of total over climb of EJB time).
    Runs without answers in one of these parts have missing values.
    """
    part = answered(recorded)
    place = part["number"] / (recorded.calls.groupby("run")["number"].max().reindex(part["run"]).to_numpy() + 1)
    parts = {
        "early": part["number"] < EARLY,
        "late": (place >= 0.5) & (part["number"] >= EARLY),
        "third": (place >= 0.5) & (place < 0.75),
        "fourth": place >= 0.75,
    }
    means = {name: part[chosen].groupby("run", observed=True)[list(TIMES)].mean() for name, chosen in parts.items()}
    found = recorded.runs[["run", "block", SETTING]].set_index("run")
    for column, name in TIMES.items():
        found[f"{name} climb"] = means["late"][column] / means["early"][column]
        found[f"{name} level"] = means["fourth"][column] / means["third"][column]
    return found.assign(faster=found["total climb"] / found["EJB climb"]).reset_index()


def breaks(recorded: Recording, seed: int = 1) -> pd.DataFrame:
    """Fit two lines that meet to the logarithm of each run's total times over the number of the request.

    Times are means over the clients' requests of one number. Columns: ``run``, ``block``, ``setting``; ``place``
    (number of the request at which the lines meet, from 1), ``climbed`` (% that the first line adds), ``drift`` (what
    the second adds, as a share of the first), ``p`` (that one line would do as well). Runs with answers to too few
    numbers are left out.
    """
    by_number = answered(recorded).groupby(["run", "number"], observed=True)["total_ms"].mean()
    runs = recorded.runs.set_index("run")[["block", SETTING]]
    rows = []
    for run, times in by_number.groupby(level="run", observed=True):
        level = times.droplevel("run").dropna()
        if len(level) > 2 * LEAST_POINTS:
            rows.append({"run": run, **runs.loc[run].to_dict()} | _break(level, seed))
    found = pd.DataFrame(rows, columns=["run", "block", SETTING, "place", "climbed", "drift", "p"])
    return found.assign(**{SETTING: pd.Categorical(found[SETTING], recorded.runs[SETTING].cat.categories)})


def _break(level: pd.Series, seed: int) -> dict[str, float]:
    try:
        found = climb(level.index, level, log=True, count=SIMULATED, seed=seed)
    except BadParameter:  # all points lie on one line
        return {"place": np.nan, "climbed": np.nan, "drift": np.nan, "p": 1.0}
    climbed = 100 * float(np.expm1(found.climbed))
    return {"place": found.breakpoint + 1, "climbed": climbed, "drift": found.drift, "p": found.p_break}
