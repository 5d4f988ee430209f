"""What is kept of one run while its requests pass by: counts, moments and two histograms, small however many they are.

Times go into bins of a logarithmic histogram, `BINS_A_DECADE` to a factor of ten. A quantile is the least time that
its share of the requests does not exceed (numpy's ``inverted_cdf``), as the mean of the times in the bin where it lies:
less than 1 % off (`WIDTH`), and exact where all times of the bin are equal, as whole milliseconds below 100 are.

Windows of time start out a thousandth of a second wide and double in width whenever a run has become too long for them,
so one pass is enough and neither its begin nor its end has to be known before.

Source of the running variance: T. F. Chan, G. H. Golub, R. J. LeVeque, *Updating formulae and a pairwise algorithm for
computing sample variances*, Stanford 1979.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
import polars as pl

BINS_A_DECADE = 240
WIDTH = 10 ** (1 / BINS_A_DECADE)
LEAST_MS = 0.001
SPREAD_A_DECADE = 20
WINDOWS = 400
OPERATIONS = 1000
OTHERS = "(others)"

_ERROR = -1  # the bin of a request that failed: it is counted, its time is not
_HIGHEST = 14 * BINS_A_DECADE  # 3,000 years; the place of what no log should hold
_FINE = 4 * WINDOWS
_FINEST = 1024  # a second's windows at first; a power of two, so that halving them is exact
_PILE = 64


class RunTally:
    """What is kept of a run."""

    def __init__(self) -> None:
        self.requests = self.errors = 0
        self.first_s, self.last_start_s, self.end_s = math.inf, -math.inf, -math.inf
        self.good, self.mean, self.squares, self.max_ms = 0, 0.0, 0.0, -math.inf
        self.doubled = 0
        self._operations: list[pl.DataFrame] = []
        self._windows: list[pl.DataFrame] = []
        self._known = pl.Series(dtype=pl.String)

    def add(self, batch: pl.DataFrame) -> None:
        """Count the requests of a batch, whose columns are those of `perfstudies.observed.collect`."""
        if not batch.height:
            return
        time_ms = pl.col("elapsed_ms")
        place = ((time_ms / LEAST_MS).log10() * BINS_A_DECADE).floor().clip(0, _HIGHEST)
        binned = batch.select(
            "operation",
            "start_s",
            pl.when("ok").then(time_ms).alias("good_ms"),
            (pl.col("start_s") + time_ms / 1000).alias("end_s"),
            pl.when("ok").then(place).otherwise(_ERROR).cast(pl.Int16).alias("bin"),
        )
        self._add_moments(binned)
        tally = (pl.len().alias("requests"), pl.col("good_ms").sum().alias("sum_ms"))
        self._add_operations(binned.lazy().group_by("operation", "bin").agg(tally).collect())
        timed = binned.lazy().drop_nulls("start_s")
        window = (pl.col("start_s") * (_FINEST / 2**self.doubled)).floor().cast(pl.Int64).alias("window")
        self._windows.append(timed.group_by(window, "bin").agg(tally).collect())
        if len(self._windows) > _PILE:
            self._windows = [_merged(self._windows, "window")]

    def _add_moments(self, binned: pl.DataFrame) -> None:
        good = pl.col("good_ms")
        found = binned.select(
            requests=pl.len(),
            good=good.count(),
            mean=good.mean(),
            squares=good.var(ddof=0) * good.count(),
            max_ms=good.max(),
            first=pl.col("start_s").min(),
            last=pl.col("start_s").max(),
            end=pl.col("end_s").max(),
        ).row(0, named=True)
        self.requests += found["requests"]
        self.errors += found["requests"] - found["good"]
        if found["good"]:
            count = self.good + found["good"]
            apart = found["mean"] - self.mean
            self.squares += found["squares"] + apart**2 * self.good * found["good"] / count
            self.mean += apart * found["good"] / count
            self.good, self.max_ms = count, max(self.max_ms, found["max_ms"])
        if found["first"] is not None:
            self.first_s, self.end_s = min(self.first_s, found["first"]), max(self.end_s, found["end"])
            self.last_start_s = max(self.last_start_s, found["last"])
            self._widen()

    def _widen(self) -> None:
        """Double the windows' width until the run has room in them."""
        before = self.doubled
        while (self.last_start_s - self.first_s) * _FINEST / 2**self.doubled >= _FINE - 1:
            self.doubled += 1
        if self.doubled > before and self._windows:
            wider = pl.col("window") // 2 ** (self.doubled - before)
            self._windows = [_merged([part.with_columns(wider) for part in self._windows], "window")]

    def _add_operations(self, found: pl.DataFrame) -> None:
        fresh = found["operation"].unique(maintain_order=True)
        fresh = fresh.filter(~fresh.is_in(self._known.implode()))
        room = max(0, OPERATIONS - len(self._known))
        self._known = self._known.append(fresh[:room])
        if len(fresh) > room:
            known = pl.col("operation").is_in(self._known.implode())
            found = found.with_columns(pl.when(known).then("operation").otherwise(pl.lit(OTHERS)).alias("operation"))
        self._operations.append(found)
        if len(self._operations) > _PILE:
            self._operations = [_merged(self._operations, "operation")]

    def operations(self) -> pl.DataFrame:
        """Return the histogram of each operation: ``operation``, ``bin``, ``requests``, ``sum_ms``."""
        return _merged(self._operations, "operation")

    def row(self) -> dict:
        """Return the run's row in `perfstudies.observed.Observed.runs`, without its names."""
        histogram = by_bin(self.operations())
        timed = math.isfinite(self.first_s)
        took_s = self.end_s - self.first_s if timed else math.nan
        p50_ms, p90_ms, p99_ms = quantiles(histogram, (0.5, 0.9, 0.99))
        return {
            "requests": self.requests,
            "errors": self.errors,
            "start_s": self.first_s if timed else math.nan,
            "took_s": took_s,
            "rate_per_s": self.requests / took_s if timed and took_s > 0 else math.nan,
            "mean_ms": self.mean if self.good else math.nan,
            "sd_ms": math.sqrt(self.squares / (self.good - 1)) if self.good > 1 else math.nan,
            "p50_ms": p50_ms,
            "p90_ms": p90_ms,
            "p99_ms": p99_ms,
            "max_ms": self.max_ms if self.good else math.nan,
        }

    def windows(self) -> list[dict]:
        """Return the run's rows in ``windows``, those without any request included; none if no start is known."""
        found = _merged(self._windows, "window")
        if not found.height:
            return []
        width_s = 2**self.doubled / _FINEST
        first, last = found["window"].min(), found["window"].max()
        step = math.ceil((last - first + 1) / WINDOWS)
        found = found.with_columns((pl.col("window") - first) // step)
        parts = {key: part for (key,), part in found.partition_by("window", as_dict=True).items()}
        rows = []
        for number in range((last - first) // step + 1):
            part = parts.get(number, found.clear())
            at_s = (first + (number + 0.5) * step) * width_s - self.first_s
            summary = summarised(part)
            rows.append({"at_s": at_s} | {name: summary[name] for name in ("requests", "errors", "mean_ms", "p99_ms")})
        return rows

    def spread(self) -> list[dict]:
        """Return the run's rows in ``spread``."""
        coarse = BINS_A_DECADE // SPREAD_A_DECADE
        histogram = by_bin(self.operations()).filter(pl.col("bin") > _ERROR)
        found = histogram.group_by(pl.col("bin") // coarse).agg(pl.col("requests").sum()).sort("bin")
        return [
            {
                "low_ms": LEAST_MS * 10 ** (bin / SPREAD_A_DECADE) if bin else 0.0,
                "high_ms": LEAST_MS * 10 ** ((bin + 1) / SPREAD_A_DECADE),
                "requests": requests,
            }
            for bin, requests in found.iter_rows()
        ]


def by_bin(histogram: pl.DataFrame) -> pl.DataFrame:
    """Return one histogram of all, sorted by its bins."""
    return histogram.group_by("bin").agg(pl.col("requests").sum(), pl.col("sum_ms").sum()).sort("bin")


def summarised(histogram: pl.DataFrame) -> dict:
    """Return ``requests``, ``errors``, ``mean_ms``, ``p50_ms`` and ``p99_ms`` of what a histogram holds."""
    histogram = by_bin(histogram)
    good = histogram.filter(pl.col("bin") > _ERROR)
    requests, counted = int(histogram["requests"].sum()), int(good["requests"].sum())
    p50_ms, p99_ms = quantiles(histogram, (0.5, 0.99))
    mean_ms = good["sum_ms"].sum() / counted if counted else math.nan
    return {
        "requests": requests,
        "errors": requests - counted,
        "mean_ms": mean_ms,
        "p50_ms": p50_ms,
        "p99_ms": p99_ms,
    }


def quantiles(histogram: pl.DataFrame, shares: Iterable[float]) -> list[float]:
    """Return quantiles, in ms, of a histogram that is sorted by its bins; NaN if no request succeeded."""
    good = histogram.filter(pl.col("bin") > _ERROR)
    if not good.height:
        return [math.nan for _ in shares]
    counts = good["requests"].to_numpy()
    reached = np.cumsum(counts)
    # A share of n that is whole but for rounding is that whole number.
    wanted = [max(1, math.ceil(round(share * int(reached[-1]), 9))) for share in shares]
    means_ms = good["sum_ms"].to_numpy() / counts
    return means_ms[np.searchsorted(reached, wanted)].tolist()


def operations_of(tallies: Iterable[RunTally], most: int) -> list[dict]:
    """Return a setting's rows in ``operations``: the most frequent ones, all others as one."""
    found = _merged([tally.operations() for tally in tallies], "operation")
    named = found.filter(pl.col("operation") != OTHERS)
    sizes = named.group_by("operation").agg(pl.col("requests").sum())
    kept = sizes.sort(["requests", "operation"], descending=[True, False])["operation"][:most].to_list()
    parts: Mapping = {key: part for (key,), part in found.partition_by("operation", as_dict=True).items()}
    rows = [{"operation": name} | summarised(parts[name]) for name in kept]
    rest = found.filter(~pl.col("operation").is_in(kept))
    return rows + ([{"operation": OTHERS} | summarised(rest)] if rest.height else [])


def _merged(parts: list[pl.DataFrame], key: str) -> pl.DataFrame:
    if not parts:
        schema = {key: pl.String, "bin": pl.Int16, "requests": pl.UInt32, "sum_ms": pl.Float64}
        return pl.DataFrame(schema=schema)
    sums = (pl.col("requests").cast(pl.Int64).sum(), pl.col("sum_ms").sum())
    return pl.concat(parts, how="vertical_relaxed").group_by(key, "bin").agg(sums).sort(key, "bin")


def frame(rows: list[dict], columns: Iterable[str]) -> pd.DataFrame:
    """Return rows as a frame that has all its columns even if there is no row."""
    return pd.DataFrame(rows, columns=list(columns))
