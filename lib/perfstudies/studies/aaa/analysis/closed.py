"""Loads of some connections that each send the next request when the last is answered: what each setting comes to.

Total time is what the client waits. Throughput is requests a second from a run's first start to its last end.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.exchange import OK, SOAP_FAULT
from perfstudies.experiment import Factor
from perfstudies.report.comparisons import p_text
from perfstudies.report.figures import COLOURS, WIDTH_INCH, plain_numbers, style
from perfstudies.report.settings import margin, ratio_text
from perfstudies.report.tables import MISSING
from perfstudies.runs.recording import Recording
from perfstudies.stats.growth import over_units
from perfstudies.stats.planned import planned_ratios

SHOWN = {
    "total_ms": "Total time (ms)",
    "ejb_ms": "EJB time (ms)",
    "db_ms": "Repository (ms)",
    "per_s": "Requests/s",
    "server_ms": "Server's CPU time a request (ms)",
    "processors": "Processors busy, server",
}
"""Columns of `run_table` and how they are printed with their units."""

RATIOS = {column: name.split(" (")[0] for column, name in SHOWN.items()}
"""The same as ratios, which have none."""


def run_table(recorded: Recording, factor: str) -> pd.DataFrame:
    """Return a row a run with what its requests came to.

    Columns: ``run``, ``block``, the factor, ``requests``, ``senders`` (client processes), ``ok``, ``faults``, the means
    over requests that had a reply (a SOAP fault is one) of ``total_ms``, ``ejb_ms``, ``db_ms`` (time in the policy
    repository) and ``ejb_wait_ms``, ``ok_ms`` (total time of those without a fault), ``per_s``, the mean number of
    requests that one finds in the servlet (``in_server``, itself included), ``under_way`` (requests at the clients at a
    time, by their times and the run's), ``server_ms`` (CPU time of the server's process a request) and ``processors``
    (that CPU time over the load's).
    """
    samples = recorded.samples
    by_run = samples.groupby("run", observed=True)
    replied = samples[samples["outcome"].isin((OK, SOAP_FAULT))]
    took_s = (by_run["ended_us"].max() - by_run["started_us"].min()) / 1e6
    found = pd.DataFrame(
        {
            "requests": by_run.size(),
            "senders": by_run["client"].nunique(),
            "ok": (samples["outcome"] == OK).groupby(samples["run"]).sum(),
            "faults": (samples["outcome"] == SOAP_FAULT).groupby(samples["run"]).sum(),
            "ok_ms": samples[samples["outcome"] == OK].groupby("run", observed=True)["total_ms"].mean(),
            "in_server": by_run["threads_busy"].mean(),
            "under_way": by_run["total_ms"].sum() / 1000 / took_s,
        }
    )
    means = replied.groupby("run", observed=True)[["total_ms", "ejb_ms", "db_ms", "ejb_wait_ms"]].mean()
    runs = recorded.runs.set_index("run")
    cpu_s = pd.to_numeric(runs["cpu_server_s"]) if "cpu_server_s" in runs else pd.Series(np.nan, runs.index)
    found = found.join(means).assign(per_s=found["requests"] / took_s)
    known = recorded.runs[["run", "block", factor]].join(found, on="run", how="inner")
    at = known["run"]
    known["server_ms"] = 1000 * at.map(cpu_s) / known["requests"]
    known["processors"] = at.map(cpu_s / pd.to_numeric(runs["load_s"]))
    return known.assign(**{factor: known[factor].cat.remove_unused_categories()}).reset_index(drop=True)


def means_table(runs: pd.DataFrame, factor: Factor, columns: Mapping[str, str] = SHOWN) -> pd.DataFrame:
    """Return the means over runs with 95 % margins, a row a level; `columns` are those shown, and their headings."""
    rows = {}
    for level, part in runs.groupby(factor.name, observed=True):
        faults = f"{part['faults'].sum():,}"
        rows[factor.label(level)] = {
            name: margin(part[column].dropna(), _digits(part[column])) for column, name in columns.items()
        } | {"Answered": f"{part['ok'].sum():,} of {part['requests'].sum():,}", "SOAP faults": faults}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Setting")


def _digits(values: pd.Series) -> int:
    """Return how many decimals give a mean three or four digits."""
    mean = values.abs().mean()
    return 3 if not mean >= 1 else (2 if mean < 100 else 0)


def wide(runs: pd.DataFrame, factor: str, column: str, levels: tuple[str, ...]) -> pd.DataFrame:
    """Return one value above 0 a block (rows) and level (columns); missing where there is none."""
    by_block = runs.pivot(index="block", columns=factor, values=column)
    found = pd.DataFrame({level: by_block[level] if level in by_block else np.nan for level in levels}, by_block.index)
    return found.where(found > 0)


def ratios(runs: pd.DataFrame, factor: Factor, base: str, column: str) -> pd.DataFrame:
    """Return a column as ratios to a base level within blocks; as `planned_ratios`, 95 % for all levels together."""
    values = wide(runs, factor.name, column, factor.levels)
    pairs = {
        level: (both[level], both[base])
        for level in factor.levels
        if level != base and len(both := values[[level, base]].dropna())
    }
    return planned_ratios(pairs) if pairs else pd.DataFrame(columns=["ratio", "low", "high", "p", "blocks"])


def ratios_table(runs: pd.DataFrame, factor: Factor, base: str, columns: Mapping[str, str] = RATIOS) -> pd.DataFrame:
    """Return how each level differs from the base: ratios within blocks with intervals, and p of the throughput's."""
    found = {name: ratios(runs, factor, base, column) for column, name in columns.items()}
    rows = {}
    for level in factor.levels:
        if level == base or not any(level in one.index for one in found.values()):
            continue
        rows[f"{factor.label(level)} / {factor.label(base)}"] = {
            name: ratio_text(one, level) if level in one.index else MISSING for name, one in found.items()
        } | {"p of requests/s": _p(found, columns, level)}
    if not rows:
        return pd.DataFrame({"Requests/s": MISSING}, index=pd.Index(["None measured"], name="Pair"))
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Pair")


def _p(found: Mapping[str, pd.DataFrame], columns: Mapping[str, str], level: str) -> str:
    one = found.get(columns.get("per_s", ""))
    return (p_text(one["p"][level]) or MISSING) if one is not None and level in one.index else MISSING


def ratio_series(runs: pd.DataFrame, factor: Factor, base: str, columns: Mapping[str, str]) -> dict[str, pd.DataFrame]:
    """Return ratios to the base as `perfstudies.report.points.points` draws them, a series a column."""
    series = {}
    for column, name in columns.items():
        found = ratios(runs, factor, base, column)
        if len(found):
            labels = pd.Index([factor.label(level) for level in found.index], name="Setting")
            renamed = found[["ratio", "low", "high"]].set_axis(["estimate", "low", "high"], axis=1)
            series[name] = renamed.set_axis(labels)
    return series


def describe_ratios(series: Mapping[str, pd.DataFrame], base: str) -> str:
    """Put the figure of `ratio_series` into words."""
    parts = [
        f"{name}, {', '.join(f'{level}: {value:.2f}' for level, value in frame['estimate'].items())}"
        for name, frame in series.items()
    ]
    return f"Points with intervals of ratios to {base}, on a logarithmic axis: {'; '.join(parts)}."


def points(runs: pd.DataFrame, factor: Factor, columns: tuple[str, ...]) -> pd.DataFrame:
    """Return means over runs with 95 % intervals, a row a level: each column, and it with `` low`` and `` high``."""
    rows = {}
    for level, part in runs.groupby(factor.name, observed=True):
        row: dict = {}
        for column in columns:
            one = over_units(part[column])
            row |= {column: one.estimate, f"{column} low": one.low, f"{column} high": one.high}
        rows[factor.label(level)] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Setting")


def curves_figure(drawn: pd.DataFrame, at: list[float], xlabel: str, panels: Mapping[str, Mapping[str, str]]) -> Figure:
    """Draw columns of `points` over a number, all axes logarithmic.

    Parameters
    ----------
    drawn : DataFrame
        From `points`.
    at : list of float
        Where each row lies.
    xlabel : str
        What that number is.
    panels : mapping
        For the label of each panel's axis, its columns and how they are called in the legend.
    """
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 3.6), layout="constrained")
        place, row = 0, figure.subplots(1, len(panels), squeeze=False)[0]
        for axes, (label, columns) in zip(row, panels.items(), strict=True):
            for column, name in columns.items():
                ends = [drawn[column] - drawn[f"{column} low"], drawn[f"{column} high"] - drawn[column]]
                axes.errorbar(
                    at, drawn[column], yerr=np.clip(ends, 0, None), fmt=f"{'os^Dv'[place % 5]}-", label=name, lw=1.2,
                    ms=5, color=COLOURS[place % len(COLOURS)], ecolor="0.2", capsize=3,
                )  # fmt: skip
                place += 1
            axes.set(xscale="log", yscale="log", xlabel=f"{xlabel}, logarithmic", ylabel=f"{label}, logarithmic")
            axes.set_xticks(at, [f"{value:,g}" for value in at])
            axes.xaxis.minorticks_off()
            plain_numbers(axes.yaxis)
            axes.margins(y=0.12)
            if len(columns) > 1:
                axes.legend()
    return figure


def describe_curves(drawn: pd.DataFrame, xlabel: str, panels: Mapping[str, Mapping[str, str]]) -> str:
    """Put `curves_figure` into words: each curve from the first to the last level."""
    first, last = drawn.index[0], drawn.index[-1]
    parts = [
        f"{name}: from {drawn.loc[first, column]:,.4g} to {drawn.loc[last, column]:,.4g}"
        for columns in panels.values()
        for column, name in columns.items()
    ]
    over = xlabel[0].lower() + xlabel[1:]
    return f"Curves over {over} on logarithmic axes, {first} to {last}. {'; '.join(parts)}."


def base_note(runs: pd.DataFrame, factor: Factor) -> str:
    """Say on how many runs and requests the tables rest."""
    counts = runs.groupby(factor.name, observed=True)["requests"].agg(["min", "max"])
    low, high = counts["min"].min(), counts["max"].max()
    sent = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return (
        f"{len(runs)} runs, {runs['block'].nunique()} of each setting, {sent} requests each; the run is the unit. "
        f"{_load(runs)}"
    )


def _load(runs: pd.DataFrame) -> str:
    low, high = runs["under_way"].min(), runs["under_way"].max()
    between = f"{low:.1f}" if f"{low:.1f}" == f"{high:.1f}" else f"{low:.1f} to {high:.1f}"
    return f"At the clients {between} requests were under way at a time, on average over a run."
