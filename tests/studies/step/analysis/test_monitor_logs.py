import gzip
from dataclasses import replace

import pytest

from made.interceptions import event_request, perf4j_request
from made.runs import make, record
from perfstudies.runs import recording, store
from perfstudies.runs.store import Run
from perfstudies.studies.step.analysis import monitor_logs
from perfstudies.studies.step.analysis.monitor_logs import READING
from perfstudies.studies.step.collect import MONITOR_LOG
from perfstudies.studies.step.declared import COMBINED_RECORDS, MONITOR_COMPARISON
from perfstudies.studies.step.factors import MONITORS
from perfstudies.studies.step.logs import interceptions, perf4j

LAYER = {"filter": 100, "soap": 80, "si": 60, "hibernate": 30, "hibernate.load": 10, "hibernate.write": 5}
UNWRAPPED = LAYER | {"hibernate": 15}
ON = {"generation": "2009", "database": "mariadb"}
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
            setting = ON | {"monitor": level}
            run = make(tmp_path, f"{level}-{block}", block, setting, records, warm_up=1, monitor_log_bytes=2000)
            monitor = MONITORS.sets(level)["monitor"]
            found.append(Run(run.folder, run.manifest | {"properties": {"monitor": monitor}}))
    return found


@pytest.fixture
def recorded(runs):
    return recording.load(MONITOR_COMPARISON, runs)


def test_requests_that_were_left_out_are_in_no_table(runs, tmp_path, monkeypatch):
    monkeypatch.setattr(perf4j, "MOST_OVERLAPPING", 1)
    text = [perf4j_request(at) for at in (0, 200, 250, 500, 700)]  # the second and the third overlap
    made = make(tmp_path, "odd", 0, ON | {"monitor": "perf4j"}, text, warm_up=1, monitor_log_bytes=2000)
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


def test_readings_are_of_the_requests_that_every_run_of_a_block_sent(recorded, runs):
    shorter = recorded.samples[(recorded.samples["run"] != "layer-1") | (recorded.samples["request"] < 2)]
    readings = monitor_logs.read(replace(recorded, samples=shorter), runs)
    assert readings.samples.groupby("block")["request"].agg(set).to_dict() == {0: {1, 2}, 1: {1}}


def test_requests_of_which_alone_a_log_was_kept_have_their_own_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "PROCESSED", tmp_path / "processed")
    made = [
        make(tmp_path, level, 0, ON | {"monitor": level}, records, warm_up=1, monitor_log_bytes=2000)
        for level, records in {
            "layer": [record(number, LAYER) for number in range(4)],
            "perf4j": [perf4j_request(200 * number) for number in range(4)],
            "event": [event_request(17, number) for number in range(4)],
        }.items()
    ]
    kept = []
    for run in made:
        facts = {"properties": {"monitor": run.name}}
        if run.name != "layer":
            facts["monitor_log"] = {"first_request": 1, "requests": 2}
            with gzip.open(run.folder / MONITOR_LOG, "rt") as log:
                (run.folder / "monitor.log").write_text(log.read())
            interceptions.keep(run.folder / "monitor.log", range(1, 3))
            store.compress(run.folder / "monitor.log", run.folder / MONITOR_LOG)
            store.write_manifest(run.folder, run.manifest, (MONITOR_LOG, "client.csv.gz"))
        kept.append(Run(run.folder, store.read_manifest(run.folder) | facts))
    recorded = recording.load(MONITOR_COMPARISON, kept)
    readings = monitor_logs.read(recorded, kept)
    assert recorded.samples.groupby("run", observed=True)["request"].agg(list).to_dict() == {
        "layer": [0, 1, 2, 3], "perf4j": [1, 2], "event": [1, 2],
    }  # fmt: skip
    assert readings.samples.groupby("reading", observed=True)["request"].agg(list).to_dict() == {
        name: [1, 2] for name in ("Perf4J raw", "Perf4J agg", "Event", "Layer", "Perf4J, union", "Event, summed")
    }
    assert set(readings.visits["request"]) == {1, 2}


def test_records_that_began_within_an_earlier_one_are_marked(recorded, runs):
    visits = monitor_logs.read(recorded, runs).visits
    of_request = visits[visits["request"] == 1].groupby(["run", "tag"])["within"]
    assert of_request.size()[["event-0", "perf4j-0"]].to_dict() == {
        ("event-0", "hibernate.load"): 2, ("event-0", "hibernate.write"): 1, ("perf4j-0", "hibernate.load"): 7,
    }  # fmt: skip
    assert of_request.sum()["event-0", "hibernate.load"] == of_request.sum()["perf4j-0", "hibernate.load"] == 1
    perf4j = visits[(visits["run"] == "perf4j-0") & (visits["request"] == 1)]
    assert sorted(perf4j["elapsed_ms"]) == [0, 0, 0, 0, 0, 6, 12]


def test_the_lines_of_a_log_are_counted_a_request(recorded, runs):
    lines = monitor_logs.read(recorded, runs).lines.groupby("monitor", observed=True)["lines_per_request"]
    assert lines.agg(["min", "max"]).T.to_dict("list") == {
        "perf4j": [11, 11], "event": [8, 8], "layer-unwrapped": [7, 7], "layer": [7, 7],
    }  # fmt: skip


def test_what_all_runs_share_need_be_no_factor(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "PROCESSED", tmp_path / "processed")
    records = [perf4j_request(200 * number) for number in range(REQUESTS)]
    made = make(tmp_path, "one", 0, {"variant": "client-vm"}, records, warm_up=1, monitor_log_bytes=2000)
    runs = [Run(made.folder, made.manifest | {"properties": ON | {"monitor": "perf4j"}})]
    readings = monitor_logs.read(recording.load(COMBINED_RECORDS, runs), runs)
    told = readings.samples[["generation", "database", "monitor"]].drop_duplicates()
    assert told.to_numpy().tolist() == [["2009", "mariadb", "perf4j"]]
    assert set(readings.samples["reading"]) == {"Perf4J raw", "Perf4J agg", "Perf4J, union"}
