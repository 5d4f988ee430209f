"""Figures of points with intervals, several series side by side, on a logarithmic axis unless told otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd
import seaborn
from matplotlib.figure import Figure

from perfstudies.report.figures import COLOURS, WIDTH_INCH, plain_numbers, style
from perfstudies.stats.interval import ends

MARKERS = "Dos^vP"
LEGEND, HANDLE = 105, 7
"""Characters that fit above a figure, and those that a marker with its space is as wide as."""


def points(
    series: Mapping[str, pd.DataFrame] | pd.DataFrame,
    xlabel: str,
    ylabel: str,
    reference: float | None = None,
    turned: bool = False,
    log: bool = True,
) -> Figure:
    """Draw estimates with their intervals by category; the first series is drawn hollow.

    A logarithmic axis has no zero to stand a bar on, so values are points.

    Parameters
    ----------
    series : DataFrame or mapping of str to DataFrame
        A frame whose cells are numbers or intervals: a column a series, a row a category. Or for each name in the
        legend the columns estimate, low and high, indexed by category; bounds may be missing. The categories' order is
        that of their first appearance.
    xlabel, ylabel : str
        The axes' texts; the second is that of the values, with its unit.
    reference : float, optional
        A value to draw a line at.
    turned : bool
        Whether the categories' names are long and stand at a slant.
    log : bool
        Whether the axis is logarithmic.
    """
    if isinstance(series, pd.DataFrame):
        series = {str(name): ends(series[name]) for name in series.columns}
    order = list(dict.fromkeys(category for frame in series.values() for category in frame.index))
    width = 0.5 / max(len(series) - 1, 1)
    with style():
        fig = Figure(figsize=(WIDTH_INCH, 4.3 if turned else 3.9), layout="constrained")
        axes = fig.subplots()
        if reference is not None:
            axes.axhline(reference, color="0.4", lw=0.9, ls="--", zorder=0)
        for at, (name, given) in enumerate(series.items()):
            frame = given.reindex(order).astype(float)
            shift = width * (at - (len(series) - 1) / 2)
            colour = COLOURS[at % len(COLOURS)]
            axes.errorbar(
                [place + shift for place in range(len(order))],
                frame["estimate"],
                yerr=[frame["estimate"] - frame["low"], frame["high"] - frame["estimate"]],
                fmt=MARKERS[at % len(MARKERS)],
                markersize=6,
                markerfacecolor="white" if at == 0 else colour,
                markeredgecolor=colour,
                markeredgewidth=1.5,
                ecolor=colour,
                elinewidth=1.2,
                capsize=3.5,
                label=name,
            )
        if log:
            axes.set_yscale("log")
            plain_numbers(axes.yaxis)
        axes.margins(y=0.1)
        axes.set_xticks(range(len(order)), [str(category) for category in order])
        if turned:
            axes.tick_params(axis="x", rotation=25)
            for text in axes.get_xticklabels():
                text.set_horizontalalignment("right")
        axes.set_xlim(-0.5, len(order) - 0.5)
        axes.set_xlabel(xlabel)
        axes.set_ylabel(f"{ylabel}, logarithmic" if log else ylabel)
        axes.grid(axis="x", visible=False)
        seaborn.despine(ax=axes)
        fig.legend(loc="outside upper center", ncols=_columns(series))
    return fig


def _columns(names: Iterable[str]) -> int:
    """Return how many of these names fit side by side above a figure, at most four."""
    widths = [len(name) + HANDLE for name in names]
    return max(1, min(len(widths), 4, LEGEND // max(widths)))
