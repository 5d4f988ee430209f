"""The client for high rates against servers of raw sockets: what it sends, how requests end, that each is logged."""

import os
import resource
import select
import socket
import struct
import threading
import time

import numpy as np
import pytest

from made.rate_server import Server, answering, plan, reply, run
from perfstudies.errors import BadParameter, SystemFailed
from perfstudies.load.http import limits
from perfstudies.load.rate.client import compile_ahead, opened, send
from perfstudies.load.rate.loop import run as loop
from perfstudies.studies.esb.logs import rate

FAULT = reply(b"<s:Envelope><s:Body><s:Fault/></s:Body></s:Envelope>", b"500 Internal Server Error")
CLOSES = reply(b"<a/>", b"200 OK", b"Connection: close")


def outcomes(frame):
    return frame["outcome"].tolist()


def test_it_sends_what_the_plan_says_byte_for_byte_and_nothing_else(tmp_path):
    with Server(answering(reply())) as server:
        made = plan(server, tmp_path, message=bytes(range(256)), headers={"SOAPAction": '"urn:echo"'})
        result, frame = run(made)
        assert server.requests == [made.request()] * 5
        assert server.connections == 1
    assert outcomes(frame) == ["ok"] * 5
    assert set(frame["bytes"]) == {16} and set(frame["status"]) == {200}
    assert result["ended_early"] == "" and result["sent"] == result["ended"] == 5
    assert (frame["sent_ms"].diff().dropna() > 0).all() and (frame["service_ms"] > 0).all()


def test_each_outcome_is_logged_and_the_load_goes_on(tmp_path):
    busy = reply(b"", b"503 Service Unavailable")
    replies = [reply(), FAULT, busy, b"what?\r\n", reply(b"no end"), CLOSES, reply(b"<a>whole")]
    with Server(answering(*replies)) as server:
        _, frame = run(plan(server, tmp_path, max_requests=7, must_contain=b">"))
        assert server.connections == 3  # after what is not HTTP, and after "close"
    assert outcomes(frame) == ["ok", "SOAP fault", "HTTP 503", "not HTTP", "short reply", "ok", "ok"]
    assert frame["status"].tolist() == [200, -5, 503, -4, -6, 200, 200]


@pytest.mark.parametrize(
    ("data", "outcome"),
    [(b"", "reset"), (b"HTTP/1.1 20", "reset"), (reply()[:-1], "short reply"), (b"HTTP/1.1 200 OK\r\n\r\n<a/>", "ok")],
)
@pytest.mark.parametrize("resets", [False, True])
def test_a_server_that_closes_in_the_middle(tmp_path, data, outcome, resets):
    def serve(server, connection, number):
        while server.read(connection) is not None:
            if len(server.requests) != 2:
                connection.sendall(reply())
                continue
            if resets:  # a close that throws away what was sent
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            else:
                connection.sendall(data)
            return

    with Server(serve) as server:
        made = plan(server, tmp_path)
        _, frame = run(made)
        assert server.requests == [made.request()] * 5, "a request is never sent twice"
    assert outcomes(frame) == ["ok", "reset" if resets else outcome, "ok", "ok", "ok"]


def test_a_connection_that_was_closed_before_a_request_is_replaced_without_a_word(tmp_path):
    closed = threading.Event()

    def serve(server, connection, number):
        if number == 0:  # told to nobody: it closes before the start
            connection.close()
            closed.set()
            return
        while server.read(connection) is not None:
            connection.sendall(reply())
            if len(server.requests) == 2:
                return

    with Server(serve) as server, select.epoll() as epoll:
        # The third request is due two seconds after the second: the server has closed by then.
        made = plan(server, tmp_path, rate=1.0, seed=6749, max_requests=4)
        state = opened(made, epoll.fileno())
        assert closed.wait(30)
        send(made, state, time.monotonic_ns())
        frame = rate.read(made.record)
        assert len(server.requests) == 4
        assert server.connections == 3
    assert outcomes(frame) == ["ok"] * 4


@pytest.mark.parametrize("used", [False, True])
def test_a_close_that_came_before_a_request_is_seen_before_it_is_sent(tmp_path, used):
    def serve(server, connection, number):
        if number == 0:
            if used:
                server.read(connection)
                connection.sendall(reply())
                time.sleep(0.05)  # the close comes after the reply, and not with it
            begin.wait(30)
            connection.close()
            closed.set()
            return
        while server.read(connection) is not None:
            connection.sendall(reply())

    begin, closed = threading.Event(), threading.Event()
    with Server(serve) as server, select.epoll() as epoll:
        if used:  # the second request is due two seconds after the first: the kept connection has been closed by then
            begin.set()
            _, frame = run(plan(server, tmp_path, rate=1.0, seed=1044, max_requests=2))
        else:
            made = plan(server, tmp_path, max_requests=2)
            state = opened(made, epoll.fileno())
            begin.set()
            assert closed.wait(30)
            send(made, state, time.monotonic_ns())
            frame = rate.read(made.record)
        assert len(server.requests) == server.connections == 2
    assert outcomes(frame) == ["ok"] * 2


def test_the_close_comes_with_the_reply(tmp_path):
    # Both are there when the client looks: the next request is not sent into a closed connection.
    def serve(server, connection, number):
        if server.read(connection) is not None:
            connection.sendall(reply() + b"surplus")
            connection.shutdown(socket.SHUT_WR)
            connection.recv(1)

    with Server(serve) as server:
        _, frame = run(plan(server, tmp_path))
        assert server.connections == 5
    assert outcomes(frame) == ["ok"] * 5


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_replies_in_pieces_large_ones_too(tmp_path, size):
    body = b"<soap:Envelope>" + b"x" * (1 << 20 if size == 1000 else 300) + b"</soap:Envelope>"
    data = b"HTTP/1.1 100 Continue\r\n\r\n" + reply(body)

    def serve(server, connection, number):
        while server.read(connection) is not None:
            for at in range(0, len(data), size):
                connection.sendall(data[at : at + size])

    with Server(serve) as server:
        _, frame = run(plan(server, tmp_path, must_contain=b"</soap:Envelope>"))
    assert outcomes(frame) == ["ok"] * 5
    assert set(frame["bytes"]) == {len(body)}


def test_a_long_message_goes_out_in_parts_as_the_server_takes_it(tmp_path):
    message = bytes(range(256)) * (1 << 15)  # more than the kernel takes at once
    with Server(answering(reply())) as server:
        made = plan(server, tmp_path, message=message, connections=3)
        _, frame = run(made)
        assert [request == made.request() for request in server.requests] == [True] * 5
    assert outcomes(frame) == ["ok"] * 5


def test_a_reply_to_half_a_request_ends_it_and_its_connection(tmp_path):
    replaced = threading.Event()

    def serve(server, connection, number):
        if number:
            replaced.set()
            while server.read(connection) is not None:
                connection.sendall(reply())
            return
        connection.recv(10)
        connection.sendall(reply(b"too much", b"413 Payload Too Large"))
        replaced.wait(30)

    with Server(serve) as server:
        _, frame = run(plan(server, tmp_path, message=bytes(8 << 20), max_requests=2))
        assert server.connections == 2
    assert outcomes(frame) == ["HTTP 413", "ok"]


def test_a_request_without_an_answer_times_out_and_its_connection_is_replaced(tmp_path):
    def serve(server, connection, number):
        while server.read(connection) is not None:
            if len(server.requests) != 2:
                connection.sendall(reply())

    with Server(serve) as server:
        _, frame = run(plan(server, tmp_path, timeout_s=2.0))
        assert server.connections == 2
    assert outcomes(frame) == ["ok", "timed out", "ok", "ok", "ok"]
    assert 2000 <= frame["service_ms"][1]


def test_what_is_under_way_at_the_end_is_waited_for(tmp_path):
    def serve(server, connection, number):
        while server.read(connection) is not None:
            time.sleep(0.7)
            connection.sendall(reply())

    with Server(serve) as server:
        _, frame = run(plan(server, tmp_path, duration_s=0.5, connections=3))
    assert outcomes(frame) == ["ok"] * 3
    assert (frame["ended_ms"] > 700).all()


def test_arrivals_that_no_connection_took_are_told_from_those_without_an_answer(tmp_path):
    def serve(server, connection, number):
        while server.read(connection) is not None:
            pass

    with Server(serve) as server:
        result, frame = run(plan(server, tmp_path, rate=200.0, seed=1, duration_s=0.2, max_requests=50, timeout_s=0.5))
    sent = len(server.requests)
    assert outcomes(frame)[0] == "timed out"
    assert set(frame["outcome"]) == {"timed out", "unfinished", "never sent"} or sent == 1
    assert result["sent"] == sent < len(frame)
    assert frame.loc[frame["outcome"] == "never sent", "sent_ms"].isna().all()
    assert frame.loc[frame["outcome"] == "unfinished", ["sent_ms"]].notna().all(axis=None)
    assert set(frame.loc[frame["outcome"] == "never sent", "status"]) <= {-8}


def test_closed_connections_share_the_requests_and_keep_their_limit(tmp_path):
    with Server(answering(reply())) as server:
        made = plan(server, tmp_path, connections=8, requests_per_connection=25, max_requests=1000)
        _, frame = run(made)
        assert server.requests == [made.request()] * 200
        assert server.connections == 8
    assert frame.groupby("connection").size().to_dict() == dict.fromkeys(range(8), 25)
    assert (frame["intended_ms"] == frame["sent_ms"]).all()
    for _, one in frame.groupby("connection"):
        assert (one["sent_ms"].to_numpy()[1:] >= one["ended_ms"].to_numpy()[:-1]).all()


def test_open_arrivals_are_sent_when_they_are_due_and_wait_in_order_for_a_connection(tmp_path):
    def serve(server, connection, number):
        while server.read(connection) is not None:
            time.sleep(0.004)
            connection.sendall(reply())

    with Server(serve) as server:
        made = plan(server, tmp_path, rate=1000.0, seed=9, duration_s=0.3, max_requests=10_000, connections=2)
        _, frame = run(made)
        assert len(server.requests) == len(frame)
    assert outcomes(frame) == ["ok"] * len(made.schedule_ns())
    assert (frame["intended_ms"] * 1e6).round().astype(int).tolist() == made.schedule_ns().tolist()
    assert (frame["sent_ms"] >= frame["intended_ms"]).all()
    assert frame["sent_ms"].is_monotonic_increasing, "first due, first sent"
    # 500 a second can be answered, fewer by a busy machine: half of them and more waited, and that is in the response,
    # not in the service.
    assert frame["response_ms"].max() > max(100, 20 * frame["service_ms"].median())


def test_open_arrivals_use_all_connections_alike(tmp_path):
    with Server(answering(reply())) as server:
        _, frame = run(plan(server, tmp_path, rate=2000.0, duration_s=0.2, max_requests=100, connections=10))
    assert frame.groupby("connection").size().between(5, 20).all()
    assert frame["connection"].nunique() == 10


def test_nobody_listens(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as unused:
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/"
    with pytest.raises(SystemFailed, match=r"no connection to http.* could be opened: \d+ connections in a row"):
        run(plan(address, tmp_path, connections=5))
    assert (tmp_path / "requests.bin").stat().st_size == 64


def test_a_server_that_goes_away_ends_the_load_early_and_is_not_hammered(tmp_path):
    def serve(server, connection, number):
        while server.read(connection) is not None:
            if len(server.requests) >= 20:  # two threads may have counted on before either looks
                server.stop()
            connection.sendall(reply())

    with Server(serve) as server:
        result, frame = run(plan(server, tmp_path, max_requests=10**6, duration_s=60.0, connections=2))
    assert "10 connections in a row were refused: nothing listens there any more" in result["ended_early"]
    # What the other connection was being answered then may still come.
    assert 17 <= (frame["outcome"] == "ok").sum() <= 21
    assert 10 <= (frame["outcome"] == "refused").sum() <= 12
    assert set(frame["outcome"]) <= {"ok", "reset", "refused"}
    for _, one in frame[frame["outcome"] == "refused"].groupby("connection"):
        rests_ms = one["intended_ms"].diff().dropna()
        assert (rests_ms >= 10 * 2 ** np.arange(len(rests_ms))).all()


def test_open_arrivals_that_nobody_accepts_are_refused_and_the_rest_is_never_sent(tmp_path):
    def serve(server, connection, number):
        server.read(connection)
        server.stop()

    with Server(serve) as server:
        made = plan(server, tmp_path, rate=100.0, max_requests=10_000, duration_s=60.0, connections=2)
        result, frame = run(made)
    assert "connections in a row were refused" in result["ended_early"]
    assert set(frame["outcome"]) - {"never sent"} == {"reset", "refused"}
    assert 5 <= (frame["outcome"] == "refused").sum() <= 12
    assert frame["intended_ms"].tolist() == (made.schedule_ns()[: len(frame)] / 1e6).tolist()


def test_a_client_that_runs_out_of_files_ends_early_and_says_what_to_do(tmp_path):
    def serve(server, connection, number):
        accepted.set()
        answering(CLOSES)(server, connection, number)

    accepted = threading.Event()
    with Server(serve) as server, select.epoll() as epoll:
        made = plan(server, tmp_path, max_requests=1000)
        state = opened(made, epoll.fileno())
        assert accepted.wait(30)  # the limit is the server's, too: it is in this process
        allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, allowed[1]))
        try:
            result = send(made, state, time.monotonic_ns())
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, allowed)
    frame = rate.read(made.record)
    assert "ran out of something (Too many open files): raise the limit of open files" in result["ended_early"]
    assert outcomes(frame) == ["ok", "never sent"]


def test_a_server_that_closes_every_connection_is_not_hammered(tmp_path):
    def serve(server, connection, number):
        connection.close()

    with Server(serve) as server:
        _, frame = run(plan(server, tmp_path, max_requests=10**6, duration_s=1.0))
        assert 2 <= server.connections < 10
    assert set(frame["outcome"]) <= {"reset", "never sent"}


def test_too_few_open_files_are_told_beforehand(tmp_path, monkeypatch):
    monkeypatch.setattr(limits.resource, "getrlimit", lambda what: (300, 300))
    with pytest.raises(BadParameter, match="ulimit"):
        run(plan("http://127.0.0.1:1/", tmp_path, connections=150))


def test_a_full_disk_is_told_beforehand(tmp_path, monkeypatch):
    full = os.statvfs_result((4096, 4096, 10, 10, 10, 10, 10, 10, 0, 255))
    monkeypatch.setattr("os.fstatvfs", lambda file: full)
    with pytest.raises(SystemFailed, match=r"requests\.bin: the log needs 64 MB .* Free some room"):
        run(plan("http://127.0.0.1:1/", tmp_path, max_requests=2_000_000))


def test_what_was_compiled_ahead_is_what_a_load_needs(tmp_path):
    compile_ahead()
    ahead = list(loop.signatures)
    with Server(answering(reply(b"<told/>"))) as server:
        run(plan(server, tmp_path))
    assert ahead == list(loop.signatures) and len(ahead) == 1
