"""All configurations of a study's experiments as a graph, to check them by eye.

The STEP study drew such graphs with Graphviz (its section 3.10). Here they are made from the declarations, from which
the lab plans its runs: what a graph lacks is not measured. `configuration_graph` draws
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import pandas as pd

from perfstudies.experiment import Experiment
from perfstudies.studies.step.settings import DEFAULTS

SHAPES = {
    "study": "box",
    "experiment": "box",
    "factor": "ellipse",
    "level": "plaintext",
    "property": "note",
    "load": "folder",
    "monitor": "component",
}
"""Graphviz' shape of each kind of node."""


@dataclass(frozen=True)
class Edge:
    """One line of the graph: from a node to a node, each with its kind and its text."""

    source: tuple[str, str]
    relation: str
    target: tuple[str, str]


def load_of(experiment: Experiment, setting: Mapping[str, str]) -> str:
    """Return the load that a setting sends: the experiment's own, unless a level says otherwise."""
    return experiment.properties(setting).get("load", experiment.load)


def monitor_of(experiment: Experiment, setting: Mapping[str, str]) -> str:
    """Return the monitor that watches a setting: the service's default, unless a level says otherwise."""
    return experiment.properties(setting).get("monitor", DEFAULTS["monitor"])


def loads(experiment: Experiment) -> list[str]:
    """Return the loads that an experiment's settings send, each once, in their order."""
    return _each(load_of(experiment, setting) for setting in experiment.settings())


def monitors(experiment: Experiment) -> list[str]:
    """Return the monitors that watch an experiment's settings, each once, in their order."""
    return _each(monitor_of(experiment, setting) for setting in experiment.settings())


def edges(experiments: Sequence[Experiment]) -> list[Edge]:
    """Return the graph: study, experiments, loads, monitors, factors, levels, and what a level sets."""
    found = []
    for one in experiments:
        here = ("experiment", one.key)
        found.append(Edge(("study", one.study), "asks", here))
        found += [Edge(here, "sends", ("load", load)) for load in loads(one)]
        found += [Edge(here, "is watched by", ("monitor", monitor)) for monitor in monitors(one)]
        found += [Edge(here, "always sets", ("property", f"{name} = {value}")) for name, value in one.fixed.items()]
        for factor in one.factors:
            varied = ("factor", f"{one.key}: {factor.name}")
            found.append(Edge(here, "varies", varied))
            for level in factor.levels:
                value = ("level", f"{one.key}: {factor.name} = {level}")
                found.append(Edge(varied, "has the level", value))
                sets = [("property", f"{name} = {to}") for name, to in factor.sets(level).items()]
                found += [Edge(value, "sets", property) for property in sets]
    return found


def edges_table(found: Iterable[Edge]) -> pd.DataFrame:
    """Return the graph's edges as a table, a row an edge."""
    rows = [{"From": " ".join(edge.source), "Relation": edge.relation, "To": " ".join(edge.target)} for edge in found]
    return pd.DataFrame(rows).set_index("From")


@dataclass(frozen=True)
class Dot:
    """A graph in Graphviz' language, shown folded away; ``text`` is what its ``dot`` reads."""

    text: str

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        folded = f"<details>\n<summary>The graph for Graphviz</summary>\n<pre>{escape(self.text)}</pre>\n</details>"
        return {"text/html": folded, "text/plain": self.text}


def dot(found: Sequence[Edge]) -> Dot:
    """Return the graph for Graphviz, as the study drew its own; equal graphs give equal texts."""
    nodes = _each(node for edge in found for node in (edge.source, edge.target))
    lines = [f"  {_quoted(*node)} [label={_quoted(node[1])}, shape={SHAPES[node[0]]}];" for node in nodes]
    lines += [
        f"  {_quoted(*edge.source)} -> {_quoted(*edge.target)} [label={_quoted(edge.relation)}];" for edge in found
    ]
    return Dot("\n".join(["digraph configurations {", "  rankdir=LR;", *lines, "}"]))


def describe(experiment: Experiment) -> str:
    """Put an experiment's graph into words."""
    factors = "; ".join(f"{factor.name}: {', '.join(factor.labels)}" for factor in experiment.factors)
    return (
        f"A tree from the experiment {experiment.name} to its factors and their levels, with what each level sets: "
        f"{factors}. "
        f"Load {', '.join(loads(experiment))}; monitor {', '.join(monitors(experiment))}."
    )


def describe_overview(experiments: Sequence[Experiment]) -> str:
    """Put the graph of all experiments into words."""
    parts = [f"{one.name} varies {' and '.join(factor.name for factor in one.factors)}" for one in experiments]
    return (
        f"Experiments in the middle, with lines to the loads and monitors on the left and to their factors on the "
        f"right: {'; '.join(parts)}."
    )


def _each(items: Iterable) -> list:
    return list(dict.fromkeys(items))


def _quoted(*parts: str) -> str:
    text = " ".join(parts).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
