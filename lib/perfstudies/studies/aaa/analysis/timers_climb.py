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
from perfstudies.studies.aaa.analysis.timers import mean_text
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


def climb_table(found: pd.DataFrame) -> pd.DataFrame:
    """Return `climbs` per setting with 95 % intervals over runs; settings whose later requests all fail have none."""
    columns = {
        "total climb": "Total: second half / first five",
        "EJB climb": "EJB: second half / first five",
        "faster": "Climb of total / climb of EJB",
        "total level": "Total: last quarter / third",
        "EJB level": "EJB: last quarter / third",
    }
    rows = {
        setting: {label: mean_text(part[column], 3) for column, label in columns.items()}
        for setting, part in found.groupby(SETTING, observed=True)
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Setting")


def breaks(recorded: Recording, seed: int = 1) -> pd.DataFrame:
    """Fit two lines that meet to the logarithm of each run's times over the number of the request.

    Times are means over the clients' requests of one number. Columns: ``run``, ``block``, ``setting``, ``time``;
    ``place`` (number of the request at which the lines meet, from 1), ``climbed`` (% that the first line adds),
    ``drift`` (what the second adds, as a share of the first), ``p`` (that one line would do as well). Runs with answers
    to too few numbers are left out.
    """
    part = answered(recorded)
    runs = recorded.runs.set_index("run")[["block", SETTING]]
    rows = []
    for run, requests in part.groupby("run", observed=True):
        means = requests.groupby("number")[list(TIMES)].mean()
        for column, name in TIMES.items():
            level = means[column].dropna()
            if len(level) > 2 * LEAST_POINTS:
                rows.append({"run": run, **runs.loc[run].to_dict(), "time": name} | _break(level, seed))
    columns = ["run", "block", SETTING, "time", "place", "climbed", "drift", "p"]
    found = pd.DataFrame(rows, columns=columns)
    return found.assign(**{SETTING: pd.Categorical(found[SETTING], recorded.runs[SETTING].cat.categories)})


def _break(level: pd.Series, seed: int) -> dict[str, float]:
    try:
        found = climb(level.index, level, log=True, count=SIMULATED, seed=seed)
    except BadParameter:  # all points lie on one line
        return {"place": np.nan, "climbed": np.nan, "drift": np.nan, "p": 1.0}
    climbed = 100 * float(np.expm1(found.climbed))
    return {"place": found.breakpoint.estimate + 1, "climbed": climbed, "drift": found.drift, "p": found.p_break}


def breaks_table(found: pd.DataFrame) -> pd.DataFrame:
    """Return `breaks` per setting and time: where the lines meet, the climb until there and what comes after it.

    Place and drift mean little where one line would do as well; they are medians over the runs in which it would not,
    at 5 %.
    """
    rows = {}
    for (setting, time), part in found.groupby([SETTING, "time"], observed=True):
        broken = part[part["p"] <= 0.05]
        rows[setting, time] = {
            "Runs": len(part),
            "with two lines": len(broken),
            "They meet at request": round(broken["place"].median()) if len(broken) else None,
            "Climb until there (%)": mean_text(broken["climbed"]),
            "Then, as a share of it (median)": f"{broken['drift'].median():.2f}" if len(broken) else None,
        }
    if not rows:
        return pd.DataFrame({"Runs": 0}, index=pd.Index(["No run has answers to enough requests"], name="Setting"))
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["Setting", "Time"])
