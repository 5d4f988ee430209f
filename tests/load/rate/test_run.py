"""The client for high rates as a process: begun, watched, stopped, killed; what had ended is always in its log."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import psutil
import pytest

from made.rate_server import Server, answering, plan, reply
from perfstudies.errors import MissingTool, SystemFailed
from perfstudies.load.rate import run as load
from perfstudies.load.rate.log import HEADER
from perfstudies.studies.esb.logs import rate, rate_intervals


def _clients():
    return [one for one in psutil.Process().children() if "perfstudies.load.rate.client" in one.cmdline()]


def test_a_run_says_what_it_cost_and_how_far_it_is(tmp_path):
    told = []
    with Server(answering(reply())) as server:
        made = plan(server, tmp_path, connections=4, max_requests=10**6, duration_s=2.0)
        result = load.run_rate(made, progress=told.append)
        sent = len(server.requests)
    frame = rate.read(made.record)
    assert result.sent == result.ended == sent == len(frame) == (frame["outcome"] == "ok").sum()
    assert result.ended_early == ""
    assert 0 < result.cpu_user_s + result.cpu_system_s < 2 + 1
    assert 0 < time.monotonic_ns() - result.start_ns < 60e9
    assert told == sorted(told) and told[-1] <= sent and any(0 < one < sent for one in told)
    assert frame["intended_ms"].max() < 2000
    assert _clients() == []


def test_one_client_sends_one_plan_after_another(tmp_path):
    gone = threading.Semaphore(0)

    def serve(server, connection, _):
        while server.read(connection) is not None:
            connection.sendall(reply())
        gone.release()

    with Server(serve) as server, load.rate_client() as client:
        for number, connections in enumerate((4, 2, 7)):
            made = plan(server, tmp_path / str(number), connections=connections, max_requests=10**6, duration_s=0.3)
            made.record.parent.mkdir()
            before = len(server.requests)
            result = load.run_rate(made, client=client)
            assert result.ended_early == "" and result.sent == len(server.requests) - before > connections
            assert len(rate.read(made.record)) == result.sent
            # None of its connections is left to the next.
            assert all(gone.acquire(timeout=60) for _ in range(connections)) and not gone.acquire(blocking=False)
            assert [one.pid for one in _clients()] == [client.pid]
            # A stop that comes too late is none of the next plan.
            load.tell(client, "STOP")
    assert _clients() == []


def test_a_client_that_fails_says_why(tmp_path):
    nowhere = r"(?s)the client for high rates: was not ready.*requests\.bin: the log cannot be written: No such file"
    with pytest.raises(SystemFailed, match=nowhere):
        load.run_rate(plan("http://127.0.0.1:1/", tmp_path / "nowhere", duration_s=0.1))
    with pytest.raises(SystemFailed, match="no connection to http://127.0.0.1:1/ could be opened"):
        load.run_rate(plan("http://127.0.0.1:1/", tmp_path))
    assert _clients() == []


def test_a_dead_server_stops_the_client_and_both_are_named(tmp_path):
    with Server(answering(reply())) as server:
        made = plan(server, tmp_path, connections=2, max_requests=10**6, duration_s=60.0)
        seen = iter([True, True, False])
        told = r"the server died .*; the client stopped in order\. \d+ of \d+ requests"
        with pytest.raises(SystemFailed, match=told):
            load.run_rate(made, alive=lambda: next(seen, False))
        sent = len(server.requests)
    frame = rate.read(made.record)
    assert len(frame) == sent == (frame["outcome"] == "ok").sum() > 0
    assert _clients() == []


def test_a_server_that_is_seen_to_have_died_only_after_the_client_gave_up_has_died(tmp_path):
    with Server(answering(reply())) as server:
        made = plan(server, tmp_path, connections=2, max_requests=10, duration_s=0.1)
        stopped = load.RateResult(0, 1, 0.0, 0.0, 10, 9, "nothing listens there any more")
        seen = iter([True] * 10)
        with pytest.MonkeyPatch.context() as ended:
            ended.setattr(load, "_result", lambda client, said: stopped)
            with pytest.raises(SystemFailed, match="the server died .*; the client ended early: nothing listens"):
                load.run_rate(made, alive=lambda: next(seen, False))
    assert _clients() == []


def _started(made, folder):
    made.write(folder / "plan.json")
    client = subprocess.Popen(
        [sys.executable, "-m", "perfstudies.load.rate.client"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    client.stdin.write(f"PLAN {folder / 'plan.json'}\n".encode())
    client.stdin.flush()
    assert client.stdout.readline() == f"READY {made.address}\n".encode()
    client.stdin.write(f"GO {time.monotonic_ns()}\n".encode())
    client.stdin.flush()
    return client


def _answers_until(number):
    """Return what answers until a number of requests has come, and an event that says that it has."""
    reached, counted = threading.Event(), itertools.count(1)

    def serve(server, connection, _):
        while server.read(connection) is not None:
            if next(counted) >= number:  # one thread at a time gets a number
                reached.set()
            else:
                connection.sendall(reply())

    return serve, reached


def test_stop_ends_what_is_under_way_and_keeps_it(tmp_path):
    with Server(answering(reply())) as server:
        made = plan(server, tmp_path, connections=3, max_requests=10**6, duration_s=60.0)
        client = _started(made, tmp_path)
        while len(server.requests) < 50:
            assert client.poll() is None
            time.sleep(0.01)
        said, problem = _stopped(client)
        sent = len(server.requests)
    frame = rate.read(made.record)
    assert client.returncode == 4 and problem == b"" and b"it was told to stop" in said
    assert len(frame) == sent == (frame["outcome"] == "ok").sum() >= 50
    assert np.fromfile(made.record, HEADER, 1)["finished"] == 1


def _stopped(client):
    client.stdin.write(b"STOP\n")
    client.stdin.flush()
    said = client.stdout.readline()
    client.stdin.close()
    problem = client.stderr.read()
    client.wait(60)
    for pipe in (client.stdin, client.stdout, client.stderr):
        pipe.close()
    return said, problem


@pytest.mark.parametrize("how", ["killed", "orphaned"])
def test_a_killed_or_orphaned_client_ends_at_once_and_leaves_every_request_that_had_ended(tmp_path, how):
    serve, reached = _answers_until(100)
    with Server(serve) as server:
        made = plan(server, tmp_path, connections=3, max_requests=10**6, duration_s=60.0)
        client = _started(made, tmp_path)
        assert reached.wait(60)
        while np.fromfile(made.record, HEADER, 1)["begun"] < 102:  # the last answers have been read
            time.sleep(0.01)
        if how == "killed":
            os.kill(client.pid, signal.SIGKILL)
        client.stdin.close()
        assert client.wait(60) == (-signal.SIGKILL if how == "killed" else 4)
        client.stdout.close()
        client.stderr.close()
    frame = rate.read(made.record)
    outcomes = frame["outcome"].value_counts().to_dict()
    # A request is on record before it is sent, so that the kill may come between the two.
    assert outcomes["ok"] == 99 and outcomes["unfinished"] + outcomes.get("never sent", 0) == 3 == len(frame) - 99
    assert (frame["service_ms"].dropna() > 0).all()
    assert rate_intervals.counts(rate.reduce(made.record)).to_dict() == outcomes


def test_where_it_cannot_run_it_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(load.sys, "platform", "darwin")
    with pytest.raises(MissingTool, match="Measure on Linux"):
        load.run_rate(plan("http://127.0.0.1:1/", tmp_path))


def test_a_later_start_does_not_compile_again(tmp_path):
    # What was compiled is kept: the entry has been loaded, not made.
    code = (
        "import select, sys; from pathlib import Path; from perfstudies.load.rate.client import opened, run; "
        "from perfstudies.load.rate.plan import RatePlan; "
        "epoll = select.epoll(); opened(RatePlan.read(Path(sys.argv[1])), epoll.fileno()); "
        "print(sum(run.stats.cache_hits.values()))"
    )
    with Server(answering(reply())) as server:
        plan(server, tmp_path).write(tmp_path / "plan.json")
        hits = [
            subprocess.run([sys.executable, "-c", code, str(tmp_path / "plan.json")], capture_output=True, check=True)
            for _ in range(2)
        ][1].stdout
    assert hits == b"1\n"
