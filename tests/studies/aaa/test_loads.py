import pandas as pd
import pytest

from perfstudies.exchange import COLUMNS
from perfstudies.experiment import Experiment
from perfstudies.runs.plan import Plan
from perfstudies.studies.aaa import declared as aaa
from perfstudies.studies.aaa import loads
from perfstudies.studies.aaa.settings import RunSettings

WSDL = "http://127.0.0.1:1/AAA/server?wsdl"


def _phases(experiment: Experiment, folder, block: int = 0, **setting: str):
    for planned in Plan.of(experiment, "standard", 1).runs:
        if planned.block == block and setting.items() <= planned.setting.items():
            means = RunSettings.of(planned)
            return means, list(loads.phases(planned, means, WSDL, folder, None))
    raise AssertionError(setting)


def test_the_study_has_four_clients_of_2000_requests_each_a_gap_apart(tmp_path):
    means, (phase,) = _phases(aaa.OWN_GAP, tmp_path, figure="7")
    assert [plan.client for plan in phase.plans] == [0, 1, 2, 3]
    assert {(plan.arrivals, plan.requests, plan.gap_ms) for plan in phase.plans} == {("study", 2000, means.gap_ms)}
    assert phase.plans[0].bodies == ({"version": "0.1", "type": "SNBpolicy01", "TimerCondition": 1, "TimerAction": 10},)
    assert len({plan.total_log for plan in phase.plans} | {plan.ejb_log for plan in phase.plans}) == 8


def test_a_burst_lies_between_two_series_that_are_the_same(tmp_path):
    _, (before, burst, after) = _phases(aaa.BURST, tmp_path, requests="8000")
    assert sum(plan.requests for plan in burst.plans) == 8000
    assert [phase.name for phase in (before, burst, after)] == ["before", "burst", "after"]
    assert before.plans[0].requests == after.plans[0].requests == loads.RECOVERY_REQUESTS["standard"]
    clients = [plan.client for phase in (before, burst, after) for plan in phase.plans]
    assert len(set(clients)) == len(clients)
    assert {client // loads.PHASE_STEP for client in clients} == {0, 1, 2}


def test_offered_rates_add_up_over_clients_and_differ_in_their_arrivals(tmp_path):
    means, steps = _phases(aaa.MAX_RATE, tmp_path)
    assert [float(step.name) for step in steps] == list(means.rates_per_s)
    for step in steps:
        assert sum(plan.rate_per_s for plan in step.plans) == pytest.approx(float(step.name))
        assert sum(plan.requests for plan in step.plans) == pytest.approx(float(step.name) * means.step_s, abs=1)
        assert len({plan.seed for plan in step.plans}) == means.clients


def test_a_mix_has_its_shares_and_is_the_same_for_all_settings_of_a_block(tmp_path):
    _, (phase,) = _phases(aaa.MIXES, tmp_path, mix="both-20")
    (plan,) = phase.plans
    types = pd.Series([body["type"] for body in plan.bodies]).value_counts(normalize=True)
    assert types["NoSuchPolicy01"] == pytest.approx(0.2, abs=0.04)
    assert types["Conditions1000"] == pytest.approx(0.2, abs=0.04)
    _, (again,) = _phases(aaa.MIXES, tmp_path, mix="both-20")
    _, (other,) = _phases(aaa.MIXES, tmp_path, block=1, mix="both-20")
    assert again.plans[0].bodies == plan.bodies != other.plans[0].bodies


@pytest.mark.parametrize(
    ("outcomes", "gap_us", "seconds", "enough"),
    [
        (["ok"] * 500, 4000, 2.0, False),
        (["ok"] * 400 + ["timed out"] * 100, 4000, 2.0, True),
        (["ok"] * 500, 4000, 2.5, True),
        (["ok"] * 500, 4800, 2.5, False),  # arrivals that chance has spread
    ],
)
def test_no_higher_rate_is_offered_once_the_server_falls_behind(tmp_path, outcomes, gap_us, seconds, enough):
    means, (phase, *_) = _phases(aaa.MAX_RATE, tmp_path)
    assert phase.name == "250"
    for number, plan in enumerate(phase.plans):
        rows = [
            [plan.client, i, i * gap_us, i * gap_us, int((i + 1) * seconds * 1e6 / 500), "", outcome, "", 0]
            for i, outcome in enumerate(outcomes) if i % 2 == number
        ]  # fmt: skip
        pd.DataFrame(rows, columns=COLUMNS).to_csv(plan.record, index=False)
    assert loads.is_enough(means, phase) is enough
