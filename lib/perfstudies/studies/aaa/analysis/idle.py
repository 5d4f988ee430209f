"""The repository's share of response times by the clock: requests for which the database pool had to begin anew.

A request reads its policy from a database, over a connection from a pool. After an idle time-out the pool lets
connections go, and the next requests, of all clients at the same time, wait until there are some again. Response times
do not show it where other things make requests slow too; the time in the repository does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.report.figures import COLOURS, WIDTH_INCH, style
from perfstudies.runs.recording import Recording
from perfstudies.stats.rayleigh import rayleigh_test
from perfstudies.studies.aaa.analysis.scale import used_ms
from perfstudies.studies.aaa.starts import IDLE_CONNECTIONS

LEVEL = IDLE_CONNECTIONS.factors[0].name
LEAST_MS, SKIPPED = 5.0, 20
"""A peak takes every client as long as this; the first requests make the pool. In 15 runs before those of the
repository waits that came by the clock took 5.6 to 40 ms, others that all clients had 4.9 at most."""
CLOCK_S = 300
"""The period that peaks are tested for: GlassFish's default, as the study's server's was, which is 150 requests."""


def repository(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the repository's time by request number (ms): the shortest of the clients', a column a run.

    What one client alone meets is not the pool's clock; clients start their requests at the same time.
    """
    return _by_number(samples, "db_ms", "min")


def _by_number(samples: pd.DataFrame, measure: str, of_clients: Any) -> pd.DataFrame:
    return samples.pivot_table(index="number", columns="run", values=measure, aggfunc=of_clients, observed=True)


def peaks(times: pd.Series) -> np.ndarray:
    """Return the request numbers at which all clients wait for the repository; the first of those together."""
    found = times.index[(times >= LEAST_MS) & (times.index >= SKIPPED)].to_numpy()
    return found[np.diff(found, prepend=-np.inf) > 2]


def run_table(recorded: Recording, by: str = LEVEL) -> pd.DataFrame:
    """Return a row a run: ``run``, ``block``, the level, ``peaks``, ``requests`` between two of them and ``height_ms``.

    ``requests`` are those of the time between two peaks by the clock, a median, and ``longest_ms`` is what all clients
    waited at most, after the first requests. Also ``ejb_more_ms`` and ``ejb_more_percent``: by how much EJB time, the
    median over clients, is longer at a peak than in the whole run, as medians. ``peaks_at``: the request numbers of the
    peaks, ``gap_s``: the gap in the study's own time, ``keeps``: how well the peaks keep to `CLOCK_S` (length of the
    mean direction, 0: at any time, 1: once a period) and ``p`` (Rayleigh's test); missing with too few peaks.
    """
    # A run of which nothing was answered has no samples, and a row of nothing.
    names = recorded.runs["run"]
    by_run = repository(recorded.samples).reindex(columns=names)
    ejb = _by_number(recorded.samples, "ejb_ms", "median").reindex(columns=names)
    started = _by_number(recorded.samples, "started_us", "min").reindex(columns=names)
    used_gap_us = 1000 * used_ms(recorded.runs, "gap_ms")
    gap_s = used_ms(recorded.runs, "gap_ms") * recorded.runs["time_scale"].astype(float) / 1000
    rows = []
    for run, level, block, gap, gap_us in zip(
        recorded.runs["run"], recorded.runs[by], recorded.runs["block"], gap_s, used_gap_us, strict=True
    ):
        at = peaks(by_run[run])
        apart = np.diff(started.loc[at, run]) / gap_us
        usual = float(ejb[run].median())
        more = float(ejb[run].reindex(at).median()) - usual if len(at) else np.nan
        clock = rayleigh_test(at * gap, CLOCK_S)
        rows.append(
            {
                "run": run, "block": block, by: level, "gap_s": gap, "peaks_at": at, "peaks": len(at),
                "requests": float(np.median(apart)) if len(apart) else np.nan,
                "height_ms": float(by_run.loc[at, run].median()) if len(at) else np.nan,
                "longest_ms": float(by_run.loc[by_run.index >= SKIPPED, run].max()),
                "ejb_more_ms": more, "ejb_more_percent": 100 * more / usual,
                "keeps": clock.length if np.isfinite(clock.p) else np.nan, "p": clock.p,
            }
        )  # fmt: skip
    levels = pd.Categorical([row[by] for row in rows], recorded.runs[by].cat.categories)
    return pd.DataFrame(rows).assign(**{by: levels})


def added(recorded: Recording, by: str = LEVEL) -> str:
    """Say what a wait for the repository adds to EJB time in a recording's first run.

    Nothing if it met fewer than two, or EJB time is not known at them.
    """
    run = run_table(recorded, by).iloc[0]
    if run["peaks"] < 2 or np.isnan(run["ejb_more_ms"]):
        return ""
    return (
        f"it adds {run['ejb_more_ms']:.1f} ms to about one request in {run['requests']:.0f}, "
        f"{run['ejb_more_percent']:.1f} % of its EJB time"
    )


def shown(recorded: Recording, label: Mapping[str, str], by: str = LEVEL) -> pd.DataFrame:
    """Return the repository's time of the first run of each level by request number (ms)."""
    by_run = repository(recorded.samples)
    first = recorded.runs.sort_values("block").drop_duplicates(by).set_index(by)["run"]
    order = [level for level in recorded.runs[by].cat.categories if level in first.index]
    return by_run.reindex(columns=[first[level] for level in order]).set_axis([label[level] for level in order], axis=1)


def chart(times: pd.DataFrame) -> Figure:
    """Draw the repository's time by request number, a panel a column, with an axis of its own."""
    with style():
        fig = Figure(figsize=(WIDTH_INCH, 1.3 + 1.35 * times.shape[1]), layout="constrained")
        axes = fig.subplots(times.shape[1], sharex=True, squeeze=False)[:, 0]
        for axis, name in zip(axes, times, strict=True):
            known = times[name].dropna()
            axis.vlines(known.index, 0, known, color=COLOURS[0], linewidth=0.8)
            axis.set_title(name)
            axis.set_ylim(0, max(1.0, 1.05 * known[known.index >= SKIPPED].max()))
        axes[-1].set_xlabel("Request number of a client")
        fig.supylabel("Time in the policy repository (ms)")
    return fig
