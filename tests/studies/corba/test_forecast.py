"""What is told of the study's load before it is measured: its arrivals are those declared, and work is only added."""

import pytest

from perfstudies.runs.plan import Plan
from perfstudies.studies.corba import bench, forecast, live
from perfstudies.studies.corba.declared import STUDY_LOAD, WAKING
from perfstudies.studies.corba.live import Demands

NEEDS = Demands(0.043, 0.016, 5.06, 0.55, 0.12, 0.01)


def test_work_of_the_receiver_comes_before_its_hand_over_and_leaves_what_comes_after():
    needs = forecast.of_study(NEEDS)
    assert (needs.receiver_ms, needs.dispatcher_ms) == (0.925, 5.6)
    after_ms = [one.receiver_ms * (1 - one.first_share) for one in (NEEDS, needs)]
    assert after_ms[0] == pytest.approx(after_ms[1], rel=1e-12)
    assert (needs.controller_ms, needs.entry_ms, needs.switch_ms) == (0.016, 0.12, 0.01)


def test_every_planned_run_is_told_at_the_arrivals_that_will_be_sent(monkeypatch):
    asked = []
    monkeypatch.setattr(forecast, "load_of", lambda run: asked.append(run.name) or bench.load_of(run))
    told = forecast.forecast(forecast.of_study(NEEDS), STUDY_LOAD, "smoke", 1, live.AT_TICKS)
    plan = Plan.of(STUDY_LOAD, "smoke", 1)
    assert asked == [run.name for run in plan.runs]
    assert set(told["dispatchers"]) == set(STUDY_LOAD.factors[0].levels)
    # The processor always works when there is work: what a request needs is a bound of its time.
    assert (told["response_ms"] > 0.925 + 5.6).all()


def test_which_dispatcher_is_woken_matters_where_there_are_several():
    told = forecast.forecast(forecast.of_study(NEEDS), WAKING, "quick", 1, live.AT_TICKS)
    of_size = told.groupby(["wakes", "dispatchers"])["dispatcher_ms"].mean()
    # One dispatcher can only wake itself.
    assert of_size["last", "1"] == pytest.approx(of_size["longest", "1"], rel=1e-12)
    assert of_size["last", "25"] != pytest.approx(of_size["longest", "25"], rel=1e-3)
