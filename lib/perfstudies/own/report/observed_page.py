"""The report of an observed system as a notebook shows it, each part a call."""

from __future__ import annotations

from perfstudies.notebooks import results
from perfstudies.own.report.observed_compare import Compared, headlines
from perfstudies.own.report.observed_figures import (
    describe_over_time,
    describe_percentiles,
    over_time,
    over_time_figure,
    percentiles,
    percentiles_figure,
)
from perfstudies.own.report.observed_runs import (
    Analysed,
    note,
    operations_table,
    runs_table,
    set_aside_table,
    settings_table,
)
from perfstudies.report import figures
from perfstudies.report.tables import Table, table

MILLISECONDS = dict.fromkeys(("Mean", "Median", "90 % within", "99 % within", "Longest"), "ms")


def show_settings(analysed: Analysed) -> Table:
    """Show the settings."""
    return table(settings_table(analysed), "The settings", note=note(analysed))


def show_runs(analysed: Analysed, remark: str = "") -> Table:
    """Show the runs; a remark goes below."""
    return table(runs_table(analysed), "The runs", units=MILLISECONDS, note=remark)


def show_over_time(analysed: Analysed) -> Table | None:
    """Show times over time; a table that says so if no run has enough of them."""
    found = over_time(analysed)
    if found.empty:
        rows = analysed.runs[["setting", "run", "reason"]].set_index(["setting", "run"]).rename_axis(["Setting", "Run"])
        return table(rows.rename(columns={"reason": "Steady state"}), "No run has enough times of day to draw them")
    unsteady = analysed.runs.loc[analysed.runs["reason"] != "", ["setting", "run", "reason"]]
    reasons = "; ".join(f"{row.setting}, {row.run}: {row.reason}" for row in unsteady.head(3).itertuples())
    figures.figure(
        over_time_figure(analysed),
        None,
        "Times over the time of the run, smoothed",
        describe_over_time(analysed, found),
        found,
        formats=".2f",
        note=f"A dot is where a run's steady state begins. {analysed.sentence}"
        + (f" Without one, for example: {reasons}." if reasons else ""),
    )
    return None


def show_percentiles(analysed: Analysed) -> Table | None:
    """Show within which time what share of requests is answered; a table that says so if no log tells."""
    found = percentiles(analysed)
    if found.empty:
        return table(found, "Answered within")
    figures.figure(
        percentiles_figure(found),
        None,
        "Answered within",
        describe_percentiles(found),
        found,
        formats=".2f",
        units=dict.fromkeys(found.columns, "ms"),
        note="Geometric means over runs with 95 % intervals, warm-up included; each run's own is from bins 12 % wide. "
        "Times of 0, below what a log resolves, are not shown.",
    )
    return None


def show_operations(analysed: Analysed) -> Table:
    """Show the operations."""
    return table(operations_table(analysed.observed), "The operations", note="Of all requests of all runs.")


def show_set_aside(analysed: Analysed) -> Table:
    """Show which lines were set aside."""
    count = analysed.observed.set_aside_lines
    shown = len(analysed.observed.set_aside)
    remark = f"{count:,} lines in all, the first {shown} here."
    return table(set_aside_table(analysed.observed), "Set aside", note=remark)


def show_results(analysed: Analysed, compared: Compared) -> results.ResultsTable:
    """Show the headline numbers, which batches collect."""
    return results.results(headlines(analysed, compared), "Headline numbers")
