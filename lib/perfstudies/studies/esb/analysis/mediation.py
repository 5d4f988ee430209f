"""What an engine does with a message besides passing it on, by message length: messages and bytes a second.

Messages are compared by the length of their plain envelope, whatever routing, renaming or security adds to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from perfstudies.experiment import Experiment
from perfstudies.report.figures import COLOURS, WIDTH_INCH, plain_numbers, style
from perfstudies.report.points import MARKERS
from perfstudies.report.settings import at, margin
from perfstudies.runs.recording import Recording
from perfstudies.stats.growth import over_units
from perfstudies.studies.esb.analysis.runs import labels

ROUTE, PROXY, LENGTH = "route", "proxy", "message_bytes"
BYTES = "plain_bytes"
ROWS = ["Engine", "Proxy"]
TYPICAL_BYTES = 10_240
"""Where one length has to stand for all, the measured one next to it does."""


def prepared(recorded: Recording) -> Recording:
    """Return a recording of the runs that answered any message, with what is compared between them.

    Its runs have besides: ``plain_bytes`` (length of the plain envelope), ``mb_per_s`` (10^6 bytes of plain envelopes
    a second), ``engine_us`` and ``all_us`` (processor time a message, of the engine and of all parties).
    """
    runs = recorded.runs[recorded.runs["ok"] > 0]
    length = runs[LENGTH].astype(int)
    engine = runs["engine_user_us"] + runs["engine_system_us"]
    others = sum(runs[f"{party}_{kind}_us"] for party in ("client", "backend") for kind in ("user", "system"))
    added = {BYTES: length, "mb_per_s": runs["per_s"] * length / 1e6, "engine_us": engine, "all_us": engine + others}
    return replace(recorded, runs=runs.assign(**added))


def unanswered(recorded: Recording, experiment: Experiment) -> str:
    """Say which settings were not measured on this machine, and in which not one message was answered."""
    label, runs = labels(experiment), recorded.runs
    factors = [factor.name for factor in experiment.factors]
    said = [f"Not measured: {'; '.join(recorded.skipped)}."] if recorded.skipped else []
    mute = runs[runs["ok"] == 0].groupby(factors, observed=True).size()
    names = [
        f"{', '.join(label(*pair) for pair in zip(factors, key, strict=True))} ({count} runs)"
        for key, count in zip(mute.index.to_list(), mute, strict=True)
    ]
    said += [f"Not one message was answered: {'; '.join(names)}."] if names else []
    return " ".join(said or ["Every setting was measured."])


def measured_lengths(recorded: Recording) -> list[str]:
    """Return the levels of length that were measured, shortest first."""
    return sorted(recorded.runs[LENGTH].dropna().unique(), key=int)


def shown_length(recorded: Recording) -> str:
    """Return the measured length next to 10 KB."""
    return min(measured_lengths(recorded), key=lambda level: abs(np.log(int(level) / TYPICAL_BYTES)))


def pairs(recorded: Recording) -> list[dict[str, str]]:
    """Return the settings of engine and proxy that were measured, in the order of declaration."""
    found = recorded.runs.groupby([ROUTE, PROXY], observed=True).size()
    return [{ROUTE: route, PROXY: proxy} for route, proxy in found.index]


def values_table(recorded: Recording, experiment: Experiment, column: str, digits: int = 0) -> pd.DataFrame:
    """Return means over runs with 95 % margins: a row an engine and proxy, a column a length.

    Parameters
    ----------
    recorded : Recording
        From `prepared`.
    experiment : Experiment
        Whose labels are printed.
    column : str
        Of its runs.
    digits : int
        Decimals.
    """
    label, rows = labels(experiment), {}
    for pair in pairs(recorded):
        part = at(recorded.runs, pair)
        rows[label(ROUTE, pair[ROUTE]), label(PROXY, pair[PROXY])] = {
            label(LENGTH, level): margin(part.loc[part[LENGTH] == level, column].dropna(), digits)
            for level in measured_lengths(recorded)
        }
    return indexed(rows, ROWS)


def wire_table(recorded: Recording, experiment: Experiment) -> pd.DataFrame:
    """Return how long the envelopes really are that each proxy gets, in bytes: a row a proxy, a column a length."""
    label = labels(experiment)
    found = recorded.runs.groupby([PROXY, LENGTH], observed=True)["message_length"].mean().unstack()
    found = found[measured_lengths(recorded)]
    found.columns = [label(LENGTH, level) for level in found]
    return found.set_axis(pd.Index([label(PROXY, level) for level in found.index], name="Proxy")).round()


def drawn(recorded: Recording, experiment: Experiment, column: str) -> pd.DataFrame:
    """Return what `over_length_figure` draws: a row an engine, proxy and length.

    Columns: ``length`` (bytes), ``estimate``, ``low`` and ``high``: the geometric mean over runs with its 95 %
    interval, in the column's unit. Runs in which the value is not above 0 are left out.
    """
    label, rows = labels(experiment), {}
    for pair in pairs(recorded):
        part = at(recorded.runs, pair)
        for level in measured_lengths(recorded):
            values = part.loc[(part[LENGTH] == level) & (part[column] > 0), column]
            if len(values):
                key = (label(ROUTE, pair[ROUTE]), label(PROXY, pair[PROXY]), label(LENGTH, level))
                rows[key] = {"length": int(level)} | geometric(values)
    return indexed(rows, ["Engine", "Proxy", "Length"])


def geometric(values: pd.Series) -> dict[str, float]:
    """Return the geometric mean of runs with its 95 % interval as ``estimate``, ``low`` and ``high``."""
    found = over_units(np.log(values))
    return {name: float(np.exp(getattr(found, name))) for name in ("estimate", "low", "high")}


def over_length_figure(found: pd.DataFrame, ylabel: str, proportional: bool = False) -> Figure:
    """Draw a value over message length, a panel an engine and a line a proxy, both axes logarithmic.

    Parameters
    ----------
    found : DataFrame
        From `drawn`.
    ylabel : str
        The value and its unit.
    proportional : bool
        Whether a dotted line shows growth in proportion to the length, from the first proxy's shortest message.
    """
    engines = list(dict.fromkeys(found.index.get_level_values("Engine")))
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 4.2), layout="constrained")
        panels = figure.subplots(1, len(engines), sharey=True, squeeze=False)[0]
        for axes, engine in zip(panels, engines, strict=True):
            part = found.loc[engine]
            _lines(axes, part)
            if proportional:
                first = part.loc[part.index[0][0]].sort_values("length")
                line = first["estimate"].iloc[0] * first["length"] / first["length"].iloc[0]
                axes.plot(first["length"], line, ls=":", color="0.4", lw=1.2, label="in proportion")
            ticks = part.droplevel("Proxy")["length"]
            axes.set(xscale="log", yscale="log", title=engine)
            axes.set_xticks(ticks.drop_duplicates().to_list(), list(dict.fromkeys(ticks.index)))
            axes.minorticks_off()
            plain_numbers(axes.yaxis)
        panels[0].set_ylabel(f"{ylabel}, logarithmic")
        figure.supxlabel("Length of the plain message, logarithmic", fontsize=9.5)
        handles = {text: line for axes in panels for line, text in zip(*axes.get_legend_handles_labels(), strict=True)}
        figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=4)
    return figure


def _lines(axes: Axes, part: pd.DataFrame) -> None:
    for place, proxy in enumerate(dict.fromkeys(part.index.get_level_values("Proxy"))):
        line, colour = part.loc[proxy].sort_values("length"), COLOURS[place % len(COLOURS)]
        axes.errorbar(
            line["length"], line["estimate"], yerr=bars(line), fmt=f"{MARKERS[place % len(MARKERS)]}-", color=colour,
            ms=4.5, lw=1.2, elinewidth=1, capsize=3, label=proxy,
        )  # fmt: skip


def bars(found: pd.DataFrame) -> list[pd.Series]:
    """Return the lengths of error bars below and above estimates; missing where there is no interval."""
    return [(found["estimate"] - found["low"]).clip(lower=0), (found["high"] - found["estimate"]).clip(lower=0)]


def describe_over_length(found: pd.DataFrame, what: str, digits: int = 0) -> str:
    """Put `over_length_figure` into words: each line's value at its shortest and its longest message."""
    parts = []
    for (engine, proxy), part in found.groupby(level=["Engine", "Proxy"], sort=False):
        ends = part.sort_values("length")["estimate"]
        parts.append(f"{engine}, {proxy}: from {ends.iloc[0]:,.{digits}f} to {ends.iloc[-1]:,.{digits}f}")
    span = found.sort_values("length").index.get_level_values("Length")
    return f"Lines of {what} over message length, from {span[0]} to {span[-1]}. {'; '.join(parts)}."


def indexed(rows: Mapping[tuple, Mapping], names: list[str]) -> pd.DataFrame:
    """Return rows as a frame whose index has a level a name."""
    frame = pd.DataFrame.from_dict(dict(rows), orient="index")
    frame.index = pd.MultiIndex.from_tuples(list(rows), names=names)
    return frame
