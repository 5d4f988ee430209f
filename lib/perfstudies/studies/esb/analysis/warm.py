"""What warming up brought before runs were measured, and what was left of it while they were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from perfstudies.experiment import Experiment
from perfstudies.report.comparisons import p_text
from perfstudies.report.tables import MISSING, interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.growth import over_units
from perfstudies.stats.intervals import Interval, ratio_interval
from perfstudies.stats.intraclass import IntraclassCorrelation, intraclass_correlation
from perfstudies.studies.esb.analysis.lists import ROUTE, over_levels
from perfstudies.studies.esb.base import ROUTE_LABELS


def drift(runs: pd.DataFrame, factors: Sequence[str], route: str) -> Interval:
    """Return by what factor a way's rate rises over a whole block, beside what its runs' settings explain.

    In each block it is the slope of log messages a second, less their setting's mean over all blocks, over the place
    that the run had in the block; places are random, so without a drift the slopes scatter about 0.

    Parameters
    ----------
    runs : DataFrame
        A row a run: ``block``, ``position``, ``per_s``, ``route`` and the other factors.
    factors : sequence of str
        What makes a setting.
    route : str
        Whose runs.

    Returns
    -------
    Interval
        Of blocks, on a ratio's scale; missing with fewer than two.
    """
    part = runs[(runs[ROUTE] == route) & (runs["per_s"] > 0)]
    level = np.log(part["per_s"])
    rest = level - level.groupby([part[name] for name in factors], observed=True).transform("mean")
    last = runs.groupby("block")["position"].max()
    slopes = {}
    for block, one in part.groupby("block"):
        if len(one) > 1:
            slopes[block] = last[block] * np.polyfit(one["position"], rest[one.index], 1)[0]
    return over_units(pd.Series(slopes, dtype=float)).exp()


def older(runs: pd.DataFrame, blocks_a_process: int, route: str) -> Interval:
    """Return a way's rate in the last block of a process over that in its first, geometric means over levels.

    Returns
    -------
    Interval
        Of processes; missing if none had two whole blocks.
    """
    levels = over_levels(runs, route)
    of_process = levels.groupby(levels.index // blocks_a_process)
    ratios = (of_process.last() / of_process.first())[of_process.size() > 1]
    return ratio_interval(ratios, np.ones(len(ratios))) if len(ratios) else Interval(np.nan, np.nan, np.nan, 0.95, 0)


def process_correlation(runs: pd.DataFrame, blocks_a_process: int, route: str) -> IntraclassCorrelation:
    """Return how much more blocks that share processes resemble each other than others do, for one way's rates."""
    levels = np.log(over_levels(runs, route))
    return intraclass_correlation(levels, levels.index // blocks_a_process)


def warm_table(recorded: Recording, experiment: Experiment) -> pd.DataFrame:
    """Return by way what warming up brought (medians over blocks), and what was left of it."""
    runs, rows = recorded.runs, {}
    factors = [factor.name for factor in experiment.factors]
    shared = experiment.fixed["blocks_a_process"]
    route: Any
    for route, part in runs.groupby(ROUTE, observed=True):
        once = part.drop_duplicates("block")
        least, most = once["warm_up_windows"].min(), once["warm_up_windows"].max()
        row = {
            "Windows": f"{least}" if least == most else f"{least} to {most}",
            "Messages/s in the first window": once["warm_up_first_per_s"].median(),
            "In the last": once["warm_up_last_per_s"].median(),
            "A block's end over its beginning": MISSING,
            "A process's last block over its first": MISSING,
            "Blocks of one process alike": MISSING,
        }
        if len(once) > 1:
            left = drift(runs, factors, route)
            row["A block's end over its beginning"] = interval_text(left.estimate, left.low, left.high)
        if shared.isdigit():
            grown, found = older(runs, int(shared), route), process_correlation(runs, int(shared), route)
            if grown.n:
                row["A process's last block over its first"] = interval_text(grown.estimate, grown.low, grown.high)
            if not np.isnan(found.correlation):
                row["Blocks of one process alike"] = f"{found.correlation:.2f} (p {p_text(found.p)})"
        rows[ROUTE_LABELS[route]] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Way")
