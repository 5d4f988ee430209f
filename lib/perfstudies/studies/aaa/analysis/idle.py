"""The repository's share of response times by the clock: requests for which the database pool had to begin anew.

A request reads its policy from a database, over a connection from a pool. After an idle time-out the pool lets
connections go, and the next requests, of all clients at the same time, wait until there are some again. Response times
do not show it where other things make requests slow too; the time in the repository does.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.report.figures import COLOURS, WIDTH_INCH, style
from perfstudies.runs.recording import Recording
from perfstudies.stats.rayleigh import rayleigh_test
from perfstudies.stats.warmup import MAD_TO_SD
from perfstudies.studies.aaa.analysis.scale import used_ms
from perfstudies.studies.aaa.starts import IDLE_CONNECTIONS

LEVEL = IDLE_CONNECTIONS.factors[0].name
SPREADS, LEAST_MS, SKIPPED = 10, 2.0, 20
"""A peak exceeds the run's median by so many spreads (scaled MAD) and so much; the first requests make the pool."""
CLOCKS_S = (100, 300)
"""Periods that peaks are tested for. GlassFish's default is 300 s, as the study's server's was: 150 requests."""


def repository(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the repository's time by request number (ms): the median over clients, a column a run.

    What one client alone meets is not the pool's clock; clients start their requests at the same time.
    """
    return _by_number(samples, "db_ms")


def _by_number(samples: pd.DataFrame, measure: str) -> pd.DataFrame:
    return samples.pivot_table(index="number", columns="run", values=measure, aggfunc="median", observed=True)


def peaks(times: pd.Series) -> np.ndarray:
    """Return the request numbers at which a run's repository time leaves the usual; the first of those together."""
    known = times.dropna()
    known = known[known.index >= SKIPPED]
    spread = MAD_TO_SD * (known - known.median()).abs().median()
    found = known.index[known > known.median() + max(SPREADS * spread, LEAST_MS)].to_numpy()
    return found[np.diff(found, prepend=-np.inf) > 2]


def run_table(recorded: Recording, by: str = LEVEL) -> pd.DataFrame:
    """Return a row a run: ``run``, ``block``, the level, ``peaks``, ``requests`` between two of them and ``height_ms``.

    Also ``ejb_more_ms`` and ``ejb_more_percent``: by how much EJB time, the median over clients, is longer at a peak
    than in the whole run, as medians. ``peaks_at``: the request numbers of the peaks, ``gap_s``: the gap in the study's
    own time, and for each of `CLOCKS_S` how well the peaks keep to it: ``keeps_100`` (length of the mean direction, 0:
    at any time, 1: once a period) and ``p_100`` (Rayleigh's test); missing with too few peaks.
    """
    # A run of which nothing was answered has no samples, and a row of nothing.
    names = recorded.runs["run"]
    by_run, ejb = (_by_number(recorded.samples, one).reindex(columns=names) for one in ("db_ms", "ejb_ms"))
    gap_s = used_ms(recorded.runs, "gap_ms") * recorded.runs["time_scale"].astype(float) / 1000
    rows = []
    for run, level, block, gap in zip(
        recorded.runs["run"], recorded.runs[by], recorded.runs["block"], gap_s, strict=True
    ):
        at = peaks(by_run[run])
        apart = np.diff(at)
        usual = float(ejb[run].median())
        more = float(ejb[run].reindex(at).median()) - usual if len(at) else np.nan
        rows.append(
            {
                "run": run, "block": block, by: level, "gap_s": gap, "peaks_at": at, "peaks": len(at),
                "requests": float(np.median(apart)) if len(apart) else np.nan,
                "height_ms": float(by_run.loc[at, run].median()) if len(at) else np.nan,
                "ejb_more_ms": more, "ejb_more_percent": 100 * more / usual,
            } | _clocks(at * gap)
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


def _clocks(seconds: np.ndarray) -> dict[str, float]:
    tests = {period: rayleigh_test(seconds, period) for period in CLOCKS_S}
    known = {period: np.isfinite(one.p) for period, one in tests.items()}
    return {f"keeps_{period}": one.length if known[period] else np.nan for period, one in tests.items()} | {
        f"p_{period}": one.p for period, one in tests.items()
    }


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
