"""Runs of crossed factors: their means, settings compared within blocks, and what drifted along a block."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from perfstudies.experiment import Experiment, Factor
from perfstudies.report.comparisons import anova_table, checks, p_text, pairs_table
from perfstudies.report.tables import Table, interval_text, margin_text, table
from perfstudies.runs.recording import Recording
from perfstudies.stats.anova import anova
from perfstudies.stats.intervals import mean_interval

SETTING = "setting"
Setting = Mapping[str, str]


def named(recorded: Recording, experiment: Experiment, name: Callable[[dict[str, str]], str]) -> Recording:
    """Return a recording whose frames have the column ``setting``: how each combination of levels is called.

    Its categories are those that were measured, in the order of declaration.
    """
    factors = [factor.name for factor in experiment.factors]
    names = {tuple(setting.values()): name(setting) for setting in experiment.settings()}

    def add(frame: pd.DataFrame) -> pd.DataFrame:
        found = [names[levels] for levels in frame[factors].itertuples(index=False, name=None)]
        return frame.assign(**{SETTING: pd.Categorical(found, [one for one in names.values() if one in {*found}])})

    return replace(
        recorded, samples=add(recorded.samples), calls=add(recorded.calls), runs=add(recorded.runs)
    )  # fmt: skip


def run_means(samples: pd.DataFrame, factors: Sequence[str], response: str = "request_ms") -> pd.DataFrame:
    """Return a row a run: ``run``, ``block``, its levels, and the mean of its measured requests' response."""
    measured = samples[samples["measured"]]
    means = measured.groupby(["run", "block", *factors], observed=True)[response].mean().reset_index()
    return means.assign(**{name: means[name].cat.remove_unused_categories() for name in factors})


def at(frame: pd.DataFrame, setting: Setting) -> pd.DataFrame:
    """Return a frame's rows of one setting."""
    chosen = pd.Series(True, index=frame.index)
    for factor, level in setting.items():
        chosen &= frame[factor] == level
    return frame[chosen]


def matched(samples: pd.DataFrame, settings: Sequence[Setting]) -> pd.DataFrame:
    """Return the measured requests that all of these settings sent in the same block.

    A run at a costly setting sends fewer requests than others; settings are compared on what all of them sent.
    """
    parts = [at(samples[samples["measured"]], setting) for setting in settings]
    part = pd.concat(parts, keys=range(len(parts)), names=["of", None]).reset_index("of")
    sent_by = part.groupby(["block", "request"])["of"].transform("nunique")
    return part[sent_by == len(settings)].drop(columns="of")


def in_blocks(samples: pd.DataFrame, settings: Mapping[Any, Setting], response: str = "request_ms") -> pd.DataFrame:
    """Return run means over the requests that all of these settings sent: a row a block, a column a setting.

    Blocks that lack a run of one setting are left out.

    Parameters
    ----------
    samples : DataFrame
        Of one or more settings, with ``measured`` and the response.
    settings : mapping
        From a column's name to the levels of its setting.
    response : str
        The column whose mean is taken.
    """
    same = matched(samples, list(settings.values()))
    columns = {name: at(same, setting).groupby("block")[response].mean() for name, setting in settings.items()}
    return pd.DataFrame(columns).dropna()


def times(means: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return the mean over runs of each level with its 95 % interval: ``estimate``, ``low``, ``high`` in ms."""
    found = {level: mean_interval(runs["request_ms"]) for level, runs in means.groupby(by, observed=True)}
    rows = {level: {"estimate": i.estimate, "low": i.low, "high": i.high} for level, i in found.items()}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(by)


def margin(values: pd.Series, digits: int = 2) -> str:
    """Write the mean of runs with its 95 % margin; an en dash if there are none."""
    if values.empty:
        return margin_text(np.nan, np.nan)
    found = mean_interval(values)
    return margin_text(found.estimate, found.high - found.estimate, digits)


def ratio_text(found: pd.DataFrame, label: Any, digits: int = 3) -> str:
    """Write a pair's ratio of `perfstudies.stats.planned.planned_ratios` with its interval."""
    row: Any = found.loc[label]
    return interval_text(row["ratio"], row["low"], row["high"], digits)


def ratio_columns(found: pd.DataFrame, name: str, with_p: bool = False) -> pd.DataFrame:
    """Return the result of `perfstudies.stats.planned.planned_ratios` as it is printed."""
    ends = zip(found["ratio"], found["low"], found["high"], strict=True)
    shown = pd.DataFrame({name: [interval_text(ratio, low, high, 3) for ratio, low, high in ends]})
    if with_p:
        shown["p"] = [p_text(p) for p in found["p"]]
    return shown.set_index(found.index)


def or_none(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table, or if it has no rows one that says that nothing was measured."""
    return frame if len(frame) else pd.DataFrame(np.nan, index=["None measured"], columns=frame.columns)


def variance_table(means: pd.DataFrame, factors: Mapping[str, str], caption: str) -> Table:
    """Show the analysis of variance of the logarithm of run means, with all interactions and the block as a term.

    Factors that were measured at one level only are left out. Where nothing can be analysed the table says why.

    Parameters
    ----------
    means : DataFrame
        From `run_means`.
    factors : mapping of str to str
        The columns of levels, and how each is called in the table.
    caption : str
        Of the table.
    """
    varied, problem = _analysable(means, factors)
    if problem:
        return _not_analysed(means, factors, caption, problem)
    result = anova(means, "request_ms", varied, block="block", log=True, compare=False)
    shown = anova_table(result)
    names = [" × ".join(factors.get(part, part) for part in source.split(" x ")) for source in shown.index]
    return table(shown.set_axis(pd.Index(names, name="Source")), caption, note=checks(result))


def pairs_shown(means: pd.DataFrame, factor: Factor, caption: str) -> Table:
    """Show all pairs of a factor's levels as ratios, 95 % for the whole family; or say why they cannot be compared.

    Parameters
    ----------
    means : DataFrame
        From `run_means`, of runs that differ in nothing but this factor.
    factor : Factor
        What is compared.
    caption : str
        Of the table.
    """
    varied, problem = _analysable(means, {factor.name: factor.name})
    if problem:
        return _not_analysed(means, {factor.name: "Level"}, caption, problem)
    result = anova(means, "request_ms", varied, block="block", log=True)
    return table(pairs_table(result, factor.label), caption, note=f"{result.method}.")


def _analysable(means: pd.DataFrame, factors: Mapping[str, str]) -> tuple[list[str], str]:
    """Return the factors that vary, and what speaks against an analysis of variance over them, or nothing."""
    varied = [name for name in factors if means[name].nunique() > 1]
    if not varied:
        return varied, "no factor was measured at two levels"
    if means["block"].nunique() < 2:
        return varied, "one block has no runs to judge differences by; it takes two or more"
    used = means.assign(**{name: means[name].cat.remove_unused_categories() for name in varied})
    if (used.groupby(varied, observed=False).size() == 0).any():
        return varied, "not every combination of levels was measured"
    return varied, ""


def _not_analysed(means: pd.DataFrame, factors: Mapping[str, str], caption: str, problem: str) -> Table:
    counted = pd.DataFrame({"Levels": means[list(factors)].nunique()}).rename(index=factors).rename_axis("Source")
    return table(counted, caption, note=f"No analysis of variance: {problem}.")


def by_place(means: pd.DataFrame, runs: pd.DataFrame, factors: Sequence[str]) -> pd.DataFrame:
    """Return how run times depend on the deployment's place in its process, as ratios to what setting and block expect.

    Deployments of a block share a process and are made in random order: what drifts along them cannot pass for an
    effect, but it adds to the spread.

    Parameters
    ----------
    means : DataFrame
        From `run_means`.
    runs : DataFrame
        The recording's runs, with ``deployment``.
    factors : sequence of str
        The columns that tell settings apart.
    """
    logs = np.log(means["request_ms"])
    surplus = logs - logs.groupby([means[name] for name in factors], observed=True).transform("mean")
    surplus -= surplus.groupby(means["block"]).transform("mean")
    place = means["run"].map(runs.set_index("run")["deployment"])
    half = place.max() / 2
    rows = {}
    for name, chosen in {
        "First of the process": place <= 1,
        "Others of the first half": (place > 1) & (place <= half),
        "Second half": (place > 1) & (place > half),
    }.items():
        if chosen.any():
            found = mean_interval(surplus[chosen].groupby(means["block"]).mean()).exp()
            text = interval_text(found.estimate, found.low, found.high, 3)
            rows[name] = {"Time as a ratio to the expected": text, "Runs": int(chosen.sum())}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Deployment")
