"""The graph of configurations must show what the lab measures, no more and no less."""

import re

import pytest

from perfstudies.experiment import Experiment, Factor, Size
from perfstudies.studies.step import declared as step
from perfstudies.studies.step.analysis import configuration_graph, configurations

MADE = Experiment(
    study="step",
    name="made",
    title="What?",
    system="flight",
    load="SizeMedium",
    factors=(
        Factor(
            "remedy", ("none", "think"), ("None", "Think"), {"none": {}, "think": {"load": "MaxThink500ms", "a": "b"}}
        ),
        Factor("monitor", ("layer", "event"), ("Layer", "Event")),
    ),
    fixed={"users": "8"},
    shared_process=True,
    sizes={
        "quick": Size(
            blocks=2, sessions=3, warm_up_sessions=1, sessions_at={"think": 1, "none": 1}, requests_at={"event": 2}
        )
    },
)


def texts(figure):
    return [text.get_text().replace("\n", " ") for text in figure.axes[0].texts]


def test_edges_lead_from_the_study_to_what_every_level_sets():
    found = {(*edge.source, edge.relation, *edge.target) for edge in configurations.edges([MADE])}
    here = ("experiment", "step/made")
    think = ("level", "step/made: remedy = think")
    assert found == {
        ("study", "step", "asks", *here),
        (*here, "sends", "load", "SizeMedium"),
        (*here, "sends", "load", "MaxThink500ms"),
        (*here, "is watched by", "monitor", "layer"),
        (*here, "is watched by", "monitor", "event"),
        (*here, "always sets", "property", "users = 8"),
        (*here, "varies", "factor", "step/made: remedy"),
        (*here, "varies", "factor", "step/made: monitor"),
        ("factor", "step/made: remedy", "has the level", "level", "step/made: remedy = none"),
        ("factor", "step/made: remedy", "has the level", *think),
        ("factor", "step/made: monitor", "has the level", "level", "step/made: monitor = layer"),
        ("factor", "step/made: monitor", "has the level", "level", "step/made: monitor = event"),
        (*think, "sets", "property", "load = MaxThink500ms"),
        (*think, "sets", "property", "a = b"),
        ("level", "step/made: monitor = layer", "sets", "property", "monitor = layer"),
        ("level", "step/made: monitor = event", "sets", "property", "monitor = event"),
    }


def test_dot_names_every_node_before_its_edges_and_escapes():
    text = configurations.dot(configurations.edges(step.EXPERIMENTS)).text
    named = set(re.findall(r'^  ("(?:[^"\\]|\\.)*") \[label', text, re.M))
    joined = re.findall(r'^  ("(?:[^"\\]|\\.)*") -> ("(?:[^"\\]|\\.)*") \[', text, re.M)
    assert {node for edge in joined for node in edge} == named
    assert len(joined) == len(configurations.edges(step.EXPERIMENTS))
    quoted = configurations.Edge(("study", 'a"b'), "asks", ("load", "c\\d"))
    assert '"study a\\"b" -> "load c\\\\d"' in configurations.dot([quoted]).text


def test_dot_is_folded_away_and_escaped():
    shown = configurations.dot([configurations.Edge(("study", "<b>"), "asks", ("load", "x"))])._repr_mimebundle_()
    assert "<details>" in shown["text/html"] and "<b>" not in shown["text/html"]
    assert shown["text/plain"].startswith("digraph")


def test_a_level_says_otherwise_than_the_experiment_or_the_service():
    settings = MADE.settings()
    assert [configurations.load_of(MADE, one) for one in settings] == ["SizeMedium"] * 2 + ["MaxThink500ms"] * 2
    assert [configurations.monitor_of(MADE, one) for one in settings] == ["layer", "event"] * 2
    assert configurations.monitor_of(step.HEAP_LIMIT, {"generation": "2009", "heap_mb": "64"}) == "layer"


def test_an_experiment_s_drawing_names_every_level_and_what_all_runs_share():
    drawn = texts(configuration_graph.experiment_graph(MADE))
    assert {"made", "remedy", "monitor", "None", "Think", "Layer", "Event", "users = 8", "load SizeMedium"} <= set(
        drawn
    )
    assert "load = MaxThink500ms a = b" in drawn
    assert "monitor layer" not in drawn  # it is varied, so it is no default of all runs


@pytest.mark.parametrize("experiment", step.EXPERIMENTS, ids=lambda one: one.name)
def test_no_two_boxes_of_a_drawing_overlap(experiment):
    check_boxes(configuration_graph.experiment_graph(experiment))
    described = configurations.describe(experiment)
    assert all(label in described for factor in experiment.factors for label in factor.labels)


def test_the_overview_names_every_experiment_and_draws_no_box_over_another():
    figure = configuration_graph.overview_graph(step.EXPERIMENTS)
    drawn = texts(figure)
    assert {one.name for one in step.EXPERIMENTS} <= set(drawn)
    assert "monitor layer" in drawn and "study step" in drawn
    check_boxes(figure)


def check_boxes(figure):
    boxes = [patch.get_bbox() for patch in figure.axes[0].patches if hasattr(patch, "get_boxstyle")]
    assert len(boxes) > 2
    for place, one in enumerate(boxes):
        assert -0.01 <= one.x0 and one.x1 <= configuration_graph.WIDTH_INCH + 0.01
        for other in boxes[place + 1 :]:
            assert one.x1 <= other.x0 or other.x1 <= one.x0 or one.y1 <= other.y0 or other.y1 <= one.y0
