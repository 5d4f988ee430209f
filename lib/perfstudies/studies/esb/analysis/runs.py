"""What a reader has to know of the ESB study's runs: every message accounted for, and when each run was steady."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from pandas.api.typing import DataFrameGroupBy

from perfstudies.experiment import Experiment
from perfstudies.report.figures import COLOURS, WIDTH_INCH, style
from perfstudies.report.quality import oddities
from perfstudies.report.tables import Table, table
from perfstudies.runs.recording import Recording
from perfstudies.studies.esb.logs.rate_intervals import BIN_S

OK = "ok"


def _by(recorded: Recording, factors: Sequence[str]) -> DataFrameGroupBy:
    return recorded.runs.groupby(list(factors), observed=True, sort=True)


def _labelled(experiment: Experiment, frame: pd.DataFrame, factors: Sequence[str], names: list[str]) -> pd.DataFrame:
    """Return a frame indexed by levels with the levels as they are printed."""
    by_name = {factor.name: factor for factor in experiment.factors}
    keys = [key if isinstance(key, tuple) else (key,) for key in frame.index]
    labels = [tuple(by_name[name].label(level) for name, level in zip(factors, key, strict=True)) for key in keys]
    index: Any = pd.MultiIndex.from_tuples(labels, names=names) if len(factors) > 1 else [one[0] for one in labels]
    found = frame.set_axis(index)
    return found if len(factors) > 1 else found.rename_axis(names[0])


def runs_table(recorded: Recording, experiment: Experiment, factor: str, name: str) -> Table:
    """Show runs, messages and oddities of each level of a factor; a note quotes the first of what went wrong."""
    runs = _by(recorded, [factor])
    shown = pd.DataFrame(
        {
            "Runs": runs.size(),
            "Sent": runs["sent"].sum(),
            "Answered": runs["ok"].sum(),
            "Failed": runs["failed"].sum(),
            "Served by the back end": runs["served"].sum(),
            "Runs with a steady state": runs["steady_from_s"].count(),
            "Steady for (s), least": runs["steady_s"].min(),
            "Noisy runs": runs["noisy"].agg(lambda reasons: int((reasons != "").sum())),
        }
    )
    odd = {
        "failed runs": recorded.failed,
        "skipped settings": recorded.skipped,
        "noisy runs": tuple(f"{run}: {why}" for run, why in recorded.runs[["run", "noisy"]].to_numpy() if why),
    }
    return table(
        _labelled(experiment, shown, [factor], [name]),
        "The runs behind this report",
        formats={"Steady for (s), least": ".1f"},
        note=f"{accounted(recorded)}. {oddities(odd)}",
    )


def accounted(recorded: Recording) -> str:
    """Say whether what was sent in each run is what ended, by outcome."""
    ended = recorded.calls.groupby("run", observed=True)["messages"].sum()
    sent = recorded.runs.set_index("run")["sent"]
    wrong = int((sent != ended.reindex(sent.index).fillna(0)).sum())
    if wrong:
        return f"In {wrong} of {len(sent)} runs not every message sent is accounted for"
    return f"Every one of {int(sent.sum()):,} messages sent is accounted for, in each of {len(sent)} runs"


def outcomes_table(recorded: Recording, experiment: Experiment, factor: str, name: str) -> pd.DataFrame:
    """Return how messages that were not answered well ended, a row a level, a column an outcome."""
    counts = recorded.calls[recorded.calls["outcome"] != OK]
    found = counts.pivot_table(
        index=factor, columns="outcome", values="messages", aggfunc="sum", fill_value=0, observed=False
    )
    if found.empty:
        levels = next(one for one in experiment.factors if one.name == factor).levels
        found = pd.DataFrame({"none": 0}, index=pd.Index(levels))
    return _labelled(experiment, found.astype(int), [factor], [name]).rename_axis(columns=None)


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


def labels(experiment: Experiment) -> Callable[[str, Hashable], str]:
    """Return what gives the printed label of a factor's level."""
    by_name = {factor.name: factor for factor in experiment.factors}
    return lambda factor, level: by_name[factor].label(level)


def course(recorded: Recording, factor: str, experiment: Experiment) -> pd.DataFrame:
    """Return answered messages of each bin in per cent of the run's steady rate: means over runs, a column a level."""
    bins = recorded.samples.merge(recorded.runs[["run", "per_s"]], on="run")
    share = 100 * bins["ok"] / BIN_S / bins["per_s"]
    found = share.groupby([bins["time_s"], bins[factor]], observed=True).mean().unstack()
    label = labels(experiment)
    return found.set_axis([label(factor, level) for level in found], axis=1).rename_axis("Time (s)")


def course_figure(found: pd.DataFrame) -> Figure:
    """Draw `course`."""
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 3.4), layout="constrained")
        axes = figure.subplots()
        axes.axhline(100, color="0.4", lw=0.9, ls="--", zorder=0)
        for place, name in enumerate(found):
            axes.plot(found.index + BIN_S / 2, found[name], lw=1.4, color=COLOURS[place % 6], label=name)
        axes.set(xlabel="Time since the run began (s)", ylabel="Messages/s, % of the steady rate", ylim=(0, None))
        figure.legend(loc="outside upper center", ncols=3)
    return figure


def describe_course(found: pd.DataFrame) -> str:
    """Put `course_figure` into words."""
    parts = [f"{name} starts at {found[name].iloc[0]:.0f} % and ends at {found[name].iloc[-1]:.0f} %" for name in found]
    return f"Lines of messages a second over a run's time, in per cent of its steady rate. {'; '.join(parts)}."
