"""What routing, changing and opening messages cost against passing them on, and which engine does it faster.

Settings are compared within blocks, whose runs share the engines' processes. Where one number stands for all lengths it
is the geometric mean over those that both settings were measured at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from perfstudies.experiment import Experiment
from perfstudies.report.comparisons import p_text
from perfstudies.report.settings import at, margin, or_none, ratio_text
from perfstudies.report.tables import MISSING, interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.intervals import ratio_interval
from perfstudies.stats.planned import planned_ratios
from perfstudies.studies.esb.analysis.cpu import PARTS
from perfstudies.studies.esb.analysis.mediation import LENGTH, PROXY, ROUTE, ROWS, indexed, measured_lengths, pairs
from perfstudies.studies.esb.analysis.runs import labels

BASE = "direct"
FIRST, SECOND = "synapse", "camel"
SHOWN = {"per_s": "Messages/s", "engine_us": "Engine's processor time"}
FASTER, SLOWER, UNKNOWN = "faster", "slower", "not told apart"


def by_length(runs: pd.DataFrame, setting: Mapping[str, str], column: str) -> pd.DataFrame:
    """Return a column's values above 0 at one setting: a row a block, a column a length."""
    part = at(runs, setting)
    found = part[part[column] > 0].pivot(index="block", columns=LENGTH, values=column)
    return found.set_axis([str(level) for level in found], axis=1)


def in_blocks(
    runs: pd.DataFrame, above: Mapping[str, str], below: Mapping[str, str], column: str
) -> tuple[pd.Series, pd.Series]:
    """Return two settings' values in the blocks that have them at all lengths both were measured at.

    Each is the geometric mean over those lengths, in the column's unit.
    """
    first, second = (by_length(runs, setting, column).apply(np.log) for setting in (above, below))
    lengths = first.columns.intersection(second.columns)
    means = [frame[lengths].mean(axis=1, skipna=False) for frame in (first, second)]
    both = pd.concat(means, axis=1, keys=("above", "below")).dropna().apply(np.exp)
    return both["above"], both["below"]


def _planned(runs: pd.DataFrame, wanted: Mapping, column: str) -> pd.DataFrame:
    values = {key: in_blocks(runs, above, below, column) for key, (above, below) in wanted.items()}
    return planned_ratios({key: (above, below) for key, (above, below) in values.items() if len(above)})


def against_direct(recorded: Recording, column: str = "per_s") -> pd.DataFrame:
    """Return each proxy over passing messages on, through the same engine, over all lengths.

    Indexed by engine and proxy, columns as of `planned_ratios`: 95 % for all of them together.
    """
    wanted = {
        (pair[ROUTE], pair[PROXY]): (pair, pair | {PROXY: BASE}) for pair in pairs(recorded) if pair[PROXY] != BASE
    }
    found = _planned(recorded.runs, wanted, column)
    return found.set_axis(pd.MultiIndex.from_tuples(list(found.index), names=[ROUTE, PROXY]))


def between_engines(recorded: Recording, column: str = "per_s") -> pd.DataFrame:
    """Return Camel over Synapse by proxy, over all lengths; as `planned_ratios`, 95 % for all of them together."""
    measured = recorded.runs[PROXY].cat.categories
    wanted = {proxy: tuple({ROUTE: route, PROXY: proxy} for route in (SECOND, FIRST)) for proxy in measured}
    return _planned(recorded.runs, wanted, column)


def against_direct_table(recorded: Recording, experiment: Experiment, column: str = "per_s") -> pd.DataFrame:
    """Return a column as a ratio to passing messages on, by engine and proxy: at each length, and over all.

    Intervals at one length are of 95 % each; those over all lengths are of 95 % together.
    """
    label, together = labels(experiment), against_direct(recorded, column)
    levels, rows = measured_lengths(recorded), {}
    for route, proxy in together.index:
        above, below = (by_length(recorded.runs, {ROUTE: route, PROXY: one}, column) for one in (proxy, BASE))
        row = {label(LENGTH, level): _ratio(above, below, level) for level in levels}
        whole = together.loc[(route, proxy)]
        row["All lengths"] = interval_text(whole["ratio"], whole["low"], whole["high"])
        rows[label(ROUTE, route), label(PROXY, proxy)] = row
    if not rows:
        return or_none(pd.DataFrame(columns=["All lengths"]))
    return indexed(rows, ROWS)


def _both(above: pd.DataFrame, below: pd.DataFrame, level: str) -> pd.DataFrame:
    if level not in above or level not in below:
        return pd.DataFrame({"above": [], "below": []})
    return pd.concat([above[level], below[level]], axis=1, keys=("above", "below")).dropna()


def _ratio(above: pd.DataFrame, below: pd.DataFrame, level: str) -> str:
    both = _both(above, below, level)
    if both.empty:
        return MISSING
    found = ratio_interval(both["above"], both["below"])
    return interval_text(found.estimate, found.low, found.high)


def cost_points(recorded: Recording, experiment: Experiment) -> dict[str, pd.DataFrame]:
    """Return messages a second over those passed on, over all lengths, as points: a series an engine."""
    label = labels(experiment)
    series: dict = {}
    place: Any
    for place, row in against_direct(recorded).iterrows():
        route, proxy = place
        point = {"estimate": row["ratio"], "low": row["low"], "high": row["high"]}
        series.setdefault(label(ROUTE, route), {})[label(PROXY, proxy)] = point
    return _frames(series)


def engine_points(recorded: Recording, experiment: Experiment) -> dict[str, pd.DataFrame]:
    """Return messages a second through Camel over those through Synapse as points: a series a proxy, by length."""
    label = labels(experiment)
    series: dict = {}
    for proxy in recorded.runs[PROXY].cat.categories:
        above, below = (by_length(recorded.runs, {ROUTE: one, PROXY: proxy}, "per_s") for one in (SECOND, FIRST))
        for level in measured_lengths(recorded):
            both = _both(above, below, level)
            if len(both):
                found = ratio_interval(both["above"], both["below"])
                point = {"estimate": found.estimate, "low": found.low, "high": found.high}
                series.setdefault(label(PROXY, proxy), {})[label(LENGTH, level)] = point
    return _frames(series)


def _frames(series: Mapping[str, Mapping]) -> dict[str, pd.DataFrame]:
    return {name: pd.DataFrame.from_dict(dict(rows), orient="index") for name, rows in series.items()}


def describe_points(series: Mapping[str, pd.DataFrame], what: str) -> str:
    """Put points into words."""
    said = [
        f"{name}: {', '.join(f'{value:.2f} at {place}' for place, value in frame['estimate'].items())}"
        for name, frame in series.items()
    ]
    return f"{what}. {'; '.join(said)}."


def verdict(low: float, high: float) -> str:
    """Say what an interval of a ratio of rates shows."""
    return FASTER if low > 1 else SLOWER if high < 1 else UNKNOWN


def engines_table(recorded: Recording, experiment: Experiment) -> pd.DataFrame:
    """Return how Camel differs from Synapse by proxy, over all lengths; a column's intervals are of 95 % together."""
    label = labels(experiment)
    found = {column: between_engines(recorded, column) for column in SHOWN}
    rows = {}
    for proxy in found["per_s"].index:
        row = {
            name: ratio_text(found[column], proxy, 2) if proxy in found[column].index else MISSING
            for column, name in SHOWN.items()
        }
        rate = found["per_s"].loc[proxy]
        row |= {"p of messages/s": p_text(rate["p"]), "Camel is": verdict(rate["low"], rate["high"])}
        rows[label(PROXY, proxy)] = row
    shown = pd.DataFrame.from_dict(rows, orient="index", columns=[*SHOWN.values(), "p of messages/s", "Camel is"])
    return or_none(shown).rename_axis("Proxy")


def parts(recorded: Recording, experiment: Experiment, level: str) -> pd.DataFrame:
    """Return processor time a message in microseconds at one length: a row an engine and proxy, a column a part."""
    label = labels(experiment)
    runs = recorded.runs[recorded.runs[LENGTH] == level]
    means = runs.groupby([PROXY, ROUTE], observed=True)[list(PARTS)].mean()
    names = [f"{label(PROXY, proxy)}, {label(ROUTE, route)}" for proxy, route in means.index]
    return means.set_axis(pd.Index(names, name="Proxy and engine")).rename(columns=PARTS)


def split_table(recorded: Recording, experiment: Experiment) -> pd.DataFrame:
    """Return the engine's processor time a message in its own code and in the kernel, at each length, with margins.

    Means over runs in microseconds with 95 % margins; a row an engine, proxy and part.
    """
    label, rows = labels(experiment), {}
    for pair in pairs(recorded):
        part = at(recorded.runs, pair)
        kernel = 100 * part["engine_system_us"] / part["engine_us"].where(part["engine_us"] > 0)
        for name, values, digits in (
            ("own code (µs)", part["engine_user_us"], 0),
            ("kernel (µs)", part["engine_system_us"], 0),
            ("kernel (%)", kernel, 1),
        ):
            rows[label(ROUTE, pair[ROUTE]), label(PROXY, pair[PROXY]), name] = {
                label(LENGTH, level): margin(values[part[LENGTH] == level].dropna(), digits)
                for level in measured_lengths(recorded)
            }
    return indexed(rows, [*ROWS, "Engine's time"])
