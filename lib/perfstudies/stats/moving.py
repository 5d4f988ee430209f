"""The trailing moving average, as the AAA study smoothed its response times with it.

The value at request t is the mean of the p requests t - p + 1 to t, so it lags behind by (p - 1) / 2 requests, and
the first p - 1 requests have none. (The study's formula divides a sum of p terms by m; only m = p is an average.) What
such a mean does to a series without any pattern is in `perfstudies.studies.aaa.analysis.waves`.

Source: the AAA study's section 5.2; M. G. Kendall, *Time-Series*, Griffin 1973, chapter 3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from perfstudies.errors import BadParameter


def moving_average(values: ArrayLike, window: int) -> np.ndarray:
    """Return the trailing moving average along the last axis.

    Parameters
    ----------
    values : array_like, shape (..., requests)
        In order of requests, any unit. A window that holds a missing value has no mean; the study's logs had no line
        for a request that failed, so to smooth as it did, leave those out first.
    window : int
        How many requests one mean takes in (the study's p), 1 or more.

    Returns
    -------
    ndarray, shape (..., requests)
        In the values' unit. The first ``window - 1`` are missing, and all if there are fewer requests than that.

    Raises
    ------
    BadParameter
        If the window is not a whole number of 1 or more, or there is no axis to average along.
    """
    array = np.asarray(values, dtype=float)
    check_window(window)
    if array.ndim == 0:
        raise BadParameter("a moving average needs a series, not a single number")
    smooth = np.full(array.shape, np.nan)
    if array.shape[-1] >= window:
        # Sums of windows rather than differences of running totals: one slow request leaves no rounding behind it.
        windows = np.lib.stride_tricks.sliding_window_view(array, int(window), axis=-1)
        smooth[..., int(window) - 1 :] = windows.mean(axis=-1)
    return smooth


def check_window(window: int) -> None:
    """Refuse by `BadParameter` a window that is not a whole number of 1 or more."""
    if window < 1 or window != int(window):
        raise BadParameter(f"window = {window!r}; a moving average takes in a whole number of requests, 1 or more")
