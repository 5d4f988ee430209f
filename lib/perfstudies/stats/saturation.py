"""The highest rate that a system sustains: what is offered is completed.

Each run offers requests at rising rates, a step each. A step is sustained if the share completed reaches a limit. The
highest sustained rate is that of the last step before the first that was not: a later step that happens to pass,
because the one before it drove callers away, does not count. The limit itself lies between that step and the next.

Sources: R. Jain, *The Art of Computer Systems Performance Analysis*, Wiley 1991, section 3.3 (usable capacity); B.
Schroeder, A. Wierman and M. Harchol-Balter, "Open versus closed: a cautionary tale", NSDI 2006 (why rates have to be
offered by an open workload).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from perfstudies.errors import BadParameter
from perfstudies.stats.interval import Interval
from perfstudies.stats.intervals import estimates, finite, paired, positive

LEAST = 0.99


@dataclass(frozen=True)
class Saturation:
    """The highest sustained rate over runs.

    Attributes
    ----------
    runs : DataFrame
        A row a run: run, sustained (the highest sustained rate; missing if not even the first step was), failed (the
        rate of the next step; missing if every step was sustained), completed (the highest completion rate of any
        step).
    rate : Interval
        The geometric mean of `sustained` over runs, with Student's t on the logarithms: what was shown to be sustained.
    """

    runs: pd.DataFrame
    rate: Interval


def sustained_rate(offered: ArrayLike, completed: ArrayLike, least: float = LEAST) -> tuple[float, float]:
    """Return the highest sustained rate of one ramp and the rate of the step that followed.

    Parameters
    ----------
    offered : array_like, shape (steps,)
        Requests a second that were due in each step, in any order of steps.
    completed : array_like, shape (steps,)
        Of those, requests a second that were answered well.
    least : float
        The share that has to be completed.

    Returns
    -------
    sustained, failed : float
        In requests a second; missing if no step was sustained, or none failed.

    Raises
    ------
    BadParameter
        If lengths differ, a rate is not finite, none is offered, or two steps offer the same.
    """
    due, done = paired(positive(offered, "offered"), finite(completed, "completed"))
    if not 0 < least <= 1:
        raise BadParameter(f"least = {least!r} is a share, above 0 and up to 1")
    if np.unique(due).size < due.size:
        raise BadParameter("two steps of a ramp offer the same rate")
    order = np.argsort(due)
    due, done = due[order], done[order]
    # 0.99 of 300 is a little above 297 in binary; such rounding fails no step.
    passed = done >= (least - 1e-9) * due
    count = int(np.logical_and.accumulate(passed).sum())
    sustained = float(due[count - 1]) if count else np.nan
    return sustained, float(due[count]) if count < due.size else np.nan


def saturation(
    steps: pd.DataFrame, offered: str = "offered", completed: str = "completed", least: float = LEAST
) -> Saturation:
    """Find the highest sustained rate of every run, and of all.

    Parameters
    ----------
    steps : DataFrame
        A row a run and step, with the column ``run`` and those named.
    offered, completed, least
        As in `sustained_rate`.

    Returns
    -------
    Saturation

    Raises
    ------
    BadParameter
        As `sustained_rate`, or if there is no run.
    """
    rows = []
    for name, part in steps.groupby("run", observed=True):
        found = sustained_rate(part[offered], part[completed], least)
        rows.append((name, *found, float(part[completed].max())))
    if not rows:
        raise BadParameter("there is no run in which to look for a sustained rate")
    table = pd.DataFrame(rows, columns=["run", "sustained", "failed", "completed"])
    return Saturation(table, estimates(np.log(table["sustained"])).exp())
