"""The same engine under closed and open arrivals: what was offered, and how long messages took by either clock.

Under open arrivals a message that finds no free connection waits at the client. Its response time counts from when it
was due; its service time only from when it was sent, which is what a client sees that asks itself nothing else.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.experiment import Experiment
from perfstudies.report.figures import COLOURS, WIDTH_INCH, plain_numbers, style
from perfstudies.report.settings import at, margin
from perfstudies.report.tables import MISSING, interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.intervals import ratio_interval
from perfstudies.studies.esb.analysis.failures import failed_share
from perfstudies.studies.esb.analysis.mediation import ROUTE, bars, geometric, indexed
from perfstudies.studies.esb.analysis.runs import labels
from perfstudies.studies.esb.waits import QUANTILES

ARRIVALS, CLOSED, OVERLOAD = "arrivals", "closed", "open-110"
STOPPED = {"closed": "closed-stall", "open-50": "open-50-stall"}
"""Loads that were also measured with a stop of the engine, and those."""
NAMES = {"p50": "50 %", "p90": "90 %", "p99": "99 %", "p999": "99.9 %"}
CLOCKS = {"response": "when it was due", "service": "when it was sent"}
SHORT = {
    "closed": "Closed", "open-50": "Open, 50 %", "open-80": "Open, 80 %", "open-110": "Open, 110 %",
    "closed-stall": "Closed, stop", "open-50-stall": "Open, 50 %, stop",
}  # fmt: skip
ROWS: list[Any] = ["Engine", "Arrivals"]


def settings(recorded: Recording) -> list[dict[str, str]]:
    """Return the measured settings of engine and arrivals, in the order of declaration."""
    found = recorded.runs.groupby([ROUTE, ARRIVALS], observed=True).size()
    return [{ROUTE: route, ARRIVALS: arrivals} for route, arrivals in found.index]


def engines(recorded: Recording) -> list[str]:
    """Return the measured engines, in the order of declaration."""
    return list(dict.fromkeys(setting[ROUTE] for setting in settings(recorded)))


def values(runs: pd.DataFrame, route: str, arrivals: str, column: str) -> pd.Series:
    """Return a column of one setting's runs by block; empty if it was not measured."""
    return at(runs, {ROUTE: route, ARRIVALS: arrivals}).set_index("block")[column].astype(float).dropna()


def pair(runs: pd.DataFrame, route: str, above: str, below: str, column: str) -> tuple[pd.Series, pd.Series]:
    """Return a column at two kinds of arrivals, in the blocks in which both are above 0."""
    both = pd.concat([values(runs, route, one, column) for one in (above, below)], axis=1, keys=("above", "below"))
    both = both[(both > 0).all(axis=1)]
    return both["above"], both["below"]


def over_closed(runs: pd.DataFrame) -> pd.Series:
    """Return each run's offered rate over what the closed load of its block got through; missing if closed."""
    closed = runs[(runs[ARRIVALS] == CLOSED) & (runs["per_s"] > 0)].set_index(["block", ROUTE])["per_s"]
    rate = runs["rate_per_s"].where(runs["rate_per_s"] > 0)
    through = [closed.get((block, route), np.nan) for block, route in zip(runs["block"], runs[ROUTE], strict=True)]
    return rate / pd.Series(through, runs.index)


def offered_table(recorded: Recording, experiment: Experiment) -> pd.DataFrame:
    """Return what each setting offered and got answered: means over runs with 95 % margins."""
    label, rows = labels(experiment), {}
    share = over_closed(recorded.runs)
    for setting in settings(recorded):
        part = at(recorded.runs, setting)
        due = part[part["rate_per_s"] > 0]
        rows[label(ROUTE, setting[ROUTE]), label(ARRIVALS, setting[ARRIVALS])] = {
            "Runs": len(part),
            "Got through just before (1/s)": margin(due["capacity_per_s"], 0),
            "Offered (1/s)": margin(due["rate_per_s"], 0),
            "Offered, % of the block's closed run": margin(100 * share[due.index].dropna(), 1),
            "Answered meanwhile (1/s)": margin(part["per_s"].dropna(), 0),
            "Failed (%)": margin(100 * failed_share(part), 3),
        }
    return indexed(rows, ROWS)


def times_table(recorded: Recording, experiment: Experiment) -> pd.DataFrame:
    """Return quantiles of times by both clocks (ms), means over runs with 95 % margins; a closed load's agree."""
    label, rows = labels(experiment), {}
    for setting in settings(recorded):
        part = at(recorded.runs, setting)
        same = not (part["rate_per_s"] > 0).any()
        for clock, name in CLOCKS.items():
            if same and clock == "service":
                continue
            key = (label(ROUTE, setting[ROUTE]), label(ARRIVALS, setting[ARRIVALS]), "either" if same else name)
            rows[key] = {
                f"{NAMES[one]} within (ms)": margin(part[f"all_{clock}_{one}_ms"].dropna(), 1) for one in QUANTILES
            }
    return indexed(rows, [*ROWS, "From"])


def hidden_table(recorded: Recording, experiment: Experiment) -> pd.DataFrame:
    """Return times from when messages were due over times from when they were sent: 95 % intervals over runs."""
    label, rows = labels(experiment), {}
    for setting in settings(recorded):
        part = at(recorded.runs, setting)
        if not (part["rate_per_s"] > 0).any():
            continue
        row = {}
        for one in QUANTILES:
            both = part[[f"all_{clock}_{one}_ms" for clock in CLOCKS]].dropna()
            found = ratio_interval(both.iloc[:, 0], both.iloc[:, 1]) if len(both) else None
            row[f"{NAMES[one]} within"] = interval_text(found.estimate, found.low, found.high) if found else MISSING
        rows[label(ROUTE, setting[ROUTE]), label(ARRIVALS, setting[ARRIVALS])] = row
    if not rows:
        return pd.DataFrame({"99 % within": MISSING}, index=pd.Index(["No open arrivals"], name="Engine"))
    return indexed(rows, ROWS)


def drawn(recorded: Recording, experiment: Experiment) -> pd.DataFrame:
    """Return what the figures draw: a row a setting, clock and quantile (50 and 99 %).

    Columns: ``estimate``, ``low`` and ``high`` (ms; geometric mean over runs with its 95 % interval), and ``offered``
    (% of the block's closed run, mean over runs).
    """
    label, rows = labels(experiment), {}
    share = over_closed(recorded.runs)
    for setting in settings(recorded):
        part = at(recorded.runs, setting)
        for clock, name in CLOCKS.items():
            for one in ("p50", "p99"):
                times = part[f"all_{clock}_{one}_ms"].dropna()
                if len(times):
                    key = (label(ROUTE, setting[ROUTE]), SHORT[setting[ARRIVALS]], f"{NAMES[one]} within, from {name}")
                    rows[key] = geometric(times) | {"offered": 100 * share[part.index].mean()}
    return indexed(rows, [*ROWS, "Quantile"])


def times_figure(found: pd.DataFrame) -> Figure:
    """Draw the quantiles by setting, a panel an engine; hollow: from when messages were sent."""
    names = list(dict.fromkeys(found.index.get_level_values("Engine")))
    places = list(dict.fromkeys(found.index.get_level_values("Arrivals")))
    kinds = list(dict.fromkeys(found.index.get_level_values("Quantile")))
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 4.4), layout="constrained")
        panels = figure.subplots(1, len(names), sharey=True, squeeze=False)[0]
        for axes, engine in zip(panels, names, strict=True):
            for place, kind in enumerate(kinds):
                part = found.loc[engine].xs(kind, level="Quantile").reindex(places)
                colour, hollow = COLOURS[0 if kind.startswith("50") else 1], "sent" in kind
                axes.errorbar(
                    np.arange(len(places)) + 0.14 * (place - (len(kinds) - 1) / 2), part["estimate"], yerr=bars(part),
                    fmt="os^D"[place % 4], color=colour, mfc="white" if hollow else colour, ms=5, capsize=3,
                    elinewidth=1, label=kind,
                )  # fmt: skip
            axes.set(yscale="log", title=engine)
            axes.set_xticks(range(len(places)), places, rotation=35, ha="right")
            axes.grid(axis="x", visible=False)
            plain_numbers(axes.yaxis)
        panels[0].set_ylabel("Time (ms), logarithmic")
        handles, texts = panels[0].get_legend_handles_labels()
        figure.legend(handles, texts, loc="outside upper center", ncols=2)
    return figure


def describe_times(found: pd.DataFrame) -> str:
    """Put `times_figure` into words."""
    said = []
    for (engine, name), part in found.groupby(level=ROWS, sort=False):
        texts = ", ".join(f"{kind}: {value:,.1f} ms" for kind, value in part["estimate"].droplevel(ROWS).items())
        said.append(f"{engine}, {name}: {texts}")
    return f"Quantiles of times by arrivals. {'. '.join(said)}."


def by_share(found: pd.DataFrame) -> pd.DataFrame:
    """Return the part of `drawn` on response times of runs without a stop: a row a setting and quantile."""
    due = found[found.index.get_level_values("Quantile").str.endswith(CLOCKS["response"])]
    return due[~due.index.get_level_values("Arrivals").str.endswith("stop")]


def share_figure(found: pd.DataFrame) -> Figure:
    """Draw response times over the offered share, a panel an engine; dashed: under the closed load."""
    names = list(dict.fromkeys(found.index.get_level_values("Engine")))
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 3.9), layout="constrained")
        panels = figure.subplots(1, len(names), sharey=True, squeeze=False)[0]
        for axes, engine in zip(panels, names, strict=True):
            for place, (kind, rows) in enumerate(found.loc[engine].groupby(level="Quantile", sort=False)):
                part, colour = rows.droplevel("Quantile"), COLOURS[place]
                shown = part.dropna(subset="offered").sort_values("offered")
                axes.errorbar(
                    shown["offered"], shown["estimate"], yerr=bars(shown), fmt=f"{'os'[place % 2]}-", color=colour,
                    ms=5, capsize=3, lw=1.2, elinewidth=1, label=f"Open, {kind.split(',')[0]}",
                )  # fmt: skip
                if SHORT[CLOSED] in part.index:
                    closed = part.loc[SHORT[CLOSED], "estimate"]
                    axes.axhline(closed, color=colour, ls="--", lw=1.1, label=f"Closed, {kind.split(',')[0]}")
            axes.set(yscale="log", title=engine)
            plain_numbers(axes.yaxis)
        panels[0].set_ylabel("Time (ms), logarithmic")
        figure.supxlabel("Offered, % of what the closed load of the block got through", fontsize=9.5)
        handles, texts = panels[0].get_legend_handles_labels()
        figure.legend(handles, texts, loc="outside upper center", ncols=2)
    return figure


def describe_share(found: pd.DataFrame) -> str:
    """Put `share_figure` into words."""
    said = []
    for (engine, kind), part in found.groupby(level=["Engine", "Quantile"], sort=False):
        rows = part.droplevel(["Engine", "Quantile"])
        opened = rows.dropna(subset="offered").sort_values("offered")
        points = ", ".join(f"{row['estimate']:,.1f} ms at {row['offered']:.0f} %" for _, row in opened.iterrows())
        closed = f", {rows['estimate'][SHORT[CLOSED]]:,.1f} ms closed" if SHORT[CLOSED] in rows.index else ""
        said.append(f"{engine}, {kind}: {points}{closed}")
    return f"Lines of response times over the offered share. {'; '.join(said)}."
