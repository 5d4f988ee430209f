"""How long measuring takes, by what is known of it: this machine's runs, those of profile quick, the recorded ones."""

import pytest
import report_profile

from perfstudies.cli import forecast
from perfstudies.cli.forecast import Forecast, expected_s, quick_s
from perfstudies.runs import store
from perfstudies.runs.plan import Plan
from perfstudies.studies import EXPERIMENTS

USERS, RATES = EXPERIMENTS["step/users"], EXPERIMENTS["corba/rates"]
OF_REPOSITORY = forecast.QUICK_S


@pytest.fixture(autouse=True)
def kept(tmp_path, monkeypatch):
    """Twenty runs of one experiment in 200 s, and eight of the other in 100 s."""
    path = tmp_path / "quick_s.csv"
    path.write_text("experiment,runs,took_s\nstep/users,20,200\ncorba/rates,8,100\n")
    monkeypatch.setattr(forecast, "QUICK_S", path)


def _plan(experiment, folder, profile="quick"):
    return Plan.of(experiment, profile, 1, folder=folder / experiment.name)


def _measure(plan, took_s, count=None):
    for run in plan.runs[:count]:
        (plan.folder / run.name).mkdir(parents=True)
        told = {"run": run.name, "block": run.block, "setting": run.setting, "profile": run.profile, "took_s": took_s}
        told |= {"status": store.FINISHED, "load_s": 1.0, "workload": {"amount": run.amount}}
        store.write_manifest(plan.folder / run.name, told, ())


def test_what_is_kept_counts_for_each_missing_run(tmp_path):
    plan = _plan(USERS, tmp_path)
    assert (len(plan.runs), expected_s(USERS, plan)) == (20, 200)
    assert expected_s(USERS, plan.only([run.name for run in plan.runs[:5]])) == 50


def test_this_machine_s_own_runs_of_the_profile_tell_better(tmp_path):
    plan = _plan(USERS, tmp_path)
    _measure(plan, 3.0, 19)
    assert expected_s(USERS, plan) == pytest.approx(3.0)
    _measure(_plan(RATES, tmp_path, "smoke"), 40.0)  # of another profile
    assert expected_s(RATES, _plan(RATES, tmp_path)) == 100


def test_other_profiles_take_what_recorded_runs_did(tmp_path):
    recorded = [run.manifest["took_s"] for run in store.finished(forecast.RAW / "reference" / "corba" / "rates")]
    assert expected_s(RATES, _plan(RATES, tmp_path, "standard")) == pytest.approx(sum(recorded))


def test_what_has_ended_tells_how_fast_this_machine_is(tmp_path):
    plans = {one.key: _plan(one, tmp_path) for one in (USERS, RATES)}
    made = Forecast([USERS, RATES], plans)
    assert str(made) == "28 runs to measure, expected to take 5.0 minutes (step 3.3, corba 1.7)."
    _measure(plans[USERS.key], 20.0)  # 400 s instead of 200
    ended = plans[USERS.key].ended
    assert made.ended(USERS.key, ended) == "step/users has ended; about 3 minutes of measuring left."
    assert made.ended(RATES.key, []) == ""


def test_runs_that_were_there_before_tell_nothing_of_the_speed(tmp_path):
    plans = {one.key: _plan(one, tmp_path) for one in (USERS, RATES)}
    _measure(plans[USERS.key], 10.0, 10)
    made = Forecast([USERS, RATES], plans)
    missing = plans[USERS.key].only([run.name for run in plans[USERS.key].missing])
    _measure(missing, 30.0)  # 300 s instead of 100
    said = made.ended(USERS.key, plans[USERS.key].ended)
    assert said == "step/users has ended; about 5 minutes of measuring left."


def test_what_is_there_is_not_announced(tmp_path):
    plan = _plan(USERS, tmp_path)
    _measure(plan, 3.0)
    made = Forecast([USERS], {USERS.key: plan})
    assert str(made) == "All runs are there; nothing to measure." and made.ended(USERS.key, []) == ""


def test_nothing_is_promised_of_what_nothing_is_known_of(tmp_path, monkeypatch):
    monkeypatch.setattr(forecast, "RAW", tmp_path)
    plans = {one.key: _plan(one, tmp_path, "smoke") for one in (USERS, RATES)}
    made = Forecast([USERS, RATES], plans)
    assert str(made) == f"{sum(len(plan.runs) for plan in plans.values())} runs to measure."
    assert made.ended(USERS.key, []) == ""


def test_every_experiment_is_kept_at_its_size_of_today():
    known = quick_s(OF_REPOSITORY)
    planned = {key: len(Plan.of(one, "quick", 1).runs) for key, one in EXPERIMENTS.items() if "quick" in one.sizes}
    advice = "measure what differs at quick, then: python benchmarks/report_profile.py --keep"
    assert {key: runs for key, (runs, _) in known.items()} == planned, advice
    assert all(took_s > 0 for _, took_s in known.values())


def test_whole_runs_of_profile_quick_are_kept_and_others_stay(tmp_path):
    _measure(_plan(USERS, tmp_path / "live" / "step"), 2.0)
    _measure(_plan(RATES, tmp_path / "live" / "corba"), 9.0, 7)
    _measure(_plan(RATES, tmp_path / "live" / "corba", "smoke"), 9.0)
    report_profile.keep(tmp_path / "live", forecast.QUICK_S)
    assert quick_s() == {"step/users": (20, 40), "corba/rates": (8, 100)}
