"""What a hop costs, from one that only passes bytes on to one that reads messages; and a limit of open files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from perfstudies.report.settings import margin
from perfstudies.report.tables import interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.intervals import ratio_interval
from perfstudies.studies.esb.analysis.lists import ROUTE, ratio, wide
from perfstudies.studies.esb.base import ROUTE_LABELS

OPEN_FILES = "open_files"


def hop_table(recorded: Recording, base: str = "direct") -> pd.DataFrame:
    """Return messages a second by way and clients with 95 % margins, and each way's share of the base's."""
    rows = {}
    below = wide(recorded.runs, base)
    for route in recorded.runs[ROUTE].cat.categories:
        above = wide(recorded.runs, route)
        if above.empty:
            continue
        row = {f"Messages/s, {level:,} clients": margin(above[level].dropna(), 0) for level in above}
        for level in above:
            both = pd.concat([above[level], below[level]], axis=1).dropna()
            found = ratio_interval(both.iloc[:, 0], both.iloc[:, 1])
            text = interval_text(found.estimate, found.low, found.high) if route != base else "1"
            row[f"Share of direct, {level:,} clients"] = text
        rows[ROUTE_LABELS[route]] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Way")


def hop_series(recorded: Recording, base: str = "direct") -> dict[str, pd.DataFrame]:
    """Return each way's share of the base's messages a second, as points to draw: a series a number of clients."""
    below = wide(recorded.runs, base)
    series: dict[str, dict] = {}
    for route in [one for one in recorded.runs[ROUTE].cat.categories if one != base]:
        above = wide(recorded.runs, route)
        for level in above:
            both = pd.concat([above[level], below[level]], axis=1).dropna()
            found = ratio_interval(both.iloc[:, 0], both.iloc[:, 1])
            row = {"estimate": found.estimate, "low": found.low, "high": found.high}
            series.setdefault(f"{level:,} clients", {})[ROUTE_LABELS[route]] = row
    return {name: pd.DataFrame.from_dict(rows, orient="index") for name, rows in series.items()}


def describe_hop(series: dict[str, pd.DataFrame]) -> str:
    """Put the points of `hop_series` into words."""
    parts = [
        f"{way} at {clients}: {row['estimate']:.2f}"
        for clients, frame in series.items()
        for way, row in frame.iterrows()
    ]
    return f"Share of the back end's own messages a second that is left behind a hop. {'; '.join(parts)}."


def relay_share(runs: pd.DataFrame) -> pd.Series:
    """Return messages a second through the TCP relay over direct, by block."""
    return ratio(runs, "tcp-relay", "direct")


def largest_share(runs: pd.DataFrame, base: str = "direct") -> pd.Series:
    """Return, by block, the largest share of the base's messages a second at the same number of clients."""
    below = wide(runs, base)
    shares = [wide(runs, route) / below for route in runs[ROUTE].cat.categories if route != base]
    joined: Any = pd.concat([one.stack() for one in shares if not one.empty])
    return joined.groupby("block").max()


def open_files_table(recorded: Recording) -> pd.DataFrame:
    """Return what became of messages at each limit of open files."""
    rows = {}
    route: Any
    limit: Any
    for (route, limit), part in recorded.runs.groupby([ROUTE, OPEN_FILES], observed=True):
        rows[ROUTE_LABELS[route], f"{int(limit):,}"] = {
            "Runs": len(part),
            "Sent": f"{part['sent'].sum():,}",
            "Failed (%)": margin(100 * part["failed"] / part["sent"], 2),
            "Answered (1/s)": margin(part["per_s"], 0),
            "Answers afterwards": f"{part['answers_afterwards'].sum()} of {len(part)} runs",
            "Complaints in the engine's log, a run": margin(part["open_files_complaints"], 0),
        }
    shown = pd.DataFrame.from_dict(rows, orient="index")
    shown.index = pd.MultiIndex.from_tuples(shown.index, names=["Engine", "Open files allowed"])
    return shown


def failed_percent(runs: pd.DataFrame, route: str, limit: str) -> pd.Series:
    """Return the share of messages that failed at a limit of open files, %, by block."""
    part = runs[(runs[ROUTE] == route) & (runs[OPEN_FILES] == limit)].set_index("block")
    return 100 * part["failed"] / part["sent"].replace(0, np.nan)


def ready_growth(runs: pd.DataFrame, route: str) -> pd.Series:
    """Return by block how the threads ready to run grew from the first to the last third of a way's runs."""
    part = runs[(runs[ROUTE] == route) & runs["ready_growth"].gt(0)]
    return np.exp(np.log(part["ready_growth"]).groupby(part["block"]).mean())
