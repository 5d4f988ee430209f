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

from perfstudies.report.comparisons import p_text
from perfstudies.report.figures import COLOURS, WIDTH_INCH, style
from perfstudies.report.settings import margin
from perfstudies.runs.recording import Recording
from perfstudies.stats.intervals import mean_interval
from perfstudies.stats.rayleigh import rayleigh_test
from perfstudies.stats.warmup import MAD_TO_SD
from perfstudies.studies.aaa.analysis.scale import used_ms
from perfstudies.studies.aaa.starts import IDLE_CONNECTIONS

LEVEL = IDLE_CONNECTIONS.factors[0].name
SPREADS, LEAST_MS, SKIPPED = 10, 2.0, 20
"""A peak exceeds the run's median by so many spreads (scaled MAD) and so much; the first requests make the pool."""
STUDY_S = 300.0
"""The idle time-out of 300 s that GlassFish has by default, as the study's server had: 150 requests at its gap."""


def repository(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the repository's time by request number (ms): the median over clients, a column a run.

    What one client alone meets is not the pool's clock; clients start their requests at the same time.
    """
    return samples.pivot_table(index="number", columns="run", values="db_ms", aggfunc="median", observed=True)


def peaks(times: pd.Series) -> np.ndarray:
    """Return the request numbers at which a run's repository time leaves the usual; the first of those together."""
    known = times.dropna()
    known = known[known.index >= SKIPPED]
    spread = MAD_TO_SD * (known - known.median()).abs().median()
    found = known.index[known > known.median() + max(SPREADS * spread, LEAST_MS)].to_numpy()
    return found[np.diff(found, prepend=-np.inf) > 2]


def run_table(recorded: Recording, by: str = LEVEL) -> pd.DataFrame:
    """Return a row a run: ``run``, ``block``, the level, ``peaks``, ``requests`` between two of them and ``height_ms``.

    Also ``peaks_at``: the request numbers of the peaks, and ``gap_s``, the gap in the study's own time.
    """
    by_run = repository(recorded.samples)
    gap_s = used_ms(recorded.runs, "gap_ms") * recorded.runs["time_scale"].astype(float) / 1000
    rows = []
    for run, level, block, gap in zip(
        recorded.runs["run"], recorded.runs[by], recorded.runs["block"], gap_s, strict=True
    ):
        at = peaks(by_run[run])
        apart = np.diff(at)
        rows.append(
            {
                "run": run, "block": block, by: level, "gap_s": gap, "peaks_at": at, "peaks": len(at),
                "requests": float(np.median(apart)) if len(apart) else np.nan,
                "height_ms": float(by_run.loc[at, run].median()) if len(at) else np.nan,
            }
        )  # fmt: skip
    levels = pd.Categorical([row[by] for row in rows], recorded.runs[by].cat.categories)
    return pd.DataFrame(rows).assign(**{by: levels})


def table(runs: pd.DataFrame, label: Mapping[Any, str], by: str = LEVEL) -> pd.DataFrame:
    """Return the peaks by level, with 95 % margins over runs, beside the requests that a time-out would give."""
    rows = {}
    for level, part in runs.groupby(by, observed=True):
        known = part["requests"].dropna()
        rows[label[level]] = {
            "Runs": len(part),
            "Expected (requests)": _expected(level, part["gap_s"].iloc[0]) if by == LEVEL else STUDY_S / 2,
            "Between two peaks (requests)": margin(known, 1) if len(known) > 1 else _one(known),
            "Peaks a run": margin(part["peaks"], 1) if len(part) > 1 else f"{part['peaks'].iloc[0]}",
            "Repository's time at a peak (ms)": _one(part["height_ms"].dropna()),
            "Keeps to 100 s": _clock(part, 100.0),
            "Keeps to 300 s": _clock(part, STUDY_S),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Setting")


def _expected(level: Any, gap_s: float) -> float | None:
    return float(level) / gap_s if float(level) else None


def _one(values: pd.Series) -> str | None:
    return f"{mean_interval(values).estimate:.1f}" if len(values) else None


def _clock(part: pd.DataFrame, period_s: float) -> str | None:
    """Return how well the peaks keep to a period: the mean length of the mean direction, and runs with p below 5 %."""
    found = [rayleigh_test(at * gap, period_s) for at, gap in zip(part["peaks_at"], part["gap_s"], strict=True)]
    known = [one for one in found if np.isfinite(one.p)]
    if not known:
        return None
    if len(known) == 1:
        return f"{known[0].length:.2f}, p {p_text(known[0].p)}"
    low = sum(one.p < 0.05 for one in known)
    return f"{np.mean([one.length for one in known]):.2f}, {low} of {len(known)} runs"


def shown(recorded: Recording, label: Mapping[str, str], by: str = LEVEL) -> pd.DataFrame:
    """Return the repository's time of the first run of each level by request number (ms)."""
    by_run = repository(recorded.samples)
    first = recorded.runs.sort_values("block").drop_duplicates(by).set_index(by)["run"]
    order = [level for level in recorded.runs[by].cat.categories if level in first.index]
    return by_run[[first[level] for level in order]].set_axis([label[level] for level in order], axis=1)


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


def describe(runs: pd.DataFrame, label: Mapping[Any, str], by: str = LEVEL) -> str:
    """Put the chart into words."""
    parts = []
    for level, part in runs.groupby(by, observed=True):
        known = part["requests"].dropna()
        parts.append(
            f"{label[level]}: peaks every {known.median():.0f} requests" if len(known) else f"{label[level]}: no peaks"
        )
    return f"Lines from 0 to the repository's time of each request; {'; '.join(parts)}."


def numbers(runs: pd.DataFrame, label: Mapping[str, str], by: str = LEVEL) -> pd.DataFrame:
    """Return where the peaks of each level's first run are: the numbers that the chart shows."""
    first = runs.sort_values("block").drop_duplicates(by).sort_values(by)
    rows = {label[row[by]]: ", ".join(f"{at}" for at in row["peaks_at"][:30]) or None for _, row in first.iterrows()}
    return pd.DataFrame({"Peaks at request": rows}).rename_axis("Setting")


def cases(runs: pd.DataFrame) -> dict[str, tuple[pd.Series, str]]:
    """Return the values of the findings on the idle time-out by id, each with the scale of its test."""
    wide = runs.pivot(index="block", columns=LEVEL, values="requests")
    counted = runs.pivot(index="block", columns=LEVEL, values="peaks")
    found = {}
    if "300" in wide:
        found["A2-idle"] = (wide["300"].dropna(), "log")
    if {"100", "300"} <= set(wide):
        found["A2-follows"] = ((wide["300"] / wide["100"]).dropna(), "log")
    if "0" in counted:
        found["A2-without"] = (counted["0"].dropna(), "identity")
    return found
