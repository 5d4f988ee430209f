"""Warm-up: from which request on is a run in its steady state, if it ever is?

A run is a mix of requests, so the times of its requests are first made comparable: within the run, log
time is regressed robustly on the kind of request and, for each kind, on log size. What remains
is cut into segments of equal level by change-point detection. The steady state is the last
segment, with those before it that cost the same, if it is long enough and does not drift.

Sources: E. Barrett, C. F. Bolz-Tereick, R. Killick, S. Mount and L. Tratt, "Virtual Machine Warmup Blows Hot
and Cold", OOPSLA 2017 (change points, equivalent last segments, runs without a steady state); R. Killick, P.
Fearnhead and I. A. Eckley, "Optimal detection of changepoints with a linear computational cost",
JASA 107, 2012 (PELT); N. R. Zhang and D. O. Siegmund, Biometrics 63, 2007 (the penalty, a modified BIC);
F. R. Hampel, JASA 69, 1974 (outliers against a running median).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import ruptures
from numpy.typing import ArrayLike
from scipy import ndimage, stats
from statsmodels.api import RLM
from statsmodels.robust.norms import HuberT

from perfstudies.errors import BadParameter
from perfstudies.stats.intervals import positive

#: The steady state must hold this part of a run, and this many requests.
LEAST_PART = 1 / 3
LEAST_REQUESTS = 10
#: Levels within 5 % count as the same, and so does a drift of less than that over the whole steady state.
TOLERANCE = float(np.log(1.05))
#: A shorter segment cannot be told from a few slow requests in a row.
SEGMENT = 5
#: Requests of a kind that are too few to have a slope of their own.
FEW = 5
DRIFT_LEVEL = 0.01
MAD_TO_SD = 1.4826  # for a normal distribution
#: Log times below this spread are equal but for rounding.
ROUNDING = 1e-6


@dataclass(frozen=True)
class SteadyState:
    """Where a run's steady state starts.

    Attributes
    ----------
    start : int or None
        Position of its first request; None if the run reaches no steady state.
    changes : tuple of int
        Positions at which a new level starts, in order.
    reason : str
        Why there is none, or empty.
    """

    start: int | None
    changes: tuple[int, ...]
    reason: str = ""


def steady_state(request_ms: ArrayLike, operation: ArrayLike, size: ArrayLike) -> SteadyState:
    """Find the steady state of one run.

    Parameters
    ----------
    request_ms : array_like, shape (requests,)
        Times above 0 in order of time, in ms (any unit gives the same result).
    operation : array_like, shape (requests,)
        The kind of each request; kinds may differ in level and in how they grow with size.
    size : array_like, shape (requests,)
        How much each request asks for, 0 or more, in any unit.

    Returns
    -------
    SteadyState

    Raises
    ------
    BadParameter
        If lengths differ, a time is not above 0 or a size is below 0.
    """
    times = positive(request_ms, "request_ms")
    kinds, sizes = np.asarray(operation).astype(str), np.asarray(size, dtype=float)
    if not len(times) == len(kinds) == len(sizes):
        counts = f"{len(times)} times, {len(kinds)} operations and {len(sizes)} sizes"
        raise BadParameter(f"{counts}: lengths must be equal")
    if not (np.isfinite(sizes) & (sizes >= 0)).all():
        raise BadParameter("size: a request has none, or one below 0")
    if len(times) < LEAST_REQUESTS:
        return SteadyState(None, (), f"fewer than {LEAST_REQUESTS} requests")
    level = _comparable(np.log(times), kinds, np.log1p(sizes))
    changes = _changes(level)
    start = _last_level(level, changes)
    kept = level[start:]
    if len(kept) < max(LEAST_REQUESTS, LEAST_PART * len(level)):
        return SteadyState(None, changes, f"the last level holds only {len(kept)} of {len(level)} requests")
    if _drifts(kept):
        return SteadyState(None, changes, "times still drift at the end")
    return SteadyState(start, changes)


def steady(samples: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Find the steady state of every run.

    Parameters
    ----------
    samples : DataFrame
        One row per request, with run, request, operation, outcome, request_length (characters) and request_ms
        (ms). A failed request counts as a kind of its own, as it takes another path.

    Returns
    -------
    samples : DataFrame
        A copy with the boolean column ``steady``, false throughout a run that has no steady state.
    runs : DataFrame
        A row per run: run, requests, start (the number in column `request` of the first steady request;
        missing if there is none), changes (how many), reason.

    Raises
    ------
    BadParameter
        As `steady_state`.
    """
    marked = samples.assign(steady=False)
    rows = []
    for run, requests in samples.reset_index(drop=True).groupby("run", observed=True):
        requests = requests.sort_values("request", kind="stable")
        kinds = requests["operation"].astype(str) + " " + requests["outcome"].astype(str)
        found = steady_state(requests["request_ms"], kinds, requests["request_length"])
        start: Any = pd.NA
        if found.start is not None:
            start = int(requests["request"].iloc[found.start])
            marked.iloc[requests.index[found.start :], marked.columns.get_loc("steady")] = True  # type: ignore[index]
        rows.append((run, len(requests), start, len(found.changes), found.reason))
    table = pd.DataFrame(rows, columns=["run", "requests", "start", "changes", "reason"])
    return marked, table.astype({"start": "Int64"})


def _comparable(log_times: np.ndarray, kinds: np.ndarray, log_sizes: np.ndarray) -> np.ndarray:
    """Return log times without the effects of kind and size, estimated robustly."""
    columns = []
    for kind in np.unique(kinds):
        mine = kinds == kind
        columns.append(mine.astype(float))
        if mine.sum() >= FEW and np.ptp(log_sizes[mine]) > 0:
            columns.append(np.where(mine, log_sizes - log_sizes[mine].mean(), 0.0))
    design = np.column_stack(columns)
    plain = log_times - design @ np.linalg.lstsq(design, log_times, rcond=None)[0]
    if stats.median_abs_deviation(plain) < ROUNDING:
        return plain
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # A perfect fit is no problem here, only the end of the iteration.
        warnings.simplefilter("ignore")
        robust = RLM(log_times, design, M=HuberT()).fit()
    return robust.resid if np.isfinite(robust.resid).all() else plain


def _changes(level: np.ndarray) -> tuple[int, ...]:
    """Return where the level changes: PELT, squared error, penalty 3 s^2 log n."""
    noise = MAD_TO_SD * stats.median_abs_deviation(np.diff(level)) / np.sqrt(2)
    noise = max(noise, ROUNDING)
    # A single slow request (garbage collection, say) is neither a level nor part of one.
    usual = ndimage.median_filter(level, size=7, mode="reflect")
    calm = np.clip(level, usual - 3 * noise, usual + 3 * noise)
    # With a linear kernel this is PELT under squared error, in C.
    search = ruptures.KernelCPD(kernel="linear", min_size=SEGMENT)
    ends = search.fit((calm / noise).reshape(-1, 1)).predict(pen=3 * np.log(len(level)))
    return tuple(int(end) for end in ends[:-1])


def _last_level(level: np.ndarray, changes: tuple[int, ...]) -> int:
    """Return where the last level starts, counting segments before it that cost the same."""
    bounds = [0, *changes, len(level)]
    last = np.median(level[bounds[-2] :])
    start = bounds[-2]
    for low, high in zip(bounds[-3::-1], bounds[-2:0:-1], strict=True):
        if abs(np.median(level[low:high]) - last) > TOLERANCE:
            break
        start = low
    # The first few requests may be slow without making a segment: classes are loaded, say.
    spread = MAD_TO_SD * stats.median_abs_deviation(level[start:])
    while level[start] > last + max(3 * spread, TOLERANCE):
        start += 1
    return start


def _drifts(level: np.ndarray) -> bool:
    at = np.arange(len(level))
    if np.ptp(level) < ROUNDING:
        return False
    total = abs(stats.theilslopes(level, at).slope) * len(level)
    return bool(total > TOLERANCE and stats.kendalltau(at, level).pvalue < DRIFT_LEVEL)


def settled(marked: pd.DataFrame, found: pd.DataFrame, setting: str) -> tuple[pd.DataFrame, str]:
    """Return the requests to analyse and a sentence that says which they are.

    The steady parts of the runs that have one, if every setting has two such runs or more; otherwise
    all requests, so that settings are not compared on different parts of a run.

    Parameters
    ----------
    marked, found : DataFrame
        From `steady`.
    setting : str
        The column of `marked` that tells settings apart.
    """
    steady_part = marked[marked["steady"]]
    runs = steady_part.groupby(setting, observed=False)["run"].nunique()
    present = marked[setting].unique()
    counts = f"{found['start'].notna().sum()} of {len(found)} runs have a steady state"
    if (runs[present] >= 2).all():
        return steady_part, f"{counts}; their steady parts are analysed below."
    return marked, f"{counts}, too few in some setting; all requests are analysed below, warm-up included."
