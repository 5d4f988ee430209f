"""How messages a second, response times and failures take to more clients, by proxy and engine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from perfstudies.experiment import Experiment
from perfstudies.report.figures import COLOURS, WIDTH_INCH, plain_numbers, style
from perfstudies.report.settings import at, margin
from perfstudies.report.tables import interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.growth import exponents, over_units
from perfstudies.stats.intervals import ratio_interval
from perfstudies.studies.esb.analysis.latency import QUANTILES
from perfstudies.studies.esb.analysis.mediation import PROXY, ROUTE, bars, geometric, indexed
from perfstudies.studies.esb.analysis.runs import labels

CONNECTIONS, CLIENTS = "connections", "clients"
NAMES: list[Any] = ["Proxy", "Engine"]
TAIL = "response_p99_ms"


def prepared(recorded: Recording) -> Recording:
    """Return a recording whose runs have ``clients`` as a number."""
    return replace(recorded, runs=recorded.runs.assign(**{CLIENTS: recorded.runs[CONNECTIONS].astype(int)}))


def lines(recorded: Recording) -> list[dict[str, str]]:
    """Return the measured settings of proxy and engine, in the order of declaration."""
    found = recorded.runs.groupby([PROXY, ROUTE], observed=True).size()
    return [{PROXY: proxy, ROUTE: route} for proxy, route in found.index]


def answered(recorded: Recording, line: dict[str, str]) -> pd.DataFrame:
    """Return one line's runs that answered any message."""
    part = at(recorded.runs, line)
    return part[part["ok"] > 0]


def drawn(recorded: Recording, experiment: Experiment, column: str) -> pd.DataFrame:
    """Return geometric means over runs with 95 % intervals: a row a proxy, engine and number of clients."""
    label, rows = labels(experiment), {}
    for line in lines(recorded):
        part = answered(recorded, line)
        for clients, runs in part[part[column] > 0].groupby(CLIENTS):
            rows[label(PROXY, line[PROXY]), label(ROUTE, line[ROUTE]), clients] = geometric(runs[column])
    return indexed(rows, [*NAMES, "Clients"])


def times_table(recorded: Recording, experiment: Experiment) -> pd.DataFrame:
    """Return quantiles of response times (ms) as means over runs with 95 % margins: a row a setting."""
    label, rows = labels(experiment), {}
    for line in lines(recorded):
        for clients, part in answered(recorded, line).groupby(CLIENTS):
            rows[label(PROXY, line[PROXY]), label(ROUTE, line[ROUTE]), f"{clients:,}"] = {
                f"{name} within (ms)": margin(part[f"response_{column}_ms"].dropna(), 1)
                for column, name in QUANTILES.items()
            }
    return indexed(rows, [*NAMES, "Clients"])


def most_over_fewest(part: pd.DataFrame, column: str) -> tuple[pd.Series, pd.Series]:
    """Return a column at most and at fewest clients of one line's runs, in blocks that have both, above 0."""
    wide = part[part[column] > 0].pivot(index="block", columns=CLIENTS, values=column)
    if wide.shape[1] < 2:
        return pd.Series(dtype=float), pd.Series(dtype=float)
    both = wide[[wide.columns.max(), wide.columns.min()]].dropna()
    return both.iloc[:, 0], both.iloc[:, 1]


def trend_table(recorded: Recording, experiment: Experiment) -> pd.DataFrame:
    """Return how rate and tail take to more clients: most over fewest, and the rate's exponent; 95 % over blocks."""
    label, rows = labels(experiment), {}
    for line in lines(recorded):
        part = answered(recorded, line)
        slope = over_units(exponents(part, CLIENTS, "per_s"))
        rows[label(PROXY, line[PROXY]), label(ROUTE, line[ROUTE])] = {
            "Messages/s, most over fewest": _ratio(*most_over_fewest(part, "per_s")),
            "Messages/s, exponent": interval_text(slope.estimate, slope.low, slope.high, 3),
            "99 % within, most over fewest": _ratio(*most_over_fewest(part, TAIL), 1),
        }
    return indexed(rows, NAMES)


def _ratio(above: pd.Series, below: pd.Series, digits: int = 2) -> str:
    if above.empty:
        return interval_text(np.nan, np.nan, np.nan)
    found = ratio_interval(above, below)
    return interval_text(found.estimate, found.low, found.high, digits)


def clients_figure(found: dict[str, pd.DataFrame], ylabel: str) -> Figure:
    """Draw values over clients, a panel a proxy, a line an engine, axes logarithmic.

    Parameters
    ----------
    found : mapping of str to DataFrame
        From `drawn`, by what the values are; the first has full lines, the second dashed ones.
    ylabel : str
        The values' name and unit.
    """
    first = next(iter(found.values()))
    proxies, engines = (list(dict.fromkeys(first.index.get_level_values(name))) for name in NAMES)
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 3.9), layout="constrained")
        panels = figure.subplots(1, len(proxies), sharey=True, squeeze=False)[0]
        for axes, proxy in zip(panels, proxies, strict=True):
            for (what, frame), line in zip(found.items(), ("-", "--"), strict=False):
                for place, engine in enumerate(engines):
                    if (proxy, engine) in frame.index.droplevel("Clients"):  # type: ignore[arg-type]
                        name = engine if len(found) == 1 else f"{engine}, {what}"
                        _line(axes, frame.xs((proxy, engine), level=NAMES), place, line, name)
            axes.set(xscale="log", yscale="log", title=proxy)
            ticks = sorted(first.index.get_level_values("Clients").unique())
            axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks], rotation=60)
            axes.minorticks_off()
            plain_numbers(axes.yaxis)
        panels[0].set_ylabel(f"{ylabel}, logarithmic")
        figure.supxlabel("Clients, logarithmic", fontsize=9.5)
        handles = {text: line for axes in panels for line, text in zip(*axes.get_legend_handles_labels(), strict=True)}
        figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=3)
    return figure


def _line(axes: Axes, part: Any, place: int, line: str, name: str) -> None:
    axes.errorbar(
        part.index, part["estimate"], yerr=bars(part), ls=line, marker="os^"[place % 3], color=COLOURS[place % 6],
        mfc="white" if line == "--" else COLOURS[place % 6], ms=4.5, lw=1.2, elinewidth=1, capsize=3, label=name,
    )  # fmt: skip


def beside(found: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return what `clients_figure` draws as one frame."""
    return pd.concat(found, axis=1) if len(found) > 1 else next(iter(found.values()))


def describe_clients(found: dict[str, pd.DataFrame], digits: int = 0) -> str:
    """Put `clients_figure` into words: each line's value at fewest and at most clients."""
    parts = []
    for what, frame in found.items():
        for (proxy, engine), part in frame.groupby(level=NAMES, sort=False):
            ends = part["estimate"].droplevel(NAMES)
            parts.append(
                f"{proxy}, {engine}, {what}: {ends.iloc[0]:,.{digits}f} at {ends.index[0]:,} clients and "
                f"{ends.iloc[-1]:,.{digits}f} at {ends.index[-1]:,}"
            )
    return f"Lines over the number of clients. {'; '.join(parts)}."


def first_failing(recorded: Recording, line: dict[str, str]) -> int | None:
    """Return the fewest clients at which any message of a line failed; None if none did."""
    part = at(recorded.runs, line)
    failing = part.loc[part["failed"] > 0, CLIENTS]
    return int(failing.min()) if len(failing) else None
