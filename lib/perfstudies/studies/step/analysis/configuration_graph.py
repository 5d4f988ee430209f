"""Drawings of `configurations`: boxes in columns, placed by arithmetic alone, so always alike."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.path import Path

from perfstudies.experiment import Experiment
from perfstudies.report.figures import COLOURS, WIDTH_INCH, style
from perfstudies.studies.step.analysis.configurations import loads, monitors

LINE_INCH, GAP_INCH, CHARACTER_INCH = 0.155, 0.11, 0.072
FACES = {
    "study": "0.88", "experiment": "0.88", "factor": "#dcecf7", "level": "white", "property": "#f4f4f4",
    "load": "#fdf0d9", "monitor": "#dff3ea",
}  # fmt: skip


@dataclass
class Box:
    """A node on the page, in inches: left edge, width, middle, and its lines of text."""

    kind: str
    x: float
    width: float
    text: str
    y: float = 0.0

    @property
    def lines(self) -> list[str]:
        """The text, broken to fit the width."""
        fits = max(int((self.width - 0.12) / CHARACTER_INCH), 8)
        return [piece for line in self.text.split("\n") for piece in textwrap.wrap(line, fits) or [""]]

    @property
    def height(self) -> float:
        """How high the box is."""
        return LINE_INCH * len(self.lines) + 0.09


def experiment_graph(experiment: Experiment) -> Figure:
    """Draw one experiment as a tree: its factors, their levels, what each level sets, and what every run shares."""
    columns = [(0.0, 1.25), (1.45, 1.5), (3.15, 1.7), (5.05, WIDTH_INCH - 5.05)]
    boxes, links, top = [], [], 0.0

    def row(group: Box, text: str, kind: str, sets: str) -> Box:
        """Add a level and what it sets below what is there."""
        nonlocal top
        level = Box(kind, *columns[2], text)
        parts = [level, *([Box("property", *columns[3], sets)] if sets else [])]
        height = max(part.height for part in parts)
        for part in parts:
            part.y = top + height / 2
        top += height + GAP_INCH
        boxes.extend(parts)
        links.extend([(group, level), *((level, part) for part in parts[1:])])
        return level

    groups = []
    for factor in experiment.factors:
        group = Box("factor", *columns[1], factor.name)
        levels = [
            row(group, label, "level", "\n".join(f"{name} = {value}" for name, value in factor.sets(level).items()))
            for level, label in zip(factor.levels, factor.labels, strict=True)
        ]
        groups.append((group, levels))
    varied = {name for factor in experiment.factors for level in factor.levels for name in factor.sets(level)}
    shared = [("load", f"load {experiment.load}")] if experiment.load in loads(experiment) else []
    if "monitor" not in varied:
        shared += [("monitor", f"monitor {monitors(experiment)[0]}")]
    shared += [("property", f"{name} = {value}") for name, value in experiment.fixed.items() if name != "monitor"]
    group = Box("factor", *columns[1], "unless a level says otherwise")
    groups.append((group, [row(group, text, kind, "") for kind, text in shared]))
    for group, levels in groups:
        group.y = mean(level.y for level in levels)
    root = Box("experiment", *columns[0], experiment.name, mean(group.y for group, _ in groups))
    boxes += [root, *(group for group, _ in groups)]
    links += [(root, group) for group, _ in groups]
    return _draw(boxes, links, top)


def overview_graph(experiments: Sequence[Experiment]) -> Figure:
    """Draw all experiments in the middle, loads and monitors on their left, factors with their levels on the right."""
    left, middle, right = (0.0, 1.5), (2.55, 1.6), (4.75, WIDTH_INCH - 4.75)
    top, boxes, links = 0.6, [], []
    centres: list = []
    used: dict = {}
    for one in experiments:
        box = Box("experiment", *middle, one.name)
        factors = [Box("factor", *right, f"{factor.name}: {'; '.join(factor.labels)}") for factor in one.factors]
        height = max(sum(f.height for f in factors) + GAP_INCH * (len(factors) - 1), box.height)
        box.y, at = top + height / 2, top
        for factor in factors:
            factor.y = at + factor.height / 2
            at += factor.height + GAP_INCH
        top += height + 1.6 * GAP_INCH
        boxes += [box, *factors]
        links += [(box, factor) for factor in factors]
        centres.append(box)
        for kind, names in (("load", loads(one)), ("monitor", monitors(one))):
            for name in names:
                used.setdefault((kind, name), []).append(box)
    # What few experiments use stands near them; the middle of its users orders the column.
    shared = sorted(used, key=lambda node: (mean(user.y for user in used[node]), node))
    step = (top - 0.6) / len(shared)
    for place, (kind, name) in enumerate(shared):
        box = Box(kind, *left, f"{kind} {name}", 0.6 + step * (place + 0.5))
        boxes.append(box)
        links += [(box, user) for user in used[kind, name]]
    study = Box("study", *middle, f"study {experiments[0].study}", 0.2)
    boxes.append(study)
    return _draw(boxes, links, top, trunk=(study, centres))


def _draw(boxes: Sequence[Box], links: Sequence[tuple[Box, Box]], height: float, trunk: Any = None) -> Figure:
    with style():
        figure = Figure(figsize=(WIDTH_INCH, height + 0.1), layout="constrained")
        axes = figure.subplots()
        axes.set(xlim=(-0.05, WIDTH_INCH + 0.05), ylim=(height + 0.05, -0.05))
        axes.axis("off")
        for start, end in links:
            colour = COLOURS[("load", "monitor").index(start.kind) + 1] if start.kind in ("load", "monitor") else "0.55"
            _link(axes, (start.x + start.width, start.y), (end.x, end.y), colour)
        if trunk:
            _trunk(axes, *trunk)
        for box in boxes:
            corner = (box.x, box.y - box.height / 2)
            shape = "round,pad=0,rounding_size=0.06" if box.kind == "factor" else "square,pad=0"
            heavy = 1.2 if box.kind in ("study", "experiment") else 0.7
            axes.add_patch(
                FancyBboxPatch(corner, box.width, box.height, boxstyle=shape, fc=FACES[box.kind], ec="0.35", lw=heavy)
            )
            axes.text(
                box.x + box.width / 2,
                box.y,
                "\n".join(box.lines),
                ha="center",
                va="center",
                fontsize=8,
                linespacing=1.15,
            )
    return figure


def _link(axes: Axes, start: tuple[float, float], end: tuple[float, float], colour: Any) -> None:
    """Draw a line that leaves and arrives level."""
    middle = (start[0] + end[0]) / 2
    points = [start, (middle, start[1]), (middle, end[1]), end]
    axes.add_patch(PathPatch(Path(points, [1, 4, 4, 4]), fc="none", ec=colour, lw=0.9, zorder=0))


def _trunk(axes: Axes, study: Box, experiments: Sequence[Box]) -> None:
    """Join the study with the experiments below it, past their right edges."""
    edge = study.x + study.width
    beside = edge + 0.1
    axes.plot([edge, beside, beside], [study.y, study.y, experiments[-1].y], color="0.35", lw=1.2, zorder=0)
    for one in experiments:
        axes.plot([edge, beside], [one.y, one.y], color="0.35", lw=1.2, zorder=0)
