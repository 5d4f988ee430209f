"""The five lists of "ESB performance", published and measured: messages a second by way and concurrency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.report.figures import COLOURS, WIDTH_INCH, plain_numbers, style
from perfstudies.report.settings import margin
from perfstudies.runs.recording import Recording
from perfstudies.stats.growth import exponents, over_units
from perfstudies.stats.intervals import ratio_interval
from perfstudies.studies.esb.base import ROUTE_LABELS
from perfstudies.studies.esb.published import published_lists

ROUTE, CONNECTIONS = "route", "connections"
LISTS = {
    "direct": "Direct",
    "synapse": "WSO2 ESB, default",
    "synapse-tuned": "WSO2 ESB, more threads",
    "camel": "UltraESB",
    "camel-zero-copy": "UltraESB, zero copy",
}
"""What the post's list is called that stands beside a way."""


def wide(runs: pd.DataFrame, route: str, column: str = "per_s") -> pd.DataFrame:
    """Return a column of one way's runs: a row a block, a column a number of connections, ascending."""
    part = runs[runs[ROUTE] == route]
    found = part.pivot(index="block", columns=CONNECTIONS, values=column).dropna(axis=1, how="all")
    found.columns = [int(level) for level in found.columns]
    return found.sort_index(axis=1)


def over_levels(runs: pd.DataFrame, route: str, column: str = "per_s") -> pd.Series:
    """Return the geometric mean over levels of concurrency of each block that has them all."""
    return np.exp(wide(runs, route, column).apply(np.log).mean(axis=1, skipna=False)).dropna()


def ratio(runs: pd.DataFrame, above: str, below: str) -> pd.Series:
    """Return one way's messages a second over another's in each block, geometric mean over levels of concurrency."""
    both = pd.concat([over_levels(runs, above), over_levels(runs, below)], axis=1, keys=("above", "below")).dropna()
    return both["above"] / both["below"]


def growth(runs: pd.DataFrame, route: str) -> pd.Series:
    """Return the exponent of messages a second over concurrency in each block."""
    part = runs[runs[ROUTE] == route]
    return exponents(part.assign(at=part[CONNECTIONS].astype(int)), "at", "per_s")


def lists_table(recorded: Recording) -> pd.DataFrame:
    """Return the lists one below the other, as the post has them: a row a number of clients, published and measured."""
    runs, said, rows = recorded.runs, published_lists(), {}
    for route in runs[ROUTE].cat.categories:
        found = wide(runs, route)
        for level in [level for level in said.index if level in found]:
            rows[LISTS[route], ROUTE_LABELS[route], f"{level:,}"] = {
                "Published": said.loc[level, route],
                "Measured": margin(found[level].dropna(), 0),
            }
    shown = pd.DataFrame.from_dict(rows, orient="index")
    shown.index = pd.MultiIndex.from_tuples(rows, names=["Published list", "Measured way", "Clients"])
    return shown


def points(recorded: Recording) -> dict[str, pd.DataFrame]:
    """Return messages a second as drawn: for each way ``published``, ``estimate``, ``low`` and ``high`` by clients."""
    said, series = published_lists(), {}
    for route in recorded.runs[ROUTE].cat.categories:
        found = wide(recorded.runs, route)
        rows = {level: over_units(found[level]) for level in found}
        if rows:
            series[ROUTE_LABELS[route]] = pd.DataFrame(
                {
                    "published": said[route].reindex(list(rows)),
                    "estimate": [one.estimate for one in rows.values()],
                    "low": [one.low for one in rows.values()],
                    "high": [one.high for one in rows.values()],
                },
                index=pd.Index(list(rows), name="Clients"),
            )
    return series


def lists_figure(series: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw messages a second over clients, the published lists beside the measured ones, axes logarithmic."""
    names = {ROUTE_LABELS[route]: name for route, name in LISTS.items()}
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 4.6), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        for place, (name, frame) in enumerate(series.items()):
            look = {"color": COLOURS[place], "marker": "os^Dv"[place % 5], "ms": 5, "lw": 1.2}
            left.plot(frame.index, frame["published"], ls="--", mfc="white", label=names[name], **look)
            right.errorbar(
                frame.index, frame["estimate"],
                yerr=[frame["estimate"] - frame["low"], frame["high"] - frame["estimate"]],
                capsize=3, label=name, **look,
            )  # fmt: skip
        for axes, title in ((left, "Published"), (right, "Measured")):
            axes.set(xscale="log", yscale="log", xlabel="Clients, logarithmic", title=title)
            axes.set_xticks(sorted({at for frame in series.values() for at in frame.index}))
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
            axes.minorticks_off()
            plain_numbers(axes.yaxis)
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), fontsize=8)
        left.set_ylabel("Messages/s, logarithmic")
    return figure


def describe_lists(series: Mapping[str, pd.DataFrame]) -> str:
    """Put `lists_figure` into words."""
    parts = []
    for name, frame in series.items():
        low, high = frame.index.min(), frame.index.max()
        here, there = ([frame.loc[at, column] for at in (low, high)] for column in ("estimate", "published"))
        parts.append(
            f"{name}: {here[0]:,.0f}/s at {low:,} clients and {here[1]:,.0f}/s at {high:,}; published {there[0]:,.0f} "
            f"and {there[1]:,.0f}"
        )
    return f"Two panels of messages a second over clients, published and measured. {'. '.join(parts)}."


def shares(recorded: Recording, base: str = "direct") -> dict[str, pd.DataFrame]:
    """Return each way's share of what the base gives, by clients: published, and measured with 95 % intervals."""
    said, runs = published_lists(), recorded.runs
    below = wide(runs, base)
    series = {}
    for route in [one for one in runs[ROUTE].cat.categories if one != base]:
        above = wide(runs, route)
        levels: list[Any] = [level for level in above if level in below]
        rows = {}
        for level in levels:
            both = pd.concat([above[level], below[level]], axis=1).dropna()
            found = ratio_interval(both.iloc[:, 0], both.iloc[:, 1])
            rows[f"{level:,}"] = (said[route][level] / said[base][level], found.estimate, found.low, found.high)
        if rows:
            series[ROUTE_LABELS[route]] = pd.DataFrame.from_dict(
                rows, orient="index", columns=["published", "estimate", "low", "high"]
            )
    return series


def shares_series(found: Mapping[str, pd.DataFrame], routes: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return `shares` of some ways as series to draw, published ones first."""
    series = {}
    for route in routes:
        if (name := ROUTE_LABELS[route]) in found:
            frame = found[name]
            series[f"{LISTS[route]}, published"] = (
                frame[["published"]].set_axis(["estimate"], axis=1).assign(low=np.nan, high=np.nan)
            )
            series[f"{name}, measured"] = frame[["estimate", "low", "high"]]
    return series


def describe_shares(series: Mapping[str, pd.DataFrame]) -> str:
    """Put the points of `shares_series` into words."""
    parts = [
        f"{name}: {', '.join(f'{value:.2f} at {at}' for at, value in frame['estimate'].items())} clients"
        for name, frame in series.items()
    ]
    return f"Share of the back end's own messages a second that is left. {'; '.join(parts)}."
