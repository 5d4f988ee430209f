"""What a pattern looks like, and what only looks like one: autocorrelation, and a moving average's waves of noise.

A moving average keeps slow changes and damps quick ones. Of independent values it therefore leaves a smooth curve that
rises and falls, and looks like a pattern, though nothing repeats: the Slutsky-Yule effect. A test for a period belongs
on the series before it is smoothed.

Sources: E. Slutzky, "The summation of random causes as the source of cyclic processes", Econometrica 5, 1937; G. U.
Yule, J. Royal Statistical Society 84, 1921; B. Kedem, *Time Series Analysis by Higher Order Crossings*, IEEE Press
1994 (the cosine formula).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.lib.stride_tricks import sliding_window_view

from perfstudies.errors import BadParameter
from perfstudies.stats.interval import Interval
from perfstudies.stats.intervals import estimates
from perfstudies.stats.spectra import autocorrelation
from perfstudies.studies.aaa.analysis.patterns import CYCLES
from perfstudies.studies.aaa.analysis.times import EJB, MEASURES, series

MOST_LAGS = 400
WINDOWS = (10, 25, 50, 100, 200)


def wave_length(window: int) -> float:
    """Return the mean number of requests between two rises of moving-averaged white noise through its mean.

    For a normal series it is ``2 pi / arccos(r)``, r the correlation of neighbours, here ``1 - 1 / window``; for
    long windows some ``4.4 sqrt(window)``.
    """
    return float(2 * np.pi / np.arccos(1 - 1 / window))


def noise(samples: pd.DataFrame, windows: Iterable[int] = WINDOWS, measure: str = EJB) -> pd.DataFrame:
    """Compare the waves of the moving average with those which it makes of noise (Slutsky and Yule); a row a window.

    Columns: requests between two rises of the moving average through its mean, as measured, with the same requests in
    random order (intervals over runs), and as theory has it for independent noise. Windows that fit less than four
    times into a run are left out.
    """
    by_key = {key: values[~np.isnan(values)] for key, values in series(samples, measure).items()}
    rng = np.random.default_rng(0)
    mixed = {key: rng.permutation(values) for key, values in by_key.items()}
    requests = min(map(len, by_key.values()))
    rows = {}
    for window in windows:
        if requests < 4 * window:
            continue
        rows[window] = {
            "Measured": _waves(by_key, window),
            "In random order": _waves(mixed, window),
            "Independent noise": wave_length(window),
        }
    columns = ["Measured", "In random order", "Independent noise"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("Window")


def correlogram(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the autocorrelation of both times by lag: a row a lag and run, a column a time, means over its clients.

    It reaches as far as `MOST_LAGS`, and as a quarter of a run; runs too short for it are left out.
    """
    columns = {}
    for measure, name in MEASURES.items():
        by_key = series(samples, measure)
        lags = min(MOST_LAGS, min(map(len, by_key.values())) // CYCLES)
        for key, values in by_key.items():
            try:
                columns[(name, *key)] = autocorrelation(values, lags)["acf"]
            except BadParameter:
                continue
    if not columns:
        none = pd.MultiIndex.from_arrays([np.array([], dtype=int), []], names=["lag", "run"])
        return pd.DataFrame(index=none, columns=list(MEASURES.values()), dtype=float)
    found: Any = pd.DataFrame(columns).rename_axis(index="lag", columns=["", "run", "client"]).iloc[1:]
    return found.T.groupby(level=["", "run"]).mean().T.stack("run")[list(MEASURES.values())].rename_axis(columns=None)


def _waves(by_key: Mapping[tuple[str, int], np.ndarray], window: int) -> Interval:
    """Return the mean number of requests between rises of the moving average through its mean, over runs."""
    lengths: dict[Hashable, list[float]] = {}
    for (run, _), values in by_key.items():
        known = sliding_window_view(values, window).mean(axis=-1)
        above = known > known.mean()
        rises = np.flatnonzero(~above[:-1] & above[1:])
        lengths.setdefault(run, []).append((rises[-1] - rises[0]) / (len(rises) - 1) if len(rises) > 1 else np.nan)
    return estimates(pd.DataFrame.from_dict(lengths, orient="index").mean(axis=1))
