"""What is kept of one run while its requests pass by: counts, moments and two histograms, small however many they are.

Times go into bins of a logarithmic histogram, `BINS_A_DECADE` to a factor of ten. A quantile is the least time that
its share of the requests does not exceed (numpy's ``inverted_cdf``), as the mean of the times in the bin where it lies:
less than 1 % off, and exact where all times of the bin are equal, as whole milliseconds below 100 are.

Windows of time start out a thousandth of a second wide and double in width whenever a run has become too long for them,
so one pass is enough and neither its begin nor its end has to be known before.

Source of the running variance: T. F. Chan, G. H. Golub, R. J. LeVeque, *Updating formulae and a pairwise algorithm for
computing sample variances*, Stanford 1979.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pandas as pd
import polars as pl

BINS_A_DECADE = 240
LEAST_MS = 0.001
SPREAD_A_DECADE = 20
WINDOWS = 400
OPERATIONS = 1000
OTHERS = "(others)"
QUANTILES = {"p50_ms": 0.5, "p90_ms": 0.9, "p99_ms": 0.99}

_ERROR = -1  # the bin of a request that failed: it is counted, its time is not
_HIGHEST = 14 * BINS_A_DECADE  # 3,000 years; the place of what no log should hold
_FINE = 4 * WINDOWS
_A_WINDOW = 5  # requests, in the mean: fewer would say little, and there would be as many windows
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
        """Count the requests of a batch, whose columns are those of `perfstudies.own.aggregate.collect`."""
        if not batch.height:
            return
        time_ms = pl.col("elapsed_ms")
        # A logarithm may fall short of a bin's edge by rounding: 1 ms belongs to the bin that begins there.
        place = ((time_ms / LEAST_MS).log10() * BINS_A_DECADE + 1e-9).floor().clip(0, _HIGHEST)
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
        """Return the run's row in `perfstudies.own.aggregate.Observed.runs`, without its names."""
        timed = math.isfinite(self.first_s)
        took_s = self.end_s - self.first_s if timed else math.nan
        found = summarised(self.operations().with_columns(run=pl.lit(0)), "run").row(0, named=True)
        return {
            "requests": self.requests,
            "errors": self.errors,
            "start_s": self.first_s if timed else math.nan,
            "took_s": took_s,
            "rate_per_s": self.requests / took_s if timed and took_s > 0 else math.nan,
            "mean_ms": self.mean if self.good else math.nan,
            "sd_ms": math.sqrt(self.squares / (self.good - 1)) if self.good > 1 else math.nan,
            **{name: found[name] for name in QUANTILES},
            "max_ms": self.max_ms if self.good else math.nan,
        }

    def windows(self) -> list[dict]:
        """Return the run's rows in ``windows``, those without any request included; none if no start is known."""
        histogram = _merged(self._windows, "window")
        if not histogram.height:
            return []
        width_s = 2**self.doubled / _FINEST
        first: Any = histogram["window"].min()
        last: Any = histogram["window"].max()
        wanted = min(WINDOWS, max(1, self.requests // _A_WINDOW))
        step = math.ceil((last - first + 1) / wanted)
        found = summarised(histogram.with_columns((pl.col("window") - first) // step), "window")
        every = pl.DataFrame({"window": range((last - first) // step + 1)}, schema={"window": pl.Int64})
        every = every.join(found, on="window", how="left", maintain_order="left")
        at_s = (first + (pl.col("window") + 0.5) * step) * width_s - self.first_s
        counts = (pl.col("requests").fill_null(0), pl.col("errors").fill_null(0))
        times = (pl.col("mean_ms").fill_null(math.nan), pl.col("p99_ms").fill_null(math.nan))
        return every.select(at_s.alias("at_s"), *counts, *times).to_dicts()

    def spread(self) -> list[dict]:
        """Return the run's rows in ``spread``."""
        coarse = BINS_A_DECADE // SPREAD_A_DECADE
        histogram = self.operations().filter(pl.col("bin") > _ERROR)
        found = histogram.group_by(pl.col("bin") // coarse).agg(pl.col("requests").sum()).sort("bin")
        return [spread_row(place, requests) for place, requests in found.iter_rows()]


def spread_row(place: int, requests: int) -> dict:
    """Return a row of ``spread``: the bin of a place, from 0 for the lowest."""
    low_ms, high_ms = (LEAST_MS * 10 ** (at / SPREAD_A_DECADE) for at in (place, place + 1))
    return {"low_ms": low_ms if place else 0.0, "high_ms": high_ms, "requests": requests}


def summarised(histogram: pl.DataFrame, key: str) -> pl.DataFrame:
    """Return a row for each value of a column, sorted by it, of what a histogram holds.

    Returns
    -------
    polars.DataFrame
        The column, ``requests``, ``errors``, ``mean_ms``, ``p50_ms``, ``p90_ms`` and ``p99_ms``; NaN where no request
        succeeded.
    """
    good = pl.col("bin") > _ERROR
    counted = pl.col("requests").filter(good)
    value_ms = (pl.col("sum_ms") / pl.col("requests")).filter(good)

    def quantile(share: float) -> pl.Expr:
        # A share of n that is whole but for rounding is that whole number.
        wanted = (share * counted.sum()).round(9).ceil().clip(1)
        return value_ms.filter(counted.cum_sum() >= wanted).first().fill_null(math.nan)

    return (
        histogram.lazy()
        .group_by(key, "bin")
        .agg(pl.col("requests").sum(), pl.col("sum_ms").sum())
        .sort("bin")
        .group_by(key, maintain_order=True)
        .agg(
            pl.col("requests").sum(),
            pl.col("requests").filter(~good).sum().alias("errors"),
            (pl.col("sum_ms").filter(good).sum() / counted.sum()).alias("mean_ms"),
            **{name: quantile(share) for name, share in QUANTILES.items()},
        )
        .sort(key)
        .collect()
    )


def operations_of(tallies: Iterable[RunTally], most: int) -> list[dict]:
    """Return a setting's rows in ``operations``: the most frequent ones, all others as one."""
    found = _merged([tally.operations() for tally in tallies], "operation")
    named = found.filter(pl.col("operation") != OTHERS)
    sizes = named.group_by("operation").agg(pl.col("requests").sum())
    kept = sizes.sort(["requests", "operation"], descending=[True, False])["operation"][:most].to_list()
    rest = pl.when(pl.col("operation").is_in(kept)).then("operation").otherwise(pl.lit(OTHERS))
    rows = summarised(found.with_columns(rest.alias("operation")), "operation").drop("p90_ms").to_dicts()
    order = {name: at for at, name in enumerate([*kept, OTHERS])}
    return sorted(rows, key=lambda row: order[row["operation"]])


def _merged(parts: list[pl.DataFrame], key: str) -> pl.DataFrame:
    if not parts:
        schema = {key: pl.String, "bin": pl.Int16, "requests": pl.UInt32, "sum_ms": pl.Float64}
        return pl.DataFrame(schema=schema)
    sums = (pl.col("requests").cast(pl.Int64).sum(), pl.col("sum_ms").sum())
    return pl.concat(parts, how="vertical_relaxed").group_by(key, "bin").agg(sums).sort(key, "bin")


def frame(rows: list[dict], columns: Iterable[str]) -> pd.DataFrame:
    """Return rows as a frame that has all its columns even if there is no row."""
    return pd.DataFrame(rows, columns=list(columns))
