"""An interval for a mean from one run alone: over means of batches, which hang together less than requests do.

How runs differ from each other is not in it: a second run of the same setting may well lie outside.

Source: R. W. Conway, "Some tactical problems in digital simulation", Management Science 10, 1963; A. M. Law and W. D.
Kelton, *Simulation Modeling and Analysis*, 3rd edition, McGraw-Hill 2000, section 9.5.3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfstudies.errors import BadParameter
from perfstudies.stats.interval import Interval
from perfstudies.stats.intervals import mean_interval

BATCHES = 10


def batch_means(means: ArrayLike, counts: ArrayLike) -> Interval:
    """Return the mean of a run with Student's 95 % interval over batches.

    Parameters
    ----------
    means : array_like, shape (windows,)
        Of windows of the run in order of time, any unit.
    counts : array_like, shape (windows,)
        How many requests each mean is of; windows without any are left out.

    Returns
    -------
    Interval
        Its estimate is the mean over all requests. There are `BATCHES` batches of about as many requests each, fewer if
        there are fewer windows; `n` says how many.

    Raises
    ------
    BadParameter
        If lengths differ, or there is no request.
    """
    values, weights = np.asarray(means, dtype=float), np.asarray(counts, dtype=float)
    if values.shape != weights.shape:
        raise BadParameter(f"{values.size} means but {weights.size} counts")
    values, weights = values[weights > 0], weights[weights > 0]
    if not values.size:
        raise BadParameter("there is no request")
    middles = np.cumsum(weights) - weights / 2
    batch = np.minimum((middles / weights.sum() * BATCHES).astype(int), BATCHES - 1)
    found = [np.average(values[batch == one], weights=weights[batch == one]) for one in np.unique(batch)]
    over = mean_interval(found)
    mean = float(np.average(values, weights=weights))
    low, high = mean - (over.estimate - over.low), mean + (over.high - over.estimate)
    return Interval(mean, low, high, over.confidence, over.n)
