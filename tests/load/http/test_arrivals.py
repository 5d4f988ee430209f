"""Bursts, open arrivals and closed users against a real HTTP server."""

import itertools
import resource
import statistics
import time

import pytest

from made.plans import BODY, OUTCOMES, body, plan, send
from made.soap_server import running
from perfstudies.errors import BadParameter, SystemFailed
from perfstudies.load.http import connections
from perfstudies.load.http.arrivals import Arrivals, due_ns
from perfstudies.load.http.clients import kept_client, run_clients
from perfstudies.load.http.limits import require_open_files
from perfstudies.studies.aaa.logs import client as aaa_client

KINDS = [{"arrivals": "burst"}, {"arrivals": "open", "rate_per_s": 1e4}, {"arrivals": "users", "users": 2}]


@pytest.fixture
def server():
    with running() as made:
        yield made


@pytest.mark.parametrize("changes", KINDS)
def test_every_request_is_sent_once_and_recorded(tmp_path, server, changes):
    why, frame = send(Arrivals(plan(tmp_path, server.wsdl, requests=300, source="127.0.1.2", **changes)))
    assert why == "" and list(frame["number"]) == list(range(300)) and set(frame["outcome"]) == {"ok"}
    assert set(frame["ejb_ms"]) == {12.875} and (frame["bytes_in"] > 100).all()
    assert sorted(server.seen) == sorted(f"0/{number}" for number in range(300))
    assert server.peers == {"127.0.1.2"}
    assert server.connections == 301  # one was for the description


@pytest.mark.parametrize("changes", KINDS)
@pytest.mark.parametrize(("kind", "outcome", "detail", "ejb_ms"), OUTCOMES)
def test_what_becomes_of_a_request_is_an_outcome(tmp_path, server, changes, kind, outcome, detail, ejb_ms):
    why, frame = send(Arrivals(plan(tmp_path, server.wsdl, requests=2, bodies=(body(kind),), **changes)))
    assert why == "" and set(frame["outcome"]) == {outcome}
    assert all(text.startswith(detail) for text in frame["detail"])
    assert set(frame["ejb_ms"]) == {ejb_ms} or (ejb_ms is None and frame["ejb_ms"].isna().all())


@pytest.mark.parametrize("changes", KINDS)
def test_a_request_ends_with_its_time_to_live(tmp_path, server, changes):
    bodies = (body("hang"), BODY, body("hang"))
    _, frame = send(Arrivals(plan(tmp_path, server.wsdl, bodies=bodies, ttl_s=2, **changes)))
    assert list(frame["outcome"]) == ["timed out", "ok", "timed out"]
    assert (frame["total_ms"][[0, 2]] >= 2000).all()


def test_a_burst_opens_all_connections_before_it_begins(tmp_path, server):
    client = Arrivals(plan(tmp_path, server.wsdl, requests=600, arrivals="burst"))
    assert len(client.connections.idle) == 600 and server.seen == []
    _, frame = send(client)
    assert (frame["intended_us"] == 0).all() and len(server.seen) == 600


def test_a_burst_accounts_for_what_it_could_not_open(tmp_path, server):
    wsdl, server.address = server.wsdl, "http://127.0.0.1:9/nobody"
    why, frame = send(Arrivals(plan(tmp_path, wsdl, requests=5, arrivals="burst")))
    assert why == "" and list(frame["outcome"]) == ["refused"] * 5 and set(frame["detail"]) == {"Connection refused"}


def test_a_burst_that_has_no_time_to_open_accounts_for_it(tmp_path, server):
    _, frame = send(Arrivals(plan(tmp_path, server.wsdl, requests=1000, arrivals="burst", open_s=1e-6)))
    assert len(frame) == 1000 and {"refused"} <= set(frame["outcome"])


@pytest.mark.parametrize("changes", KINDS[1:])
def test_a_dead_server_ends_the_client_early(tmp_path, server, changes):
    wsdl, server.address = server.wsdl, "http://127.0.0.1:9/nobody"
    why, frame = send(Arrivals(plan(tmp_path, wsdl, requests=10_000, **changes)))
    assert why.startswith("nothing listens") and 10 <= len(frame) < 10_000
    assert set(frame["outcome"]) == {"refused"}


def test_even_arrivals_are_due_evenly(tmp_path):
    made = plan(tmp_path, "", requests=4, arrivals="open", rate_per_s=100, poisson=False)
    assert list(due_ns(made, 5)) == [5, 10_000_005, 20_000_005, 30_000_005]


def test_poisson_arrivals_follow_the_seed_and_the_rate(tmp_path):
    def made(seed):
        return list(due_ns(plan(tmp_path, "", requests=10_000, arrivals="open", rate_per_s=100, seed=seed), 0))

    assert made(1) == made(1) != made(2)
    gaps = [later - earlier for earlier, later in itertools.pairwise(made(1))]
    assert statistics.mean(gaps) == pytest.approx(1e7, rel=0.05) == statistics.stdev(gaps)


def test_open_arrivals_beyond_the_bound_start_late_but_keep_their_due_time(tmp_path, server):
    changes = dict(arrivals="open", rate_per_s=1000, poisson=False, outstanding=1, ttl_s=0.05, bodies=(body("hang"),))
    _, frame = send(Arrivals(plan(tmp_path, server.wsdl, **changes)))
    assert list(frame["intended_us"]) == [0, 1000, 2000]
    assert (frame["started_us"][1:].to_numpy() >= frame["ended_us"][:-1].to_numpy()).all()


@pytest.mark.parametrize("changes", [{"arrivals": "open", "rate_per_s": 200}, KINDS[2]])
def test_kept_connections_carry_further_requests(tmp_path, server, changes):
    made = plan(tmp_path, server.wsdl, requests=50, keep_alive=True, outstanding=2, **changes)
    _, frame = send(Arrivals(made))
    assert set(frame["outcome"]) == {"ok"} and server.connections <= 3


def test_a_user_sends_its_next_request_when_the_last_is_answered(tmp_path, server):
    _, frame = send(Arrivals(plan(tmp_path, server.wsdl, requests=20, arrivals="users", users=1)))
    assert list(frame["intended_us"][1:]) == list(frame["ended_us"][:-1]) and frame["intended_us"][0] == 0


def test_users_end_with_the_duration(tmp_path, server):
    changes = dict(requests=10**6, arrivals="users", users=2, duration_s=1)
    why, frame = send(Arrivals(plan(tmp_path, server.wsdl, **changes)))
    assert why == "" and 2 <= len(frame) < 10**6
    assert (frame["intended_us"] < 1_000_000).all()


@pytest.mark.parametrize("changes", KINDS[1:])
def test_a_stop_and_the_limit_of_time_end_it_early(tmp_path, server, changes):
    why, frame = send(Arrivals(plan(tmp_path, server.wsdl, **changes)), stopped=True)
    assert why.startswith("it was stopped; 0 ") and frame.empty
    why, frame = send(Arrivals(plan(tmp_path, server.wsdl, limit_s=1e-9, **changes)))
    assert why.startswith("its time of 1e-09 s was over")


def test_a_client_that_runs_out_of_files_did_not_measure(tmp_path, server, monkeypatch):
    def none_left(source):
        raise OSError(24, "Too many open files")

    client = Arrivals(plan(tmp_path, server.wsdl, arrivals="users"))
    monkeypatch.setattr(connections, "new_socket", none_left)
    with pytest.raises(SystemFailed, match="ulimit -n"):
        send(client)


def test_a_body_that_does_not_fit_is_refused_before_the_run(tmp_path, server):
    with pytest.raises(BadParameter, match="does not fit"):
        Arrivals(plan(tmp_path, server.wsdl, arrivals="burst", bodies=(BODY, BODY, {"Timer": 1})))


def test_the_limit_of_open_files_is_checked_and_raised(monkeypatch, tmp_path):
    limits = {"now": (256, 2000)}
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits["now"])
    monkeypatch.setattr(resource, "setrlimit", lambda _, new: limits.update(now=new))
    require_open_files(50, "a client")
    assert limits["now"] == (256, 2000)
    require_open_files(1000, "a client")
    assert limits["now"] == (1200, 2000)
    with pytest.raises(BadParameter, match=r"client 0 .* 4200 open files.* 2000 \(ulimit -Hn\)\. Raise the hard limit"):
        run_clients([plan(tmp_path, "", requests=4000, arrivals="burst")])
    plans = [plan(tmp_path, "", client=client, requests=1000, arrivals="burst") for client in range(4)]
    with pytest.raises(BadParameter, match="the server of 4000 connections"):
        run_clients(plans)


def test_four_processes_burst_together(tmp_path, server):
    plans = [plan(tmp_path, server.wsdl, client=client, requests=250, arrivals="burst") for client in range(4)]
    before_ns = time.monotonic_ns()
    start_ns = run_clients(plans)
    assert before_ns < start_ns < time.monotonic_ns()
    for one in plans:
        frame, truncated = aaa_client.read(one.record)
        assert (len(frame), truncated) == (250, 0) and set(frame["outcome"]) == {"ok"}
    assert len(set(server.seen)) == 1000


def test_one_process_sends_plans_that_are_given_one_after_another(tmp_path, server):
    with kept_client(("env", "PYTHONUNBUFFERED=1")) as client:
        for number in range(2):
            run_clients([plan(tmp_path, server.wsdl, client=number, requests=5, arrivals="users")], kept=client)
            frame, truncated = aaa_client.read(tmp_path / f"client-{number}.csv")
            assert (len(frame), truncated) == (5, 0) and set(frame["outcome"]) == {"ok"}
        assert client.alive()
        with pytest.raises(SystemFailed, match=r"(?s)a client: was not ready and ended.*has no operation Other"):
            run_clients([plan(tmp_path, server.wsdl, operation="Other", arrivals="users")], kept=client)
    assert len(set(server.seen)) == 10
