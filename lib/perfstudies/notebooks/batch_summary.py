"""A batch's points compared: what ran, each result at each point, and the verdicts that depend on the point."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import matplotlib.ticker
import numpy as np
import pandas as pd
import seaborn
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from perfstudies import paths
from perfstudies.errors import BadRecording
from perfstudies.notebooks import combined
from perfstudies.notebooks.kept import FINISHED
from perfstudies.report.figures import COLOURS, WIDTH_INCH, style
from perfstudies.report.tables import Table, interval_text, table
from perfstudies.runs import declarations
from perfstudies.studies import STUDIES

PANELS_WIDE, PANEL_INCH, LABEL, TITLE = 3, 2.1, 16, 34
MOST_PANELS = 24
"""As many results as a figure shows; the table has all."""


@dataclass(frozen=True)
class Batch:
    """A batch that was run.

    Attributes
    ----------
    where : str
        Where it is kept, in words.
    results : DataFrame
        Its combined table (`perfstudies.notebooks.combined`) with two more columns: ``point``, what tells a row's point
        from others, and ``result``, what its result is called.
    points : list of dict
        The points' records.
    """

    where: str
    results: pd.DataFrame
    points: list[dict]

    @property
    def order(self) -> list[str]:
        """The points in their order."""
        return list(dict.fromkeys(self.results["point"]))

    @property
    def claims(self) -> dict[str, str]:
        """What findings of the studies' notebooks claim, by their id."""
        studies = {str(name).partition("/")[0] for name in self.results["notebook"]}
        return {one.id: one.claim for study in STUDIES if study in studies for one in declarations.findings(study)}


def load(batch: str, source: str) -> Batch:
    """Read a batch by its name or path.

    Raises
    ------
    BadRecording
        If there is none, or it has no result.
    """
    folder = combined.place(batch, source)
    results, points = combined.read(folder)
    if results.empty:
        raise BadRecording(f"{folder}: no notebook of the batch gave a result or a verdict")
    names = combined.parameters(results)
    several = results["notebook"].nunique() > 1
    where = folder.resolve()
    where = where.relative_to(paths.ROOT) if where.is_relative_to(paths.ROOT) else where
    parts = [*(["notebook"] if several else []), *names]
    point = results[parts].agg(", ".join, axis=1) if parts else results["notebook"]
    setting = results["setting"].where(results["setting"] == "", " at " + results["setting"])
    return Batch(where.as_posix(), results.assign(point=point, result=results["name"] + setting), points)


def points_table(batch: Batch) -> Table:
    """Show the points with what became of each."""
    rows = [
        {
            "Notebook": one.get("notebook", one["point"]),
            **{name: combined.word(value) for name, value in one.get("varied", {}).items()},
            "Ended": "finished" if one.get("status") == FINISHED else one.get("error") or "not yet",
        }
        for one in batch.points
    ]
    frame = pd.DataFrame(rows, index=pd.Index(range(1, len(rows) + 1), name="Point"))
    return table(frame, "The points of the batch", note=f"From {batch.where}.")


def values_table(batch: Batch) -> Table:
    """Show every result at every point with its interval."""
    texts: list[Any] = [_text(row) for row in batch.results.to_dict("records")]
    shown = batch.results.assign(text=texts)
    units = _first(batch, "unit")
    frame = shown.pivot(index="result", columns="point", values="text").reindex(index=units.index, columns=batch.order)
    frame.insert(0, "Unit", units)
    return table(
        frame.rename_axis(index="Result", columns=None),
        "Results by point",
        align=dict.fromkeys(batch.order, "right"),
        note="With the intervals that the notebooks give.",
    )


def verdicts_table(batch: Batch) -> Table:
    """Show the verdicts of findings on which points differ, and count the others."""
    judged = batch.results[batch.results["outcome"] != ""]
    wide = judged.pivot(index="result", columns="point", values="outcome").reindex(columns=batch.order)
    wide = wide.reindex(list(dict.fromkeys(judged["result"])))
    differ = wide[wide.nunique(axis=1) > 1]
    same = len(wide) - len(differ)
    shown = differ if len(differ) else pd.DataFrame(index=pd.Index(["none"]), columns=batch.order)
    claims = batch.claims
    if claims.keys() & {*shown.index}:
        shown = shown.assign(Claim=[claims.get(name, "") for name in shown.index])[["Claim", *batch.order]]
    return table(
        shown.rename_axis(index="Finding", columns=None),
        "Verdicts that differ between points",
        note=f"{same} of {len(wide)} findings have the same verdict at all points that judge them.",
    )


def drawn(batch: Batch) -> pd.DataFrame:
    """Return what `chart` draws: value, low and high by result and point; those results that have a value anywhere."""
    kept = batch.results.groupby("result", sort=False)["value"].transform("count") > 0
    names = list(dict.fromkeys(batch.results.loc[kept, "result"]))[:MOST_PANELS]
    rows = batch.results[batch.results["result"].isin(names)]
    rows = rows.sort_values("result", key=lambda found: found.map(names.index), kind="stable")
    return rows.set_index(["result", "point"])[["value", "low", "high"]]


def chart(batch: Batch) -> Figure:
    """Draw each result in a panel of its own, a point with its interval for each point of the batch."""
    frame, units, claims = drawn(batch), _first(batch, "unit"), batch.claims
    names = list(dict.fromkeys(frame.index.get_level_values("result")))
    wide = min(PANELS_WIDE, len(names))
    high = math.ceil(len(names) / wide)
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 0.4 + PANEL_INCH * high), layout="constrained")
        panels = figure.subplots(high, wide, squeeze=False).ravel()
        for axes, name in zip(panels, names, strict=False):
            title = f"{name} ({units[name]})" if units[name] else name
            title = f"{title}: {claims[name]}" if name in claims else title
            _panel(axes, frame.loc[name].reindex(batch.order), textwrap.fill(title, TITLE))
        for axes in panels[len(names) :]:
            axes.set_axis_off()
    return figure


def describe(batch: Batch) -> str:
    """Say in words what `chart` shows: for each result the lowest and the highest of the points' values."""
    frame, units = drawn(batch), _first(batch, "unit")
    by_result = frame.groupby("result", sort=False)["value"]
    spans = [
        f"{name}: {row['min']:.3g} to {row['max']:.3g} {units[str(name)]}".rstrip()
        for name, row in by_result.agg(["min", "max"]).iterrows()
    ]
    return (
        f"{len(spans)} panels, one a result, each with {len(batch.order)} points. "
        f"From the lowest to the highest value: {'; '.join(spans)}."
    )


def _panel(axes: Axes, frame: pd.DataFrame, title: str) -> None:
    value = frame["value"].to_numpy(float)
    sides = np.vstack([value - frame["low"].to_numpy(float), frame["high"].to_numpy(float) - value])
    at = np.arange(len(value))
    known = np.isfinite(sides).all(axis=0)
    axes.errorbar(at[known], value[known], yerr=sides[:, known].clip(0), fmt="none", ecolor=COLOURS[0], capsize=3)
    axes.plot(at, value, "o", color=COLOURS[0], markersize=5)
    axes.set_title(title, fontsize=8)
    axes.set_xticks(at, ["\n".join(map(_short, name.split(", "))) for name in frame.index], fontsize=7.5)
    axes.set_xlim(-0.5, len(value) - 0.5)
    axes.yaxis.set_major_locator(matplotlib.ticker.MaxNLocator(4))
    axes.grid(axis="x", visible=False)
    axes.margins(y=0.15)
    seaborn.despine(ax=axes)


def _short(name: str) -> str:
    return name if len(name) <= LABEL else name[: LABEL - 1] + "…"


def _first(batch: Batch, column: str) -> pd.Series:
    return batch.results.groupby("result", sort=False)[column].first()


def _text(row: Mapping[Hashable, Any]) -> str | None:
    value, low, high = row["value"], row["low"], row["high"]
    if pd.isna(value):
        return None
    size = math.floor(math.log10(abs(value))) if value else 0
    digits = min(max(2 - size, 0), 4)
    if pd.isna(low) or pd.isna(high):
        return f"{value:,.{digits}f}"
    return interval_text(value, low, high, digits=digits)
