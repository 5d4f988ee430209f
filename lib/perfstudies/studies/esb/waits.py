"""How long all of a run's messages took, from its first to the last that ended, and how many a stopped engine held up.

Throughput is told from the steady part of a run. Waiting is not: what a stop or too high a rate does is never steady,
and messages that end after the last was due have waited longest. So nothing is cut off here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from perfstudies.studies.esb.logs.rate_intervals import BIN_S, MEASURES, at, good, middle_ms

QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999}
HELD_UP_PART = 0.5
"""A message that took longer than this part of the stop was held up by it."""


def facts(intervals: pd.DataFrame, seconds: float, stalled_s: Sequence[float]) -> dict[str, float]:
    """Return facts of a run from its reduced log.

    Parameters
    ----------
    intervals : DataFrame
        From `perfstudies.studies.esb.logs.rate_intervals.read_intervals`.
    seconds : float
        How long messages were due.
    stalled_s : sequence of float
        When the engine was stopped and when it went on, in seconds of the run; empty if it was not.

    Returns
    -------
    dict
        Of the times of good replies, from when a message was due (``response``) and from when it was sent
        (``service``): quantiles in ms as ``all_response_p99_ms``, ``all_response_mean_ms`` and ``all_response_max_ms``;
        ``under_way_response`` and ``under_way_service``, the rate of good replies times their mean time while messages
        were due, which by Little's law is how many were under way; ``stalled_for_s``; ``held_up_response`` and
        ``held_up_service``, the replies that took longer than half the stop. The last three are missing for a run
        without a stop.
    """
    stop_s = stalled_s[1] - stalled_s[0] if len(stalled_s) == 2 else np.nan
    bins = max(1, int(seconds / BIN_S + 1e-9))
    found: dict[str, float] = {"stalled_for_s": stop_s}
    for measure in MEASURES:
        replies = good(intervals, measure)
        histogram = replies.groupby("bucket")["count"].sum()
        found |= {f"all_{measure}_{name}_ms": value for name, value in _told(histogram).items()}
        held = histogram[middle_ms(histogram.index.to_numpy()) > 1000 * HELD_UP_PART * stop_s].sum()
        found[f"held_up_{measure}"] = float(held) if np.isfinite(stop_s) else np.nan
        due = replies[replies["bin"] < bins]
        spent_s = float(due["count"] @ middle_ms(due["bucket"].to_numpy())) / 1000
        found[f"under_way_{measure}"] = spent_s / (bins * BIN_S)
    return found


def tail_by_bin(intervals: pd.DataFrame, bins: pd.Series) -> pd.Series:
    """Return by bin the time from when a message was due, in ms, that 99 % of its good replies do not exceed.

    The result has the index of the bins; it is missing where no good reply ended.
    """
    by_bin = good(intervals, "response").groupby("bin")
    found = {one: at(part.groupby("bucket")["count"].sum(), np.array([0.99]))[0] for one, part in by_bin}
    return bins.map(found).astype(float)


def _told(histogram: pd.Series) -> Mapping[str, float]:
    if histogram.empty:
        return dict.fromkeys([*QUANTILES, "mean", "max"], np.nan)
    middles = middle_ms(histogram.index.to_numpy())
    mean = float(np.average(middles, weights=histogram))
    told = dict(zip(QUANTILES, map(float, at(histogram, np.array([*QUANTILES.values()]))), strict=True))
    return told | {"mean": mean, "max": float(middles[-1])}
