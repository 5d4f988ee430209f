"""What removes the STEP study's stale objects, at what cost; and the findings on concurrent users."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.experiment import Finding
from perfstudies.report.figures import COLOURS, WIDTH_INCH, style
from perfstudies.report.settings import margin, ratio_columns
from perfstudies.report.tables import interval_text
from perfstudies.stats.clusters import clustered_share
from perfstudies.stats.growth import over_units
from perfstudies.stats.intervals import mean_interval
from perfstudies.stats.planned import planned_ratios
from perfstudies.studies.step.analysis.users import IN_STUDY
from perfstudies.studies.step.analysis.users import LEVEL as USER_LEVEL
from perfstudies.studies.step.declared import REMEDIES
from perfstudies.studies.step.findings import USER_FINDINGS

LEVEL = REMEDIES.name
NONE = "none"
_MARKERS = "os^Dv<>P"


def remedies_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what each remedy comes to, with 95 % intervals over runs; a row a remedy.

    Parameters
    ----------
    runs : DataFrame
        From `perfstudies.studies.step.analysis.users.run_table`.
    """
    rows = {}
    for remedy, part in runs.groupby(LEVEL, observed=True):
        errors = clustered_share(part["errors"], part["requests"]).clustered
        rows[REMEDIES.label(remedy)] = {
            "Runs": len(part),
            "Errors (%)": interval_text(100 * errors.estimate, 100 * errors.low, 100 * errors.high),
            "Request time (ms)": margin(part["request_ms"]),
            "Successful requests/s": margin(part["ok_per_s"]),
            "Stale objects a request": margin(part["optimistic_failures"] / part["requests"]),
            "Retries a request": margin(part["retries"] / part["requests"]),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Remedy")


def against_none(runs: pd.DataFrame) -> pd.DataFrame:
    """Return each remedy against none within blocks: errors in points, time and successful requests as ratios.

    Intervals of a column hold together at 95 % (Bonferroni).
    """
    wide = {
        column: runs.pivot(index="block", columns=LEVEL, values=column)
        for column in ("error_share", "request_ms", "ok_per_s")
    }
    present = [level for level in wide["error_share"].columns if level != NONE]
    if NONE not in wide["error_share"] or not present:
        return pd.DataFrame({"Errors, difference (points)": []}, index=pd.Index([], name="Remedy"))
    confidence = 1 - 0.05 / len(present)
    differences = {}
    for level in present:
        found = over_units(wide["error_share"][level] - wide["error_share"][NONE], confidence)
        differences[level] = interval_text(found.estimate, found.low, found.high)
    table = pd.DataFrame({"Errors, difference (points)": differences})
    for column, name in (("request_ms", "Time, ratio"), ("ok_per_s", "Successful requests/s, ratio")):
        pairs = {level: _pair(wide[column], level) for level in present}
        pairs = {level: pair for level, pair in pairs.items() if len(pair[0])}
        table = table.join(ratio_columns(planned_ratios(pairs), name))
    return table.set_axis(pd.Index([REMEDIES.label(level) for level in table.index], name="Remedy"))


def _pair(wide: pd.DataFrame, level: str) -> tuple[pd.Series, pd.Series]:
    both = wide[[level, NONE]].dropna()
    both = both[(both > 0).all(axis=1)]
    return both[level], both[NONE]


def points(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what `remedies_figure` draws: errors (%) and successful requests a second with 95 % intervals."""
    rows = {}
    for remedy, part in runs.groupby(LEVEL, observed=True):
        errors, served = clustered_share(part["errors"], part["requests"]).clustered, mean_interval(part["ok_per_s"])
        rows[REMEDIES.label(remedy)] = {
            "errors": 100 * errors.estimate, "errors low": 100 * errors.low, "errors high": 100 * errors.high,
            "successful": served.estimate, "successful low": served.low, "successful high": served.high,
        }  # fmt: skip
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Remedy")


def remedies_figure(drawn: pd.DataFrame) -> Figure:
    """Draw errors against successful requests a second: the best place is at the bottom on the right."""
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 4.2), layout="constrained")
        axes = figure.subplots()
        for place, (remedy, row) in enumerate(drawn.iterrows()):
            ends = {
                name: np.clip([[row[name] - row[f"{name} low"]], [row[f"{name} high"] - row[name]]], 0, None)
                for name in ("errors", "successful")
            }
            axes.errorbar(
                row["successful"], row["errors"], xerr=ends["successful"], yerr=ends["errors"],
                fmt=_MARKERS[place % len(_MARKERS)], color=COLOURS[place % len(COLOURS)], ecolor="0.3", capsize=3, ms=7,
                mfc="white" if place == 0 else None, label=remedy,
            )  # fmt: skip
        axes.set(xlabel="Successful requests/s", ylabel="Requests that end with an error (%)")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=min(-1.0, -0.02 * drawn["errors"].max()))
        figure.legend(loc="outside upper center", ncols=3)
    return figure


def describe(drawn: pd.DataFrame) -> str:
    """Put `remedies_figure` into words: errors and successful requests of each remedy."""
    parts = [f"{name}: {row['errors']:.1f} % and {row['successful']:.1f}/s" for name, row in drawn.iterrows()]
    return f"Points of the share of errors over successful requests a second, one a remedy: {', '.join(parts)}."


def cases(
    users: pd.DataFrame, exceptions: pd.DataFrame, remedies: pd.DataFrame
) -> Iterable[tuple[Finding, pd.Series, str]]:
    """Pair each finding on concurrent users with its statistic's values, one a block, and the scale of its test.

    Findings on settings that were not measured have no value.

    Parameters
    ----------
    users, remedies : DataFrame
        From `perfstudies.studies.step.analysis.users.run_table`.
    exceptions : DataFrame
        From `perfstudies.studies.step.analysis.errors.with_mistakes`.
    """
    times, errors = (_wide(users, USER_LEVEL, column, IN_STUDY) for column in ("request_ms", "error_share"))
    surplus = _wide(exceptions, USER_LEVEL, "surplus", IN_STUDY)
    sums = exceptions.groupby("block")[["exceptions", "requests"]].sum()
    whole = errors.dropna()
    doublings = np.log2([float(level) for level in IN_STUDY])
    doublings -= doublings.mean()
    counts = users.groupby("block")[["errors", "optimistic_failures"]].sum()
    counts = counts[counts["errors"] > 0]
    stale = 100 * counts["optimistic_failures"].clip(upper=counts["errors"]) / counts["errors"]
    rest = _wide(remedies, LEVEL, "error_share", (NONE, "no-root"))
    values: dict[str, tuple[Any, str]] = {
        "S17": ((times["16"] / times["1"]).dropna(), "log"),
        "S18-same": ((surplus["16"] - surplus["1"]).dropna(), "identity"),
        "S18-level": (100 * sums["exceptions"] / sums["requests"], "identity"),
        "S19-one": (errors["1"].dropna(), "identity"),
        "S19-trend": (whole @ doublings / (doublings @ doublings), "identity"),
        "S19-sixteen": (errors["16"].dropna(), "identity"),
        "S20-stale": (stale, "identity"),
        "S20-root": ((rest["no-root"] - rest[NONE]).dropna(), "identity"),
    }
    for finding in USER_FINDINGS:
        yield finding, *values[finding.id]


def _wide(runs: pd.DataFrame, factor: str, column: str, levels: Iterable[str]) -> pd.DataFrame:
    """Return one value a block (rows) and level (columns), missing where there was no run."""
    wide = runs.pivot(index="block", columns=factor, values=column)
    return pd.DataFrame({level: wide[level] if level in wide else np.nan for level in levels}, index=wide.index)
