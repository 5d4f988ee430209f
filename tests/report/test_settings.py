import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from made.settings import recording
from perfstudies.experiment import Experiment, Factor
from perfstudies.report import points, settings
from perfstudies.stats.interval import ends
from perfstudies.stats.intervals import estimates

EXPERIMENT = Experiment(
    "made", "up", "?", "flight", "none",
    (Factor("size", ("s", "l"), ("Small", "Large")), Factor("colour", ("red", "blue"), ("Red", "Blue"))),
)  # fmt: skip
FACTORS = {"size": "Size", "colour": "Colour"}


def _ms(setting):
    return 100.0 * (2 if setting["size"] == "l" else 1)


def _named(recorded):
    return settings.named(recorded, EXPERIMENT, lambda one: f"{one['colour']} {one['size']}")


def test_settings_are_named_in_the_order_of_declaration_if_they_were_measured():
    whole = _named(recording(EXPERIMENT, _ms, blocks=2))
    assert whole.samples[settings.SETTING].cat.categories.tolist() == ["red s", "blue s", "red l", "blue l"]
    part = _named(recording(EXPERIMENT, lambda one: _ms(one) if one["size"] == "l" else None, blocks=2))
    assert part.runs[settings.SETTING].cat.categories.tolist() == ["red l", "blue l"]
    assert set(part.calls[settings.SETTING]) == {"red l", "blue l"}


def test_the_analysis_of_variance_finds_the_factor_that_matters():
    made = recording(EXPERIMENT, _ms, blocks=10)
    shown = settings.variance_table(settings.run_means(made.samples, FACTORS), FACTORS, "Analysis").frame
    assert shown.index.tolist() == ["Size", "Colour", "block", "Size × Colour", "residual"]
    assert shown.loc["Size", "p"] == "< 0.001"
    assert shown.loc["Size", "Partial ω²"] > 0.99
    assert shown.loc["Colour", "Partial ω²"] < 0.3


@pytest.mark.parametrize(
    ("blocks", "left_out", "why"),
    [
        (1, lambda one: False, "one block has no runs"),
        (3, lambda one: one["size"] == "l" and one["colour"] == "red", "not every combination"),
        (3, lambda one: one != {"size": "l", "colour": "red"}, "no factor was measured at two levels"),
    ],
)
def test_where_variance_cannot_be_analysed_the_table_says_why(blocks, left_out, why):
    made = recording(EXPERIMENT, lambda one: None if left_out(one) else _ms(one), blocks=blocks)
    shown = settings.variance_table(settings.run_means(made.samples, FACTORS), FACTORS, "Analysis")
    assert why in shown.note


def test_a_first_deployment_that_is_slow_is_seen_whatever_its_setting():
    made = recording(EXPERIMENT, _ms, blocks=8)
    runs = made.runs.copy()
    rng = np.random.default_rng(4)
    runs["deployment"] = np.concatenate([rng.permutation(4) + 1 for _ in range(8)])
    first = set(runs.loc[runs["deployment"] == 1, "run"])
    means = settings.run_means(made.samples, FACTORS)
    means.loc[means["run"].isin(first), "request_ms"] *= 1.5
    table = settings.along_process(means, runs, FACTORS)
    ratios = ends(table["Time as a ratio to the expected"])["estimate"]
    assert ratios["First of the process"] > 1.2
    assert ratios["Second half"] < 1
    assert table["Runs"].tolist() == [8, 8, 16]


def test_an_even_process_shows_nothing():
    made = recording(EXPERIMENT, _ms, blocks=8)
    table = settings.along_process(settings.run_means(made.samples, FACTORS), made.runs, FACTORS)
    ratios = ends(table["Time as a ratio to the expected"])["estimate"]
    assert ratios.to_numpy() == pytest.approx(np.ones(3), abs=0.01)


def test_points_are_drawn_in_the_order_of_categories_with_the_first_series_hollow():
    made = recording(EXPERIMENT, _ms, blocks=4)
    means = settings.run_means(made.samples, FACTORS)
    series = estimates(means.groupby(["size", "colour"], observed=True)["request_ms"]).unstack()
    drawn = points.points(series, "Size", "Time (ms)", reference=100)
    (axes,) = drawn.axes
    assert [text.get_text() for text in axes.get_xticklabels()] == ["s", "l"]
    assert axes.get_yscale() == "log"
    faces = [line.get_markerfacecolor() for line in axes.lines if line.get_marker() in "Do"]
    assert faces[0] == "white" and faces[1] != "white"
    first = next(line for line in axes.lines if line.get_marker() in "Do")
    assert first.get_ydata()[1] == pytest.approx(400, rel=0.02)


@pytest.mark.parametrize(("names", "rows"), [("abcd", 1), (["WSO2 ESB, more threads, published"] * 4, 2)])
def test_long_names_are_put_below_each_other_and_none_is_cut_off(names, rows):
    means = settings.run_means(recording(EXPERIMENT, _ms, blocks=4).samples, FACTORS)
    times = estimates(means.groupby("size", observed=True)["request_ms"])
    drawn = points.points(pd.DataFrame({f"{name}{at}": times for at, name in enumerate(names)}), "Size", "Time (ms)")
    FigureCanvasAgg(drawn).draw()
    boxes = [text.get_window_extent() for text in drawn.legends[0].get_texts()]
    assert len({round(box.y0) for box in boxes}) == rows
    assert min(box.x0 for box in boxes) > 0 and max(box.x1 for box in boxes) < drawn.bbox.x1
