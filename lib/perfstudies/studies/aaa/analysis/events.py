"""Slow requests in time: does something recur in seconds that would look like a pattern in request numbers?

At the study's gap of 2 s its patterns of 100, 150 and 200 requests would be 200, 300 and 400 s, and what a server does
every so many seconds (it looks for idle database connections and beans, it collects garbage) would recur in them too.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy import ndimage

from perfstudies.report.figures import COLOURS, WIDTH_INCH, plain_numbers, style
from perfstudies.stats.holm import holm
from perfstudies.stats.rayleigh import rayleigh_test
from perfstudies.stats.warmup import MAD_TO_SD
from perfstudies.studies.aaa.analysis.times import EJB, TOTAL
from perfstudies.studies.aaa.findings_patterns import PATTERNS

NEIGHBOURS = 51
"""Requests of a client to whose median one is compared, itself in the middle."""
SPREADS = 6
"""A request is slow if it exceeds that median by so many spreads (scaled MAD) of its client's excesses ..."""
LEAST_MS = 1.0
"""... and by so much."""

PARTS = {
    "db_ms": "policy repository",
    "ejb_wait_ms": "before the bean had it",
    "asm_ms": "the bean, its timer included",
    "ejb_rest": "rest of EJB time",
    "servlet_rest": "servlet, outside the EJB container",
    "outside": "outside the server (network, HTTP threads, client)",
}
"""Where a request's time is spent; what the excess of a slow one is told apart by."""

OF_SERVER = {
    "idle database connections": 300.0,
    "idle beans": 600.0,
    "HTTP keep-alive": 30.0,
    "a client's time to live": 60.0,
}
"""Times after which the server or a client does something, in seconds: defaults, and those of the experiments."""


def excesses(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the samples with what each part of a request took more than usual for its client at that time.

    Adds ``at_s`` (seconds after the run's start), ``excess_ms`` (of total time), an ``<part> excess`` for each of
    `PARTS`, and ``slow``.
    """
    frame = samples.sort_values(["run", "client", "number"]).reset_index(drop=True)
    known = {name: frame[name].fillna(0) for name in ("db_ms", "ejb_wait_ms", "asm_ms")}
    frame = frame.assign(
        ejb_rest=frame[EJB] - sum(known.values()),
        servlet_rest=frame["servlet_ms"] - frame[EJB],
        outside=frame[TOTAL] - frame["servlet_ms"],
        at_s=frame["started_us"] / 1e6,
    )
    groups = frame.groupby(["run", "client"], observed=True)
    for column in (TOTAL, *PARTS):
        frame[f"{column} excess"] = groups[column].transform(_above_usual)
    frame = frame.rename(columns={f"{TOTAL} excess": "excess_ms"})
    spread = frame.groupby(["run", "client"], observed=True)["excess_ms"].transform(
        lambda values: MAD_TO_SD * float(np.median(np.abs(values)))
    )
    return frame.assign(slow=frame["excess_ms"] > np.maximum(SPREADS * spread, LEAST_MS))


def _above_usual(values: pd.Series) -> np.ndarray:
    array = values.fillna(values.median()).fillna(0).to_numpy()
    return array - ndimage.median_filter(array, size=NEIGHBOURS, mode="nearest")


def events(found: pd.DataFrame, apart_s: float) -> pd.DataFrame:
    """Return slow requests as events: those of a run that begin within some seconds of the one before are one event.

    Columns: run, at_s (of the first), requests, clients, excess_ms (the largest), part (which part of that request's
    time exceeded the usual most), created (whether one of them made a bean).
    """
    rows = []
    for run, slow in found[found["slow"]].sort_values("at_s").groupby("run", observed=True):
        number = (slow["at_s"].diff() > apart_s).cumsum()
        for _, one in slow.groupby(number):
            worst = one.iloc[int(one["excess_ms"].argmax())]
            part = max(PARTS, key=lambda name: worst[f"{name} excess"])
            rows.append(
                (run, one["at_s"].iloc[0], len(one), one["client"].nunique(), worst["excess_ms"], PARTS[part])
                + (bool((one["created"] == 1).any()),)
            )
    return pd.DataFrame(rows, columns=["run", "at_s", "requests", "clients", "excess_ms", "part", "created"])


def periods_s(gap_ms: float) -> dict[str, float]:
    """Return the periods that events are tested for, in seconds: what the server does, and the study's patterns."""
    patterns = {f"pattern of {requests} requests": requests * gap_ms / 1000 for requests in sorted(PATTERNS.values())}
    return OF_SERVER | patterns


def recurrence(happened: pd.DataFrame, periods: Mapping[str, float]) -> pd.DataFrame:
    """Test events for periods named beforehand (Rayleigh).

    Parameters
    ----------
    happened : DataFrame
        From `events`.
    periods : mapping of str to float
        From a reason to its period in seconds. Two reasons may share a period; it is tested once.

    Returns
    -------
    DataFrame
        A row a period and run: period_s, reason, run, length (of the mean direction: 0 if events come at any time, 1 if
        once a period) and p, corrected by Holm over all rows; both missing with too few events.
    """
    names: dict[float, list[str]] = {}
    for name, period in periods.items():
        names.setdefault(period, []).append(name)
    rows = []
    for period in sorted(names):
        for run, mine in happened.groupby("run", observed=True):
            test = rayleigh_test(mine["at_s"], period)
            rows.append((period, ", ".join(names[period]), run, test.length if np.isfinite(test.p) else np.nan, test.p))
    found = pd.DataFrame(rows, columns=["period_s", "reason", "run", "length", "p"])
    return found.assign(p=holm(found["p"]))


def events_figure(happened: pd.DataFrame, labels: pd.Series, every_s: float) -> Figure:
    """Draw the events of each run over time, with lines at a time after which the server does something."""
    end = float(happened["at_s"].max()) if len(happened) else every_s
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 0.9 + 1.05 * len(labels)), layout="constrained")
        grid = figure.subplots(len(labels), 1, sharex=True, sharey=True, squeeze=False).ravel()
        for axes, (run, name) in zip(grid, labels.items(), strict=True):
            mine = happened[happened["run"] == run]
            for at in np.arange(every_s, end + 1, every_s):
                axes.axvline(at, color="0.75", lw=0.8, ls=":")
            axes.vlines(mine["at_s"], LEAST_MS, mine["excess_ms"].clip(lower=LEAST_MS), color=COLOURS[0], lw=1)
            axes.plot(mine["at_s"], mine["excess_ms"], "o", color=COLOURS[0], ms=2.5)
            axes.set_title(name, loc="left", fontsize=9)
            axes.set_yscale("log")
            axes.grid(axis="x", visible=False)
        grid[-1].set_xlim(0, end * 1.02 + 1)
        plain_numbers(grid[0].yaxis)
        grid[-1].set_xlabel("Seconds after the run's start")
        figure.supylabel("Slower than usual by (ms), logarithmic", fontsize=9.5)
    return figure
