"""The benchmark of load clients: what it sends, what it subtracts, and what it calls a promise kept."""

import os
import subprocess
import sys
from random import Random

import load_clients
import pytest
import requests
from peers import calls, echo, nginx
from peers.cpus import on_cpus
from peers.programs import Program
from peers.server import trivial_server

from perfstudies.errors import BadParameter, SystemFailed

FAST = "zeep + SocketTransport, prepared"


@pytest.fixture
def server(tmp_path):
    if nginx.program() is None:
        pytest.skip("nginx is not installed")
    with trivial_server(tmp_path, echo.reply(), None) as address:
        yield address


def test_the_messages_have_their_sizes():
    assert (len(echo.request()[0]), len(echo.reply().encode())) == (780, 906)


def test_the_server_answers_every_post_and_ends(server):
    for text in (b"<a/>", echo.request()[0]):
        assert requests.post(server, data=text, timeout=10).content == echo.reply().encode()


def test_no_server_is_left(tmp_path):
    if nginx.program() is None:
        pytest.skip("nginx is not installed")
    with trivial_server(tmp_path, echo.reply(), None) as address:
        pass
    with pytest.raises(requests.ConnectionError):
        requests.post(address, data=b"<a/>", timeout=10)


def test_a_reply_that_the_configuration_would_change_is_refused(tmp_path):
    with pytest.raises(BadParameter, match="dollar"), trivial_server(tmp_path, "$host", None):
        pass


def test_each_way_of_zeep_makes_whole_calls(server, monkeypatch):
    monkeypatch.setattr(calls, "CALLS", 2)
    monkeypatch.setattr(calls, "BATCHES", 1)
    measure = calls.ZeepCalls(server, Random(1))
    costs = measure()
    assert tuple(costs) == measure.names and len(costs) == 4 and all(cost > 0 for cost in costs.values())
    assert FAST in costs


def test_start_up_is_subtracted(monkeypatch):
    used = iter([0.0, 1.5, 1.5, 3.5])  # 1 s of start-up and 5 ms a request
    monkeypatch.setattr(load_clients, "_children_s", lambda: next(used))
    assert load_clients.cost_us(Program("a", 100, 200, int)) == pytest.approx(5000)


def test_a_longer_run_that_took_less_is_no_measurement(monkeypatch):
    used = iter([0.0, 1.0, 1.0, 1.5])
    monkeypatch.setattr(load_clients, "_children_s", lambda: next(used))
    with pytest.raises(SystemFailed, match="took less"):
        load_clients.cost_us(Program("a", 100, 200, int))


def test_the_time_of_ended_processes_counts():
    before = load_clients._children_s()
    subprocess.run([sys.executable, "-c", "sum(range(10 ** 6))"], check=True)
    assert load_clients._children_s() > before


@pytest.mark.parametrize(
    ("rate", "fast", "said"),
    [(1.5, 20.0, ["holds", "holds"]), (1.51, 20.5, ["DOES NOT HOLD", "DOES NOT HOLD"])],
)
def test_a_promise_is_held_by_the_median_of_the_rounds(rate, fast, said):
    made = [{"wrk": 1.0, "rate client": one * rate, "zeep + requests": 100.0, FAST: fast} for one in (1, 9, 0.1)]
    assert [line.rpartition(": ")[2] for line in load_clients.verdicts(made)] == said


def test_what_was_left_out_is_said():
    made = [{"zeep + requests": 100.0, FAST: 10.0}]
    assert load_clients.verdicts(made)[0] == "rate client / wrk: not measured"
    assert "10.00 (10.00 to 10.00) times as much" in load_clients.table(made, made[0])


def test_every_client_is_measured_once_a_round_in_changing_order():
    order = []
    measures = [lambda name=name: order.append(name) or {name: 1.0} for name in "abcd"]
    made = load_clients.rounds(measures, Random(1))
    assert len(made) == load_clients.ROUNDS and all(set(one) == set("abcd") for one in made)
    assert len({tuple(order[start : start + 4]) for start in range(0, len(order), 4)}) > 1


def test_processors_are_given_back():
    if not hasattr(os, "sched_getaffinity"):
        pytest.skip("this system has no affinity")
    before = os.sched_getaffinity(0)
    with on_cpus({min(before)}):
        assert os.sched_getaffinity(0) == {min(before)}
    assert os.sched_getaffinity(0) == before
