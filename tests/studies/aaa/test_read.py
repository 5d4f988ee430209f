import lzma

import pytest

from made.runs import HOST
from perfstudies.errors import BadLog
from perfstudies.exchange import COLUMNS
from perfstudies.runs import store
from perfstudies.runs.store import Run
from perfstudies.studies.aaa import read
from perfstudies.studies.aaa.logs import server as aaa_server

START_NS = 5_000_000_000


def _pack(path, heading, rows):
    with lzma.open(path, "wt") as file:
        file.write("".join(",".join(map(str, row)) + "\n" for row in [heading, *rows]))


def _run(folder, calls, server) -> Run:
    _pack(folder / "client.csv.xz", COLUMNS, calls)
    _pack(folder / "server.csv.xz", aaa_server.COLUMNS, server)
    phases = [{"name": name, "start_ns": START_NS + at} for name, at in (("before", 0), ("burst", 10**9))]
    manifest = {
        "run": folder.name, "block": 0, "setting": {}, "status": store.FINISHED, "host": HOST,
        "workload": {"phases": phases, "gap_ms": 10.0, "ttl_ms": 600.0, "unit_ms": 4.0, "time_scale": 200},
        "statistics": {"requests": 2, "faults": 1, "beans_created": 1}, "network": {"kind": "loopback"},
        "load_s": 2.0, "cpu_server_s": 0.5, "cpu_clients_s": 0.25, "noise": {"reasons": []},
    }  # fmt: skip
    store.write_manifest(folder, manifest, ("client.csv.xz", "server.csv.xz"))
    return Run(folder, store.read_manifest(folder))


CALLS = [
    [0, 0, 0, 100, 8100, 7.5, "ok", "", 336],
    [100, 0, 0, 300, 2300, "", "timed out", "", 0],
    [101, 0, 0, 200, 5200, 4.0, "soap fault", "NoBean", 300],
]
SERVER = [
    [0, 0, 0, 5_001_000, 500, 600, 7000, 7100, 7200, 1, 1, 1, 1, 50, "ok"],
    [1, 101, 0, 6_001_500, 500, "", "", 3000, 3200, "", "", "", 2, 40, "NoBean"],
]


def test_phases_are_told_apart_by_the_clients_numbers(tmp_path):
    logs = read.read(_run(tmp_path, CALLS, SERVER))
    assert logs.calls["phase"].tolist() == ["before", "burst", "burst"]
    assert logs.calls["client"].tolist() == [0, 0, 1]
    assert logs.calls["response_ms"].tolist() == [8.1, 2.3, 5.2]


def test_the_servers_times_count_from_the_start_of_the_phase_as_the_clients_do(tmp_path):
    samples = read.read(_run(tmp_path, CALLS, SERVER)).samples
    assert samples["entered_us"].fillna(-1).tolist() == [1000, -1, 1500]
    assert samples["total_ms"].tolist() == [8.0, 2.0, 5.0]
    assert samples["status"].fillna("").tolist() == ["ok", "", "NoBean"]


def test_a_run_tells_what_the_server_counted_and_what_times_were_used(tmp_path):
    facts = read.read(_run(tmp_path, CALLS, SERVER)).facts
    assert (facts["requests_sent"], facts["server_answered"], facts["server_faults"]) == (3, 1, 1)
    assert (facts["gap_ms"], facts["unit_ms"], facts["time_scale"], facts["network"]) == (10.0, 4.0, 200, "loopback")
    assert facts["beans_created"] == 1
    assert facts["gc_ms"] is None


def test_requests_that_prepared_a_run_are_no_part_of_it(tmp_path):
    filling = [9, 9900, 0, 4_000_000, 500, 600, 7000, 7100, 7200, 1, 1, 1, 1, 50, "ok"]
    assert len(read.read(_run(tmp_path, CALLS, [filling, *SERVER])).samples) == 3


def test_a_servers_record_of_another_run_is_refused(tmp_path):
    with pytest.raises(BadLog, match="the records are of different runs"):
        read.read(_run(tmp_path, CALLS[:1], SERVER))
