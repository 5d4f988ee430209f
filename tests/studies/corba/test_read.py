import lzma

import pytest

from made.corba import CLIENT, SERVER
from made.runs import HOST
from perfstudies.errors import BadRecording
from perfstudies.runs import recording, store
from perfstudies.runs.store import Run
from perfstudies.studies.corba import declared as corba
from perfstudies.studies.corba import read

EXPERIMENT = corba.DISPATCHERS.select(dispatchers=["2"])
START_NS = 500_000


def _run(folder) -> Run:
    for name, text in ((corba.CLIENT_RECORD, CLIENT), (corba.SERVER_RECORD, SERVER)):
        with lzma.open(folder / name, "wt") as file:
            file.write(text)
    manifest = {
        "run": folder.name, "block": 0, "setting": {"dispatchers": "2"}, "status": store.FINISHED, "host": HOST,
        "workload": {
            "requests": 2, "gap_ms": 10.0, "demand_ms": 5.0, "connections": 1, "warm_up_requests": 100,
            "start_ns": START_NS,
        },
        "system": {"java": "17", "libraries": ["jacorb-3.9.jar"]}, "network": {"kind": "loopback"}, "load_s": 2.0,
        "cpu_server_s": 0.5, "cpu_client_s": 0.25, "noise": {"reasons": []},
        "statistics": {
            "receiver_cpu_us": 400, "controller_cpu_us": 100, "dispatcher_cpu_us": 10400, "gc_count": 1, "gc_ms": 3,
            "dispatchers_seen": 1,
        },
    }  # fmt: skip
    store.write_manifest(folder, manifest, (corba.CLIENT_RECORD, corba.SERVER_RECORD))
    return Run(folder, store.read_manifest(folder))


def test_the_clients_times_count_from_the_start_of_the_run(tmp_path):
    logs = read.read(_run(tmp_path))
    assert logs.calls["intended_ns"].tolist() == [200_000, 2_000_000, 3_500_000]
    assert logs.samples["sent_ns"].tolist() == [300_000, 2_000_000]
    assert logs.samples["receiver_queue_ms"].tolist() == [0.2, 0.5]


def test_a_run_tells_what_a_request_costs_each_kind_of_thread(tmp_path):
    facts = read.read(_run(tmp_path)).facts
    assert [facts[f"{kind}_cpu_ms"] for kind in read.THREADS] == [0.2, 0.05, 5.2]
    assert (facts["dispatchers_seen"], facts["gc_ms"], facts["demand_ms"]) == (1, 3, 5.0)
    # Of a run that is older than this demand.
    assert facts["receiver_demand_ms"] == 0


def test_the_experiment_finds_its_reader_and_makes_a_recording(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "PROCESSED", tmp_path / "processed")
    assert EXPERIMENT.module(EXPERIMENT.reader) is read
    folder = tmp_path / "run"
    folder.mkdir()
    recorded = recording.load(EXPERIMENT, [_run(folder)])
    assert len(recorded.samples) == 2 and len(recorded.calls) == 3
    assert recorded.runs["dispatchers"].tolist() == ["2"]
    assert recorded.host["libraries"] == ["jacorb-3.9.jar"]


def test_an_edited_record_is_refused(tmp_path):
    run = _run(tmp_path)
    with lzma.open(tmp_path / corba.SERVER_RECORD, "wt") as file:
        file.write(SERVER.replace("5000100", "5000000"))
    with pytest.raises(BadRecording, match="differs from the checksum"):
        read.read(run)
