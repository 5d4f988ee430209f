"""How what a message costs grows with its length: exponents over all lengths and between neighbouring ones.

A cost with a fixed part and one in proportion to the length follows no single power law: its exponent rises from 0
towards 1 with the length. So the exponents between neighbouring lengths are given too, and what each further
kilobyte costs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import pandas as pd

from perfstudies.experiment import Experiment
from perfstudies.report.settings import at
from perfstudies.report.tables import interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.growth import exponents, local_exponents, over_units
from perfstudies.studies.esb.analysis.mediation import (
    BYTES,
    LENGTH,
    PROXY,
    ROUTE,
    ROWS,
    indexed,
    measured_lengths,
    pairs,
)
from perfstudies.studies.esb.analysis.runs import labels

KILOBYTE = 1024


def growth_table(recorded: Recording, experiment: Experiment, column: str, digits: int = 2) -> pd.DataFrame:
    """Return how a cost grows with the plain message's length, with 95 % intervals over blocks; a row a proxy.

    Parameters
    ----------
    recorded : Recording
        From `perfstudies.studies.esb.analysis.mediation.prepared`.
    experiment : Experiment
        Whose labels are printed.
    column : str
        The cost, of its runs.
    digits : int
        Decimals of what a kilobyte costs.
    """
    label, rows = labels(experiment), {}
    for pair in pairs(recorded):
        part = at(recorded.runs, pair)
        part = part[part[column] > 0]
        row = {"All lengths": exponents(part, BYTES, column)}
        between: Any = local_exponents(part, BYTES, column, BYTES)
        row |= {f"{_label(label, low)} to {_label(label, high)}": between[low, high] for low, high in between}
        shown = {name: _interval(values) for name, values in row.items()}
        shown["Each further KB"] = _interval(a_kilobyte(part, column), digits)
        rows[label(ROUTE, pair[ROUTE]), label(PROXY, pair[PROXY])] = shown
    return indexed(rows, ROWS)


def _label(label: Callable[[str, Hashable], str], level: int) -> str:
    return label(LENGTH, str(level))


def _interval(values: pd.Series, digits: int = 2) -> str:
    found = over_units(values)
    return interval_text(found.estimate, found.low, found.high, digits)


def a_kilobyte(part: pd.DataFrame, column: str) -> pd.Series:
    """Return by block what each further kilobyte adds to a cost, from the shortest to the longest message.

    In the column's unit; missing for blocks that lack one of the two.
    """
    costs: Any = part.pivot(index="block", columns=BYTES, values=column)
    if costs.shape[1] < 2:
        return pd.Series(np.nan, costs.index)
    low, high = costs.columns.min(), costs.columns.max()
    return KILOBYTE * (costs[high] - costs[low]) / (high - low)


def last_exponent(recorded: Recording, route: str, proxy: str, column: str) -> pd.Series:
    """Return by block the exponent of a cost between the two longest messages; empty where one is lacking."""
    part = at(recorded.runs, {ROUTE: route, PROXY: proxy})
    longest = [int(level) for level in measured_lengths(recorded)[-2:]]
    return exponents(part[part[BYTES].isin(longest) & (part[column] > 0)], BYTES, column)
