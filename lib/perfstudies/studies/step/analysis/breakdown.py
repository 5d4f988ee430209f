"""The STEP study's Table 1 and Figure 6 from samples: where the time of a request goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.experiment import Finding
from perfstudies.report.figures import COLOURS, WIDTH_INCH, plain_numbers, stacked_bars, style
from perfstudies.report.tables import margin_text
from perfstudies.stats.intervals import mean_interval
from perfstudies.stats.summary import STUDY_QUANTILES, across_runs, per_run
from perfstudies.studies.step.declared import INTERCEPTION
from perfstudies.studies.step.findings import TIME_BREAKDOWN_FINDINGS
from perfstudies.studies.step.logs.slices import SLICE_LABELS, SLICES

HIBERNATE = ["engine_ms", "writes_ms", "reads_ms"]
WEB = ["web_ms", "web_service_ms"]
RUN_UNITS = dict.fromkeys(("mean", "sd", "q1", "median", "q3"), "ms")
FIRST_PART = 5
"""Requests in the first part of a run; every later part ends at twice as many."""
_LABELS = {"request_ms": "Whole request", **SLICE_LABELS}


def run_slices(samples: pd.DataFrame) -> pd.DataFrame:
    """Return each run's mean time in each slice, in ms: a row a run, a column a slice."""
    return samples.groupby("run", observed=True)[list(SLICES)].mean()


def run_shares(samples: pd.DataFrame) -> pd.DataFrame:
    """Return each slice's share of each run's request time, in percent: a row a run, a column a slice."""
    times = run_slices(samples)
    return 100 * times.div(times.sum(axis=1), axis=0)


def table_1(samples: pd.DataFrame, confidence: float = 0.95) -> pd.DataFrame:
    """Return Table 1 as measured: a row a slice, time in ms and share in percent, each with its margin.

    Parameters
    ----------
    samples : DataFrame
        Requests of one setting.
    confidence : float
        Of the Student-t margins over run means.
    """
    columns = {"Time (ms)": run_slices(samples), "Time %": run_shares(samples)}
    cells = {name: [_margin(frame[column], confidence) for column in SLICES] for name, frame in columns.items()}
    return pd.DataFrame(cells, index=pd.Index(SLICE_LABELS.values(), name="Slice"))


def _margin(values: pd.Series, confidence: float, digits: int = 2) -> str:
    found = mean_interval(values, confidence)
    return margin_text(found.estimate, found.high - found.estimate, digits)


def margins(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the margins of each slice's mean time in ms: Student's t beside the study's normal ones."""
    columns = ["request_ms", *SLICES]
    overall = across_runs(per_run(samples, columns)).set_index("column").loc[columns]
    names = {"runs": "Runs", "mean": "Mean", "sd": "SD"}
    for level in STUDY_QUANTILES:
        names[f"t_{level}"] = f"t {level} %"
    for level in STUDY_QUANTILES:
        names[f"normal_{level}"] = f"normal {level} %"
    return overall[list(names)].rename(index=_LABELS, columns=names).rename_axis("Slice")


def typical_run(samples: pd.DataFrame) -> pd.DataFrame:
    """Return what the study's analyzer computed of each run, averaged over runs, in ms."""
    columns = ["request_ms", *SLICES]
    means = per_run(samples, columns).groupby("column")[["n", *RUN_UNITS]].mean()
    return means.loc[columns].rename(index=_LABELS).rename_axis("Slice")


def mean_shares(samples: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the mean share of each slice over runs as one row, for a stacked bar."""
    return run_shares(samples).mean().rename(index=SLICE_LABELS).to_frame(name).T


def published_shares(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the published Table 1's percentages as one row, for a stacked bar."""
    return table["Time %"].to_frame(name).T


def cases(samples: pd.DataFrame) -> Iterable[tuple[Finding, pd.Series, str]]:
    """Pair each finding on Table 1 with its statistic's values, one a run, and the scale it is tested on."""
    shares = run_shares(samples)
    hibernate, web = shares[HIBERNATE].sum(axis=1), shares[WEB].sum(axis=1)
    statistics: dict[str, tuple[Any, str]] = {
        "S1": (shares["service_ms"] / shares.drop(columns="service_ms").max(axis=1), "log"),
        "S1-share": (shares["service_ms"], "identity"),
        "S2": (np.minimum(shares["service_ms"] / hibernate, hibernate / web), "log"),
        "S2-share": (hibernate, "identity"),
        "S2-order": (
            np.minimum(shares["engine_ms"] / shares["writes_ms"], shares["writes_ms"] / shares["reads_ms"]), "log",
        ),
        "S3": (web, "identity"),
    }  # fmt: skip
    for finding in TIME_BREAKDOWN_FINDINGS:
        yield finding, *statistics[finding.id]


def of_setting(samples: pd.DataFrame, collections: str) -> pd.DataFrame:
    """Return the requests of the runs with one level of interception; see `INTERCEPTION`."""
    return samples[samples[INTERCEPTION.name] == collections]


def base(samples: pd.DataFrame) -> str:
    """Say on how many requests and runs a table rests."""
    return f"{len(samples):,} requests of {samples['run'].nunique()} runs; the run is the unit."


def by_interception(samples: pd.DataFrame) -> pd.DataFrame:
    """Return each slice's share in percent with its 95 % margin: a row a slice, a column an interception."""
    shares = {
        INTERCEPTION.label(level): [_margin(run_shares(part)[column], 0.95) for column in SLICES]
        for level, part in samples.groupby(INTERCEPTION.name, observed=True)
    }
    return pd.DataFrame(shares, index=pd.Index(SLICE_LABELS.values(), name="Slice"))


def interception_figure(samples: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw the slices' shares for each level of interception; return the figure and its numbers."""
    bars = {
        INTERCEPTION.label(level): mean_shares(part, "request")
        for level, part in samples.groupby(INTERCEPTION.name, observed=True)
    }
    names, frames = tuple(bars), list(bars.values())
    numbers = pd.concat(frames).set_axis(names).T.rename_axis("Slice")
    return stacked_bars(frames[0], frames[-1], names=(names[0], names[-1])), numbers


def by_outcome(samples: pd.DataFrame) -> pd.DataFrame:
    """Return each slice's mean time in ms with its 95 % margin, by operation and outcome of the request."""
    kinds = {}
    for (operation, outcome), part in samples.groupby(["operation", "outcome"]):
        means = run_slices(part)
        cells = {SLICE_LABELS[column]: _margin(means[column], 0.95, 1) for column in SLICES}
        kinds[operation, outcome] = {"Requests": len(part)} | cells
    table = pd.DataFrame.from_dict(kinds, orient="index")
    return table.set_axis([f"{operation}, {outcome}" for operation, outcome in kinds]).rename_axis("Request")


def in_parts(samples: pd.DataFrame) -> pd.DataFrame:
    """Return a copy with ``part``: which part of its run a request falls in; parts end at 5, 10, 20, 40."""
    ends, count = [0, FIRST_PART], samples["request"].max() + 1
    while ends[-1] < count:
        ends.append(min(2 * ends[-1], count))
    names = [f"{start + 1} to {end}" for start, end in pairwise(ends)]
    part = pd.cut(samples["request"], ends, right=False, labels=names)
    return samples.assign(part=part.cat.remove_unused_categories())


def shares_by_part(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the request time in ms and each slice's share in percent, with 95 % margins, by part of the run."""
    rows = {}
    for part, requests in in_parts(samples).groupby("part", observed=True):
        shares, times = run_shares(requests), requests.groupby("run", observed=True)["request_ms"].mean()
        rows[part] = {"Request time (ms)": _margin(times, 0.95, 1)} | {
            f"{SLICE_LABELS[column]} (%)": _margin(shares[column], 0.95, 1) for column in SLICES
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Requests of a run")


def times_by_part(samples: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return each slice's mean time over runs with its 95 % interval, in ms, by part of the run."""
    series: dict[str, dict] = {label: {} for label in SLICE_LABELS.values()}
    for part, requests in in_parts(samples).groupby("part", observed=True):
        means = run_slices(requests)
        for column, label in SLICE_LABELS.items():
            found = mean_interval(means[column])
            series[label][part] = {"estimate": found.estimate, "low": found.low, "high": found.high}
    return {label: pd.DataFrame.from_dict(parts, orient="index") for label, parts in series.items()}


def describe_parts(series: Mapping[str, pd.DataFrame]) -> str:
    """Put the times by part of the run into words: each slice's first and last."""
    estimates = pd.DataFrame({label: times["estimate"] for label, times in series.items()})
    first, last = estimates.index[[0, -1]]
    ends = [f"{label} {times[first]:.3g} and {times[last]:.3g}" for label, times in estimates.items()]
    return (
        "Points of each slice's time by part of the run, on a logarithmic axis; in ms in the first part "
        f"({first}) and the last ({last}): {', '.join(ends)}."
    )


def describe(shares: pd.DataFrame, published: pd.DataFrame) -> str:
    """Put Figure 6 into words: every slice's published and measured share."""
    parts = [f"{name} {published.loc[name, 'Time %']:.0f} and {shares.iloc[0][name]:.0f} %" for name in published.index]
    return f"Two stacked bars, published and measured shares of request time: {', '.join(parts)}."


def by_request(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the request time by its number within the run: median and quartiles over runs, in ms."""
    quartiles = samples.groupby("request")["request_ms"].quantile(np.array([0.25, 0.5, 0.75])).unstack()
    return quartiles.set_axis(["lower quartile", "median", "upper quartile"], axis=1)


def warm_up_figure(times: pd.DataFrame, starts: pd.Series) -> Figure:
    """Draw request times over the request's number, and where runs were found to be steady.

    Parameters
    ----------
    times : DataFrame
        From `by_request`.
    starts : Series
        The first steady request of each run that has one.
    """
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 3.4), layout="constrained")
        axes = figure.subplots()
        axes.fill_between(
            times.index,
            times["lower quartile"],
            times["upper quartile"],
            color=COLOURS[0],
            alpha=0.25,
            lw=0,
            label="quartiles over runs",
        )
        axes.plot(times.index, times["median"], color=COLOURS[0], lw=1.2, label="median over runs")
        axes.plot(
            starts,
            np.full(len(starts), 1.0),
            "|",
            color=COLOURS[1],
            ms=9,
            transform=axes.get_xaxis_transform(),
            clip_on=False,
            label="steady from here (a run each)",
        )
        axes.set(xlabel="Number of the request within its run", ylabel="Request time (ms)", yscale="log")
        plain_numbers(axes.yaxis)
        figure.legend(loc="outside lower center", ncols=3, frameon=False)
    return figure
