import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest

from perfstudies.errors import BadParameter
from perfstudies.studies.esb.server.cutting_proxy import AFTER, BEFORE, EITHER, NONE, Cuts, cutting

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"


def _request(body=b"hello", action=b'"urn:post"'):
    return b"POST / HTTP/1.1\r\nSOAPAction: %s\r\nContent-Length: %d\r\n\r\n%s" % (action, len(body), body)


@contextmanager
def _server(answer=ANSWER):
    """A server that keeps what it gets; yields its port and that list."""
    seen = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                with client:
                    got = b""
                    while not got.endswith(b"hello"):
                        got += client.recv(4096)
                    seen.append(got)
                    client.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1], seen
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()


def _ask(connection, expected=ANSWER):
    connection.sendall(_request())
    got = b""
    while len(got) < len(expected):
        part = connection.recv(4096)
        if not part:
            break
        got += part
    return got


@pytest.mark.parametrize("answer", [ANSWER, CHUNKED])
def test_what_is_not_cut_passes_as_it_is(answer):
    with _server(answer) as (port, seen), cutting(port, Cuts()) as proxy:
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=60) as connection:
            assert [_ask(connection, answer) for _ in range(3)] == [answer] * 3
        assert seen == [_request()] * 3
        assert [(one.ordinal, one.action, one.cut) for one in proxy.passed] == [(n, "post", NONE) for n in range(3)]


@pytest.mark.parametrize(("where", "reached"), [(BEFORE, 0), (AFTER, 1)])
def test_a_cut_is_a_reset_before_or_after_the_server_has_acted(where, reached):
    with _server() as (port, seen), cutting(port, Cuts(where, 19, 20)) as proxy:
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=60) as connection:
            with pytest.raises(ConnectionResetError):
                _ask(connection)
        assert len(seen) == reached and [one.cut for one in proxy.passed] == [where]


@pytest.mark.parametrize(("one_at_a_time", "most"), [(False, 2), (True, 1)])
def test_requests_may_have_to_wait_for_the_answer_to_the_one_before(one_at_a_time, most):
    inside, highest, lock = [0], [0], threading.Lock()
    met = threading.Barrier(2)

    def answer(client):
        with client:
            client.recv(4096)
            with lock:
                inside[0] += 1
                highest[0] = max(highest[0], inside[0])
            with suppress(threading.BrokenBarrierError):
                # Both are here at the same time, or the second one does not come while the first one is.
                met.wait(0.5 if one_at_a_time else 60)
            with lock:
                inside[0] -= 1
            client.sendall(ANSWER)

    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            with suppress(OSError):
                while True:
                    threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        with cutting(listener.getsockname()[1], Cuts(), one_at_a_time) as proxy, ThreadPoolExecutor(2) as clients:

            def ask(_):
                with socket.create_connection(("127.0.0.1", proxy.port), timeout=60) as connection:
                    return _ask(connection)

            assert list(clients.map(ask, range(2))) == [ANSWER] * 2
        listener.shutdown(socket.SHUT_RDWR)
    assert highest[0] == most


def test_a_server_that_has_gone_is_a_reset_and_its_successor_is_found():
    with _server() as (port, _):
        pass
    with cutting(port, Cuts()) as proxy:
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=60) as connection:
            with pytest.raises(ConnectionResetError):
                _ask(connection)
        with _server() as (again, seen):
            proxy.target = again
            with socket.create_connection(("127.0.0.1", proxy.port), timeout=60) as connection:
                assert _ask(connection) == ANSWER
        assert len(seen) == 1


def test_a_server_that_ends_within_its_answer_is_a_reset():
    with _server(ANSWER[:-1]) as (port, _), cutting(port, Cuts()) as proxy:
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=60) as connection:
            with pytest.raises(ConnectionResetError):
                _ask(connection)


def test_a_part_of_each_period_is_cut_in_a_row_and_the_same_for_the_same_seed():
    drawn = [Cuts(AFTER, 10, 30, "1/0").of(n) for n in range(900)]
    assert drawn == [Cuts(AFTER, 10, 30, "1/0").of(n) for n in range(900)]
    assert drawn != [Cuts(AFTER, 10, 30, "1/1").of(n) for n in range(900)]
    firsts = set()
    for period in range(30):
        part = drawn[30 * period : 30 * period + 30]
        firsts.add(part.index(AFTER))
        assert part[part.index(AFTER) :][:10] == [AFTER] * 10 and part.count(NONE) == 20
    assert len(firsts) > 5
    # Both kinds hit the same requests.
    either = [Cuts(EITHER, 10, 30, "1/0").of(n) for n in range(900)]
    assert [one == NONE for one in either] == [one == NONE for one in drawn]
    assert either.count(BEFORE) > 100 < either.count(AFTER)


def test_nonsense_is_refused():
    for wrong in ({"where": "within"}, {"burst": 20, "period": 20}, {"burst": 0}):
        with pytest.raises(BadParameter):
            Cuts(**wrong)
