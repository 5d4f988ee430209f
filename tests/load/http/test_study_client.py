"""The study's program against a real HTTP server, in this process and as the processes that it is."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import psutil
import pytest

from made.plans import BODY, OUTCOMES, body, plan, send
from made.soap_server import running
from perfstudies.errors import BadParameter, SystemFailed
from perfstudies.load.http import socket_transport
from perfstudies.load.http.client_process import ENDED_EARLY, ORPHANED
from perfstudies.load.http.clients import run_clients
from perfstudies.load.http.study_client import StudyClient
from perfstudies.studies.aaa.logs import client as aaa_client


@pytest.fixture
def server():
    with running() as made:
        yield made


def test_each_request_has_a_thread_a_connection_and_a_record(tmp_path, server):
    why, frame = send(StudyClient(plan(tmp_path, server.wsdl, requests=40, client=2)))
    assert why == ""
    assert list(frame["number"]) == list(range(40)) and set(frame["client"]) == {2}
    assert set(frame["outcome"]) == {"ok"} and set(frame["ejb_ms"]) == {12.875} and (frame["bytes_in"] > 100).all()
    assert sorted(server.seen) == sorted(f"2/{number}" for number in range(40))
    assert server.connections == 41  # one was for the description


def test_starts_are_due_after_each_gap_and_are_not_early(tmp_path, server):
    _, frame = send(StudyClient(plan(tmp_path, server.wsdl, requests=4, gap_ms=1.5)))
    assert list(frame["intended_us"]) == [0, 1500, 3000, 4500]
    assert (frame["started_us"] >= frame["intended_us"]).all()


@pytest.mark.parametrize(("kind", "outcome", "detail", "ejb_ms"), OUTCOMES)
def test_what_becomes_of_a_request_is_an_outcome(tmp_path, server, kind, outcome, detail, ejb_ms):
    why, frame = send(StudyClient(plan(tmp_path, server.wsdl, requests=1, bodies=(body(kind),))))
    row = frame.iloc[0]
    assert (why, row["outcome"]) == ("", outcome) and row["detail"].startswith(detail)
    assert row["ejb_ms"] == ejb_ms or (ejb_ms is None and row.isna()["ejb_ms"])


def test_soap_that_is_no_answer_is_no_success(tmp_path, server):
    _, frame = send(StudyClient(plan(tmp_path, server.wsdl, requests=1, bodies=(body("other"),))))
    assert frame["outcome"][0] == "http error"


def test_a_request_ends_with_its_time_to_live(tmp_path, server):
    _, frame = send(StudyClient(plan(tmp_path, server.wsdl, bodies=(body("hang"),), ttl_s=0.2)))
    assert set(frame["outcome"]) == {"timed out"} and (frame["total_ms"] >= 200).all()


def test_requests_may_differ(tmp_path, server):
    bodies = (BODY, body("fault"), body("html"))
    _, frame = send(StudyClient(plan(tmp_path, server.wsdl, bodies=bodies)))
    assert list(frame["outcome"]) == ["ok", "soap fault", "http error"]


def test_the_studys_logs_have_whole_milliseconds_of_answers_only(tmp_path, server):
    total, ejb = tmp_path / "Total_Timelog", tmp_path / "EJB_Timelog"
    bodies = (BODY, body("html"), body("fault"))
    _, frame = send(StudyClient(plan(tmp_path, server.wsdl, bodies=bodies, total_log=total, ejb_log=ejb)))
    assert ejb.read_text() == "12;\n12;\n"
    assert sorted(total.read_text().split()) == sorted(f"{int(ms)};" for ms in frame["total_ms"][[0, 2]])


def test_a_kept_connection_carries_further_requests(tmp_path, server):
    _, frame = send(StudyClient(plan(tmp_path, server.wsdl, requests=5, keep_alive=True, outstanding=1)))
    assert set(frame["outcome"]) == {"ok"} and server.connections == 2


def test_a_kept_connection_that_the_server_closed_is_not_used(tmp_path, server):
    bodies = (body("until the end"), BODY, body("half"), BODY)
    changes = dict(requests=4, bodies=bodies, keep_alive=True, outstanding=1)
    _, frame = send(StudyClient(plan(tmp_path, server.wsdl, **changes)))
    assert list(frame["outcome"]) == ["ok", "ok", "lost", "ok"]


def test_requests_come_from_the_plans_address(tmp_path, server):
    send(StudyClient(plan(tmp_path, server.wsdl, source="127.0.1.3")))
    assert server.peers == {"127.0.1.3"}


def test_threads_are_bounded_and_who_waits_for_one_starts_late(tmp_path, server):
    changes = dict(bodies=(body("hang"),), ttl_s=0.05, outstanding=1)
    _, frame = send(StudyClient(plan(tmp_path, server.wsdl, **changes)))
    assert list(frame["intended_us"]) == [0, 0, 0]
    assert (frame["started_us"][1:].to_numpy() >= frame["ended_us"][:-1].to_numpy()).all()


def test_a_dead_server_ends_the_client_early(tmp_path, server):
    changes = dict(requests=100, bodies=(body("die"),), outstanding=1)
    why, frame = send(StudyClient(plan(tmp_path, server.wsdl, **changes)))
    assert why.startswith("nothing listens") and why.endswith("of 100 requests were sent")
    assert frame["outcome"].iloc[-1] == "refused" and "ok" not in set(frame["outcome"]) and len(frame) < 100


def test_a_stop_and_the_limit_of_time_end_it_early(tmp_path, server):
    why, frame = send(StudyClient(plan(tmp_path, server.wsdl)), stopped=True)
    assert why == "it was stopped; 0 of 3 requests were sent" and frame.empty
    why, frame = send(StudyClient(plan(tmp_path, server.wsdl, gap_ms=20, limit_s=0.01)))
    assert why.startswith("its time of 0.01 s was over; ") and len(frame) < 3


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"bodies": ({"type": "x", "Timer": 1},)}, BadParameter, "does not fit the service's description"),
        ({"operation": "Other"}, SystemFailed, "has no operation Other"),
    ],
)
def test_a_plan_that_does_not_fit_the_service_is_refused(tmp_path, server, changes, error, message):
    with pytest.raises(error, match=message):
        StudyClient(plan(tmp_path, server.wsdl, **changes))


def test_a_client_that_runs_out_of_files_did_not_measure(tmp_path, server, monkeypatch):
    def none_left(source):
        raise OSError(24, "Too many open files")

    client = StudyClient(plan(tmp_path, server.wsdl))
    monkeypatch.setattr(socket_transport, "new_socket", none_left)
    with pytest.raises(SystemFailed, match="ulimit -n"):
        send(client)


def test_clients_run_as_processes_and_begin_together(tmp_path, server):
    counts = []
    plans = [plan(tmp_path, server.wsdl, client=client, requests=5) for client in range(2)]
    start_ns = run_clients(plans, prefix=("env",), progress=counts.append)
    frames = [aaa_client.read(one.record)[0] for one in plans]
    assert [len(frame) for frame in frames] == [5, 5] and counts[-1] == 10
    assert all((frame["intended_us"] == 0).all() for frame in frames) and start_ns > 0
    assert len(set(server.seen)) == 10


def test_a_client_that_fails_says_why(tmp_path, server):
    with pytest.raises(SystemFailed, match=r"(?s)client 0: was not ready and ended.*has no operation Other"):
        run_clients([plan(tmp_path, server.wsdl, operation="Other")])
    plans = [plan(tmp_path, server.wsdl, client=0, gap_ms=60_000), plan(tmp_path, server.wsdl, client=1, limit_s=1e-9)]
    with pytest.raises(SystemFailed, match=r"(?s)client 1: did not send all.*client 1 ended early: its time"):
        run_clients(plans)


def test_a_dead_server_ends_all_clients(tmp_path, server):
    plans = [plan(tmp_path, server.wsdl, client=client, gap_ms=60_000) for client in range(2)]
    with pytest.raises(SystemFailed, match=r"(?s)server died.*it was stopped; 1 of 3"):
        run_clients(plans, alive=lambda: len(server.seen) < 2)
    assert len(aaa_client.read(plans[0].record)[0]) == 1


def started(tmp_path, made):
    path = tmp_path / "plan.json"
    made.write(path)
    command = [sys.executable, "-m", "perfstudies.load.http.study_client"]
    popen = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    popen.stdin.write(f"PLAN {path}\n".encode())
    popen.stdin.flush()
    assert popen.stdout.readline() == b"READY client 0\n"
    return popen


def test_a_client_ends_when_its_input_ends(tmp_path, server):
    with started(tmp_path, plan(tmp_path, server.wsdl)) as popen:
        popen.stdin.close()
        assert popen.wait(60) == ORPHANED


def test_a_client_under_way_ends_when_its_input_ends(tmp_path, server):
    with started(tmp_path, plan(tmp_path, server.wsdl, bodies=(BODY, body("hang"), BODY), outstanding=1)) as popen:
        popen.stdin.write(f"GO {time.monotonic_ns()}\n".encode())
        popen.stdin.flush()
        record = tmp_path / "client-0.csv"
        while not server.held:
            assert popen.poll() is None
        popen.stdin.close()
        assert popen.wait(60) == ORPHANED
    assert len(aaa_client.read(record)[0]) == 1


def test_a_stopped_client_says_so_by_its_status(tmp_path, server):
    with started(tmp_path, plan(tmp_path, server.wsdl, gap_ms=60_000)) as popen:
        _, said = popen.communicate(f"GO {time.monotonic_ns()}\nSTOP\n".encode())
        # Its input ends with the order: whichever it sees first, it does not end as if all was sent.
        assert popen.returncode in (ENDED_EARLY, ORPHANED), said


def test_no_client_outlives_a_killed_parent(tmp_path, server):
    plan(tmp_path, server.wsdl, bodies=(body("hang"),)).write(tmp_path / "plan.json")
    parent = textwrap.dedent(f"""
        import os, psutil, threading, time
        from pathlib import Path
        from perfstudies.load.http.clients import run_clients
        from perfstudies.load.http.plan import Plan
        threading.Thread(target=run_clients, args=([Plan.read(Path({str(tmp_path / "plan.json")!r}))],)).start()
        while not psutil.Process().children():
            pass
        print(psutil.Process().children()[0].pid, flush=True)
        input()
    """)
    command, temporary = [sys.executable, "-c", parent], os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=temporary) as popen:
        child = psutil.Process(int(popen.stdout.readline()))
        while not server.held:
            assert popen.poll() is None
        os.kill(popen.pid, signal.SIGKILL)
    assert psutil.wait_procs([child], timeout=60)[0] == [child]
