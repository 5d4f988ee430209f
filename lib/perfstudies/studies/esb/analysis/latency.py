"""How long messages took, by way and clients: each run's quantiles, averaged over runs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.report.figures import COLOURS, WIDTH_INCH, plain_numbers, style
from perfstudies.report.settings import margin
from perfstudies.runs.recording import Recording
from perfstudies.stats.growth import over_units

QUANTILES = {"p50": "50 %", "p90": "90 %", "p99": "99 %", "p999": "99.9 %"}


def latency_table(
    recorded: Recording, by: Sequence[str], names: list[str], label: Callable[[str, Hashable], str]
) -> pd.DataFrame:
    """Return quantiles of response times as means over runs with 95 % margins, a row a setting.

    Parameters
    ----------
    recorded : Recording
        Of loads.
    by, names : sequence of str
        Factors, and how they are called.
    label : callable
        Given a factor and a level, how it is printed.
    """
    rows = {}
    for key, part in recorded.runs.groupby(list(by), observed=True):
        rows[tuple(label(factor, level) for factor, level in zip(by, key, strict=True))] = {
            f"{name} within (ms)": margin(part[f"response_{column}_ms"].dropna(), 2)
            for column, name in QUANTILES.items()
        }
    shown = pd.DataFrame.from_dict(rows, orient="index")
    shown.index = pd.MultiIndex.from_tuples(shown.index, names=names)
    return shown


def latency_points(recorded: Recording, by: Sequence[str], label: Callable[[str, Hashable], str]) -> pd.DataFrame:
    """Return the geometric means over runs that `latency_figure` draws: a row a setting, a column a quantile (ms)."""
    rows = {}
    for key, part in recorded.runs.groupby(list(by), observed=True):
        rows[tuple(label(factor, level) for factor, level in zip(by, key, strict=True))] = {
            name: np.exp(over_units(np.log(part[f"response_{column}_ms"])).estimate)
            for column, name in QUANTILES.items()
        }
    drawn = pd.DataFrame.from_dict(rows, orient="index")
    drawn.index = pd.MultiIndex.from_tuples(drawn.index)
    return drawn


def latency_figure(drawn: pd.DataFrame, xlabel: str) -> Figure:
    """Draw the quantiles over the second factor, a panel a level of the first, times logarithmic."""
    panels = list(dict.fromkeys(drawn.index.get_level_values(0)))
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 3.4), layout="constrained")
        subplots = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for place, (axes, name) in enumerate(zip(subplots, panels, strict=True)):
            part = drawn.loc[name]
            for at, column in enumerate(drawn):
                axes.plot(
                    range(len(part)), part[column], marker="os^D"[at], ms=4.5, lw=1.2, color=COLOURS[at],
                    label=f"{column} within" if place == 0 else None,
                )  # fmt: skip
            axes.set_xticks(range(len(part)), part.index, rotation=60)
            axes.set(yscale="log", title=name)
            axes.title.set_fontsize(8)
            plain_numbers(axes.yaxis)
            if place == 0:
                axes.set_ylabel("Response time (ms), logarithmic")
        figure.supxlabel(xlabel, fontsize=9.5)
        figure.legend(loc="outside upper center", ncols=4)
    return figure


def describe_latency(drawn: pd.DataFrame) -> str:
    """Put `latency_figure` into words."""
    parts = []
    for name in dict.fromkeys(drawn.index.get_level_values(0)):
        part = drawn.loc[name]
        parts.append(
            f"{name}: half within {part['50 %'].min():,.1f} to {part['50 %'].max():,.1f} ms, 99 % within "
            f"{part['99 %'].min():,.1f} to {part['99 %'].max():,.1f} ms"
        )
    return f"Quantiles of response times. {'. '.join(parts)}."
