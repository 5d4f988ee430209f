"""The live broker: demands are found again in runs that the model made, and sizes it did not see are predicted."""

import numpy as np
import pandas as pd
import pytest

from perfstudies.errors import BadParameter
from perfstudies.models.pool_simulation import simulate
from perfstudies.runs.recording import Recording
from perfstudies.stats.verdicts import judge
from perfstudies.studies.corba import live
from perfstudies.studies.corba.analysis import live as report
from perfstudies.studies.corba.analysis import table
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
    measured = live.measured(recorded)
    errors = {
        name: report.errors(measured, live.predicted(recorded, NEEDS, scheduler)).abs()
        for name, scheduler in SCHEDULERS.items()
    }
    # Times are kept in whole nanoseconds, so that here and there another thread comes first.
    assert errors["Virtual deadlines"].to_numpy().mean() < 0.02
    assert errors["Processor sharing"]["dispatcher_ms"].max() > 0.5
    assert not set(live.CALIBRATED) & set(errors["Time slices (Linux 2.4)"].index.get_level_values(0).astype(str))


def test_the_report_sets_both_beside_the_study(recorded):
    measured = live.measured(recorded)
    predicted = live.predicted(recorded, NEEDS, DEADLINES)
    shown = report.beside_table(measured, predicted, table.QUEUING)
    assert shown.index.tolist() == ["1", "2 (calibrated)", "4", "10 (calibrated)", "25"]
    assert shown["Receiver queuing", "Study"].tolist() == [0.53, 0.59, 1.55, 6.01, 6.53]
    both = [shown["Receiver queuing", name].str.split(" ").str[0].astype(float) for name in ("Measured", "Predicted")]
    assert both[0].tolist() == pytest.approx(both[1].tolist(), abs=0.03)
    assert list(report.errors_table(measured, {"Virtual deadlines": predicted}).columns)[-1] == "Response time"
    assert report.response_table(measured, {"Virtual deadlines": predicted}).shape == (5, 2)
    assert report.demands_table(NEEDS).loc["Dispatcher, processor time"].item() == "5.300 ms"
    series = report.drawn(measured, predicted, table.COMPLETION)
    assert {source for _, source in series} == {"measured", "predicted"}


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
    frames = {}
    for level in ("constant", "few"):
        part = live.with_looks(both, level)
        predicted = live.predicted(part, NEEDS, DEADLINES)
        frames[level] = {"Measured": live.measured(part), "At once": predicted}
    assert frames["few"]["Measured"]["block"].unique().tolist() == [2]
    shown = report.looks_table(frames)
    assert shown.shape == (2 * 5 * 2, 5) and shown.index[0] == ("All the time", 1, "Measured")
    assert shown.xs((25, "Measured"), level=(1, 2))["Response"].nunique() == 2
    effects = report.effects_table({level: by_source["Measured"] for level, by_source in frames.items()})
    assert len(effects) == 5 and list(effects.columns) == ["Study", "All the time", "A few times"]
    measured = frames["constant"]["Measured"].set_index(["dispatchers", "block"])["response_ms"]
    ratio = np.exp(np.mean([np.log(measured[25, block] / measured[1, block]) for block in (0, 1)]))
    assert effects.iloc[0]["All the time"].startswith(f"{ratio:.2f} [")


def test_findings_have_a_value_a_block(recorded):
    cases = report.cases(live.measured(recorded))
    assert [finding.id for finding, _, _ in cases] == ["C1", "C2-receiver", "C2-dispatcher", "C3-receiver", "C3-peak"]
    assert all(len(values) == 3 for _, values, _ in cases)
    measured = live.measured(recorded).set_index(["dispatchers", "block"])["response_ms"]
    assert cases[0][1].loc[1] == pytest.approx(measured[25, 1] / measured[1, 1])
    fewer = report.cases(live.measured(_recording(("1", "2"), 2)))
    assert {verdict.outcome for verdict in judge(fewer)} == {"inconclusive"}
