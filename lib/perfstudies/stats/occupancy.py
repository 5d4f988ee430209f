"""How many requests are in a system: from when each came and when it left, without sampling.

The time average over any stretch is the time that all requests spent in it, over its length. For a stretch that no
request reaches out of this is Little's law, L = lambda W, and holds exactly for what was recorded, whatever the
arrivals and the queue.

Sources: J. D. C. Little, "A proof for the queuing formula: L = lambda W", Operations Research 9, 1961, and "Little's
law as viewed on its 50th anniversary", Operations Research 59, 2011 (the finite form).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfstudies.errors import BadParameter
from perfstudies.stats.intervals import finite, paired


def occupancy(starts: ArrayLike, ends: ArrayLike, begin: float, end: float) -> float:
    """Return the time-average number of requests in the system between two times.

    Parameters
    ----------
    starts, ends : array_like, shape (requests,)
        When each came and left, in one unit of time; infinite if it never left.
    begin, end : float
        In the same unit.

    Raises
    ------
    BadParameter
        If lengths differ, a time is missing, a request left before it came, or the stretch has no length.
    """
    came, left = _visits(starts, ends)
    if not 0 < end - begin < np.inf:
        raise BadParameter(f"a stretch from {begin} to {end} has no length")
    return float((left.clip(begin, end) - came.clip(begin, end)).sum() / (end - begin))


def _visits(starts: ArrayLike, ends: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    came = np.asarray(starts, dtype=float).ravel()
    came, left = paired(finite(came, "starts") if came.size else came, np.asarray(ends, dtype=float).ravel())
    if np.isnan(left).any() or (left < came).any():
        raise BadParameter("a request has no end, or one before its start; one that never left has an infinite end")
    return came, left
