"""What the repository keeps of a run at a high rate: counts by half second and status, and histograms of times.

One long table, ``intervals.csv.xz``, sorted, with the columns

- ``bin``: half seconds from the start in which requests ended; -1: they never did;
- ``measure``: ``requests`` (how many there were), ``response`` (times from when a request was due), ``service`` (from
  when it was sent), or ``both`` in a run in which the two are the same;
- ``status``: as in the log;
- ``bucket``: of the time; 0 for ``requests``. Bucket k holds times from ``1.01**k`` to ``1.01**(k + 1)`` microseconds;
  the first also holds what is shorter;
- ``count``: of requests, and ``bytes``: of their replies' bodies (for ``requests``; otherwise 0).

A time that is told from a histogram is the geometric middle of its bucket: it is off by less than 0.5 % for times from
1 microsecond, whatever the distribution. The idea, and that bound, are those of HdrHistogram and DDSketch (Masson, Rim
and Lee, PVLDB 12(12), 2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd

from perfstudies.errors import BadLog, BadParameter, require_one_of
from perfstudies.logs.text import lines
from perfstudies.runs import store

BIN_S = 0.5
WIDTH = 1.01

OK = "ok"
NO_END = -1
REQUESTS, RESPONSE, SERVICE, BOTH = "requests", "response", "service", "both"
MEASURES = (RESPONSE, SERVICE)
"""From when a request was due, and from when it was sent; the same in a closed load."""

_COLUMNS = ["bin", "measure", "status", "bucket", "count", "bytes"]
_KINDS = (REQUESTS, RESPONSE, SERVICE, BOTH)
_BIN_NS = int(BIN_S * 1e9)
_FIRST_NS = 1000
_BUCKETS, _STATUSES, _LOWEST = 1 << 13, 1 << 10, -8
_OUTCOMES = {
    -1: "refused",
    -2: "reset",
    -3: "timed out",
    -4: "not HTTP",
    -5: "SOAP fault",
    -6: "short reply",
    -7: "unfinished",
    -8: "never sent",
}


def outcome_of(status: int) -> str:
    """Return a status in words: ``ok`` for an HTTP status 200 to 299, another as ``HTTP 503``, or what went wrong."""
    if 200 <= status <= 299:
        return OK
    return _OUTCOMES.get(status, f"HTTP {status}")


class Reducer:
    """Counts requests piece by piece."""

    def __init__(self) -> None:
        self._counts: dict[str, dict[int, int]] = {measure: {} for measure in MEASURES}
        self._requests: dict[tuple[int, int], list[int]] = {}

    def add(self, rows: np.ndarray) -> None:
        """Count rows of `perfstudies.load.rate.log.ROW`."""
        over = rows["ended_ns"] > 0
        status = rows["status"].astype(np.int64) - _LOWEST
        bins = np.where(over, rows["ended_ns"] // _BIN_NS, NO_END) + 1
        keys, where = np.unique(bins * _STATUSES + status, return_inverse=True)
        sizes = np.bincount(where, rows["bytes"])
        for key, count, size in zip(keys.tolist(), np.bincount(where).tolist(), sizes.tolist(), strict=True):
            total = self._requests.setdefault(divmod(key, _STATUSES), [0, 0])
            total[0] += count
            total[1] += int(size)
        for measure, since in zip(MEASURES, ("intended_ns", "sent_ns"), strict=True):
            bucket = buckets_of((rows["ended_ns"] - rows[since])[over])
            keys, found = np.unique(((bins * _STATUSES + status)[over]) * _BUCKETS + bucket, return_counts=True)
            counts = self._counts[measure]
            for key, count in zip(keys.tolist(), found.tolist(), strict=True):
                counts[key] = counts.get(key, 0) + count

    def intervals(self) -> pd.DataFrame:
        """Return the reduced form of all that was added."""
        rows = [
            (bin - 1, REQUESTS, status + _LOWEST, 0, count, size)
            for (bin, status), (count, size) in self._requests.items()
        ]
        same = self._counts[RESPONSE] == self._counts[SERVICE]
        for measure in (RESPONSE,) if same else MEASURES:
            for key, count in self._counts[measure].items():
                place, bucket = divmod(key, _BUCKETS)
                bin, status = divmod(place, _STATUSES)
                rows.append((bin - 1, BOTH if same else measure, status + _LOWEST, bucket, count, 0))
        return pd.DataFrame(sorted(rows), columns=_COLUMNS).astype({name: _type(name) for name in _COLUMNS})


def buckets_of(times_ns: np.ndarray) -> np.ndarray:
    """Return the bucket of each time."""
    exact = np.log(np.maximum(times_ns, _FIRST_NS) / _FIRST_NS) / np.log(WIDTH)
    return np.minimum(np.floor(exact), _BUCKETS - 1).astype(np.int64)


def middle_ms(bucket: np.ndarray) -> np.ndarray:
    """Return the geometric middle of buckets, in ms."""
    return WIDTH ** (np.asarray(bucket) + 0.5) * (_FIRST_NS / 1e6)


def write_intervals(intervals: pd.DataFrame, path: Path) -> None:
    """Write the reduced form; a path that ends in ``.xz`` is packed."""
    plain = path.with_name(f"{path.name}.partial")
    intervals.to_csv(plain, index=False, lineterminator="\n")
    if path.suffix == ".xz":
        store.compress(plain, path)
    else:
        plain.replace(path)


def read_intervals(path: Path) -> pd.DataFrame:
    """Read the reduced form.

    Raises
    ------
    BadLog
        If the file is not one, or cut; with the line.
    """
    try:
        text = "".join(lines(path))
        if not text.endswith("\n"):
            raise BadLog(path, text.count("\n") + 1, "cut: its last line has no end, and may lack digits")
        with np.errstate(invalid="ignore"):  # of a number that is too large to be whole; pandas refuses it then
            frame = pd.read_csv(StringIO(text), dtype={name: _type(name) for name in _COLUMNS}, keep_default_na=False)
    except (ValueError, OverflowError) as error:  # pandas' errors are
        raise BadLog(path, 1, f"not a run's counts and histograms, or cut: {str(error)[:200]}") from error
    if list(frame.columns) != _COLUMNS:
        raise BadLog(path, 1, f"the columns are {', '.join(map(str, frame.columns))} instead of {', '.join(_COLUMNS)}")
    known = frame["measure"].isin(_KINDS) & (frame["count"] > 0) & (frame["bucket"] >= 0) & (frame["bin"] >= NO_END)
    if not known.all():
        index = int(np.argmin(known.to_numpy()))
        raise BadLog(path, index + 2, f"not possible: {str(frame.iloc[index].to_dict())[:200]}")
    counted = frame[frame["bin"] > NO_END].groupby("measure")["count"].sum()
    if counted.nunique() > 1 or (len(counted) and REQUESTS not in counted):
        raise BadLog(path, len(frame) + 2, f"the measures have different numbers of requests: {counted.to_dict()}")
    return frame


def counts(intervals: pd.DataFrame) -> pd.Series:
    """Return how many requests had each outcome, all of them, the most frequent first."""
    requests = _requests(intervals)
    total = requests.groupby("outcome")["count"].sum()
    return total.reset_index().sort_values(["count", "outcome"], ascending=[False, True]).set_index("outcome")["count"]


def throughput(intervals: pd.DataFrame) -> pd.DataFrame:
    """Return what ended in each bin.

    Returns
    -------
    DataFrame
        ``bin`` from 0 to the last, none left out; ``time_s``, its beginning; ``ok`` and ``failed`` requests that ended
        in it; ``bytes`` of the bodies of ``ok`` replies.
    """
    requests = _requests(intervals)
    requests = requests[requests["bin"] > NO_END]
    bins = np.arange(requests["bin"].max() + 1 if len(requests) else 1)
    good = requests["outcome"] == OK

    def by_bin(part: pd.DataFrame, column: str) -> np.ndarray:
        return part.groupby("bin")[column].sum().reindex(bins, fill_value=0).to_numpy(np.int64)

    return pd.DataFrame(
        {
            "bin": bins,
            "time_s": bins * BIN_S,
            "ok": by_bin(requests[good], "count"),
            "failed": by_bin(requests[~good], "count"),
            "bytes": by_bin(requests[good], "bytes"),
        }
    )


def quantiles(
    intervals: pd.DataFrame,
    q: Sequence[float] | float,
    from_bin: int = 0,
    to_bin: int | None = None,
    measure: str = RESPONSE,
) -> np.ndarray:
    """Return quantiles of the times of good replies.

    Parameters
    ----------
    intervals : DataFrame
        The reduced form.
    q : float or sequence of float
        Which, from 0 to 1: the least time that this share of the replies does not exceed (numpy's ``inverted_cdf``).
    from_bin, to_bin : int
        The first and the last bin (both count) in which replies ended; None: to the end.
    measure : str
        ``response``: from when a request was due; ``service``: from when it was sent.

    Returns
    -------
    array of float
        Milliseconds, less than 0.5 % off; missing where no good reply ended in those bins.

    Raises
    ------
    BadParameter
        If a share or the measure is none.
    """
    require_one_of("measure", measure, MEASURES)
    shares = np.atleast_1d(np.asarray(q, float))
    if not ((shares >= 0) & (shares <= 1)).all():
        raise BadParameter(f"q = {q!r}: a quantile's share is from 0 to 1")
    chosen = good(intervals, measure)
    chosen = chosen[chosen["bin"].between(max(0, from_bin), np.inf if to_bin is None else to_bin)]
    return at(chosen.groupby("bucket")["count"].sum(), shares)


def good(intervals: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return the rows with the times of good replies by a measure."""
    return intervals[intervals["measure"].isin((measure, BOTH)) & intervals["status"].between(200, 299)]


def at(histogram: pd.Series, shares: np.ndarray) -> np.ndarray:
    """Return for each share the time, in ms, that so many of a histogram's replies do not exceed."""
    if histogram.empty:
        return np.full(len(shares), np.nan)
    reached = np.cumsum(histogram.to_numpy())
    # A share of n that is whole but for rounding is that whole number.
    wanted = np.maximum(1, np.ceil(np.round(shares * reached[-1], 9)))
    return middle_ms(histogram.index.to_numpy()[np.searchsorted(reached, wanted)])


def _requests(intervals: pd.DataFrame) -> pd.DataFrame:
    requests = intervals[intervals["measure"] == REQUESTS]
    names = {status: outcome_of(status) for status in requests["status"].unique().tolist()}
    return requests.assign(outcome=requests["status"].map(names).astype(str))


def _type(column: str) -> type:
    return str if column == "measure" else np.int64
