"""The live broker: demands are found again in runs that the model made, and sizes it did not see are predicted."""

import numpy as np
import pandas as pd
import pytest

from perfstudies.errors import BadParameter
from perfstudies.models.pool_simulation import simulate
from perfstudies.runs.recording import Recording
from perfstudies.studies.corba import live
from perfstudies.studies.corba.live import SCHEDULERS, Demands

NEEDS = Demands(0.2, 0.05, 5.3, 0.75, 0.1, 0.01)
DEADLINES = SCHEDULERS["Virtual deadlines"]
REQUESTS = 1500


def _recording(sizes=("1", "2", "4", "10", "25"), blocks=3) -> Recording:
    """Return runs as the server's record would have them, if the server were the model."""
    samples, runs = [], []
    for size in sizes:
        for block in range(blocks):
            trace = simulate(live.server(int(size), NEEDS, DEADLINES), block, REQUESTS)
            name = f"{size}-{block}"
            frame = pd.DataFrame(trace.columns()).assign(
                run=name, block=block, dispatchers=size, hand_over_ms=trace.handed_over_ms - trace.received_ms,
                sent_ns=((trace.arrival_ms - NEEDS.entry_ms) * 1e6).round().astype("int64"),
                ended_ns=((trace.replied_ms + 0.05) * 1e6).astype("int64"),
            )  # fmt: skip
            frame["receiver_queue_ms"] += NEEDS.entry_ms
            samples.append(frame)
            cpu = {"receiver_cpu_ms": 0.2, "controller_cpu_ms": 0.05, "dispatcher_cpu_ms": 5.3}
            runs.append({"run": name, "block": block, "dispatchers": size} | cpu)
    return Recording(pd.concat(samples, ignore_index=True), pd.DataFrame(), pd.DataFrame(runs), (), (), (), (), {})


@pytest.fixture(scope="module")
def recorded():
    return _recording()


def test_demands_are_those_of_the_model_that_made_the_runs(recorded):
    found = live.demands(recorded)
    for name, value in vars(NEEDS).items():
        assert getattr(found, name) == pytest.approx(value, rel=0.02, abs=1e-3), name


def test_demands_come_from_the_calibrated_sizes_only(recorded):
    runs = recorded.runs.assign(receiver_cpu_ms=np.where(recorded.runs["dispatchers"].isin(live.CALIBRATED), 0.2, 99.0))
    other = Recording(recorded.samples, recorded.calls, runs, (), (), (), (), {})
    assert live.demands(other) == live.demands(recorded)
    with pytest.raises(BadParameter, match="no run with dispatchers = 3 or 5"):
        live.demands(recorded, ("3", "5"))


def test_the_right_scheduler_predicts_what_the_model_did_and_another_does_not(recorded):
    measured = live.measured(recorded).set_index(["dispatchers", "block"])
    errors = {
        name: (live.predicted(recorded, NEEDS, scheduler).set_index(["dispatchers", "block"]) - measured).abs()
        for name, scheduler in SCHEDULERS.items()
    }
    # Times are kept in whole nanoseconds, so that here and there another thread comes first.
    assert errors["Virtual deadlines"].to_numpy().mean() < 0.02
    assert errors["Processor sharing"]["dispatcher_ms"].max() > 0.5


def test_a_level_s_own_demands_predict_it(recorded):
    runs = recorded.runs.assign(
        dispatcher_cpu_ms=np.where(recorded.runs["dispatchers"].isin(live.CALIBRATED), 6.0, 5.3)
    )
    other = Recording(recorded.samples, recorded.calls, runs, (), (), (), (), {})
    own = live.predicted_by_own(other, DEADLINES, "dispatchers", 0).set_index(["dispatchers", "block"])
    measured = live.measured(recorded).set_index(["dispatchers", "block"])
    gaps = (own["response_ms"] / measured["response_ms"] - 1).abs()
    assert gaps[[4, 25]].max() < 0.05 < gaps[[2, 10]].min()


def test_targets_that_look_often_and_seldom_are_told_apart(recorded):
    seldom = recorded.samples["block"] == 2
    samples = recorded.samples.assign(looks=np.where(seldom, "few", "constant"))
    runs = recorded.runs.assign(looks=np.where(recorded.runs["block"] == 2, "few", "constant"))
    both = Recording(samples, pd.DataFrame(), runs, (), (), (), (), {})
    few = live.of_level(both, "looks", "few")
    assert live.measured(few)["block"].unique().tolist() == [2]
    assert live.measured(live.of_level(both, "looks", "constant"))["block"].unique().tolist() == [0, 1]
    pd.testing.assert_frame_equal(
        live.measured(few), live.measured(recorded).query("block == 2").reset_index(drop=True)
    )
    assert few.runs["looks"].unique().tolist() == ["few"]


def test_every_demand_has_its_words():
    assert set(live.DEMANDS) == set(vars(NEEDS))


def test_errors_are_means_of_single_runs_and_no_interval_goes_below_none():
    runs = pd.DataFrame(
        {"dispatchers": [1, 2, 1, 2], "block": [0, 0, 1, 1]} | dict.fromkeys([*live.COLUMNS, "response_ms"], 5.0)
    )
    told = runs.assign(receiver_queue_ms=[6.0, 4.0, 8.0, 2.0], response_ms=5.5)
    found = live.errors({"off": told.sample(frac=1, random_state=1), "exact": runs}, runs)
    # One too much and one too little are no error of nothing: 1 in the first block, 3 in the second.
    assert found.loc["off", "receiver_queue_ms"].estimate == pytest.approx(2.0)
    assert found.loc["off", "All four"].estimate == pytest.approx(0.5)
    assert found.loc["off", "response_ms"].estimate == pytest.approx(0.5)
    assert found.loc["off", "receiver_queue_ms"].low == 0.0
    assert (found.loc["exact"].map(lambda error: error.estimate) == 0).all()
