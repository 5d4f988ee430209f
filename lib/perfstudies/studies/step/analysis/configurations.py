"""All configurations of a study's experiments, as tables and as a graph, to check them by eye.

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
from perfstudies.paths import RAW
from perfstudies.runs import store
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


def loads(experiment: Experiment) -> list[str]:
    """Return the loads that an experiment's settings send, each once, in their order."""
    return _each(_load(experiment, setting) for setting in experiment.settings())


def monitors(experiment: Experiment) -> list[str]:
    """Return the monitors that watch an experiment's settings, each once, in their order."""
    return _each(_monitor(experiment, setting) for setting in experiment.settings())


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


def recorded_settings(experiment: Experiment, source: str) -> list[dict[str, str]]:
    """Return the setting of each finished run of an experiment; `source` is reference or live."""
    runs = store.runs(RAW / source / experiment.study / experiment.name)
    return [run.manifest["setting"] for run in runs if run.manifest["status"] == store.FINISHED]


def overview(experiments: Sequence[Experiment], source: str, profile: str) -> pd.DataFrame:
    """Return a row an experiment: what it varies and sends, how much a profile measures, and the finished runs.

    Runs of settings that are no longer declared are counted apart.
    """
    rows = {}
    for one in experiments:
        settings, found = one.settings(), recorded_settings(one, source)
        size = one.size(profile)
        declared = sum(setting in settings for setting in found)
        rows[one.name] = {
            "Settings": len(settings),
            "Factors": " × ".join(f"{factor.name} ({len(factor.levels)})" for factor in one.factors),
            "Blocks": size.blocks,
            "Sessions": size.sessions,
            "Runs": declared,
            "Other runs": len(found) - declared,
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Experiment")


def settings_table(experiment: Experiment, source: str) -> pd.DataFrame:
    """Return a row a setting: its levels as printed, load, monitor, what else it sets, and its finished runs."""
    found = recorded_settings(experiment, source)
    rows, index = [], []
    for setting in experiment.settings():
        others = {
            name: value
            for name, value in experiment.properties(setting).items()
            if name not in ("load", "monitor") and setting.get(name) != value
        }
        rows.append(
            {
                "Load": _load(experiment, setting),
                "Monitor": _monitor(experiment, setting),
                "Further properties": ", ".join(f"{name} = {value}" for name, value in others.items()) or None,
                "Runs": found.count(setting),
            }
        )
        index.append(tuple(factor.label(setting[factor.name]) for factor in experiment.factors))
    names = [factor.name for factor in experiment.factors]
    whole = pd.MultiIndex.from_tuples(index, names=names)
    return pd.DataFrame(rows, whole if len(names) > 1 else whole.get_level_values(0))


def conduct(experiment: Experiment, profile: str) -> str:
    """Say how an experiment's runs go and how much a profile measures."""
    size = experiment.size(profile)
    process = "the runs of a block share a server process" if experiment.shared_process else "a server process each run"
    warm_up = f" after {size.warm_up_sessions} of warm-up" if size.warm_up_sessions else ""
    fewer = _fewer("sessions", size.sessions_at) + _fewer("requests", size.requests_at)
    sent = f"{size.blocks} blocks, {size.sessions} sessions{warm_up}{'; '.join(['', *fewer])}"
    return f"Procedure {experiment.procedure}; {process}. Profile {profile}: {sent}."


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


def _fewer(what: str, at: Mapping[str, int]) -> list[str]:
    """Say at which levels fewer are sent, those with one number together."""
    counts = _each(at.values())
    return [f"{what} at {', '.join(level for level in at if at[level] == count)}: {count}" for count in counts]


def _load(experiment: Experiment, setting: Mapping[str, str]) -> str:
    return experiment.properties(setting).get("load", experiment.load)


def _monitor(experiment: Experiment, setting: Mapping[str, str]) -> str:
    return experiment.properties(setting).get("monitor", DEFAULTS["monitor"])


def _each(items: Iterable) -> list:
    return list(dict.fromkeys(items))


def _quoted(*parts: str) -> str:
    text = " ".join(parts).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
