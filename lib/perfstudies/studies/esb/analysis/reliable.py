"""Messages between two databases that went wrong: the places of kills by name, shares of runs, and their figure.

A run is the unit: failures of a run hang together, as one outage loses everything that is sent while it lasts.
"""

from __future__ import annotations

import pandas as pd
import seaborn
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from perfstudies.report.figures import COLOURS, HATCHES, WIDTH_INCH, style
from perfstudies.stats.interval import Interval
from perfstudies.stats.intervals import finite
from perfstudies.stats.proportions import exact_interval

PLACES = {
    ("client", "updated"): "client: before its transaction is committed",
    ("client", "committed"): "client: committed, not sent yet",
    ("client", "sent"): "client: the call has returned",
    ("server", "received"): "server: has the message, not begun",
    ("server", "updated"): "server: before its transaction is committed",
    ("server", "committed"): "server: committed, nobody told",
}
"""How a kill's side and place are printed."""


def share_of_runs(happened: ArrayLike, confidence: float = 0.95) -> Interval:
    """Return the share of runs (%) in which something happened (1 or true), with Clopper and Pearson's interval."""
    counted = finite(happened, "runs")
    return 100 * exact_interval(int(counted.sum()), counted.size, confidence)


def wrong_figure(shares: pd.DataFrame) -> Figure:
    """Draw shares of wrong messages (%) as bars to both sides of a line, a panel a fault.

    Parameters
    ----------
    shares : DataFrame
        Indexed by what fails and by delivery; the first column is drawn to the left, the second to the right.
    """
    faults = list(dict.fromkeys(shares.index.get_level_values(0)))
    deliveries = list(dict.fromkeys(shares.index.get_level_values(1)))
    with style():
        made = Figure(figsize=(WIDTH_INCH, 0.7 + 1.25 * len(faults)), layout="constrained")
        panels = made.subplots(len(faults), 1, sharex=True, squeeze=False)[:, 0]
        for panel, fault in zip(panels, faults, strict=True):
            part = shares.loc[fault].reindex(deliveries).fillna(0)
            for at, (kind, sign) in enumerate(zip(part, (-1, 1), strict=True)):
                panel.barh(
                    range(len(part)), sign * part[kind], height=0.7, label=kind if panel is panels[0] else None,
                    color=COLOURS[3 * at], hatch=HATCHES[at], edgecolor="white", linewidth=0.8,
                )  # fmt: skip
            panel.axvline(0, color="0.3", lw=0.9)
            panel.set_yticks(range(len(part)), deliveries)
            panel.invert_yaxis()
            panel.set_title(fault, loc="left")
            panel.grid(axis="y", visible=False)
            seaborn.despine(ax=panel, left=True)
        panels[-1].xaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
        panels[-1].set_xlabel("Share of the messages (%): lost to the left, applied more than once to the right")
        made.legend(loc="outside upper center", ncols=2)
    return made
