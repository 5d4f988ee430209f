"""The STEP study's Table 4 and Figures 10 and 11 from samples: how a request's time grows with its message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.experiment import Finding
from perfstudies.report.figures import COLOURS, WIDTH_INCH, style
from perfstudies.report.settings import margin
from perfstudies.report.tables import interval_text
from perfstudies.sent import OK, SYSTEM_ERROR, TRANSPORT_ERROR
from perfstudies.stats.growth import exponents, local_exponents, over_units
from perfstudies.stats.intervals import mean_interval
from perfstudies.studies.step.analysis.breakdown import run_shares
from perfstudies.studies.step.declared import LOADS
from perfstudies.studies.step.findings import SIZE_FINDINGS
from perfstudies.studies.step.logs.slices import SLICE_LABELS, SLICES

LOAD = LOADS.name
LENGTH = "message_length"
TIMES = ("request_ms", *SLICES)
PRINTED = dict(
    zip(SLICES, ("Web (%)", "WS (%)", "Service (%)", "Hib. Eng. (%)", "Hib. W (%)", "Hib. R (%)"), strict=True)
)
"""How the study heads its slices' columns."""
_LABELS = {"request_ms": "Whole request", **SLICE_LABELS}
_MARKERS = "osD^vPX"


def measured(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the measured requests with ``message_length``: the characters of request and response together."""
    part = samples[samples["measured"]]
    return part.assign(**{LENGTH: part["request_length"] + part["response_length"]})


def by_load(published: pd.DataFrame) -> pd.DataFrame:
    """Return the published Table 4 with its average length as a column, a row a load."""
    return published.reset_index().set_axis(pd.Index(LOADS.labels, name="Load"))


def run_means(samples: pd.DataFrame) -> pd.DataFrame:
    """Return a row a run: ``run``, ``block``, the load, mean lengths (characters), times (ms) and ``..._share`` (%)."""
    lengths = ["request_length", "response_length", LENGTH]
    means = samples.groupby(["run", "block", LOAD], observed=True)[[*lengths, *TIMES]].mean().reset_index()
    shares = run_shares(samples).add_suffix("_share")
    return means.join(shares, on="run")


def length_table(means: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Return the mean message length of each load, in characters, by what could be counted as the message."""
    names = {"request_length": "Request", "response_length": "Response", LENGTH: "Request and response"}
    rows: dict[str, dict] = {}
    for load, part in means.groupby(LOAD, observed=True):
        printed = by_load(published)["Avg. XML length"][LOADS.label(load)]
        rows[LOADS.label(load)] = {"Published": printed} | {
            name: margin(part[column], 0) for column, name in names.items()
        }
        rows[LOADS.label(load)]["Request / published"] = part["request_length"].mean() / printed
        rows[LOADS.label(load)]["Both / published"] = part[LENGTH].mean() / printed
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Load")


def table_4(means: pd.DataFrame) -> pd.DataFrame:
    """Return Table 4 as measured: mean length and each slice's share in percent, with 95 % margins; a row a load."""
    rows = {
        LOADS.label(load): {"Avg. XML length": margin(part[LENGTH], 0)}
        | {PRINTED[column]: margin(part[f"{column}_share"]) for column in SLICES}
        for load, part in means.groupby(LOAD, observed=True)
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Load")


def shares(means: pd.DataFrame) -> pd.DataFrame:
    """Return the mean share of each slice over runs, in percent: a row a load, for stacked bars."""
    found = means.groupby(LOAD, observed=True)[[f"{column}_share" for column in SLICES]].mean()
    index = pd.Index([LOADS.label(load) for load in found.index], name="Load")
    return found.set_axis(list(SLICE_LABELS.values()), axis=1).set_axis(index)


def published_shares(published: pd.DataFrame, present: pd.Index) -> pd.DataFrame:
    """Return the published shares of the loads that are present, in percent: a row a load, for stacked bars."""
    return by_load(published)[list(PRINTED.values())].set_axis(list(SLICE_LABELS.values()), axis=1).loc[present]


def times(means: pd.DataFrame) -> pd.DataFrame:
    """Return each load's mean length and times over runs with 95 % intervals: a row a load and slice.

    Columns: ``length`` (characters), ``estimate``, ``low`` and ``high`` (ms).
    """
    rows = {}
    for load, part in means.groupby(LOAD, observed=True):
        for column in TIMES:
            found = mean_interval(part[column])
            rows[LOADS.label(load), _LABELS[column]] = {
                "length": part[LENGTH].mean(), "estimate": found.estimate, "low": found.low, "high": found.high,
            }  # fmt: skip
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["Load", "Slice"])


def time_table(means: pd.DataFrame) -> pd.DataFrame:
    """Return the mean time of a request and of its slices with 95 % margins, in ms; a row a load."""
    rows = {
        LOADS.label(load): {_LABELS[column]: margin(part[column]) for column in TIMES}
        for load, part in means.groupby(LOAD, observed=True)
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Load")


def reservations(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the requests that reserved seats, whose messages grow with the group."""
    return samples[(samples["outcome"] == OK) & samples["operation"].str.startswith("create")]


def growth_table(samples: pd.DataFrame) -> pd.DataFrame:
    """Return exponents of the growth with message length, with 95 % intervals over blocks; a row a slice.

    Columns: over the means of the loads, over the single reservations of a block, and between neighbouring loads.
    """
    means, single = run_means(samples), reservations(samples)
    rows = {}
    for column in TIMES:
        row = {"Over loads": exponents(means, LENGTH, column), "Over reservations": exponents(single, LENGTH, column)}
        between: Any = local_exponents(means, LENGTH, column, LOAD)
        row |= {f"{LOADS.label(a)} to {LOADS.label(b)}": between[a, b] for a, b in between}
        rows[_LABELS[column]] = {name: interval(values) for name, values in row.items()}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Slice")


def interval(values: pd.Series, digits: int = 2) -> str:
    """Return the mean over blocks with its 95 % interval, as it is printed."""
    found = over_units(values)
    return interval_text(found.estimate, found.low, found.high, digits)


def times_figure(drawn: pd.DataFrame, slices: Iterable[str]) -> Figure:
    """Draw times over message length on logarithmic axes, with a line of exponent 1 to compare with.

    Parameters
    ----------
    drawn : DataFrame
        From `times`.
    slices : iterable of str
        Labels of the lines.
    """
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 4.2), layout="constrained")
        axes = figure.subplots()
        tops: list[Any] = []
        for at, name in enumerate(slices):
            part = drawn.xs(name, level="Slice")
            part = part[part["estimate"] > 0]
            if part.empty:
                continue
            ends = np.clip([part["estimate"] - part["low"], part["high"] - part["estimate"]], 0, None)
            colour = "0.1" if name == _LABELS["request_ms"] else COLOURS[(at - 1) % len(COLOURS)]
            axes.errorbar(
                part["length"], part["estimate"], yerr=ends, fmt=f"{_MARKERS[at % len(_MARKERS)]}-",
                color=colour, ecolor="0.1", elinewidth=1, capsize=3, lw=1.2, ms=5, label=name,
            )  # fmt: skip
            tops.append(part)
        if tops:
            first = tops[0].sort_values("length")
            start = first.iloc[0]
            line = start["estimate"] * first["length"] / start["length"]
            axes.plot(first["length"], line, ls=":", color="0.4", lw=1.2, label="exponent 1")
        axes.set(
            xscale="log", yscale="log", xlabel="Mean message length (characters), logarithmic",
            ylabel="Time (ms), logarithmic",
        )  # fmt: skip
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
        if tops:
            figure.legend(loc="outside upper center", ncols=4)
    return figure


def describe_times(drawn: pd.DataFrame, slices: Iterable[str]) -> str:
    """Put a figure of `times_figure` into words: each slice's time at the shortest and the longest messages."""
    ordered = drawn.sort_values("length", kind="stable")
    parts = []
    for name in slices:
        ends = ordered.xs(name, level="Slice")["estimate"]
        parts.append(f"{name} from {ends.iloc[0]:,.2f} to {ends.iloc[-1]:,.2f} ms")
    lengths = drawn["length"]
    return (
        "Mean times over mean message length on logarithmic axes, "
        f"from {lengths.min():,.0f} to {lengths.max():,.0f} characters: {', '.join(parts)}."
    )


def describe_shares(drawn: pd.DataFrame, printed: pd.DataFrame, rows: str) -> str:
    """Put stacked bars of several rows into words: each slice's share in the first and the last row."""
    first, last = drawn.index[0], drawn.index[-1]
    parts = [
        f"{name} from {drawn.loc[first, name]:.0f} to {drawn.loc[last, name]:.0f} % measured and "
        f"from {printed.loc[first, name]:.0f} to {printed.loc[last, name]:.0f} % published"
        for name in drawn.columns
    ]
    return f"Stacked bars of the shares of request time by {rows}, from {first} to {last}: {'; '.join(parts)}."


def base(samples: pd.DataFrame) -> str:
    """Say on how many requests and runs the tables rest, and how many requests failed."""
    failed = samples["outcome"].isin([SYSTEM_ERROR, TRANSPORT_ERROR]).sum()
    return (
        f"{len(samples):,} measured requests of {samples['run'].nunique()} runs, {samples['block'].nunique()} of each "
        f"load; {failed:,} of the requests are errors; the run is the unit. Runs of a block are deployments in one "
        "server process; warm-up sessions are left out."
    )


def _pair(means: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return a column's values at the shortest and the longest load: a row a block that has both, above 0."""
    ends = ["SizeSmall", "SizeXXLarge"]
    whole = means.pivot(index="block", columns=LOAD, values=column).reindex(columns=ends).dropna()
    return whole[(whole > 0).all(axis=1)].set_axis(["small", "large"], axis=1)


def cases(samples: pd.DataFrame) -> Iterable[tuple[Finding, pd.Series, str]]:
    """Pair each finding on Table 4 with its statistic's values, one a block, and the scale it is tested on.

    Findings on loads that were not measured have no value.
    """
    means = run_means(samples)
    clean = samples.groupby("run", observed=True)["outcome"].agg(
        lambda outcomes: not outcomes.isin([SYSTEM_ERROR, TRANSPORT_ERROR]).any()
    )
    xml, writes = _pair(means, "web_service_ms_share"), means.pivot(
        index="block", columns=LOAD, values="writes_ms_share"
    ).reindex(columns=["SizeSmall", "SizeXXLarge"])  # fmt: skip
    unfailing = _pair(means[means["run"].map(clean)], "service_ms_share")
    values = {
        "S10": (exponents(means, LENGTH, "request_ms"), "identity"),
        "S10-reservations": (exponents(reservations(samples), LENGTH, "request_ms"), "identity"),
        "S11": (exponents(means, LENGTH, "web_service_ms"), "identity"),
        "S11-reservations": (exponents(reservations(samples), LENGTH, "web_service_ms"), "identity"),
        "S11-share": (xml["large"] / xml["small"], "log"),
        "S12-small": (writes["SizeSmall"].dropna(), "identity"),
        "S12-large": (writes["SizeXXLarge"].dropna(), "identity"),
        "S13-service": (unfailing["large"] / unfailing["small"], "log"),
    }
    for finding in SIZE_FINDINGS:
        if finding.id in values:
            yield finding, *values[finding.id]
