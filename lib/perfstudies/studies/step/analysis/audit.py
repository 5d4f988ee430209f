"""How sure the STEP study could be: what its numbers of runs allow its printed means and shares to say.

The report prints no margin in any table of results. How small they must have been follows from its printed means and
its numbers of runs, which the public tool chain lists.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.published import published_table
from perfstudies.report.figures import COLOURS, WIDTH_INCH, style
from perfstudies.stats.power import break_even_cv, break_even_cv_of_margin
from perfstudies.stats.summary import STUDY_QUANTILES
from perfstudies.studies.step.published import published_runs

TIME, WEB, WS, SERVICE, ENGINE, WRITES, READS = (
    "Time (ms)", "Web (%)", "WS (%)", "Service (%)", "Hib. Eng. (%)", "Hib. W (%)", "Hib. R (%)",
)  # fmt: skip

MEDIUM = "SizeMedium"
"""The run file of the setting that Tables 1 to 7 share."""

RUN_FILES = {
    "Tables 1 and 3": (MEDIUM,),
    "Table 2": ("MonPerf4JNoAgg", "MonPerf4J", "MonEvent", "MonLayerNoHWrap", MEDIUM),
    "Table 4": ("SizeSmall", MEDIUM, "SizeLarge", "SizeXLarge", "SizeXXLarge"),
    "Table 5, local database": (MEDIUM, "CacheRO", "CacheRW"),
    "Table 5, database over a LAN": (),
    "Tables 6 and 7, one user": (MEDIUM,),
    "Tables 6 and 7, 2 to 16 users": ("Users2", "Users4", "Users8", "Users16"),
    "Table 8": ("LogOff", "LogFatal", "LogError", "LogWarn", "LogInfo", "LogDebug", "LogTrace"),
}
"""Which run file made which rows: our reading of the files' names."""


def runs_behind(where: str) -> float:
    """Return how many runs the study had of the settings of the tables that are named, by its tool chain.

    Parameters
    ----------
    where : str
        Where a statement stands, such as "Tables 6 and 7, section 3.9".

    Returns
    -------
    float
        The smallest number of any of these settings; missing if no table is named, or no run file is known.
    """
    named = _tables(where)
    samples = published_runs()["samples"]
    files = [name for key, names in RUN_FILES.items() if named & _tables(key) for name in names]
    return float(samples[files].min()) if files else np.nan


def _tables(text: str) -> set[str]:
    return {number for found in re.findall(r"Tables? (\d+(?: and \d+)?)", text) for number in found.split(" and ")}


@dataclass(frozen=True)
class Comparison:
    """Two published numbers of one quantity that a statement sets against each other, and the runs behind each."""

    id: str
    where: str
    label: str
    quantity: str
    first: float
    second: float
    runs: tuple[int, int]


def comparisons() -> list[Comparison]:
    """Return the differences on which the report's statements rest, as far as it prints them."""
    table = {number: published_table("step", number) for number in range(1, 9)}
    # Two of Table 5's labels stand for several databases; rows are told apart by their place.
    table[5] = table[5].reset_index(drop=True)
    samples = published_runs()["samples"]
    many, few = int(samples[MEDIUM]), int(samples["LogOff"])
    one = table[1]["Time (ms)"].sum()

    def shares(
        id: str, number: int, label: str, column: str, first: Any, second: Any, runs: tuple[int, int] = (many, many)
    ) -> Comparison:
        values = table[number][column]
        return Comparison(id, f"Table {number}", label, column, float(values[first]), float(values[second]), runs)

    def levels(id: str, label: str, first: str, second: str) -> Comparison:
        values = table[8][TIME]
        return Comparison(id, "Table 8", label, TIME, float(values[first]), float(values[second]), (few, few))

    largest, next_largest = table[1]["Time %"].nlargest(2)
    return [
        Comparison("largest", "Table 1", "Service and the next slice", SERVICE, largest, next_largest, (many, many)),
        shares("raw", 2, "Perf4J raw and Layer", SERVICE, "Perf4J raw", "Layer"),
        shares("agg", 2, "Perf4J agg and Layer", READS, "Perf4J agg", "Layer"),
        shares("unwrapped", 2, "Layer -Hwrap and Layer", ENGINE, "Layer -Hwrap", "Layer"),
        shares("event", 2, "Event and Layer -Hwrap", SERVICE, "Event", "Layer -Hwrap"),
        shares("searches", 3, "Searches and Reservations", WRITES, "Searches", "Reservations"),
        shares("small", 4, "3215 and 5190 characters", WS, 3215, 5190),
        shares("fall", 4, "5190 and 28348 characters", SERVICE, 5190, 28348),
        shares("rise", 4, "142145 and 222281 characters", SERVICE, 142145, 222281),
        shares("writes", 4, "3215 and 222281 characters", WRITES, 3215, 222281),
        shares("read-only", 5, "Local DB without and with r-only cache", READS, 0, 1),
        shares("read-write", 5, "Local DB without and with r-w cache", READS, 0, 2),
        shares("lan", 5, "Local DB and 100 Mbit LAN DB", SERVICE, 0, 3),
        shares("two-users", 6, "1 and 2 users", SERVICE, 1, 2, (many, few)),
        shares("users", 6, "1 and 16 users", SERVICE, 1, 16, (many, few)),
        shares("failures", 7, "2 and 4 users", "Errors (%)", 2, 4, (few, few)),
        shares("last-failures", 7, "8 and 16 users", "Errors (%)", 8, 16, (few, few)),
        levels("fatal", "Off and Fatal", "Off", "Fatal"),
        levels("quiet", "Error and Warn", "Error", "Warn"),
        levels("info", "Off and Info", "Off", "Info"),
        levels("debug", "Info and Debug", "Info", "Debug"),
        levels("trace", "Debug and Trace", "Debug", "Trace"),
        Comparison(
            "base", "Tables 1 and 8", "sum of Table 1 and Info", TIME, one, table[8][TIME]["Info"], (many, few)
        ),
    ]  # fmt: skip


def break_even(confidence: float, own: pd.Series) -> pd.DataFrame:
    """Return the largest variation between runs at which each difference is still significant.

    Parameters
    ----------
    confidence : float
        0.9, 0.95 or 0.99, as the study's margins.
    own : Series
        What runs vary by here in percent, by quantity; quantities that were not measured here stay empty.

    Returns
    -------
    DataFrame
        Indexed by the comparisons' ids; coefficients of variation in percent.
    """
    quantile = STUDY_QUANTILES[round(100 * confidence)]
    rows = {}
    for one in comparisons():
        pair = one.first, one.second
        rows[one.id] = {
            "where": one.where,
            "label": one.label,
            "quantity": one.quantity,
            "first": one.first,
            "second": one.second,
            "runs": f"{one.runs[0]} / {one.runs[1]}",
            "t": 100 * break_even_cv(*pair, one.runs, confidence),
            "normal": 100 * break_even_cv(*pair, one.runs, confidence, "normal"),
            "margin": 100 * break_even_cv_of_margin(*pair, one.runs, quantile),
            "own": own.get(one.quantity, np.nan),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def break_even_figure(found: pd.DataFrame, largest_cv: float) -> Figure:
    """Draw the break-even variation of each comparison on a logarithmic axis.

    Parameters
    ----------
    found : DataFrame
        From `break_even`.
    largest_cv : float
        What a run is not believed to exceed, in percent; drawn as a line.
    """
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 1.3 + 0.27 * len(found)), layout="constrained")
        axes = figure.subplots()
        places = range(len(found))
        axes.hlines(places, found["t"], found["margin"], color="0.6", lw=1)
        for column, marker, face, name in (
            ("t", "o", COLOURS[0], "Welch's test, Student's t"),
            ("margin", "|", "none", "the study's rule, normal quantile"),
        ):
            axes.plot(found[column], places, marker, color=COLOURS[0], mfc=face, ms=7, mew=1.6, label=name)
        axes.plot(found["own"], places, "D", color=COLOURS[1], mfc="white", ms=5.5, mew=1.4, label="our own runs")
        axes.axvline(largest_cv, color="0.25", ls="--", lw=1.1, label=f"{largest_cv:g} %, taken as the most")
        axes.set(xscale="log", xlabel="Coefficient of variation between runs (%), logarithmic")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        short = found["where"].str.replace("Tables ", "T").str.replace("Table ", "T")
        compared = found["quantity"].str.replace(r" \(.*", "", regex=True) + ": " + found["label"]
        axes.set_yticks(list(places), short + "  " + compared)
        axes.tick_params(axis="y", labelsize=8)
        axes.invert_yaxis()
        figure.legend(loc="outside upper center", ncols=2)
    return figure
