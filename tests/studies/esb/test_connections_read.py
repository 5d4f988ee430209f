import lzma

import pandas as pd
import pytest

from made.runs import HOST
from perfstudies.errors import BadLog
from perfstudies.runs import store
from perfstudies.runs.store import Run
from perfstudies.studies.esb import connections_read
from perfstudies.studies.esb.logs import pooled

CALLS = """number,thread,asked_us,connected_us,ended_us,outcome,detail
1,1,100,30100,50100,ok,
0,0,100,200,25200,ok,
2,0,25300,30300,60300,lost,"closed, too early"
3,1,50200,,80200,no connection,timeout
"""
SERVICE = "entered_us,left_us\n1200,21200\n31100,51100\n31300,60100\n"


def _run(folder, calls=CALLS, service=SERVICE) -> Run:
    for name, text in ((pooled.CLIENT_RECORD, calls), (pooled.SERVER_RECORD, service)):
        with lzma.open(folder / name, "wt") as file:
            file.write(text)
    manifest = {
        "run": folder.name, "block": 0, "setting": {}, "status": store.FINISHED, "host": HOST, "connections": 2,
        "workload": {"threads": 2}, "load_s": 0.1, "noise": {"reasons": []},
    }  # fmt: skip
    store.write_manifest(folder, manifest, (pooled.CLIENT_RECORD, pooled.SERVER_RECORD))
    return Run(folder, store.read_manifest(folder))


def test_a_call_is_split_at_the_moment_of_its_connection(tmp_path):
    logs = connections_read.read(_run(tmp_path))
    calls = logs.calls.set_index("number")
    assert calls["total_ms"].tolist() == [25.1, 50, 35, 30]
    assert calls["waited_ms"].tolist()[:3] == [0.1, 30, 5] and pd.isna(calls.loc[3, "waited_ms"])
    assert calls["held_ms"].tolist()[:3] == [25, 20, 30] and pd.isna(calls.loc[3, "held_ms"])
    assert calls["overtaken"].tolist() == [False, False, False, False]
    assert calls["detail"].tolist() == ["", "", "closed, too early", "timeout"]


def test_the_service_tells_how_many_ran_at_once(tmp_path):
    logs = connections_read.read(_run(tmp_path))
    assert logs.samples["service_ms"].tolist() == [20, 20, 28.8]
    assert logs.facts["most_at_once"] == 2
    assert logs.facts["calls_s"] == pytest.approx(0.0801)
    assert logs.facts["connections_in_pool"] == 2


def test_a_call_is_overtaken_by_one_that_was_asked_later_and_given_a_connection_earlier():
    calls = pd.DataFrame({"asked_us": [3, 1, 2, 0, 4], "connected_us": [5, 9, 8, None, 10]})
    assert pooled.overtaken(calls).tolist() == [False, True, True, False, False]


def test_a_service_that_was_never_reached_served_none_at_once(tmp_path):
    logs = connections_read.read(_run(tmp_path, service="entered_us,left_us\n"))
    assert logs.facts["most_at_once"] == 0 and logs.samples.empty


def test_calls_that_touch_do_not_run_at_once():
    assert pooled.most_at_once(pd.Series([0, 10, 10]), pd.Series([10, 20, 20])) == 2
    assert pooled.most_at_once(pd.Series([0, 1, 2]), pd.Series([9, 8, 7])) == 3


@pytest.mark.parametrize(
    "calls",
    [
        CALLS.replace("outcome", "result"),
        CALLS.replace("30100,50100", "30100,29000"),
        CALLS.replace("0,0,100,200", "0,0,300,200"),
    ],
)
def test_a_broken_log_is_refused(tmp_path, calls):
    with pytest.raises(BadLog):
        connections_read.read(_run(tmp_path, calls))


def test_a_clients_log_becomes_times_after_the_runs_start(tmp_path):
    log = tmp_path / "client.csv"
    log.write_text(
        "number,thread,asked_ns,connected_ns,ended_ns,outcome,detail\n"
        "0,0,5000100000,5000200000,5025200000,ok,\n1,0,5030000000,0,5060000000,no connection,\n"
    )
    kept = pooled.since(pooled.read_client(log), 5_000_000_000)
    assert kept["asked_us"].tolist() == [100, 30000] and kept["ended_us"].tolist() == [25200, 60000]
    assert kept["connected_us"].iloc[0] == 200 and pd.isna(kept["connected_us"].iloc[1])
    log.write_text("number,thread,asked_ns,connected_ns,ended_ns,outcome,detail\n")
    with pytest.raises(BadLog, match="no call"):
        pooled.read_client(log)


def test_of_the_services_log_only_what_is_new_counts(tmp_path):
    log = tmp_path / "service.csv"
    assert pooled.read_server(log).empty
    log.write_text("entered_ns,left_ns\n1,2\n")
    offset = log.stat().st_size
    assert pooled.read_server(log, offset).empty
    with open(log, "a") as file:
        file.write("3,4\n")
    assert pooled.read_server(log, offset).to_numpy().tolist() == [[3, 4]]
    assert pooled.read_server(log).to_numpy().tolist() == [[1, 2], [3, 4]]
