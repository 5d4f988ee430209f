"""What gives a connection back to its pool in Axis2: what came of calls, and what reading sooner costs."""

from __future__ import annotations

import pandas as pd

from perfstudies.report.settings import margin, ratio_columns
from perfstudies.report.tables import MISSING
from perfstudies.runs.recording import Recording
from perfstudies.stats.planned import planned_ratios
from perfstudies.studies.esb.analysis.connections import indexed, span_text
from perfstudies.studies.esb.connections import RELEASE, RELEASE_COST, RELEASES

KIND = RELEASES.factors[1]
OK = "ok"


def release_table(recorded: Recording) -> pd.DataFrame:
    """Return what came of calls by what gives connections back: means of runs, and their span if they differ."""
    per_run = release_runs(recorded)
    rows = {}
    for (release, kind), part in per_run.groupby([RELEASE.name, KIND.name], observed=True):
        rows[RELEASE.label(release), KIND.label(kind)] = {
            "Runs": len(part),
            "Calls": int(part["calls"].iloc[0]),
            "Given a connection": f"{part['given'].mean():.4g}{span_text(part['given'])}",
            "Answered": f"{part['answered'].mean():.4g}{span_text(part['answered'])}",
            "What went wrong": "; ".join(sorted({one for one in part["detail"] if one})) or MISSING,
        }
    return indexed(rows, ["Given back by", "Service client"])


def release_runs(recorded: Recording) -> pd.DataFrame:
    """Return a row a run: its levels, ``calls``, ``given`` (a connection), ``answered`` and the first ``detail``."""
    keys = ["run", "block", RELEASE.name, KIND.name]
    calls = recorded.calls
    calls = calls.assign(given=calls["connected_us"].notna(), answered=calls["outcome"] == OK)
    by_run = calls.groupby(keys, observed=True)
    found = by_run[["given", "answered"]].sum().assign(calls=by_run.size())
    wrong = calls[~calls["answered"]].assign(detail=lambda rows: rows["outcome"] + ": " + rows["detail"])
    first = wrong.groupby(keys, observed=True)["detail"].first()
    return found.join(first).fillna({"detail": ""}).reset_index()


def cost_table(times: pd.DataFrame) -> pd.DataFrame:
    """Return what a call takes with each of the two ways to release, and their ratio within blocks (95 %).

    Parameters
    ----------
    times : DataFrame
        From `run_times` of the experiment on cost.
    """
    rows = {}
    for level, part in times.groupby(RELEASE.name, observed=True):
        rows[RELEASE.label(level)] = {"Runs": len(part), "Mean (ms)": margin(part["total_ms"], 3)}
    shown = pd.DataFrame.from_dict(rows, orient="index").rename_axis("Given back by")
    pairs = cost_pairs(times)
    if len(pairs[0]):
        found = planned_ratios({RELEASE.label("option"): pairs})
        shown = shown.join(ratio_columns(found, "Ratio", with_p=True))
    return shown


def cost_pairs(times: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Return the mean times with callTransportCleanup and with cleanupTransport(), by block, of blocks with both."""
    wide = times.pivot(index="block", columns=RELEASE.name, values="total_ms")
    wide = wide.reindex(columns=list(RELEASE_COST.factors[0].levels)).dropna()
    return wide["option"], wide["cleanup"]
