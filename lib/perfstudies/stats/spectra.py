"""Response times by request number, seen as waves: autocorrelation, spectrum, repetitions laid on each other.

Times are first put on a scale on which a few very slow requests do not outweigh all others: the normal scores of their
ranks, or logarithms. These are descriptions for plots; the tests are in `perfstudies.stats.periodicity`.

Sources: W. J. Conover and R. L. Iman, The American Statistician 35, 1981 (ranks in place of values); M. B. Priestley,
*Spectral Analysis and Time Series*, Academic Press 1981, chapter 6.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import fft, signal, special, stats
from statsmodels.tsa.stattools import acf

from perfstudies.errors import BadParameter, require_one_of
from perfstudies.stats.intervals import finite, positive
from perfstudies.stats.rednoise import best_order, centred, whiten

SCALES = ("ranks", "log", "values")
LEAST_REQUESTS = 40
MOST_MISSING = 0.2
#: A peak of the autocorrelation that is this high beside the highest, and whose lag fits in its lag a few whole times
#: (but for a share), is the period.
NEARLY, MULTIPLE, MULTIPLES = 0.7, 0.05, 3


def prepared(values: ArrayLike, scale: str = "ranks") -> np.ndarray:
    """Return the series that is analysed: transformed, without a straight trend, of variance 1.

    Parameters and errors are those of `perfstudies.stats.periodicity.periodicity`.
    """
    require_one_of("scale", scale, SCALES)
    array = np.asarray(values, dtype=float).ravel()
    known = ~np.isnan(array)
    if array.size < LEAST_REQUESTS:
        raise BadParameter(f"{array.size} requests are too few to look for a period; at least {LEAST_REQUESTS}")
    if known.mean() < 1 - MOST_MISSING:
        raise BadParameter(f"{(~known).sum()} of {array.size} values are missing, too many to look for a period")
    present = positive(array[known], "values") if scale == "log" else finite(array[known], "values")
    if np.ptp(present) == 0:
        raise BadParameter("values never differ, so nothing can repeat")
    if scale == "ranks":
        present = special.ndtri((stats.rankdata(present) - 0.5) / present.size)
    elif scale == "log":
        present = np.log(present)
    level = np.full(array.size, np.median(present) if scale != "ranks" else 0.0)
    level[known] = present
    series = centred(level[None])[0]
    return series / series.std()


def autocorrelation(values: ArrayLike, lags: int, scale: str = "ranks") -> pd.DataFrame:
    """Return the autocorrelation of a series.

    Parameters
    ----------
    values, scale
        As in `perfstudies.stats.periodicity.periodicity`.
    lags : int
        The longest lag, in requests.

    Returns
    -------
    DataFrame
        A row a lag from 0: lag (requests), acf.
    """
    found = acf(prepared(values, scale), nlags=lags, fft=True)
    return pd.DataFrame({"lag": np.arange(found.size), "acf": found})


def spectrum(values: ArrayLike) -> pd.DataFrame:
    """Return the periodogram of a series beside the spectrum of the red noise fitted to it.

    Returns
    -------
    DataFrame
        A row an ordinate: frequency (cycles per request), period (requests), power, red. Independent noise has power 1
        on average everywhere; red noise has power `red`.
    """
    series = prepared(values)
    n = series.size
    order = best_order(series)
    residuals, weights = whiten(series[None], order)
    frequency = np.arange(1, (n - 1) // 2 + 1) / n
    power = np.abs(fft.rfft(series)[1 : frequency.size + 1]) ** 2 / n
    response = signal.freqz([1.0], np.concatenate([[1.0], -weights[0]]), worN=2 * np.pi * frequency)[1]
    red = residuals.var() * np.abs(response) ** 2
    return pd.DataFrame({"frequency": frequency, "period": 1 / frequency, "power": power, "red": red})


def acf_period(series: np.ndarray, shortest: float, longest: float) -> float:
    """Return the lag of the autocorrelation's highest peak above 0, or of one nearly as high at a whole part of it."""
    found = acf(series, nlags=min(int(longest) + 1, series.size - 1), fft=True)
    width = max(1, int(shortest) // 2)
    found = np.convolve(found, np.ones(width) / width, mode="same")
    peaks = signal.find_peaks(found)[0]
    peaks = peaks[(peaks >= shortest) & (peaks <= longest) & (found[peaks] > 0)]
    if peaks.size == 0:
        return np.nan
    highest = peaks[found[peaks].argmax()]
    # Two or three periods apart a pattern is like itself too, and by chance a little more so.
    times = highest / peaks
    whole = (np.abs(times - np.round(times)) < MULTIPLE * np.round(times)) & (times < MULTIPLES + 0.5)
    return float(peaks[(found[peaks] >= NEARLY * found[highest]) & whole].min())
