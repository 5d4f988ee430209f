"""Runs of crossed factors: their names, means, analysis of variance, and what drifted along a block."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from perfstudies.experiment import Experiment
from perfstudies.report.comparisons import anova_table, checks
from perfstudies.report.tables import Table, table
from perfstudies.runs.recording import Recording
from perfstudies.stats.anova import anova
from perfstudies.stats.intervals import mean_interval

SETTING = "setting"


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
    result = anova(means, "request_ms", varied, block="block", log=True)
    shown = anova_table(result)
    names = [" × ".join(factors.get(part, part) for part in source.split(" x ")) for source in shown.index]
    return table(shown.set_axis(pd.Index(names, name="Source")), caption, note=checks(result))


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


def along_process(means: pd.DataFrame, runs: pd.DataFrame, factors: Sequence[str]) -> pd.DataFrame:
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

    Returns
    -------
    DataFrame
        A row a part of the process: the geometric mean of the ratios with its 95 % interval over blocks, and the
        number of runs.
    """
    logs = np.log(means["request_ms"])
    surplus = logs - logs.groupby([means[name] for name in factors], observed=True).transform("mean")
    surplus -= surplus.groupby(means["block"]).transform("mean")
    # Where experiments share a process, this one's first deployment is not that of the process.
    place = means["run"].map(runs.set_index("run")["deployment"] - runs["deployment"].min() + 1)
    half = place.max() / 2
    rows: dict[str, dict[str, Any]] = {}
    for name, chosen in {
        "First of the process": place <= 1,
        "Others of the first half": (place > 1) & (place <= half),
        "Second half": (place > 1) & (place > half),
    }.items():
        if chosen.any():
            found = mean_interval(surplus[chosen].groupby(means["block"]).mean()).exp()
            rows[name] = {"Time as a ratio to the expected": found, "Runs": int(chosen.sum())}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Deployment")
