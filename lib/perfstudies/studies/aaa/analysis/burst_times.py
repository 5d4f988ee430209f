"""How long a burst's answers took, and where its requests were meanwhile: with clients, or in the server."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.exchange import OK
from perfstudies.report.figures import COLOURS, WIDTH_INCH, plain_numbers, style
from perfstudies.report.settings import margin
from perfstudies.runs.recording import Recording
from perfstudies.studies.aaa.analysis.overload import AT_ONCE, SIZE, THREADS
from perfstudies.studies.aaa.declared import BURST

PARTS = {"median": 0.5, "90 %": 0.9, "99 %": 0.99, "longest": 1.0}
SHARES = np.round(np.linspace(0, 1, 41), 3)
INSTANTS = 49


def answered(recorded: Recording) -> pd.DataFrame:
    """Return the answered requests of the bursts."""
    samples = recorded.samples
    return samples[(samples["phase"] == AT_ONCE) & (samples["outcome"] == OK)]


def run_quantiles(recorded: Recording) -> pd.DataFrame:
    """Return quantiles of the answered requests' total times in ms, a row a run and a column a part of `PARTS`.

    ``answers`` and ``per_s`` are the number of answers, and that number over the time from the burst's first start to
    its last end. ``ejb`` is the median EJB time.
    """
    rows = {}
    starts = recorded.samples[recorded.samples["phase"] == AT_ONCE].groupby("run", observed=True)["started_us"].min()
    for run, part in answered(recorded).groupby("run", observed=True):
        times = np.quantile(part["total_ms"], list(PARTS.values()))
        took_s = (part["ended_us"].max() - starts[run]) / 1e6
        rows[run] = dict(zip(PARTS, times, strict=True)) | {
            "ejb": part["ejb_ms"].median(), "answers": len(part), "per_s": len(part) / took_s if took_s else np.nan,
        }  # fmt: skip
    columns = [*PARTS, "ejb", "answers", "per_s"]
    found = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    return recorded.runs[["run", "block", SIZE]].join(found, on="run", how="left")


def quantiles_table(quantiles: pd.DataFrame) -> pd.DataFrame:
    """Return `run_quantiles` as means over runs with 95 % margins, a row a size."""
    names = {part: f"{part} (ms)" for part in PARTS} | {"ejb": "EJB time, median (ms)", "per_s": "Answers/s"}
    rows = {
        BURST.factors[0].label(size): {name: margin(part[column].dropna(), 1) for column, name in names.items()}
        for size, part in quantiles.groupby(SIZE, observed=True)
    }
    shown = pd.DataFrame.from_dict(rows, orient="index").rename_axis("Requests at once")
    return shown.rename(columns={"median (ms)": "Median (ms)", "longest (ms)": "Longest (ms)"})


def distribution(recorded: Recording) -> pd.DataFrame:
    """Return the share of a burst answered within a time: a row a share, the time in ms a column a size.

    Each run's quantiles are averaged over runs. Shares are of the answered requests.
    """
    columns = {}
    for size, part in answered(recorded).groupby(SIZE, observed=True):
        runs = [np.quantile(run["total_ms"], SHARES) for _, run in part.groupby("run", observed=True)]
        columns[BURST.factors[0].label(size)] = np.mean(runs, axis=0)
    return pd.DataFrame(columns, pd.Index(100 * SHARES, name="Answered requests (%)"))


def distribution_figure(drawn: pd.DataFrame) -> Figure:
    """Draw `distribution`: the share answered over time, a line a size, time logarithmic."""
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 3.8), layout="constrained")
        axes = figure.subplots()
        for place, (size, times) in enumerate(drawn.items()):
            axes.plot(times, drawn.index, color=COLOURS[place % len(COLOURS)], ls=_line(place), label=f"{size} at once")
        axes.set(
            xscale="log", xlabel="Total time (ms), logarithmic", ylabel="Answered requests within that time (%)",
            ylim=(0, 101),
        )  # fmt: skip
        plain_numbers(axes.xaxis)
        axes.legend(loc="upper left")
    return figure


def describe_distribution(drawn: pd.DataFrame) -> str:
    """Put `distribution_figure` into words."""
    parts = [f"{size}: {times.loc[50.0]:,.0f} and {times.loc[95.0]:,.0f} ms" for size, times in drawn.items()]
    return f"Curves of the share answered over total time. Half and 95 % of the answers came within {'; '.join(parts)}."


def under_way(recorded: Recording) -> pd.DataFrame:
    """Return how many requests were under way over a burst's time, means over runs, indexed by s since its first start.

    Columns: ``clients`` (sent, and neither answered nor given up) and ``server`` (in the servlet) for each size.
    """
    burst = recorded.samples[recorded.samples["phase"] == AT_ONCE]
    start = burst.groupby("run", observed=True)["started_us"].transform("min")
    left = burst["entered_us"] + 1000 * burst["servlet_ms"]
    times = pd.DataFrame(
        {
            "clients from": burst["started_us"] - start, "clients to": burst["ended_us"] - start,
            "server from": burst["entered_us"] - start, "server to": left - start,
        }
    )  # fmt: skip
    instants_us = np.linspace(0, max(times["clients to"].max(), times["server to"].max()), INSTANTS)
    columns = {}
    for place in ("clients", "server"):
        for size, part in burst.groupby(SIZE, observed=True):
            runs = [
                _inside(times.loc[run.index, f"{place} from"], times.loc[run.index, f"{place} to"], instants_us)
                for _, run in part.groupby("run", observed=True)
            ]
            columns[place, BURST.factors[0].label(size)] = np.mean(runs, axis=0)
    return pd.DataFrame(columns, pd.Index(instants_us / 1e6, name="Time (s)"))


def _inside(starts: pd.Series, ends: pd.Series, instants: np.ndarray) -> np.ndarray:
    """Count the intervals that hold each instant; those without a known start are nowhere."""
    known = starts.notna()
    begun, over = np.sort(starts[known]), np.sort(ends[known].fillna(np.inf))
    return np.searchsorted(begun, instants, side="right") - np.searchsorted(over, instants, side="right")


def under_way_figure(drawn: pd.DataFrame) -> Figure:
    """Draw `under_way`: requests at the clients and in the server over time, the number of HTTP threads as a line."""
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 3.6), layout="constrained")
        panels = figure.subplots(1, 2)
        for axes, place, name in zip(panels, ("clients", "server"), ("At the clients", "In the servlet"), strict=True):
            for number, (size, counts) in enumerate(drawn[place].items()):
                axes.plot(
                    drawn.index, counts, color=COLOURS[number % len(COLOURS)], ls=_line(number),
                    label=size if place == "clients" else None,
                )  # fmt: skip
            axes.set(title=name, xlabel="Time since the burst's start (s)", ylabel="Requests under way")
            axes.set_ylim(bottom=0)
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
        panels[1].axhline(THREADS, color="0.4", lw=0.9, ls="--", label=f"{THREADS} HTTP threads")
        figure.legend(loc="outside upper center", ncols=6)
    return figure


def describe_under_way(drawn: pd.DataFrame) -> str:
    """Put `under_way_figure` into words."""
    parts = [
        f"{size}: up to {drawn['clients'][size].max():,.0f} at the clients and {drawn['server'][size].max():,.0f} in "
        "the servlet"
        for size in drawn["clients"]
    ]
    return f"Two panels of requests under way over time, a line a burst size. Most at a time: {'; '.join(parts)}."


def _line(place: int) -> str:
    return ("-", "--", "-.", ":")[place % 4]


def room(recorded: Recording) -> pd.DataFrame:
    """Return which pace it takes to answer a burst before its clients give up, and which there is, a row a size.

    A thread serves a request in one time unit at least, so the threads' pace is their number over the unit. The
    server's own is that at which requests left the servlet, those for clients that had gone included (mean over runs,
    95 % margin).
    """
    burst = recorded.samples[(recorded.samples["phase"] == AT_ONCE) & recorded.samples["entered_us"].notna()]
    left = burst["entered_us"] + 1000 * burst["servlet_ms"]
    began, ended = (times.groupby(burst["run"], observed=True) for times in (burst["entered_us"], left))
    took_s = (ended.max() - began.min()) / 1e6
    pace = recorded.runs["run"].map(burst.groupby("run", observed=True).size() / took_s.where(took_s > 0))
    rows = {}
    for size, runs in recorded.runs.groupby(SIZE, observed=True):
        unit_ms, ttl_ms = runs["unit_ms"].mean(), runs["ttl_ms"].mean()
        rows[BURST.factors[0].label(size)] = {
            "Time to live (ms)": ttl_ms,
            "It takes (1/s)": 1000 * int(str(size)) / ttl_ms,
            "The threads allow (1/s)": 1000 * THREADS / unit_ms if unit_ms else np.inf,
            "The server's pace (1/s)": margin(pace[runs.index].dropna(), 0),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Requests at once")
