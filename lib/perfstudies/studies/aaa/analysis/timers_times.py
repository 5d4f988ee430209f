"""Total and EJB time over the requests of a run: the AAA study's Figures 11, 16 and 17; and how long a time unit is.

Only answered requests have a total and an EJB time, in the study's program as here. Where most of them fail, the
lines show those that were lucky.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.report.figures import COLOURS, WIDTH_INCH, plain_numbers, style
from perfstudies.report.settings import SETTING
from perfstudies.runs.recording import Recording
from perfstudies.stats.intervals import mean_interval
from perfstudies.studies.aaa.analysis.timers import edges, numbers
from perfstudies.studies.aaa.declared import CONTAINERS, FIGURES, STANDARD_SETTINGS

TIMES = {"total_ms": "total", "ejb_ms": "EJB"}
TIMER_OF = {"16": "10", "17": "5"}
"""The timer of the requests of two of the study's figures."""


def answered(recorded: Recording) -> pd.DataFrame:
    """Return the requests that were answered."""
    return recorded.samples[recorded.samples["outcome"] == "ok"]


def series(recorded: Recording, bins: int, settings: Sequence[str] | None = None) -> pd.DataFrame:
    """Return mean times of answered requests over their number, in ms, with 95 % intervals over runs.

    Parameters
    ----------
    recorded : Recording
        With the column ``setting``.
    bins : int
        Into how many groups of numbers requests fall at most.
    settings : sequence of str, optional
        Those to return; all of them by default.

    Returns
    -------
    DataFrame
        A row a group of numbers; columns are the setting and ``total``, ``total low``, ``total high``, ``EJB`` ...
    """
    part = answered(recorded)
    ends = edges(int(recorded.calls["number"].max()) + 1, bins).tolist()
    names = [numbers(*pair) for pair in pairwise(ends)]
    group = pd.cut(part["number"], ends, right=False, labels=names)
    means = part.groupby([SETTING, "run", group], observed=True)[list(TIMES)].mean()
    columns = {}
    for setting in settings if settings is not None else recorded.runs[SETTING].cat.categories:
        here = means[means.index.get_level_values(SETTING) == setting]
        for column, name in TIMES.items():
            found = {
                group: mean_interval(values.dropna())
                for group, values in here[column].groupby(level="number", observed=True)
                if values.notna().any()
            }
            for end, label in (("estimate", name), ("low", f"{name} low"), ("high", f"{name} high")):
                columns[setting, label] = {group: getattr(one, end) for group, one in found.items()}
    return pd.DataFrame(columns).reindex(names).rename_axis("Requests").astype(float)


def of_figure(own: Recording, timers: Recording, number: str, bins: int = 25) -> pd.DataFrame:
    """Return the series of the study's Figure 16 or 17: at its own gap, and from the runs at a divided one.

    Parameters
    ----------
    own, timers : Recording
        Of the experiments ``own-gap`` and ``timers``, with the column ``setting``.
    number : {"16", "17"}
        Of the figure.
    bins : int
        As in `series`.

    Returns
    -------
    DataFrame
        As of `series`; settings are called by container, experiment, and the gap and unit that were really used.
    """
    found = []
    at_own_gap = own.runs["figure"].isin([number, f"{number}-strict"])
    for recorded, chosen in ((own, at_own_gap), (timers, timers.runs["timer"] == TIMER_OF[number])):
        for setting, runs in recorded.runs[chosen].groupby(SETTING, observed=True):
            first = runs.iloc[0]
            level = first["container"] if recorded is timers else FIGURES.sets(first["figure"]).get("container")
            container = CONTAINERS.label(level or STANDARD_SETTINGS["container"])
            experiment = "timers" if recorded is timers else "own-gap"
            name = f"{container}, {experiment}, gap {first['gap_ms']:g} ms, unit {first['unit_ms']:g} ms"
            part = replace(recorded, calls=recorded.calls[recorded.calls["run"].isin(runs["run"])])
            found.append(series(part, bins, [str(setting)]).rename(columns={setting: name}, level=0))
    joined = pd.concat(found, axis=1)
    return joined.loc[sorted(joined.index, key=lambda label: int(str(label).split("–")[0]))].rename_axis("Requests")


def a_panel_each(drawn: pd.DataFrame) -> dict[str, dict[str, str]]:
    """Return panels for `lines_figure`: one for each setting."""
    return {name.replace(", gap", ",\ngap", 1): {name: ""} for name in dict.fromkeys(drawn.columns.get_level_values(0))}


def a_panel_a_container(recorded: Recording, life: str) -> dict[str, dict[str, str]]:
    """Return panels for `lines_figure`: one for each container with its timers, at one time to live (a level)."""
    runs = recorded.runs[recorded.runs["ttl_ms"] == life]
    return {
        CONTAINERS.label(container): {setting: f"timer {timer}" for timer, setting in _pairs(part, "timer")}
        for container, part in runs.groupby("container", observed=True)
    }


def a_panel_of_figure(own: Recording, number: str) -> dict[str, dict[str, str]]:
    """Return one panel for `lines_figure`: the settings of ``own-gap`` that belong to a figure of the study."""
    runs = own.runs[own.runs["figure"].astype(str).str.startswith(f"{number}-")]
    return {"": {setting: f"timer {level.removeprefix(f'{number}-')}" for level, setting in _pairs(runs, "figure")}}


def _pairs(runs: pd.DataFrame, by: str) -> list[Any]:
    """Return the levels that occur with their settings, in order."""
    return list(runs.groupby([by, SETTING], observed=True).groups)


def lines_figure(drawn: pd.DataFrame, panels: Mapping[str, Mapping[str, str]], log: bool = False) -> Figure:
    """Draw total times (solid) and EJB times (dashed) over the number of the request.

    Parameters
    ----------
    drawn : DataFrame
        From `series`.
    panels : mapping
        For each panel's title the settings that it draws, each with its name in the legend.
    log : bool
        Whether the times' axis is logarithmic, and the same in all panels.
    """
    names = list(dict.fromkeys(name for settings in panels.values() for name in settings.values()))
    middle = pd.Series([np.mean([int(end) for end in str(label).split("–")]) for label in drawn.index], drawn.index)
    with style():
        columns = len(panels) if len(panels) < 4 else 2
        lines = -(-len(panels) // columns)
        figure = Figure(figsize=(WIDTH_INCH, 1.3 + 2.4 * lines), layout="constrained")
        for axes, (title, settings) in zip(
            figure.subplots(lines, columns, squeeze=False, sharey=log).flat, panels.items(), strict=False
        ):
            for setting, name in settings.items():
                for place, (time, line) in enumerate(zip(TIMES.values(), ("-", "--"), strict=True)):
                    one = len(names) == 1
                    colour = COLOURS[place if one else names.index(name) % len(COLOURS)]
                    label = time if one else f"{name}, {time}"
                    chosen: Any = drawn[setting]
                    rows = chosen.dropna(subset=[time])
                    at = middle[rows.index]
                    axes.plot(at, rows[time], line, color=colour, lw=1.4, marker=".", ms=3, label=label)
                    if f"{time} low" in rows:
                        ends = rows[[f"{time} low", f"{time} high"]].to_numpy()
                        axes.fill_between(at, *ends.T, color=colour, alpha=0.2, lw=0)
            axes.set_title(title, fontsize=9)
            axes.set_xlabel("Number of the request")
            if log:
                axes.set_yscale("log")
                plain_numbers(axes.yaxis)
            else:
                axes.set_ylim(0, axes.dataLim.y1 * 1.08)
        for axes in figure.axes[len(panels) :]:
            axes.set_axis_off()
        figure.supylabel("Time (ms), logarithmic" if log else "Time (ms)", fontsize=9.5)
        handles = {
            label: handle
            for axes in figure.axes
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=min(len(handles), 4))
    return figure


def units(recorded: Recording) -> pd.DataFrame:
    """Return per run the length of a time unit as a ratio to the declared one.

    Columns: those of the recording's runs; ``bean`` (mean time in the bean over timer and unit, of all requests that
    had one), ``ejb`` (mean EJB time of answered requests over timer and unit, as one who sees only the client's record
    would reckon), and ``spread`` (standard deviation of time in the bean between requests, over its mean).
    """
    in_bean = recorded.samples.groupby("run", observed=True)["asm_ms"]
    ejb = answered(recorded).groupby("run", observed=True)["ejb_ms"].mean()
    found = pd.DataFrame({"bean": in_bean.mean(), "ejb": ejb, "spread": in_bean.std() / in_bean.mean()})
    runs = recorded.runs.join(found, on="run", how="inner")
    declared = runs["timer"].astype(str).astype(int) * runs["unit_ms"]
    return runs.assign(bean=runs["bean"] / declared, ejb=runs["ejb"] / declared)
