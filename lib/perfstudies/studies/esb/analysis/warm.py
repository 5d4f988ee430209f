"""A drift that warming up left: does a way's rate still rise along a block?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from perfstudies.stats.interval import Interval
from perfstudies.stats.intervals import estimates


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
    part = runs[(runs["route"] == route) & (runs["per_s"] > 0)]
    level = np.log(part["per_s"])
    rest = level - level.groupby([part[name] for name in factors], observed=True).transform("mean")
    last = runs.groupby("block")["position"].max()
    slopes = {}
    for block, one in part.groupby("block"):
        if len(one) > 1:
            slopes[block] = last[block] * np.polyfit(one["position"], rest[one.index], 1)[0]
    return estimates(pd.Series(slopes, dtype=float)).exp()
