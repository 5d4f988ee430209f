"""Table 1 of the CORBA study with another column of ours, and Figures 2 and 3, which draw it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.models.exact import mg1_wait
from perfstudies.models.pool_trace import COLUMNS
from perfstudies.report.figures import COLOURS, WIDTH_INCH, style
from perfstudies.report.settings import margin
from perfstudies.report.tables import interval_text
from perfstudies.stats.growth import over_units
from perfstudies.studies.corba.model import (
    FITTED,
    OURS,
    RATE_PER_S,
    SOURCES,
    errors_of_a_true_model,
    mean_error_ms,
    others,
    published,
)

NAMES = dict(
    zip(
        COLUMNS,
        ("Receiver queuing", "Receiver completion", "Dispatcher queuing", "Dispatcher completion"),
        strict=True,
    )
)
"""What the study calls the model's columns; all are mean times in ms."""
QUEUING, COMPLETION = COLUMNS[0::2], COLUMNS[1::2]
"""What Figure 2 and what Figure 3 draws."""
LOOKS = (("s", "-"), ("^", ":"), ("o", "--"), ("D", "-."))
"""Marker and line of each source, in their order."""


def table_1(runs: pd.DataFrame, chosen: Sequence[str] = COLUMNS, ours: str = OURS, unit: str = "seed") -> pd.DataFrame:
    """Return columns of Table 1 as printed, beside each quantity our mean with its 95 % margin.

    Parameters
    ----------
    runs : DataFrame
        A row a number of ``dispatchers`` and a run, with the columns of the model's table in ms.
    chosen : sequence of str
        Which of these columns.
    ours : str
        What our column is called.
    unit : str
        Which column of it tells runs apart.
    """
    by_source = {source: published(source) for source in SOURCES}
    columns: dict[tuple[str, str], pd.Series] = {}
    for column in chosen:
        name, wide = NAMES[column], runs.pivot(index=unit, columns="dispatchers", values=column)
        for source, table in by_source.items():
            columns[name, source] = table[column].loc[wide.columns]
        columns[name, ours] = pd.Series({count: margin(wide[count].dropna(), 2) for count in wide})
    return pd.DataFrame(columns).rename_axis("Dispatcher threads")


def errors_table(ours: Mapping[str, pd.DataFrame], true: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return mean absolute differences to the measured cells in ms: a row a source, the study's two and ours.

    Parameters
    ----------
    ours : mapping of str to DataFrame
        For each name a table with all rows and columns of `published`.
    true : DataFrame, optional
        Runs of a model; a last row then says how far measurements of exactly this model would be from its means: their
        mean, and between what 95 % of them lie.
    """
    tables = {source: published(source) for source in SOURCES[1:]} | dict(ours)
    which = {"All cells": list(published().index), "Rows that were fitted": list(FITTED), "Other rows": others()}
    rows: dict[str, dict] = {}
    for source, table in tables.items():
        gaps = (table - published()).abs()
        rows[source] = {name: gaps[column].mean() for column, name in NAMES.items()} | {
            name: mean_error_ms(table, chosen) for name, chosen in which.items()
        }
    if true is not None:
        found = {name: errors_of_a_true_model(true, chosen) for name, chosen in which.items()}
        rows["A measurement of exactly this model"] = {
            name: interval_text(errors.mean(), np.quantile(errors, 0.025), np.quantile(errors, 0.975), 3)
            for name, errors in found.items()
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Source")


def implied_table(ours: pd.DataFrame) -> pd.DataFrame:
    """Return receivers' queuing times in ms beside those that their completion times imply, by source.

    A receiver that takes S ms for each request has them wait for U S / 2 (1 - U) on average, U being the share of time
    that it is busy (Pollaczek and Khinchine, constant S, Poisson arrivals); for longer if S varies independently of
    arrivals.

    Parameters
    ----------
    ours : DataFrame
        Means with the rows and columns of `perfstudies.studies.corba.model.published`.
    """
    columns = {}
    for source, table in ({source: published(source) for source in SOURCES} | {OURS: ours}).items():
        columns[source, "Given"] = table["receiver_queue_ms"]
        implied = [mg1_wait(RATE_PER_S / 1000, service_ms, 0.0) for service_ms in table["receiver_ms"]]
        columns[source, "Implied"] = pd.Series(implied, table.index).round(2)
    return pd.DataFrame(columns).rename_axis("Dispatcher threads")


Series = dict[tuple[str, str], pd.DataFrame]
"""By quantity and source: estimate, low and high by number of dispatchers; printed values have no bounds."""


def printed(columns: Sequence[str], sources: Sequence[str] = SOURCES[:2]) -> Series:
    """Return the printed values of some quantities."""
    bounds = {"low": np.nan, "high": np.nan}
    return {
        (NAMES[column], source): published(source)[column].rename("estimate").to_frame().assign(**bounds)
        for column in columns
        for source in sources
    }


def simulated(runs: pd.DataFrame, columns: Sequence[str], source: str = OURS) -> Series:
    """Return means over runs with their 95 % intervals, of runs as in `table_1`."""
    found = {}
    for column in columns:
        ends = {count: over_units(part[column]) for count, part in runs.groupby("dispatchers")}
        rows = {count: {"estimate": one.estimate, "low": one.low, "high": one.high} for count, one in ends.items()}
        found[NAMES[column], source] = pd.DataFrame.from_dict(rows, orient="index")
    return found


def ordered(series: Series) -> Series:
    """Return series by quantity."""
    names = list(dict.fromkeys(name for name, _ in series))
    return dict(sorted(series.items(), key=lambda item: names.index(item[0][0])))


def numbers(series: Series) -> pd.DataFrame:
    """Return what `pool_figure` draws as one frame, bounds only where there are any."""
    kept = {key: frame.dropna(axis=1, how="all") for key, frame in series.items()}
    return pd.concat(kept, axis=1).rename_axis("Dispatcher threads")


def pool_figure(series: Series) -> Figure:
    """Draw times over the size of the pool: a colour a quantity, a marker and a line a source."""
    quantities, sources = (list(dict.fromkeys(key[place] for key in series)) for place in (0, 1))
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 4.2), layout="constrained")
        axes = figure.subplots()
        for (name, source), frame in series.items():
            (marker, line), colour = LOOKS[sources.index(source)], COLOURS[quantities.index(name)]
            bounded = frame["low"].notna().all()
            axes.errorbar(
                frame.index, frame["estimate"],
                yerr=[frame["estimate"] - frame["low"], frame["high"] - frame["estimate"]] if bounded else None,
                marker=marker, ls=line, lw=1.2, ms=5.5, color=colour, mfc=colour if bounded else "white", capsize=3,
                elinewidth=1, label=f"{name}, {source}",
            )  # fmt: skip
        axes.set(xlabel="Dispatcher threads", ylabel="Mean time (ms)")
        axes.set_ylim(bottom=0)
        axes.set_xticks(sorted({count for frame in series.values() for count in frame.index}))
        figure.legend(loc="outside upper center", ncols=len(quantities))
    return figure


def describe_pool(series: Series) -> str:
    """Put `pool_figure` into words."""
    parts = []
    for name in dict.fromkeys(name for name, _ in series):
        said = "; ".join(
            f"{source} {frame['estimate'].iloc[0]:.2f} ms and {frame['estimate'].iloc[-1]:.2f} ms"
            for (other, source), frame in series.items()
            if other == name
        )
        ends = next(frame.index for (other, _), frame in series.items() if other == name)
        parts.append(f"{name} with {ends[0]} and with {ends[-1]} threads: {said}")
    return f"Lines of mean times over the number of dispatcher threads. {'. '.join(parts)}."
