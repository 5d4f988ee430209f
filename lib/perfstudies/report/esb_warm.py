"""What warming up brought before runs were measured, and what was left of it while they were."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from perfstudies.experiment import Experiment
from perfstudies.recording import Recording
from perfstudies.report.esb_lists import ROUTE
from perfstudies.report.tables import MISSING, interval_text
from perfstudies.stats.growth import over_units
from perfstudies.stats.intervals import Interval
from perfstudies.studies.esb_base import ROUTE_LABELS


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
        at = one["position"] - one["position"].mean()
        if (at != 0).any():
            slopes[block] = last[block] * (at @ rest[one.index]) / (at @ at)
    found = over_units(pd.Series(slopes, dtype=float))
    return Interval(*np.exp([found.estimate, found.low, found.high]), found.confidence, found.n)


def warm_table(recorded: Recording, experiment: Experiment) -> pd.DataFrame:
    """Return by way what warming up brought (medians over blocks), and the drift that was left."""
    runs, rows = recorded.runs, {}
    factors = [factor.name for factor in experiment.factors]
    for route, part in runs.groupby(ROUTE, observed=True):
        once = part.drop_duplicates("block")
        left = drift(runs, factors, route) if once["block"].nunique() > 1 else None
        rows[ROUTE_LABELS[route]] = {
            "Windows": f"{once['warm_up_windows'].min()} to {once['warm_up_windows'].max()}",
            "Messages/s in the first window": once["warm_up_first_per_s"].median(),
            "In the last": once["warm_up_last_per_s"].median(),
            "Rate at a block's end over its beginning": interval_text(left.estimate, left.low, left.high)
            if left
            else MISSING,
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Way")
