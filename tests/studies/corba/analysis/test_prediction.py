"""Growth of the load by the live broker's model: what more machine brings is what queueing theory says it must."""

import numpy as np
import pandas as pd
import pytest

from perfstudies.models.schedulers import VirtualDeadlines
from perfstudies.studies.corba import prediction
from perfstudies.studies.corba.analysis import prediction as report
from perfstudies.studies.corba.live import Demands
from perfstudies.studies.corba.prediction import AS_IT_IS, SCENARIOS

NEEDS = Demands(0.2, 0.05, 5.25, 0.75, 0.1, 0.0)
DEADLINES = VirtualDeadlines()


def _capacity(name: str) -> float:
    return prediction.capacity_per_s(SCENARIOS[name], NEEDS, DEADLINES)


def test_capacities_are_those_of_the_busiest_part():
    assert _capacity(AS_IT_IS) == pytest.approx(1000 / 5.5)
    assert _capacity("25 dispatchers") == pytest.approx(1000 / 5.5), "one processor does all the work"
    assert _capacity("Processor twice as fast") == pytest.approx(2000 / 5.5)
    assert _capacity("Two processors") == pytest.approx(2000 / 5.5)
    one_thread = prediction.Scenario(processors=2, dispatchers=1)
    assert prediction.capacity_per_s(one_thread, NEEDS, DEADLINES) == pytest.approx(1000 / 5.25)


def test_growth_reaches_from_what_a_request_needs_to_many_times_that():
    runs = prediction.growth(NEEDS, DEADLINES, (1, 2), 3000, busy=(0.1, 0.9))
    assert len(runs) == 2 * 2 * len(SCENARIOS)
    means = runs.groupby(["scenario", "busy"])["response_ms"].mean()
    # The way in, and a time between those of M/D/1 served in order, 5.5 (1 + 0.1 / 1.8), and shared, 5.5 / 0.9.
    for name, work_ms in ((AS_IT_IS, 5.5), ("25 dispatchers", 5.5), ("Processor twice as fast", 2.75)):
        assert 0.97 * work_ms * (1 + 0.1 / 1.8) < means[name, 0.1] - 0.1 < 1.03 * work_ms / 0.9
    assert means["Two processors", 0.1] == pytest.approx(5.5 + 0.1, rel=0.05)
    # M/D/1 at 90 %: 5.5 (1 + 0.9 / 0.2) ms for requests served one after the other.
    assert means["1 dispatcher", 0.9] == pytest.approx(5.5 * 5.5, rel=0.25)
    assert means["Two processors", 0.9] < means[AS_IT_IS, 0.9]
    assert runs.loc[runs["busy"] == 0.9, "rate_per_s"].max() == pytest.approx(0.9 * 2000 / 5.5)


def test_a_rate_that_keeps_a_limit_is_between_those_around_it():
    growth = pd.DataFrame(
        {"scenario": "a", "seed": 1, "rate_per_s": [10.0, 20.0, 30.0], "response_ms": [5.0, 15.0, 35.0]}
    )
    assert report.rate_at(growth, 25.0)["rate_per_s"].item() == pytest.approx(25.0)
    assert np.isnan(report.rate_at(growth, 50.0)["rate_per_s"].item())
    both = pd.concat([growth, growth.assign(seed=2, response_ms=[5.0, 10.0, 40.0])])
    both = pd.concat([both.assign(scenario=name, rate_per_s=both["rate_per_s"] * times)
                      for name, times in ((AS_IT_IS, 1.0), ("b", 2.0))])  # fmt: skip
    table = report.limits_table(both, {AS_IT_IS: 31.0, "b": 62.0}, 25.0)
    assert table.loc["b", "Over the machine as it is"] == "2.000 [2.000, 2.000]"
    assert table.loc["b", "Saturated at (requests/s)"] == "62.0"


def test_measured_and_predicted_stand_side_by_side():
    measured = pd.DataFrame(
        {"rate": [40] * 3 + [100] * 3, "block": [0, 1, 2] * 2, "response_ms": [6.0, 6.2, 6.1, 9.0, 10.0, 11.0]}
    )
    predicted = measured.assign(response_ms=measured["response_ms"] * 1.1)
    table = report.rates_table(measured, predicted, measured)
    assert table.index.tolist() == ["40 (calibrated)", "100"]
    assert table["Predicted / measured"].tolist() == ["1.100 [1.100, 1.100]"] * 2
    assert table["With the rate's own demands / measured"].tolist() == ["1.000 [1.000, 1.000]"] * 2
    growth = prediction.growth(NEEDS, DEADLINES, (1, 2), 300, busy=(0.1, 0.5))
    model, points = report.curves(growth), report.points(measured)
    figure = report.growth_figure(model, points)
    assert "(ms)" in figure.axes[0].get_ylabel() and len(figure.axes[0].lines) >= len(SCENARIOS)
    assert "6.1 ms at 40" in report.describe_growth(model, points)
