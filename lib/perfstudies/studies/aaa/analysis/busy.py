"""How busy the AAA server's pools were: a pattern that appears while they are idle has another cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from perfstudies.experiment import Experiment
from perfstudies.runs.recording import Recording
from perfstudies.studies.aaa import declared as aaa

POOLS = {"Beans": ("beans_busy", "ejb.max"), "Threads": ("threads_busy", "http.threads")}
"""What a pool holds; the column of how many were in use as a request began; the property that limits it."""


def busy_table(recorded: Recording, factors: Sequence[str]) -> pd.DataFrame:
    """Return how many beans and worker threads were in use, a row a setting.

    Parameters
    ----------
    recorded : Recording
    factors : sequence of str
        The columns that tell settings apart; the index of the result.

    Returns
    -------
    DataFrame
        For beans and threads each: the mean as a request began (itself included), averaged over runs, the maximum
        over all runs, and the pool's size; and the beans that a run made.
    """
    factors = list(factors)
    busy = occupied(recorded)
    grouped = busy.groupby(factors, observed=True)
    limits: dict = {}
    for kind in POOLS:
        limits |= {
            (kind, "mean busy"): grouped[f"{kind} mean"].mean(),
            (kind, "most busy"): grouped[f"{kind} most"].max(),
            (kind, "pool"): grouped[f"{kind} pool"].agg(_one_or_span),
        }
    rows = pd.DataFrame(limits)
    if "beans_created" in recorded.runs:
        made = recorded.runs.groupby(factors, observed=True)["beans_created"]
        rows[("Beans", "made a run")] = made.mean()
    return rows.rename_axis(index=factors)


FORMATS = {"mean busy": ".2f", "most busy": ".0f", "made a run": ".1f"}
"""For `perfstudies.report.tables.table` of `busy_table`."""


def occupied(recorded: Recording) -> pd.DataFrame:
    """Return a row a run: its columns, and of beans and threads the mean and most in use and the pool's size."""
    samples = recorded.samples.groupby("run", observed=True)
    runs = recorded.runs.set_index("run")
    found = runs.copy()
    properties = _properties(recorded)
    for kind, (column, limit) in POOLS.items():
        seen = samples[column].max() if column in recorded.samples else pd.Series(dtype=float)
        found[f"{kind} mean"] = samples[column].mean() if column in recorded.samples else float("nan")
        most = seen.reindex(found.index)
        if f"{column}_max" in runs:
            # The server's own count also knows of requests that never returned.
            most = pd.concat([most, pd.to_numeric(runs[f"{column}_max"], errors="coerce")], axis=1).max(axis=1)
        found[f"{kind} most"] = most
        found[f"{kind} pool"] = [float(properties[run].get(limit, "nan")) for run in found.index]
    return found.reset_index()


def note(recorded: Recording) -> str:
    """Say in a sentence whether a pool was ever full."""
    busy = occupied(recorded)
    parts, full = [], []
    for kind in POOLS:
        share = busy[f"{kind} most"] / busy[f"{kind} pool"]
        if share.notna().any():
            at = busy.iloc[int(share.argmax())]
            of = "for a pool of" if share.max() > 1 else "of"  # what a pool keeps is no limit in every container
            parts.append(f"{at[f'{kind} most']:.0f} {_NAMES[kind]} {of} {at[f'{kind} pool']:.0f}")
            reached = share[share.notna()] >= 1
            full += [f"{_NAMES[kind]} in {int(reached.sum())} of {len(reached)} runs"] if reached.any() else []
    if not parts:
        return "How busy the pools were is not known."
    most = f"Busy at the same time were at most {' and '.join(parts)}"
    if full:
        return f"{most}; a pool had all in use: {' and '.join(full)}."
    return f"{most}: neither pool was ever full, so no pattern here comes from waiting for one."


_NAMES = {"Beans": "beans", "Threads": "worker threads"}


def _one_or_span(values: pd.Series) -> str:
    low, high = values.min(), values.max()
    if pd.isna(low):
        return "–"
    return f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"


def _properties(recorded: Recording) -> dict[str, Mapping[str, str]]:
    """Return each run's properties as declared; of an experiment that is not declared only what its levels say."""
    experiment = _declared(recorded)
    names = [factor.name for factor in experiment.factors] if experiment else []
    shared = experiment.properties if experiment else dict
    by_run: dict[str, Mapping[str, str]] = {}
    for row in recorded.runs.to_dict("records"):
        own = {limit: str(row[limit]) for _, limit in POOLS.values() if limit in row}
        by_run[row["run"]] = shared({name: str(row[name]) for name in names}) | own
    return by_run


def _declared(recorded: Recording) -> Experiment | None:
    """Return the experiment whose factors the samples have."""
    known = {factor.name for one in aaa.EXPERIMENTS for factor in one.factors}
    present = known & set(recorded.samples.columns)
    return next((one for one in aaa.EXPERIMENTS if {factor.name for factor in one.factors} == present), None)
