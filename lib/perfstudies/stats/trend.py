"""Does a series climb and then stay level?

Two straight lines that meet are fitted; where they meet is the breakpoint. Whether one line would do is tested by the
largest gain of any breakpoint, against series around one line that have the residuals' memory, since a breakpoint
chosen as the best one always gains something. "Then stays level" is a matter of size: how much the second line still
adds, as a share of the climb.

Sources: D. V. Hinkley, "Inference in two-phase regression", JASA 66, 1971; R. E. Quandt, JASA 53, 1958; D. W. K.
Andrews, Econometrica 61, 1993 (the largest of all breakpoints).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize

from perfstudies.errors import BadParameter
from perfstudies.stats.intervals import finite, paired, positive
from perfstudies.stats.rednoise import surrogates

#: Points on either side of a breakpoint; and how many breakpoints are tried.
LEAST_POINTS = 4
CANDIDATES = 200
#: A correlation of neighbours above it leaves hardly any independent value.
MOST_MEMORY = 0.95


@dataclass(frozen=True)
class Climb:
    """Two lines that meet.

    Attributes
    ----------
    breakpoint : float
        Where they meet, in the unit of x.
    climbed : float
        What the first line adds from the first x to the breakpoint, in units of y (of its logarithm if `log`).
    drift : float
        What the second line adds from there to the last x, as a share of `climbed`: 0 for a level, 1 if it adds as much
        again, below 0 if it falls.
    p_break : float
        That one line with such noise gains as much from a break.
    """

    breakpoint: float
    climbed: float
    drift: float
    p_break: float


def climb(x: ArrayLike, y: ArrayLike, log: bool = False, count: int = 499, seed: int = 0) -> Climb:
    """Fit two lines that meet to one series.

    Parameters
    ----------
    x : array_like, shape (points,)
        The number of the request, say; in ascending order, all different.
    y : array_like, shape (points,)
        Any unit; above 0 if `log`.
    log : bool
        Fit the logarithm of y: outliers of a long tail then weigh less, and slopes are shares.
    count : int
        Series simulated for p.
    seed : int

    Returns
    -------
    Climb

    Raises
    ------
    BadParameter
        If lengths differ, a value is not finite (or not above 0 with `log`), x does not ascend, there are fewer than 9
        points, or all lie on one line.
    """
    at, level = paired(finite(x, "x"), positive(y, "y") if log else finite(y, "y"))
    level = np.log(level) if log else level
    n = at.size
    if n <= 2 * LEAST_POINTS or (np.diff(at) <= 0).any():
        raise BadParameter(f"two lines need more than {2 * LEAST_POINTS} points, with x ascending")
    low, high = at[LEAST_POINTS - 1], at[-LEAST_POINTS]
    places = np.linspace(low, high, min(CANDIDATES, 4 * n))
    line = np.column_stack([np.ones(n), at - at.mean()])
    basis = np.linalg.qr(line)[0]
    straight = level - basis @ (basis.T @ level)
    if straight @ straight <= 1e-20 * (1 + level @ level):
        raise BadParameter("all points lie on one line, which has no breakpoint")

    def left(place: float) -> float:
        return float(straight @ straight * (1 - _gains(straight[None], at, basis, np.array([place]))[0, 0]))

    gains = _gains(straight[None], at, basis, places)[0]
    best = int(gains.argmax())
    around = places[max(best - 1, 0)], places[min(best + 1, places.size - 1)]
    place = float(optimize.minimize_scalar(left, bounds=around, method="bounded").x)
    place = place if left(place) <= left(places[best]) else float(places[best])

    design = np.column_stack([np.ones(n), np.minimum(at - place, 0.0), np.maximum(at - place, 0.0)])
    weights = np.linalg.lstsq(design, level, rcond=None)[0]
    climbed = float(weights[1] * (place - at[0]))
    drift = float(weights[2] * (at[-1] - place) / climbed) if climbed else np.nan
    p_break = _p_break(straight, at, basis, places, float(gains.max()), count, np.random.default_rng(seed))
    return Climb(place, climbed, drift, p_break)


def _gains(straight: np.ndarray, at: np.ndarray, basis: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return by what share each breakpoint lowers the squares of residuals from one line: shape (rows, places)."""
    bends = np.maximum(at - places[:, None], 0.0)
    bends = bends - (bends @ basis) @ basis.T
    bends /= np.linalg.norm(bends, axis=1, keepdims=True)
    return (straight @ bends.T) ** 2 / np.einsum("ij,ij->i", straight, straight)[:, None]


def _memory(residuals: np.ndarray) -> float:
    """Return the correlation of neighbouring residuals from a line, not below 0 and corrected for the fit.

    The fit of a line takes slow noise for trend, which lowers the correlation by some (1 + 4 r) / n (Kendall 1954,
    Biometrika 41; Marriott and Pope, the same).
    """
    raw = float(residuals[1:] @ residuals[:-1] / (residuals @ residuals))
    return float(np.clip(raw + (1 + 4 * raw) / residuals.size, 0.0, MOST_MEMORY))


def _p_break(
    straight: np.ndarray,
    at: np.ndarray,
    basis: np.ndarray,
    places: np.ndarray,
    gain: float,
    count: int,
    rng: np.random.Generator,
) -> float:
    """Return the share of straight lines with noise of such memory that gain as much from a break."""
    made = surrogates(straight, 1, count, rng, np.array([[_memory(straight)]]))
    made = made - (made @ basis) @ basis.T
    return (1 + int((_gains(made, at, basis, places).max(axis=1) >= gain).sum())) / (count + 1)
