"""How a server is after a burst, against before: answers, times, and work for clients that had gone."""

from __future__ import annotations

import numpy as np
import pandas as pd

from perfstudies.exchange import OK, TIMED_OUT
from perfstudies.report.comparisons import p_text
from perfstudies.report.settings import margin
from perfstudies.report.tables import MISSING, interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.equivalence import Equivalence, equivalence
from perfstudies.studies.aaa.analysis.overload import AFTER, AT_ONCE, BEFORE, SIZE
from perfstudies.studies.aaa.declared import BURST
from perfstudies.studies.aaa.findings_limits import SAME


def run_table(recorded: Recording) -> pd.DataFrame:
    """Return a row a run with what requests came to that were sent one after the other before and after its burst.

    Columns: ``run``, ``block``, the size, and for each of ``before`` and ``after`` the number of requests (under that
    name), ``_ok``, ``_timed_out``, and the means over answered ones of total and EJB time (``_total_ms``, ``_ejb_ms``);
    ``first_ms``, the total time of the first one after the burst.
    """
    samples = recorded.samples
    found: dict = {}
    for phase in (BEFORE, AFTER):
        part = samples[samples["phase"] == phase]
        right = part[part["outcome"] == OK]
        means = right.groupby("run", observed=True)[["total_ms", "ejb_ms"]].mean()
        found |= {
            phase: part.groupby("run", observed=True).size(),
            f"{phase}_ok": right.groupby("run", observed=True).size(),
            f"{phase}_timed_out": (part["outcome"] == TIMED_OUT).groupby(part["run"]).sum(),
            f"{phase}_total_ms": means["total_ms"],
            f"{phase}_ejb_ms": means["ejb_ms"],
        }
    after = samples[samples["phase"] == AFTER].sort_values("started_us").groupby("run", observed=True)
    found["first_ms"] = after["total_ms"].first()
    table = recorded.runs[["run", "block", SIZE]].join(pd.DataFrame(found), on="run", how="left")
    counts = [name for phase in (BEFORE, AFTER) for name in (phase, f"{phase}_ok", f"{phase}_timed_out")]
    return table.fillna(dict.fromkeys(counts, 0)).astype(dict.fromkeys(counts, int))


def same_after(runs: pd.DataFrame, column: str = "total_ms") -> dict[str, Equivalence]:
    """Test for each size whether requests take the same time after the burst as before it, within runs."""
    found = {}
    for size, part in runs.groupby(SIZE, observed=True):
        pairs = part[[f"{AFTER}_{column}", f"{BEFORE}_{column}"]].dropna()
        pairs = pairs[(pairs > 0).all(axis=1)]
        if len(pairs):
            found[str(size)] = equivalence(pairs.iloc[:, 0], pairs.iloc[:, 1], SAME)
    return found


def recovery_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return times before and after, their ratio with its 90 % interval, and whether they are the same, by size."""
    tests, rows = same_after(runs), {}
    for size, part in runs.groupby(SIZE, observed=True):
        row = {
            "Before (ms)": margin(part["before_total_ms"].dropna(), 1),
            "After (ms)": margin(part["after_total_ms"].dropna(), 1),
            "First one after (ms)": margin(part["first_ms"].dropna(), 1),
            "After / before": MISSING,
            "Same": MISSING,
            "p": MISSING,
            "Answered after": f"{part['after_ok'].sum():,} of {part['after'].sum():,}",
            "Timed out after": int(part["after_timed_out"].sum()),
        }
        if (same := tests.get(str(size))) is not None:
            row["After / before"] = interval_text(same.ratio.estimate, same.ratio.low, same.ratio.high, 3)
            row["Same"] = MISSING if np.isnan(same.p) else ("yes" if same.equivalent else "not shown")
            row["p"] = p_text(same.p) or MISSING
        rows[BURST.factors[0].label(size)] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Burst of")


def recovery_points(runs: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return after over before with 90 % intervals by size, for total and EJB time, as `points.points` draws them."""
    series = {}
    for column, name in (("total_ms", "total time"), ("ejb_ms", "EJB time")):
        rows = {
            BURST.factors[0].label(size): (test.ratio.estimate, test.ratio.low, test.ratio.high)
            for size, test in same_after(runs, column).items()
        }
        if rows:
            frame = pd.DataFrame.from_dict(rows, orient="index", columns=["estimate", "low", "high"])
            series[name] = frame.rename_axis("Burst of")
    return series


def describe_recovery(series: dict[str, pd.DataFrame]) -> str:
    """Put the figure of `recovery_points` into words."""
    parts = [
        f"{name} after bursts of {', '.join(f'{size}: {value:.3f}' for size, value in frame['estimate'].items())}"
        for name, frame in series.items()
    ]
    return f"Points of times after a burst over those before it, with intervals; {'; '.join(parts)}."


def gone_table(recorded: Recording) -> pd.DataFrame:
    """Return how much the server did for requests whose clients had given up, sums over runs, a row a size.

    A request that its client gave up may still wait in the server's queue: it is taken up when a thread is free, and
    keeps that thread from those who still wait.
    """
    samples = recorded.samples
    given_up = samples[(samples["phase"] == AT_ONCE) & (samples["outcome"] == TIMED_OUT)]
    entered, gone = given_up["entered_us"], given_up["ended_us"]
    left = entered + 1000 * given_up["servlet_ms"]
    frame = pd.DataFrame(
        {
            "Given up by clients": pd.Series(1, given_up.index),
            "In the servlet when given up": (entered <= gone) & (left > gone),
            "Taken up only afterwards": entered > gone,
            "Their reply was under way": left <= gone,
            "Never taken up": entered.isna(),
        }
    )  # fmt: skip
    counts = frame.groupby(given_up[SIZE], observed=True).sum().astype(int)
    counts = counts.reindex(recorded.runs[SIZE].cat.remove_unused_categories().cat.categories, fill_value=0)
    return counts.set_axis(pd.Index([BURST.factors[0].label(size) for size in counts.index], name="Requests at once"))
