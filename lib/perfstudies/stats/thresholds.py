"""A limit that each run only brackets: the largest size that succeeded and the smallest that failed.

Sizes grow by a factor from a random start, so on the log scale the bracket lies around the limit as if dropped there at
random: its middle is off by up to half a step either way, and by nothing on average. That makes the mean of the
middles unbiased, and the spread of the middles holds both the runs' and the steps'. A regular start would not
do: the same sizes in every run would be off in the same direction.

Source: L. Schuchman, "Dither signals and their effect on quantization noise", IEEE Trans. Communication
Technology 12, 1964.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from perfstudies.errors import BadParameter
from perfstudies.stats.growth import over_units
from perfstudies.stats.intervals import Interval, finite, paired


@dataclass(frozen=True)
class Threshold:
    """A limit over runs.

    Attributes
    ----------
    size : Interval
        The geometric mean of the brackets' middles; `n` is the number of runs with a bracket.
    common : tuple of float
        Where the limit must lie if all runs have the same one: the largest that ever succeeded and the smallest
        that ever failed. In the wrong order if runs' limits differ by more than their brackets.
    open_runs : int
        Runs without a bracket, as nothing failed in them, or nothing succeeded. They are left out, so if there are any
        the estimate is too low or too high.
    """

    size: Interval
    common: tuple[float, float]
    open_runs: int


def middles(succeeded: ArrayLike, failed: ArrayLike) -> np.ndarray:
    """Return the geometric middle of each run's bracket; missing for a run without one.

    Parameters
    ----------
    succeeded, failed : array_like, shape (runs,)
        The largest size that succeeded and the smallest that failed after it, any unit; missing or 0 if there was none.

    Raises
    ------
    BadParameter
        If lengths differ or a bracket is upside down.
    """
    low, high = paired(_sizes(succeeded), _sizes(failed))
    if (low >= high).any():
        raise BadParameter("a bracket's upper end must exceed its lower end")
    return np.sqrt(low * high)


def threshold(succeeded: ArrayLike, failed: ArrayLike, confidence: float = 0.95) -> Threshold:
    """Estimate the limit from runs' brackets; the arguments are those of `middles`."""
    low, high = _sizes(succeeded), _sizes(failed)
    size = over_units(pd.Series(np.log(middles(low, high))), confidence).exp()
    closed = np.isfinite(low) & np.isfinite(high)
    common = (float(low[closed].max()), float(high[closed].min())) if closed.any() else (np.nan, np.nan)
    return Threshold(size, common, int((~closed).sum()))


def _sizes(values: ArrayLike) -> np.ndarray:
    array = np.asarray(values, dtype=float).ravel()
    finite(array[~np.isnan(array)] if (~np.isnan(array)).any() else [0.0], "sizes")
    return np.where(array > 0, array, np.nan)
