"""What a reader has to know of the ESB study's loads: every message accounted for, when runs were steady and whether
they were warm, what failed.

Its notebooks 01, 02 and 05 share this; what they analyse stands in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from perfstudies.experiment import Experiment
from perfstudies.report.quality import oddities
from perfstudies.report.tables import Table, table
from perfstudies.runs.recording import Recording
from perfstudies.stats.interval import Interval
from perfstudies.stats.intervals import estimates, percent_interval

OK = "ok"


def named(frame: pd.DataFrame, experiment: Experiment, names: Mapping[str, str]) -> pd.DataFrame:
    """Return a frame with factors' levels as they are printed, in further columns.

    Parameters
    ----------
    frame : DataFrame
        Of a recording of the experiment: its runs, calls or samples.
    names : mapping of str to str
        From a factor to the further column's name.

    Returns
    -------
    DataFrame
        The further columns are categories in the order of declaration, of those levels that the frame has.
    """
    labels = {one.name: dict(zip(one.levels, one.labels, strict=True)) for one in experiment.factors}
    columns = {
        name: frame[factor].cat.remove_unused_categories().cat.rename_categories(labels[factor])
        for factor, name in names.items()
    }
    return frame.assign(**columns)


def runs_table(recorded: Recording, experiment: Experiment, factor: str, name: str) -> Table:
    """Show runs, messages and oddities of each level of a factor; a note quotes the first of what went wrong."""
    runs = named(recorded.runs, experiment, {factor: name}).groupby(name, observed=True)
    steady = named(recorded.runs.dropna(subset="steady_from_s"), experiment, {factor: name}).groupby(
        name, observed=True
    )
    shown = pd.DataFrame(
        {
            "Runs": runs.size(),
            "Sent": runs["sent"].sum(),
            "Answered": runs["ok"].sum(),
            "Failed": runs["failed"].sum(),
            "Served by the back end": runs["served"].sum(),
            "Runs with a steady state": runs["steady_from_s"].count(),
            "Steady for (s), least": steady["steady_s"].min().reindex(runs.size().index),
            "Noisy runs": runs["noisy"].agg(lambda reasons: int((reasons != "").sum())),
        }
    )
    odd = {
        "failed runs": recorded.failed,
        "skipped settings": recorded.skipped,
        "noisy runs": tuple(f"{run}: {why}" for run, why in recorded.runs[["run", "noisy"]].to_numpy() if why),
    }
    note = f"{accounted(recorded)}. {steady_text(recorded)} {oddities(odd)}"
    return table(shown, "The runs behind this report", formats={"Steady for (s), least": ".1f"}, note=note)


def accounted(recorded: Recording) -> str:
    """Say whether what was sent in each run is what ended, by outcome."""
    ended = recorded.calls.groupby("run", observed=True)["messages"].sum()
    sent = recorded.runs.set_index("run")["sent"]
    wrong = int((sent != ended.reindex(sent.index).fillna(0)).sum())
    if wrong:
        return f"In {wrong} of {len(sent)} runs not every message sent is accounted for"
    return f"Every one of {int(sent.sum()):,} messages sent is accounted for, in each of {len(sent)} runs"


def steady_text(recorded: Recording) -> str:
    """Say how many runs were steady, from when on, and what is analysed of the others."""
    runs = recorded.runs
    found = runs["steady_from_s"].notna()
    said = f"{found.sum()} of {len(runs)} runs have a steady state"
    if not found.any():
        return f"{said}; runs are analysed whole."
    start = runs.loc[found, "steady_from_s"]
    said += f", which begins after {start.median():.1f} s in the median and {start.max():.1f} s at most"
    others = "" if found.all() else " Runs without one are analysed whole."
    return f"{said}; their steady parts are analysed.{others}"


def drift(runs: pd.DataFrame, factors: Sequence[str], route: str) -> Interval:
    """Return by what factor a way's rate rises over a whole block, beside what its runs' settings explain.

    In each block it is the slope of log messages a second, less their setting's mean over all blocks, over the place
    that the run had in the block; places are random, so without a drift the slopes scatter about 0.

    Parameters
    ----------
    runs : DataFrame
        A row a run: ``block``, ``position``, ``per_s``, ``route`` and the other factors.
    factors : sequence of str
        What makes a setting.
    route : str
        Whose runs.

    Returns
    -------
    Interval
        Of blocks, on a ratio's scale; missing with fewer than two.
    """
    part = runs[(runs["route"] == route) & (runs["per_s"] > 0)]
    level = np.log(part["per_s"])
    rest = level - level.groupby([part[name] for name in factors], observed=True).transform("mean")
    last = runs.groupby("block")["position"].max()
    slopes = {}
    for block, one in part.groupby("block"):
        if len(one) > 1:
            slopes[block] = last[block] * np.polyfit(one["position"], rest[one.index], 1)[0]
    return estimates(pd.Series(slopes, dtype=float)).exp()


def failures(recorded: Recording, experiment: Experiment, names: Mapping[str, str]) -> pd.DataFrame:
    """Return the settings in which messages failed: a row a setting, the share (%) over runs, messages by outcome.

    Parameters
    ----------
    names : mapping of str to str
        From a factor to what its levels are headed by.

    Returns
    -------
    DataFrame
        ``Runs``, ``Sent``, ``Failed (%)`` with its 95 % interval, and a column an outcome. If no message failed, one
        row says so.
    """
    by = list(names.values())
    runs, calls = (named(frame, experiment, names) for frame in (recorded.runs, recorded.calls))
    shares = (100 * runs["failed"] / runs["sent"].where(runs["sent"] > 0)).groupby([runs[name] for name in by])
    groups = runs.groupby(by)
    shown = pd.DataFrame(
        {"Runs": groups.size(), "Sent": groups["sent"].sum(), "Failed (%)": estimates(shares, percent_interval)}
    )
    if not runs["failed"].any():
        none = {"Runs": len(runs), "Sent": int(runs["sent"].sum()), "Failed (%)": 0.0}
        return pd.DataFrame([none], index=pd.Index(["All: none failed"], name=by[0]))
    counts = calls[calls["outcome"] != OK].pivot_table(
        index=by, columns="outcome", values="messages", aggfunc="sum", fill_value=0, observed=True
    )
    counts = counts.loc[:, counts.any()].rename(columns=lambda name: f"{name[:1].upper()}{name[1:]}")
    return shown[groups["failed"].sum() > 0].join(counts.rename_axis(columns=None))
