"""The STEP study's Table 6 and Figure 14 from samples: how long requests take when users work at the same time."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from perfstudies.experiment import Factor
from perfstudies.report.figures import COLOURS, WIDTH_INCH, style
from perfstudies.report.settings import margin
from perfstudies.report.tables import interval_text
from perfstudies.runs.recording import Recording
from perfstudies.sent import APPLICATION_EXCEPTION, OK, SYSTEM_ERROR, TRANSPORT_ERROR
from perfstudies.stats.intervals import mean_interval, ratio_interval
from perfstudies.studies.step.analysis import size
from perfstudies.studies.step.analysis.breakdown import run_shares
from perfstudies.studies.step.analysis.size import PRINTED
from perfstudies.studies.step.declared import USERS
from perfstudies.studies.step.logs.slices import SLICE_LABELS, SLICES

LEVEL = USERS.name
IN_STUDY = ("1", "2", "4", "8", "16")
ERRORS = (SYSTEM_ERROR, TRANSPORT_ERROR)


def run_table(recorded: Recording, factor: str = LEVEL) -> pd.DataFrame:
    """Return a row a run with what its measured requests came to.

    Columns: ``run``, ``block``, the factor, ``request_ms`` (mean, at the server), the slices' shares (%), ``requests``,
    ``exceptions`` and ``errors`` (counts), ``exception_share`` and ``error_share`` (%), ``per_s`` and ``ok_per_s``
    (requests and successful ones a second, from the first sent to the last answered), ``optimistic_failures`` and
    ``retries`` (Hibernate's counts).
    """
    samples, calls = recorded.samples[recorded.samples["measured"]], recorded.calls[recorded.calls["measured"]]
    by_run = calls.groupby("run", observed=True)
    took_s = (by_run["ended_ns"].max() - by_run["sent_ns"].min()) / 1e9
    count = pd.DataFrame(
        {
            "requests": by_run.size(),
            "exceptions": (calls["outcome"] == APPLICATION_EXCEPTION).groupby(calls["run"]).sum(),
            "errors": calls["outcome"].isin(ERRORS).groupby(calls["run"]).sum(),
            "ok": (calls["outcome"] == OK).groupby(calls["run"]).sum(),
        }
    )
    found = count.assign(
        exception_share=100 * count["exceptions"] / count["requests"],
        error_share=100 * count["errors"] / count["requests"],
        per_s=count["requests"] / took_s,
        ok_per_s=count["ok"] / took_s,
        request_ms=samples.groupby("run", observed=True)["request_ms"].mean(),
    )
    counted = ["optimistic_failures", "retries"]
    known = recorded.runs[["run", "block", factor, *counted]].join(
        found.join(run_shares(samples)), on="run", how="inner"
    )
    return known.assign(**{factor: known[factor].cat.remove_unused_categories()}).reset_index(drop=True)


def published(table: pd.DataFrame) -> pd.DataFrame:
    """Return a published table with the number of users as the levels are written."""
    return table.set_axis(table.index.astype(str)).rename_axis("Users")


def table_6(runs: pd.DataFrame) -> pd.DataFrame:
    """Return Table 6 as measured: the slices' shares in percent with 95 % margins; a row a number of users."""
    rows = {
        users: {PRINTED[column]: margin(part[column]) for column in SLICES}
        for users, part in runs.groupby(LEVEL, observed=True)
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Users")


def shares(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the slices' mean shares in percent for the study's numbers of users, for stacked bars."""
    part = runs[runs[LEVEL].isin(IN_STUDY)]
    found = part.groupby(LEVEL, observed=True)[list(SLICES)].mean().set_axis(list(SLICE_LABELS.values()), axis=1)
    return found.set_axis(pd.Index(found.index.astype(str), name="Users"))


def published_shares(table: pd.DataFrame, present: pd.Index) -> pd.DataFrame:
    """Return the published Table 6 for the numbers of users that are present, for stacked bars."""
    return published(table)[list(PRINTED.values())].set_axis(list(SLICE_LABELS.values()), axis=1).loc[present]


def describe_shares(drawn: pd.DataFrame, printed: pd.DataFrame) -> str:
    """Put Figure 14 into words."""
    return size.describe_shares(drawn, printed, "concurrent users")


def scaling_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return request times and throughput with 95 % margins, and both as ratios to one user, taken within blocks."""
    columns = {"request_ms": "Request time (ms)", "per_s": "Requests/s", "ok_per_s": "Successful requests/s"}
    wide = {column: runs.pivot(index="block", columns=LEVEL, values=column) for column in columns}
    rows = {}
    for users, part in runs.groupby(LEVEL, observed=True):
        row: dict[str, str | None] = {name: margin(part[column]) for column, name in columns.items()}
        for column, name in (("request_ms", "Time / one user"), ("ok_per_s", "Successful / one user")):
            row[name] = _ratio(wide[column], str(users))
        rows[users] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Users")


def _ratio(wide: pd.DataFrame, users: str) -> str | None:
    if users == "1" or "1" not in wide:
        return None
    pairs = wide[["1", users]].dropna()
    pairs = pairs[(pairs > 0).all(axis=1)]
    if pairs.empty:
        return None
    found = ratio_interval(pairs[users], pairs["1"])
    return interval_text(found.estimate, found.low, found.high)


def scaling_points(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what `scaling_figure` draws: means over runs with 95 % intervals, a row a number of users."""
    rows = {}
    for users, part in runs.groupby(LEVEL, observed=True):
        row: dict = {}
        for column in ("request_ms", "per_s", "ok_per_s"):
            one = mean_interval(part[column])
            row |= {column: one.estimate, f"{column} low": one.low, f"{column} high": one.high}
        rows[users] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Users")


def scaling_figure(drawn: pd.DataFrame) -> Figure:
    """Draw request time and throughput over the number of users, all axes logarithmic."""
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 3.7), layout="constrained")
        left, right = figure.subplots(1, 2)
        at = drawn.index.astype(float)
        series = (
            (left, "request_ms", "request time", 0),
            (right, "per_s", "all", 1),
            (right, "ok_per_s", "successful", 2),
        )
        for axes, column, name, place in series:
            ends = np.clip(
                [drawn[column] - drawn[f"{column} low"], drawn[f"{column} high"] - drawn[column]], 0, None
            )  # fmt: skip
            axes.errorbar(
                at, drawn[column], yerr=ends, fmt=f"{'os^'[place]}-", color=COLOURS[place], ecolor="0.2", capsize=3,
                lw=1.2, ms=5, label=name,
            )  # fmt: skip
        if "1" in drawn.index:
            left.axhline(10 * drawn["request_ms"]["1"], color="0.4", ls=":", label="ten times one user")
        for axes, label in ((left, "Request time (ms), logarithmic"), (right, "Requests/s, logarithmic")):
            axes.set(xscale="log", yscale="log", xlabel="Concurrent users, logarithmic", ylabel=label)
            axes.set_xticks(at, [str(users) for users in drawn.index])
            axes.xaxis.minorticks_off()
            low, high = axes.get_ylim()
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high > 5 * low else range(1, 10)))
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
            axes.yaxis.set_minor_formatter(NullFormatter())
            axes.legend()
    return figure


def describe_scaling(drawn: pd.DataFrame) -> str:
    """Put `scaling_figure` into words: times and successful requests a second at each number of users."""
    parts = [f"{users}: {row['request_ms']:,.0f} ms and {row['ok_per_s']:.1f}/s" for users, row in drawn.iterrows()]
    return (
        "Two panels over concurrent users on logarithmic axes: request time; and requests a second, all and "
        f"successful. Request time and successful requests a second by users: {', '.join(parts)}."
    )


def base(runs: pd.DataFrame, factor: Factor = USERS) -> str:
    """Say on how many runs and requests the tables rest."""
    counts = runs.groupby(factor.name, observed=True)["requests"].agg(["min", "max"])
    sent = "; ".join(
        f"{factor.label(level)}: {row['min']}" + (f" to {row['max']}" if row["max"] > row["min"] else "")
        for level, row in counts.iterrows()
    )
    return (
        f"{len(runs)} runs, {runs['block'].nunique()} of each setting; the run is the unit. Runs of a block are "
        f"deployments in one server process; warm-up sessions are left out. Measured requests in a run: {sent}."
    )
