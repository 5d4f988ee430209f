"""The live broker beside its model: in the shape of Table 1, and the study's findings on the server."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from perfstudies.experiment import Finding
from perfstudies.models.pool_trace import COLUMNS
from perfstudies.report.settings import margin
from perfstudies.report.tables import interval_text
from perfstudies.stats.growth import over_units
from perfstudies.studies.corba.analysis.table import NAMES, Series, ordered, simulated
from perfstudies.studies.corba.declared import LOOKS
from perfstudies.studies.corba.findings import SERVER
from perfstudies.studies.corba.live import CALIBRATED, Demands
from perfstudies.studies.corba.model import published

FEW, PEAK, MANY = 1, 4, 25
"""Sizes of the pool that findings compare."""


def demands_table(needs: Demands) -> pd.DataFrame:
    """Return the measured demands as they are printed."""
    rows = {
        "Receiver, processor time": f"{needs.receiver_ms:.3f} ms",
        "of it before the hand-over": f"{100 * needs.first_share:.0f} %",
        "Controller, processor time": f"{needs.controller_ms:.3f} ms",
        "Dispatcher, processor time": f"{needs.dispatcher_ms:.3f} ms",
        "From the client to the receiver": f"{needs.entry_ms:.3f} ms",
        "Until a woken thread runs": f"{needs.switch_ms:.3f} ms",
    }
    return pd.DataFrame({"A request": rows}).rename_axis("Measured")


def beside_table(measured: pd.DataFrame, predicted: pd.DataFrame, columns: tuple[str, ...]) -> pd.DataFrame:
    """Return quantities of Table 1, measured and predicted, as means over blocks with 95 % margins in ms.

    The study's measured values stand before them: another machine, of another time.
    """
    shown = {}
    for column in columns:
        name, sizes = NAMES[column], sorted(measured["dispatchers"].unique())
        shown[name, "Study"] = published()[column].reindex(sizes)
        for label, runs in (("Measured", measured), ("Predicted", predicted)):
            by_size = runs.groupby("dispatchers")[column]
            shown[name, label] = pd.Series({size: margin(values, 2) for size, values in by_size})
    frame = pd.DataFrame(shown)
    marks = [f"{size} (calibrated)" if str(size) in CALIBRATED else f"{size}" for size in frame.index]
    return frame.set_axis(marks).rename_axis("Dispatcher threads")


def drawn(measured: pd.DataFrame, predicted: pd.DataFrame, columns: tuple[str, ...]) -> Series:
    """Return what `perfstudies.studies.corba.analysis.table.pool_figure` draws of both."""
    return ordered(simulated(measured, columns, "measured") | simulated(predicted, columns, "predicted"))


def errors(measured: pd.DataFrame, predicted: pd.DataFrame) -> pd.DataFrame:
    """Return predicted less measured in ms, a row a run of a size that was not calibrated on, by dispatchers and block.

    Both of a pair have the same arrivals.
    """
    index = ["dispatchers", "block"]
    columns = [*COLUMNS, "response_ms"]
    gaps = predicted.set_index(index)[columns] - measured.set_index(index)[columns]
    return gaps[~gaps.index.get_level_values("dispatchers").isin([int(size) for size in CALIBRATED])]


def errors_table(measured: pd.DataFrame, predictions: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return mean absolute errors of predictions in ms by scheduler: of each block's runs, means over blocks.

    Cells are the predicted sizes; an interval is Student's t over blocks.
    """
    rows = {}
    for name, predicted in predictions.items():
        gaps = errors(measured, predicted).abs()
        by_block = gaps.groupby("block").mean()
        cells = {NAMES[column]: by_block[column] for column in COLUMNS}
        cells |= {"All four": by_block[list(COLUMNS)].mean(axis=1), "Response time": by_block["response_ms"]}
        ends = {label: over_units(values) for label, values in cells.items()}
        rows[name] = {label: interval_text(one.estimate, one.low, one.high, 3) for label, one in ends.items()}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Scheduler of the model")


def response_table(measured: pd.DataFrame, predictions: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return mean response times in ms, measured and by each scheduler, with 95 % margins over blocks."""
    shown = {
        name: {size: margin(values, 2) for size, values in runs.groupby("dispatchers")["response_ms"]}
        for name, runs in {"Measured": measured, **predictions}.items()
    }
    return pd.DataFrame(shown).rename_axis("Dispatcher threads")


def looks_table(runs: Mapping[str, Mapping[str, pd.DataFrame]]) -> pd.DataFrame:
    """Return all quantities in ms by how often the target looks at its processor time, size of the pool and source.

    Parameters
    ----------
    runs : mapping
        For each level of ``looks`` that was measured, frames as of `perfstudies.studies.corba.live.measured` by source.
    """
    shown = {}
    for level, by_source in runs.items():
        sizes = sorted({size for frame in by_source.values() for size in frame["dispatchers"]})
        for size in sizes:
            for source, frame in by_source.items():
                chosen = frame[frame["dispatchers"] == size]
                shown[LOOKS.factors[0].label(level), size, source] = {
                    name: margin(chosen[column], 2) for column, name in {**NAMES, "response_ms": "Response"}.items()
                }
    names = ["Looks at its processor time", "Dispatchers", "Source"]
    return pd.DataFrame.from_dict(shown, orient="index").rename_axis(names)


def effects_table(runs: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the findings' statistics by how often the target looks at its processor time, with 95 % intervals."""
    shown: dict = {}
    for level, measured in runs.items():
        for finding, values, scale in cases(measured):
            one = over_units(np.log(values) if scale == "log" else values)
            found, unit = (one.exp(), "") if scale == "log" else (one, " ms")
            row = shown.setdefault(f"{finding.id}: {finding.claim}", {"Study": finding.published})
            row[LOOKS.factors[0].label(level)] = interval_text(found.estimate, found.low, found.high) + unit
    return pd.DataFrame.from_dict(shown, orient="index").rename_axis("Finding")


def cases(measured: pd.DataFrame) -> list[tuple[Finding, pd.Series, str]]:
    """Return the findings on the server, each with a value a block, for `perfstudies.stats.verdicts.judge`."""
    wide = {
        column: measured.pivot(index="block", columns="dispatchers", values=column).reindex(columns=[FEW, PEAK, MANY])
        for column in (*COLUMNS, "response_ms")
    }
    ends = wide["dispatcher_ms"][[FEW, MANY]].max(axis=1, skipna=False)
    values = {
        "C1": wide["response_ms"][MANY] / wide["response_ms"][FEW],
        "C2-receiver": wide["receiver_queue_ms"][MANY] - wide["receiver_queue_ms"][FEW],
        "C2-dispatcher": wide["dispatcher_queue_ms"][MANY] - wide["dispatcher_queue_ms"][FEW],
        "C3-receiver": wide["receiver_ms"][MANY] - wide["receiver_ms"][FEW],
        "C3-peak": wide["dispatcher_ms"][PEAK] / ends,
    }
    return [(one, values[one.id].dropna(), "log" if one.unit == "ratio" else "identity") for one in SERVER]
