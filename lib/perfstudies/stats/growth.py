"""How a cost grows with size: the exponent of a power law, over blocks.

In ``cost = c * size ** exponent`` the exponent is the slope of log cost over log size. It is found by least squares
in each block apart, and the blocks' slopes are what the interval rests on: requests of a block share a
server process, so they are not replications of each other.

Sources: R. Jain, *The Art of Computer Systems Performance Analysis*, Wiley 1991, section 15.3 (curvilinear regression
by logarithms); J. N. S. Matthews, D. G. Altman, M. J. Campbell and P. Royston, "Analysis of serial measurements in
medical research", BMJ 300, 1990 (one slope a unit, then a t interval over units).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from perfstudies.stats.intervals import finite, paired


def exponent(size: ArrayLike, cost: ArrayLike) -> float:
    """Return the exponent of the power law through some points.

    Parameters
    ----------
    size, cost : array_like
        Any units, not negative. Pairs in which one is 0 have no logarithm and are left out.

    Returns
    -------
    float
        Missing if fewer than two different sizes are left.

    Raises
    ------
    BadParameter
        If lengths differ, or a value is not finite.
    """
    sizes, costs = paired(finite(size, "size"), finite(cost, "cost"))
    kept = (sizes > 0) & (costs > 0)
    if np.unique(sizes[kept]).size < 2:
        return np.nan
    at, level = np.log(sizes[kept]), np.log(costs[kept])
    at = at - at.mean()
    return float((at @ (level - level.mean())) / (at @ at))


def exponents(points: pd.DataFrame, size: str, cost: str) -> pd.Series:
    """Return the exponent of each block, indexed by block; those in which it cannot be told are left out.

    Parameters
    ----------
    points : DataFrame
        A row a point, with the columns ``block`` and those named by `size` and `cost`.
    """
    found = {name: exponent(part[size], part[cost]) for name, part in points.groupby("block", observed=True)}
    return pd.Series(found, name=cost, dtype=float).rename_axis("block").dropna()


def local_exponents(points: pd.DataFrame, size: str, cost: str, step: str) -> pd.DataFrame:
    """Return the exponent between neighbouring steps: where it rises, no single power law holds.

    Parameters
    ----------
    points : DataFrame
        A row a block and step, with the columns ``block`` and those named by `size`, `cost` and `step` (ordered as its
        categories are, or as it sorts).

    Returns
    -------
    DataFrame
        A row a block, a column a pair of neighbouring steps; missing where it cannot be told.
    """
    whole = [points.pivot(index="block", columns=step, values=column).sort_index(axis=1) for column in (size, cost)]
    sizes, costs = (
        pd.DataFrame(np.log(frame.where(frame > 0).to_numpy(float)), frame.index, list(frame.columns))
        for frame in whole
    )
    rises = costs.diff(axis=1).iloc[:, 1:] / sizes.diff(axis=1).iloc[:, 1:]
    names = [(first, second) for first, second in zip(sizes.columns, sizes.columns[1:], strict=False)]
    return pd.DataFrame(rises.to_numpy(), sizes.index, pd.MultiIndex.from_tuples(names, names=["from", "to"]))
