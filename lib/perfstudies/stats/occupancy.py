"""How many requests are in a system: from when each came and when it left, without sampling.

The time average over any stretch is the time that all requests spent in it, over its length. For a stretch that no
request reaches out of this is Little's law, L = lambda W, and holds exactly for what was recorded, whatever the
arrivals and the queue.

Sources: J. D. C. Little, "A proof for the queuing formula: L = lambda W", Operations Research 9, 1961, and "Little's
law as viewed on its 50th anniversary", Operations Research 59, 2011 (the finite form).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from perfstudies.errors import BadParameter
from perfstudies.stats.intervals import finite, paired


@dataclass(frozen=True)
class Little:
    """The three quantities of Little's law, in one unit of time.

    Attributes
    ----------
    number : float
        Requests in the system, on average over time.
    rate : float
        Arrivals in the stretch over its length.
    time : float
        The mean time in the system of those that arrived in the stretch; infinite if one never left.
    crossing : int
        Requests that came before the stretch or left after it. If there are none, number = rate * time.
    """

    number: float
    rate: float
    time: float
    crossing: int


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
    return float(occupancy_series(starts, ends, [begin, end])["mean"][0])


def little(starts: ArrayLike, ends: ArrayLike, begin: float, end: float) -> Little:
    """Return number, rate and time of a stretch; arguments and errors are those of `occupancy`."""
    came, left = _visits(starts, ends)
    mine = (came >= begin) & (came < end)
    spent = float((left[mine] - came[mine]).mean()) if mine.any() else np.nan
    crossing = ((came < begin) & (left > begin)) | (mine & (left > end))
    return Little(occupancy(came, left, begin, end), float(mine.sum() / (end - begin)), spent, int(crossing.sum()))


def occupancy_series(starts: ArrayLike, ends: ArrayLike, edges: ArrayLike) -> pd.DataFrame:
    """Return how many requests are in the system, stretch by stretch.

    Parameters
    ----------
    starts, ends : array_like, shape (requests,)
        As in `occupancy`. A request that leaves just as another comes makes room for it.
    edges : array_like, shape (stretches + 1,)
        Ascending, in the same unit.

    Returns
    -------
    DataFrame
        A row a stretch: from, to (times), mean (over time), most (at once), arrivals, departures.

    Raises
    ------
    BadParameter
        If lengths differ, a time is missing, a request left before it came, or edges do not ascend.
    """
    came, left = _visits(starts, ends)
    bounds = finite(edges, "edges")
    if bounds.size < 2 or (np.diff(bounds) <= 0).any():
        raise BadParameter("edges have to ascend, and a stretch needs two")
    # Times count from the first edge: differences of large numbers lose digits.
    came, left, at = np.sort(came) - bounds[0], np.sort(left) - bounds[0], bounds - bounds[0]
    # Of each request only what lies between the first edge and the last adds to a mean.
    spent = np.diff(_elapsed(np.maximum(came, 0.0), at) - _elapsed(np.maximum(left, 0.0), at))
    arrivals, departures = (np.searchsorted(times, at, side="left") for times in (came, left))
    return pd.DataFrame(
        {
            "from": bounds[:-1],
            "to": bounds[1:],
            "mean": spent / np.diff(bounds),
            "most": _most(came, left, at),
            "arrivals": np.diff(arrivals),
            "departures": np.diff(departures),
        }
    )


def _visits(starts: ArrayLike, ends: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    came = np.asarray(starts, dtype=float).ravel()
    came, left = paired(finite(came, "starts") if came.size else came, np.asarray(ends, dtype=float).ravel())
    if np.isnan(left).any() or (left < came).any():
        raise BadParameter("a request has no end, or one before its start; one that never left has an infinite end")
    return came, left


def _elapsed(times: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return the sum of ``max(0, at - time)`` over all times, which are sorted, for each place."""
    count = np.searchsorted(times, at, side="right")
    known = np.concatenate([[0.0], np.cumsum(times[np.isfinite(times)])])
    return count * at - known[count]


def _most(came: np.ndarray, left: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return the highest number at once in each stretch: where it starts, or after an arrival in it."""
    inside = came.searchsorted(at[:-1], side="right") - left.searchsorted(at[:-1], side="right")
    if came.size == 0:
        return inside
    after = np.arange(1, came.size + 1) - left.searchsorted(came, side="right")
    # Of several that arrive at one time the last sees them all; a request without length is gone at once.
    first, last = came.searchsorted(at[:-1], side="right"), came.searchsorted(at[1:], side="left")
    peaks = [after[low:high].max(initial=0) for low, high in zip(first, last, strict=True)]
    return np.maximum(inside, peaks)
