"""The waves that a moving average makes out of noise: the Slutsky-Yule effect.

A moving average keeps slow changes and damps quick ones. Of independent values it therefore leaves a smooth curve that
rises and falls, and looks like a pattern, though nothing repeats. This module says how such a curve looks, so that
what is seen in smoothed response times can be held against it. A test for a period belongs on the series before it is
smoothed.

Sources: E. Slutzky, "The summation of random causes as the source of cyclic processes", Econometrica 5, 1937; G. U.
Yule, J. Royal Statistical Society 84, 1921; B. Kedem, *Time Series Analysis by Higher Order Crossings*, IEEE Press
1994 (the cosine formula); M. B. Priestley, *Spectral Analysis and Time Series*, Academic Press 1981, chapters 4 and 6.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from perfstudies.errors import BadParameter
from perfstudies.stats.moving import check_window

#: Points of the quadrature over the height of the highest ordinate; twice as many change no digit that is shown.
NODES = 4001


def gain(window: int, frequency: ArrayLike) -> np.ndarray:
    """Return by what a moving average multiplies the power at a frequency: ``(sin(pi f p) / (p sin(pi f)))**2``.

    It is also the expected spectrum of moving-averaged white noise, as a ratio to that noise's own.

    Parameters
    ----------
    window : int
        The moving average's p, in requests.
    frequency : array_like
        Cycles per request, from 0 to 0.5.

    Returns
    -------
    ndarray
        From 0 to 1, of the frequency's shape.
    """
    check_window(window)
    at = np.asarray(frequency, dtype=float)
    below = window * np.sin(np.pi * at)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.sin(np.pi * at * window) / below
    return np.where(below == 0, 1.0, ratio) ** 2


def wave_length(window: int) -> float:
    """Return the mean number of requests between two rises of moving-averaged white noise through its mean.

    For a normal series it is ``2 pi / arccos(r)``, r the correlation of neighbours, here ``1 - 1 / window``; for
    long windows some ``4.4 sqrt(window)``.
    """
    check_window(window)
    return float(2 * np.pi / np.arccos(1 - 1 / window))


def apparent_periods(window: int, requests: int, shortest: float = 2.0, longest: float = np.inf) -> pd.DataFrame:
    """Return which period the periodogram of moving-averaged white noise shows as its highest, and how probably.

    Each ordinate is exponential around the expected spectrum, and they are independent (exactly so for an average that
    runs around the series' end). The probability that one is the highest is integrated over its height.

    Parameters
    ----------
    window : int
        The moving average's p, in requests; 1 leaves the noise as it is.
    requests : int
        The length of the series.
    shortest, longest : float
        Periods looked at, in requests.

    Returns
    -------
    DataFrame
        A row a period, from long to short: cycles (in the whole series), period (requests), gain, probability (sums to
        1).

    Raises
    ------
    BadParameter
        If the window is not a whole number of 1 or more, or no period of such a series is looked at.
    """
    cycles = np.arange(1, (requests - 1) // 2 + 1)
    cycles = cycles[(cycles * shortest <= requests) & (cycles * longest >= requests)]
    if cycles.size == 0:
        raise BadParameter(f"{requests} requests have no period between {shortest} and {longest}")
    power = np.maximum(gain(window, cycles / requests), 1e-12)
    # Substituting u = exp(-height / highest power) makes the range finite; midpoints avoid both of its ends.
    height = -power.max() * np.log((np.arange(NODES) + 0.5) / NODES)
    scaled = height[:, None] / power
    below = np.log(-np.expm1(-scaled))
    density = np.exp(below.sum(axis=1)[:, None] - below - scaled + height[:, None] / power.max()) / power
    probability = density.sum(axis=0)
    return pd.DataFrame(
        {
            "cycles": cycles,
            "period": requests / cycles,
            "gain": gain(window, cycles / requests),
            "probability": probability / probability.sum(),
        }
    )
