from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from made.interceptions import event_request, perf4j_request
from made.runs import make, record
from perfstudies.errors import BadParameter
from perfstudies.published import published_table
from perfstudies.runs import recording
from perfstudies.runs.store import Run
from perfstudies.stats.verdicts import judge
from perfstudies.studies.step.analysis import monitor_logs, monitors
from perfstudies.studies.step.analysis.monitor_logs import READING, Readings
from perfstudies.studies.step.declared import MONITOR_COMPARISON, MONITORS
from perfstudies.studies.step.logs import perf4j
from perfstudies.studies.step.logs.slices import SLICES

LAYER = {"filter": 100, "soap": 80, "si": 60, "hibernate": 30, "hibernate.load": 10, "hibernate.write": 5}
UNWRAPPED = LAYER | {"hibernate": 15}
REQUESTS = 3


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Two blocks of a run of each monitor with a log, of three requests, the first one warm-up."""
    monkeypatch.setattr(recording, "PROCESSED", tmp_path / "processed")
    logs = {
        # The request that arrived last is the log's first.
        "event": [event_request(17, 3), event_request(18, 1), event_request(18, 2)],
        "perf4j": [perf4j_request(200 * number) for number in range(REQUESTS)],
        "layer-unwrapped": [record(number, UNWRAPPED) for number in range(REQUESTS)],
        "layer": [record(number, LAYER) for number in range(REQUESTS)],
    }
    found = []
    for block in range(2):
        for level, records in logs.items():
            run = make(
                tmp_path, f"{level}-{block}", block, {"monitor": level}, records, warm_up=1, monitor_log_bytes=2000
            )
            monitor = MONITORS.sets(level)["monitor"]
            found.append(Run(run.folder, run.manifest | {"properties": {"monitor": monitor}}))
    return found


@pytest.fixture
def recorded(runs):
    return recording.load(MONITOR_COMPARISON, runs)


def test_requests_that_were_left_out_are_in_no_table(runs, tmp_path, monkeypatch):
    monkeypatch.setattr(perf4j, "MOST_OVERLAPPING", 1)
    text = [perf4j_request(at) for at in (0, 200, 250, 500, 700)]  # the second and the third overlap
    made = make(tmp_path, "odd", 0, {"monitor": "perf4j"}, text, warm_up=1, monitor_log_bytes=2000)
    odd = Run(made.folder, made.manifest | {"properties": {"monitor": "perf4j"}})
    recorded = recording.load(MONITOR_COMPARISON, [odd])
    assert [one.split(":")[:2] for one in recorded.warnings] == [
        ["odd/monitor.log.gz", "12"],
        ["odd/monitor.log.gz", "23"],
    ]
    readings = monitor_logs.read(recorded, [odd])
    assert set(recorded.samples["request"]) == {0, 3, 4}
    assert set(readings.samples["request"]) == set(readings.visits["request"]) == {3, 4}


def test_every_log_is_read_by_every_rule(recorded, runs):
    samples = monitor_logs.read(recorded, runs).samples
    means = samples.groupby(READING, observed=True)[["service_ms", "engine_ms", "writes_ms", "reads_ms"]].mean()
    assert means.T.to_dict("list") == {
        "Perf4J raw": [42, 0, 0, 18],
        "Perf4J agg": [40, 0, 0, 20],
        "Event": [45, 0, 5, 20],
        "Layer -Hwrap": [45, 0, 5, 10],
        "Layer": [30, 15, 5, 10],
        "Perf4J, union": [48, 0, 0, 12],
        "Event, summed": [35, 0, 5, 30],
    }


def test_only_measured_requests_are_read_whatever_their_place_in_the_log(recorded, runs):
    readings = monitor_logs.read(recorded, runs)
    assert set(readings.samples["request"]) == {1, 2}
    event = readings.visits[(readings.visits["run"] == "event-0")]
    assert event["request"].value_counts().to_dict() == {1: 3, 2: 3}


def test_readings_are_of_the_requests_that_every_run_sent(recorded, runs):
    shorter = recorded.samples[(recorded.samples["run"] != "layer-1") | (recorded.samples["request"] < 2)]
    readings = monitor_logs.read(replace(recorded, samples=shorter), runs)
    assert set(readings.samples["request"]) == {1}


def test_records_are_counted_with_those_that_began_within_another(recorded, runs):
    table = monitor_logs.visits_table(monitor_logs.read(recorded, runs).visits)
    assert table.index.tolist() == [("Event", "Loads"), ("Event", "Stores"), ("Perf4J", "Loads")]
    assert table.loc[("Event", "Loads")].tolist() == ["2 ± 0", "0.0 ± 0.0", "15.00 ± 0.00", "50.0 ± 0.0"]
    assert table.loc[("Perf4J", "Loads")].tolist() == ["7 ± 0", "71.4 ± 0.0", "0.00 ± 0.00", "14.3 ± 0.0"]


def test_the_distribution_of_times_is_that_of_a_request(recorded, runs):
    counts = monitor_logs.times_by_bin(monitor_logs.read(recorded, runs).visits)
    assert counts["Loads"].tolist() == [5, 0, 1, 1, 0]
    assert "Loads 5 of 0 ms, 0 of 1 ms, 1 of 2 to 9 ms" in monitor_logs.describe_times(counts)
    assert len(monitor_logs.times_figure(counts).axes) == 1


def test_the_excerpt_is_of_the_first_measured_request(recorded, runs):
    shown = monitor_logs.excerpt(recorded, runs, shown=3)
    assert shown.index.tolist() == [12, 13, 14]
    assert shown.loc[13, "Record"] == "start[1279756475210] time[12] tag[hibernate.load]"
    others = replace(recorded, samples=recorded.samples[recorded.samples["monitor"] != "perf4j"])
    with pytest.raises(BadParameter, match="add perf4j"):
        monitor_logs.excerpt(others, runs)


def test_the_log_s_volume_is_that_of_a_request(recorded, runs):
    table = monitor_logs.volume_table(recorded, monitor_logs.read(recorded, runs))
    assert table["Lines"].to_dict() == {
        "Perf4J": "11.0 ± 0.0", "Event": "8.0 ± 0.0", "Layer -Hwrap": "7.0 ± 0.0", "Layer": "7.0 ± 0.0",
    }  # fmt: skip
    assert set(table["Bytes"]) == {"1,000 ± 0"}  # of two measured requests


def _readings(shares: pd.DataFrame, blocks=12) -> Readings:
    """Requests of 100 ms with these shares, a little different from run to run."""
    rng = np.random.default_rng(1)
    rows = [
        {"run": f"{reading}-{block}", "block": block, READING: reading, "request": request}
        | dict(zip(SLICES, shares.loc[reading] * rng.normal(1, 0.002, len(SLICES)), strict=True))
        for reading in shares.index
        for block in range(blocks)
        for request in range(4)
    ]
    frame = pd.DataFrame(rows)
    frame[READING] = pd.Categorical(frame[READING], shares.index)
    return Readings(frame.assign(request_ms=frame[list(SLICES)].sum(axis=1)), pd.DataFrame(), pd.DataFrame())


def _calls(elapsed_ms: dict[str, float], recorded, blocks=12, spread=0.001):
    rng = np.random.default_rng(2)
    rows = [
        (
            f"{monitor}-{block}",
            block,
            monitor,
            request,
            request >= 2,
            "searchFlights",
            "ok",
            10,
            ms * rng.normal(1, spread),
        )
        for monitor, ms in elapsed_ms.items()
        for block in range(blocks)
        for request in range(14)
    ]
    columns = ["run", "block", "monitor", "request", "measured", "operation", "outcome", "bytes_out", "elapsed_ms"]
    frame = pd.DataFrame(rows, columns=columns)
    return replace(recorded, calls=frame.assign(monitor=pd.Categorical(frame["monitor"], MONITORS.levels)))


@pytest.fixture
def published():
    """Table 2 with a row for our union of Perf4J's records, which was that of the raw ones."""
    table = published_table("step", 2)
    return pd.concat([table, table.loc[["Perf4J raw"]].rename(index={"Perf4J raw": "Perf4J, union"})])


def test_the_published_shares_reproduce_every_finding_on_them(published, recorded):
    readings = _readings(published)
    # The study saw "many" impossible records with combined ones; one request of four here.
    impossible = (readings.samples[READING] == "Perf4J agg") & (readings.samples["request"] == 0)
    readings.samples.loc[impossible, "service_ms"] = -1.0
    calls = _calls({"none": 100, "perf4j": 120, "event": 110, "layer": 100}, recorded)
    verdicts = judge(monitors.cases(readings, calls))
    assert len(verdicts) == 12
    assert {verdict.outcome for verdict in verdicts} == {"reproduced"}
    for verdict in verdicts:
        if verdict.finding.published[0].isdigit() and verdict.finding.id not in ("S7", "S5-share", "S5", "S5-writes"):
            assert verdict.estimate == pytest.approx(float(verdict.finding.published), rel=0.05)


def test_other_shares_and_costs_contradict_the_findings(published, recorded):
    shares = published.copy()
    shares.loc["Layer -Hwrap"] = shares.loc["Layer"]
    shares.loc["Event"] = (1, 5, 50, 0, 22, 22)
    shares.loc["Perf4J agg"] = shares.loc["Perf4J raw"] = shares.loc["Perf4J, union"] = (1, 5, 4, 0, 45, 45)
    calls = _calls({"none": 100, "perf4j": 100, "event": 110, "layer": 110}, recorded)
    verdicts = judge(monitors.cases(_readings(shares), calls))
    assert {verdict.finding.id: verdict.outcome for verdict in verdicts if verdict.outcome != "not reproduced"} == {}
    assert len(verdicts) == 12


def test_findings_on_what_was_not_measured_are_left_out(published, recorded):
    calls = _calls({"none": 100, "layer": 100}, recorded)
    found = [finding.id for finding, *_ in monitors.cases(_readings(published.loc[["Layer"]]), calls)]
    assert found == []


def test_the_published_shares_give_the_published_table(published):
    shares = monitors.shares(_readings(published).samples)
    table = monitors.table_2(shares)
    assert table.columns.tolist() == published.columns.tolist()
    assert float(table.loc["Layer", "Hib. Eng. (%)"].split(" ±")[0]) == pytest.approx(14.13, abs=0.05)
    against = monitors.against_layer(shares)
    assert "Layer" not in against.index
    assert against.loc["Perf4J raw", "Hibernate / Layer's"].startswith("0.33")
    assert against.loc["Layer -Hwrap", "Service less Layer's (points)"].startswith("15.")


def test_shares_that_no_bar_can_show_leave_it_empty_and_are_named(published):
    shares = published.copy()
    shares.loc["Perf4J agg"] = (1, 5, -50, 0, 60, 84)
    shown, measured, beyond = monitors.bars(monitors.shares(_readings(shares).samples))
    assert beyond == ("Perf4J agg",)
    assert measured.loc["Perf4J agg"].isna().all() and measured.drop(index="Perf4J agg").notna().all(axis=None)
    assert "Perf4J agg 5 and no bar, Event 84 and 84 %" in monitors.describe(shown, measured)
    assert monitors.bars_note(beyond).startswith("No bar can show Perf4J agg:")
    assert monitors.bars_note(()) == ""


def test_impossible_records_are_counted_with_an_interval_over_runs(published):
    readings = _readings(published)
    first = (readings.samples[READING] == "Event") & (readings.samples["run"] == "Event-0")
    readings.samples.loc[first, "service_ms"] = -1.0
    table = monitors.impossible_table(readings.samples)
    assert table["Impossible"].to_dict()["Event"] == 4 and table["Impossible"].sum() == 4
    assert table.loc["Event", "Share of requests (%)"].startswith("8.3 [0.0, ")


def test_a_monitor_that_costs_nothing_is_equivalent_to_none_and_another_is_not(recorded):
    made = _calls({"none": 100, "perf4j": 105, "event": 100.5, "layer": 100}, recorded)
    table = monitors.costs(made, MONITORS.levels)
    assert table.index.tolist() == ["None", "Perf4J", "Event", "Layer"]
    assert table["Equivalent within 1 %"].tolist()[1:] == [False, True, True]
    assert float(table.loc["Perf4J", "Ratio to none"].split(" ")[0]) == pytest.approx(1.05, rel=0.002)
    assert monitors.equivalence_answer(made).startswith("Layer is equivalent to no monitor within 1 % (ratio 1.000")
    assert "the interval lies outside the margin" in monitors.equivalence_answer(made, "perf4j")
    unclear = _calls({"none": 100, "layer": 100}, recorded, spread=0.2)
    assert "the interval reaches beyond the margin" in monitors.equivalence_answer(unclear)


def test_costs_rest_on_measured_requests_alone(recorded):
    made = _calls({"none": 100, "layer": 100}, recorded)
    made.calls.loc[~made.calls["measured"], "elapsed_ms"] = 9999.0
    assert monitors.costs(made, MONITORS.levels)["Time (ms)"].str.startswith(("100.", "99.")).all()
    assert monitors.run_times(made)["request_ms"].between(99, 101).all()


def test_it_is_told_in_how_many_runs_times_settled(recorded):
    made = _calls({"none": 100, "layer": 100}, recorded)
    table = monitors.steady_table(made)
    assert table.loc["Layer", ["Runs", "Steady", "Steady before measuring", "First measured request"]].tolist() == [
        12, 12, 12, 2,
    ]  # fmt: skip
