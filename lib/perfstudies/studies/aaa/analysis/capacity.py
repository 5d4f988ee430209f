"""The highest rate that the server sustains under open arrivals, and what limits it: threads, processors or clients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from perfstudies.report.tables import MISSING, interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.intervals import Interval, ratio_interval
from perfstudies.stats.saturation import Saturation, saturation
from perfstudies.studies.aaa.analysis.max_rate import LEVEL, THREADS, interval
from perfstudies.studies.aaa.limits import KEPT_UP

LEAST = KEPT_UP
"""Share of a rate that has to be kept up with: steps of a few seconds are too short to tell 99 % from 100, and the lab
ends a run at the first rate that falls short of it."""


def sustained(rates: pd.DataFrame) -> dict[str, Saturation]:
    """Return the highest sustained rate for each number of HTTP threads.

    As in the lab, a rate is kept up with if enough of its requests are answered, and if from the first one's due time
    to the last one's end nearly as many a second have ended as were due: a backlog that is worked off afterwards makes
    them fewer. How many really were due counts, as arrivals are random.

    Parameters
    ----------
    rates : DataFrame
        From `perfstudies.studies.aaa.analysis.max_rate.rate_table`.
    """
    in_time = pd.Series(np.minimum(rates["ended"] / rates["offered"], rates["ok"]))
    steps = rates.assign(kept=in_time.fillna(0) * rates["rate"])
    return {
        str(threads): saturation(part, "rate", "kept", least=LEAST)
        for threads, part in steps.groupby(LEVEL, observed=True)
    }


def sustained_table(found: dict[str, Saturation]) -> pd.DataFrame:
    """Return the highest sustained rates with 95 % intervals, the next rates that were not, and the most completed."""
    rows = {}
    for threads, one in found.items():
        runs = one.runs
        rows[THREADS.label(threads)] = {
            "Sustained (1/s)": _text(one.rate) if runs["sustained"].notna().any() else "not even the lowest",
            "The next rate, not sustained (1/s)": interval(runs["failed"]) if runs["failed"].notna().any() else "none",
            "Most kept up with (1/s)": interval(runs["completed"]),
            "Runs": len(runs),
            "Runs that sustained all": int(runs["failed"].isna().sum()),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Setting")


def by_place(found: dict[str, Saturation], recorded: Recording) -> pd.DataFrame:
    """Return the highest sustained rates of runs that were the first of their block, and of those that came later.

    A block has a server process of its own in the larger profiles, so its first run meets the coldest one.
    """
    runs = recorded.runs.set_index("run")
    every = pd.concat([one.runs for one in found.values()]).set_index("run")["sustained"]
    known = pd.DataFrame({"sustained": every, "block": runs["block"], "later": runs["position"] > 0})
    rows = {}
    for threads, one in found.items():
        part = known.loc[one.runs["run"]]
        rows[THREADS.label(threads)] = {
            "First of its block (1/s)": interval(part.loc[~part["later"], "sustained"]),
            "Runs": int((~part["later"]).sum()),
            "Later (1/s)": interval(part.loc[part["later"], "sustained"]),
            "Later runs": int(part["later"].sum()),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Setting")


def later_over_first(found: dict[str, Saturation], recorded: Recording) -> Interval:
    """Return the highest sustained rate of a block's later runs over that of its first one, whatever their threads."""
    runs = recorded.runs.set_index("run")
    every = pd.concat([one.runs for one in found.values()]).set_index("run")["sustained"]
    known = pd.DataFrame({"rate": np.log(every), "block": runs["block"], "later": runs["position"] > 0})
    sides = known.pivot_table(index="block", columns="later", values="rate").dropna()
    if sides.shape[1] < 2 or sides.empty:
        return Interval(np.nan, np.nan, np.nan, 0.95, 0)
    return ratio_interval(np.exp(sides[True]), np.exp(sides[False]))


def limits(rates: pd.DataFrame, recorded: Recording) -> pd.DataFrame:
    """Return what might limit the rate at the step where most was completed, a row a number of HTTP threads.

    A thread serves one request at a time, so no more than threads over time in the servlet can be completed. The
    ceiling by the time unit alone is what the threads could do if a request took nothing but its timer. Requests in the
    servlet by Little's law (completed times time in the servlet) are beside those that requests found there. Processors
    are those that the server and the clients kept busy on average over the run. Starts are the requests a second that
    the clients really sent at the highest rate, against those planned: below 100 % it is the clients that cannot keep
    up.
    """
    rows = {}
    runs = recorded.runs.set_index("run")
    threads: Any
    for threads, part in rates.groupby(LEVEL, observed=True):
        best = part.loc[part.groupby("run", observed=True)["completed"].idxmax().dropna()]
        top = part[part["rate"] == part["rate"].max()]
        of = runs.loc[part["run"].unique()]
        unit_ms = pd.to_numeric(of["unit_ms"]).mean()
        load_s = pd.to_numeric(of["load_s"])
        rows[THREADS.label(threads)] = {
            "Most completed (1/s)": interval(best["completed"]),
            "Threads / time unit (1/s)": f"{1000 * int(threads) / unit_ms:,.0f}" if unit_ms else MISSING,
            "Threads / time in the servlet (1/s)": interval(1000 * int(threads) / best["servlet_ms"]),
            "In the servlet, by Little's law": interval(best["in_server"], 1),
            "In the servlet, as found": interval(best["threads_busy"], 1),
            "Processors busy, server": interval(_cpu(of, "cpu_server_s") / load_s, 2),
            "Processors busy, clients": interval(_cpu(of, "cpu_client_s") / load_s, 2),
            "Started at the highest rate (%)": interval(100 * top["started"] / top["offered"], 1),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Setting").T.rename_axis("What")


def _cpu(runs: pd.DataFrame, column: str) -> pd.Series:
    return pd.to_numeric(runs[column]) if column in runs else pd.Series(np.nan, runs.index)


def more_threads(rates: pd.DataFrame) -> Interval:
    """Return the most completed with more HTTP threads over that with fewer, within blocks."""
    most = rates.groupby(["block", LEVEL], observed=True)["completed"].max().unstack()
    known = most.dropna()
    if most.shape[1] < 2 or known.empty:
        return Interval(np.nan, np.nan, np.nan, 0.95, 0)
    return ratio_interval(known.iloc[:, -1], known.iloc[:, 0])


def answer(found: dict[str, Saturation], rates: pd.DataFrame) -> str:
    """Answer the study's question: what are the maximum load levels?"""
    parts = []
    for threads, one in found.items():
        if np.isfinite(one.rate.estimate):
            open_runs = int(one.runs["failed"].isna().sum())
            more = f" ({open_runs} of {len(one.runs)} runs sustained every rate that was offered)" if open_runs else ""
            parts.append(f"{_text(one.rate)} requests/s with {threads} HTTP threads{more}")
        else:
            parts.append(f"less than the lowest rate offered with {threads} HTTP threads")
    gain = more_threads(rates)
    rest = ""
    if gain.n:
        rest = f" Ten times the threads complete {ratio_text(gain)} times as much at most."
    return f"Sustained on this machine, at the time unit used here: {'; '.join(parts)}.{rest}"


def ratio_text(one: Interval) -> str:
    """Write a ratio with its interval; an en dash if there is none."""
    return interval_text(one.estimate, one.low, one.high, 2) if one.n else MISSING


def _text(one: Interval) -> str:
    return interval_text(one.estimate, one.low, one.high, 0)
