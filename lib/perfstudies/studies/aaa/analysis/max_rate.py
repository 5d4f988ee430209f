"""Which rate of requests the server keeps up with, when they arrive whether or not earlier ones are answered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.exchange import OK
from perfstudies.report.figures import COLOURS, WIDTH_INCH, plain_numbers, style
from perfstudies.report.settings import margin
from perfstudies.report.tables import MISSING, interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.growth import over_units
from perfstudies.studies.aaa.declared import MAX_RATE

LEVEL = MAX_RATE.factors[0].name
THREADS = MAX_RATE.factors[0]


def rate_table(recorded: Recording) -> pd.DataFrame:
    """Return a row a run and offered rate.

    Columns: ``run``, ``block``, the HTTP threads, ``rate`` (as planned, 1/s), ``offered`` (from the intended times),
    ``started`` (from the times at which the clients really started), ``completed`` (answered requests a second, from
    the first to the last answer), ``ended`` (requests a second from the first one's due time to the last one's end,
    however they ended), ``ok`` (share answered), ``response_ms`` and ``response_99_ms`` (mean and 99 %
    quantile of answered ones, from the intended time), ``total_ms`` (from the start), ``late_ms`` (the clients' own
    delay), ``servlet_ms``, ``threads_busy`` (mean), ``in_server`` (completed times time in the servlet: Little's law).
    """
    rows = []
    rate: Any
    for (run, rate), part in recorded.samples.groupby(["run", "phase"], observed=True, sort=False):
        right = part[part["outcome"] == OK]
        completed, servlet_ms = _pace(right["ended_us"]), part["servlet_ms"].mean()
        rows.append(
            {
                "run": run, "rate": float(rate), "offered": _pace(part["intended_us"]),
                "started": _pace(part["started_us"]), "completed": completed, "ok": len(right) / len(part),
                "ended": 1e6 * (len(part) - 1) / max(1, part["ended_us"].max() - part["intended_us"].min()),
                "response_ms": right["response_ms"].mean(),
                "response_99_ms": right["response_ms"].quantile(0.99) if len(right) else np.nan,
                "total_ms": right["total_ms"].mean(),
                "late_ms": (part["started_us"] - part["intended_us"]).mean() / 1000, "servlet_ms": servlet_ms,
                "threads_busy": part["threads_busy"].mean(), "in_server": completed * servlet_ms / 1000,
            }
        )  # fmt: skip
    found = recorded.runs[["run", "block", LEVEL]].merge(pd.DataFrame(rows), on="run")
    found[LEVEL] = found[LEVEL].cat.remove_unused_categories()
    return found.sort_values([LEVEL, "block", "rate"], kind="stable").reset_index(drop=True)


def _pace(times_us: pd.Series) -> float:
    """Return how many events a second came between the first and the last; missing for fewer than two."""
    span = (times_us.max() - times_us.min()) / 1e6
    return (len(times_us) - 1) / span if len(times_us) > 1 and span > 0 else np.nan


def rates_shown(rates: pd.DataFrame) -> pd.DataFrame:
    """Return `rate_table` as means over runs with 95 % margins, a row a number of HTTP threads and a rate.

    Only runs that kept up with all lower rates came to a rate.
    """
    columns = {
        "offered": ("Offered (1/s)", 0), "completed": ("Completed (1/s)", 0), "answered": ("Answered (%)", 1),
        "response_ms": ("Response (ms)", 1),
        "response_99_ms": ("99 % of responses within (ms)", 1), "late_ms": ("Client's delay (ms)", 2),
        "servlet_ms": ("In the servlet (ms)", 1), "threads_busy": ("Threads busy", 1),
        "in_server": ("By Little's law", 1),
    }  # fmt: skip
    rows = {}
    shown = rates.assign(answered=100 * rates["ok"])
    for (threads, rate), part in shown.groupby([LEVEL, "rate"], observed=True):
        row = {name: margin(part[column].dropna(), digits) for column, (name, digits) in columns.items()}
        rows[THREADS.label(threads), f"{rate:,g}"] = {"Runs": part["run"].nunique()} | row
    shown = pd.DataFrame.from_dict(rows, orient="index")
    shown.index = pd.MultiIndex.from_tuples(shown.index, names=["Threads", "Rate (1/s)"])
    return shown


def points(rates: pd.DataFrame) -> pd.DataFrame:
    """Return what `rates_figure` draws: geometric means over runs with 95 % intervals by HTTP threads and rate.

    On logarithms, as runs differ by factors where some have a backlog. Two runs are too few for an interval.
    """
    rows = {}
    for (threads, rate), part in rates.groupby([LEVEL, "rate"], observed=True):
        row = {"runs": part["run"].nunique(), "offered": part["offered"].mean()}
        for column in ("completed", "response_ms"):
            one = over_units(np.log(part[column]))
            ends = (one.low, one.high) if one.n > 2 else (np.nan, np.nan)
            row |= dict(zip((column, f"{column} low", f"{column} high"), np.exp([one.estimate, *ends]), strict=True))
        rows[THREADS.label(threads), rate] = row
    drawn = pd.DataFrame.from_dict(rows, orient="index")
    drawn.index = pd.MultiIndex.from_tuples(drawn.index, names=["Threads", "Rate (1/s)"])
    return drawn


def rates_figure(drawn: pd.DataFrame) -> Figure:
    """Draw completed requests a second and response times over the offered rate, all axes logarithmic."""
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 3.8), layout="constrained")
        left, right = figure.subplots(1, 2)
        for place, threads in enumerate(dict.fromkeys(drawn.index.get_level_values(0))):
            part = drawn.loc[threads]
            for axes, column in ((left, "completed"), (right, "response_ms")):
                ends = [part[column] - part[f"{column} low"], part[f"{column} high"] - part[column]]
                beside = part["offered"] * (1 + 0.04 * place)  # intervals must not hide each other
                axes.errorbar(
                    beside, part[column], yerr=np.clip(ends, 0, None), fmt=f"{'os'[place % 2]}-", ms=5, lw=1.2,
                    color=COLOURS[place], capsize=3, label=threads if axes is left else None,
                )  # fmt: skip
        span = drawn["offered"].min(), drawn["offered"].max()
        left.plot(span, span, color="0.4", ls=":", label="all that is offered")
        left.set_ylabel("Completed (1/s), logarithmic")
        right.set_ylabel("Response time (ms), logarithmic")
        for axes in (left, right):
            axes.set(xscale="log", yscale="log", xlabel="Offered (1/s), logarithmic")
            plain_numbers(axes.xaxis)
            plain_numbers(axes.yaxis)
        figure.legend(loc="outside upper center", ncols=3)
    return figure


def describe_rates(drawn: pd.DataFrame) -> str:
    """Put `rates_figure` into words."""
    parts = []
    for threads in dict.fromkeys(drawn.index.get_level_values(0)):
        part = drawn.loc[threads]
        most = part["completed"].idxmax() if part["completed"].notna().any() else None
        if most is not None:
            parts.append(
                f"{threads}: at most {part.loc[most, 'completed']:,.0f}/s completed, at "
                f"{part.loc[most, 'offered']:,.0f}/s offered; responses from {part['response_ms'].min():,.1f} to "
                f"{part['response_ms'].max():,.1f} ms"
            )
    return f"Two panels over the offered rate: completed requests a second, and response times. {'. '.join(parts)}."


def interval(values: pd.Series, digits: int = 0) -> str:
    """Write the mean of runs with its 95 % interval; an en dash if there are none."""
    one = over_units(values)
    return MISSING if one.n == 0 else interval_text(one.estimate, one.low, one.high, digits)
