"""Figures 2 and 3 of the CORBA study: times over the size of the dispatcher pool, of several sources."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from perfstudies.report.figures import COLOURS, WIDTH_INCH, style
from perfstudies.stats.interval import ends

LOOKS = (("s", "-"), ("^", ":"), ("o", "--"), ("D", "-."))
"""Marker and line of each source, in their order."""


def pool_figure(times: pd.DataFrame) -> Figure:
    """Draw times over the size of the pool: a colour a quantity, a marker and a line a source.

    Parameters
    ----------
    times : DataFrame
        A row a number of dispatchers, columns in two levels: quantity and source. Cells are times in ms, numbers
        (drawn hollow) or intervals; where a source has no value its line goes on without.
    """
    quantities, sources = (list(times.columns.unique(level)) for level in (0, 1))
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 4.2), layout="constrained")
        axes = figure.subplots()
        key: Any
        for key in times.columns:
            name, source = key
            frame = ends(times[key]).dropna(subset="estimate")
            (marker, line), colour = LOOKS[sources.index(source)], COLOURS[quantities.index(name)]
            bounded = frame["low"].notna().any()
            axes.errorbar(
                frame.index, frame["estimate"],
                yerr=[frame["estimate"] - frame["low"], frame["high"] - frame["estimate"]] if bounded else None,
                marker=marker, ls=line, lw=1.2, ms=5.5, color=colour, mfc=colour if bounded else "white", capsize=3,
                elinewidth=1, label=f"{name}, {source}",
            )  # fmt: skip
        axes.set(xlabel="Dispatcher threads", ylabel="Mean time (ms)")
        axes.set_ylim(bottom=0)
        axes.set_xticks(list(times.index))
        figure.legend(loc="outside upper center", ncols=len(quantities))
    return figure
