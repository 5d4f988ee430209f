"""The AAA study's charts: a point a request, and the moving average as a line; a panel a client, setting or source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.errors import BadParameter
from perfstudies.report.figures import COLOURS, WIDTH_INCH, style
from perfstudies.studies.aaa.analysis.times import EJB, MEASURES, TOTAL

PARTS = 20
"""Stretches of a run whose means stand in the table of numbers: the picture's own thousands would help nobody."""
SHOWN = 0.995
"""The axis reaches as far as this part of the points; single requests beyond it would press all others flat."""
FAR = 0.6
"""Where the lowest time is above this part of the highest, the time axis does not begin at 0."""
POINT_COLOURS = {TOTAL: COLOURS[0], EJB: COLOURS[1]}
MARKS = {TOTAL: ".", EJB: "x"}
SMOOTH = {measure: f"{measure}_smooth" for measure in MEASURES}
"""The column of a time's moving average."""
Panels = Mapping[str, pd.DataFrame]


def by_machine(samples: pd.DataFrame, run: str) -> dict[str, pd.DataFrame]:
    """Return one run's requests as panels, one a machine."""
    part = samples[samples["run"] == run]
    return {str(name): panel(one) for name, one in part.groupby("machine", observed=True)}


def panel(samples: pd.DataFrame) -> pd.DataFrame:
    """Return one client's requests of one run, in their order: number, both times and their moving averages."""
    return samples.sort_values("number")[["number", *MEASURES, *SMOOTH.values()]].reset_index(drop=True)


def first_run(samples: pd.DataFrame, place: int = 0) -> str:
    """Return the run of the first block, or of a later one as far as there are any."""
    blocks = sorted(samples["block"].unique())
    return str(samples.loc[samples["block"] == blocks[min(place, len(blocks) - 1)], "run"].iloc[0])


def chart(panels: Panels, points: bool = True, columns: int = 2, share: bool = True) -> Figure:
    """Draw total and EJB time by request number, with their moving averages.

    Parameters
    ----------
    panels : mapping of str to DataFrame
        From a panel's title to its requests, as `panel` returns them.
    points : bool
        Whether the single requests are drawn too.
    columns : int
        Panels side by side.
    share : bool
        Whether all panels have one time axis.

    Raises
    ------
    BadParameter
        If there is no panel.
    """
    if not panels:
        raise BadParameter("there is no run of this setting to draw; choose the levels that the figure shows")
    rows = -(-len(panels) // columns)
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 0.55 + 2.35 * rows), layout="constrained")
        grid = figure.subplots(rows, min(columns, len(panels)), sharey=share, squeeze=False).ravel()
        labels = []
        for axes, (title, one) in zip(grid, panels.items(), strict=False):
            for measure, name in MEASURES.items():
                colour = POINT_COLOURS[measure]
                if points:  # of a size at which thousands leave the line visible and a few are seen
                    axes.plot(
                        one["number"], one[measure], MARKS[measure], color=colour, mew=0.4, alpha=0.4, zorder=1,
                        ms=float(np.clip(120 / np.sqrt(len(one)) / 2, 1.6, 4.0)),
                    )  # fmt: skip
                axes.plot(
                    one["number"], one[SMOOTH[measure]], color=[0.6 * part for part in colour[:3]], lw=1.6, zorder=3,
                    ls="-" if measure == TOTAL else "--", label=name,
                )  # fmt: skip
            axes.set_title(title)
            limits = _limits(panels.values() if share else [one], points)
            axes.set_ylim(limits)
            labels.append("Time (ms)" if limits[0] == 0 else "Time (ms), not from 0")
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
        for place, axes in enumerate(grid[: len(panels)]):
            if place >= len(panels) - min(columns, len(panels)):
                axes.set_xlabel("Request number")
            if place % columns == 0 or not share:
                axes.set_ylabel(labels[place])
        figure.legend(*grid[0].get_legend_handles_labels(), loc="outside upper center", ncols=2, handlelength=3)
    return figure


def beyond(panels: Panels) -> str:
    """Say how many requests lie above the axis of `chart` where all panels share it."""
    top = _limits(panels.values(), True)[1]
    above = sum(int((one[TOTAL] > top).sum()) for one in panels.values())
    count = sum(len(one) for one in panels.values())
    slowest = max(float(one[TOTAL].max()) for one in panels.values())
    return (
        f"{above:,} of {count:,} requests lie above the axis; the slowest took {slowest:,.1f} ms."
        if above
        else "All requests lie on the axis."
    )


def numbers(panels: Panels) -> pd.DataFrame:
    """Return what `chart` draws as means of stretches of requests: a row a stretch, a pair of columns a panel."""
    longest = max(int(one["number"].max()) + 1 for one in panels.values())
    length = max(1, -(-longest // PARTS))
    frames = {}
    for title, one in panels.items():
        means = one.groupby(one["number"] // length)[[TOTAL, EJB]].mean()
        frames[title] = means.rename(columns=MEASURES)
    found = pd.concat(frames, axis=1)
    ends = [(part * length + 1, min((part + 1) * length, longest)) for part in found.index]
    names = [f"{low}–{high}" if low < high else str(low) for low, high in ends]
    return found.set_axis(pd.Index(names, name="Requests"))


UNITS = dict.fromkeys(MEASURES.values(), "ms")


def _limits(frames: Iterable[pd.DataFrame], points: bool) -> tuple[float, float]:
    """Return where the time axis begins and ends: around nearly all points, or around all of the moving averages.

    It begins at 0 unless all times lie so far above it that nothing would be seen of how they move.
    """
    drawn = [one[measure if points else SMOOTH[measure]] for one in frames for measure in MEASURES]
    known = [np.asarray(values)[~np.isnan(values)] for values in drawn]
    known = [values for values in known if values.size]
    if not known:
        return 0.0, 1.0
    ends = ((1 - SHOWN) / 2, SHOWN) if points else (0.0, 1.0)
    low, high = min(np.quantile(each, ends[0]) for each in known), max(np.quantile(each, ends[1]) for each in known)
    room = 0.08 * (high - low)
    return (float(low - room), float(high + room)) if low > FAR * high and room else (0.0, float(1.08 * high))
