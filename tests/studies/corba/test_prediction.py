"""Growth of the load by the live broker's model: what more machine brings is what queueing theory says it must."""

import pytest

from perfstudies.models.schedulers import VirtualDeadlines
from perfstudies.studies.corba import prediction
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
