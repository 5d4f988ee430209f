"""Where the processors' time goes while messages pass: by party, in its own code or in the kernel, or nowhere.

The study took a hop's price for input and output. Sockets are read and written in the kernel, and who waits for them
leaves a processor idle; so both can be told from processor times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.report.figures import COLOURS, HATCHES, WIDTH_INCH, style
from perfstudies.report.settings import margin
from perfstudies.runs.recording import Recording
from perfstudies.studies.esb.analysis.lists import CONNECTIONS, ROUTE
from perfstudies.studies.esb.base import ROUTE_LABELS

PARTS = {
    "client_user_us": "Client",
    "client_system_us": "Client, kernel",
    "engine_user_us": "Engine",
    "engine_system_us": "Engine, kernel",
    "backend_user_us": "Back end",
    "backend_system_us": "Back end, kernel",
}
KERNEL = [name for name in PARTS if "_system_" in name]


def by_route(recorded: Recording) -> pd.DataFrame:
    """Return processor time a message in microseconds: a row a way, a column a part; means over all of its runs."""
    means = recorded.runs.groupby(ROUTE, observed=True)[list(PARTS)].mean()
    return means.set_axis([ROUTE_LABELS[route] for route in means.index]).rename(columns=PARTS).rename_axis("Way")


def parts_figure(found: pd.DataFrame) -> Figure:
    """Draw `by_route` as stacked bars."""
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 1.5 + 0.45 * len(found)), layout="constrained")
        axes = figure.subplots()
        left = np.zeros(len(found))
        for at, column in enumerate(found):
            axes.barh(
                range(len(found)), found[column], left=left, label=column, color=COLOURS[at // 2],
                hatch=HATCHES[at % 2], edgecolor="white", linewidth=0.8, alpha=1 if at % 2 == 0 else 0.75,
            )  # fmt: skip
            left += found[column].to_numpy()
        axes.set_yticks(range(len(found)), found.index)
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("Processor time a message (µs)")
        figure.legend(loc="outside upper center", ncols=3)
    return figure


def describe_parts(found: pd.DataFrame) -> str:
    """Put `parts_figure` into words."""
    kernel = [column for column in map(str, found) if column.endswith("kernel")]
    said = [
        f"{way}: {row.sum():,.0f} µs, of which {100 * row[kernel].sum() / row.sum():.0f} % in the kernel"
        for way, row in found.iterrows()
    ]
    return f"Stacked bars of processor time a message, by party. {'; '.join(said)}."


def machine_table(recorded: Recording) -> pd.DataFrame:
    """Return how busy the machine was by way and clients: means over runs with 95 % margins."""
    columns = {
        "idle": ("Idle (%)", 1), "in_kernel": ("In the kernel (%)", 1), "ready": ("Threads running or ready", 1),
        "engine_waited_us": ("Engine's wait for a processor (µs a message)", 0),
        "load_average": ("Load average at the end", 1),
    }  # fmt: skip
    rows = {}
    route: Any
    level: Any
    for (route, level), part in recorded.runs.groupby([ROUTE, CONNECTIONS], observed=True):
        rows[ROUTE_LABELS[route], f"{int(level):,}"] = {
            name: margin(part[column].dropna(), digits) for column, (name, digits) in columns.items()
        }
    shown = pd.DataFrame.from_dict(rows, orient="index")
    shown.index = pd.MultiIndex.from_tuples(shown.index, names=["Way", "Clients"])
    return shown


def extra_in_kernel(runs: pd.DataFrame, route: str, base: str = "direct") -> pd.Series:
    """Return, by block, the kernel's share (%) of the processor time a message that a way takes more than the base."""
    means = runs.groupby(["block", ROUTE], observed=True)[list(PARTS)].mean()
    total: Any = (means.xs(route, level=ROUTE) - means.xs(base, level=ROUTE)).dropna()
    return 100 * total[KERNEL].sum(axis=1) / total.sum(axis=1)


def per_block(runs: pd.DataFrame, route: str, column: str) -> pd.Series:
    """Return a column's mean over one way's runs, by block."""
    return runs[runs[ROUTE] == route].groupby("block")[column].mean().dropna()


def kernel_table(recorded: Recording, routes: Sequence[str]) -> pd.DataFrame:
    """Return what a hop adds a message by processor time, and how much of it the kernel takes."""
    rows = {}
    for route in routes:
        means = recorded.runs.groupby(["block", ROUTE], observed=True)[list(PARTS)].mean().sum(axis=1)
        added = (means.xs(route, level=ROUTE) - means.xs("direct", level=ROUTE)).dropna()
        rows[ROUTE_LABELS[route]] = {
            "Processor time more than direct (µs a message)": margin(added, 0),
            "Of it in the kernel (%)": margin(extra_in_kernel(recorded.runs, route), 1),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Way")
