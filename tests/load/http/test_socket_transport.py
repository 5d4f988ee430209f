"""zeep over plain sockets against a real HTTP server: whole calls, faults, and what is no answer."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from types import SimpleNamespace

import pytest
import zeep.exceptions

from made.soap_server import ANSWER, REPLIES, reply, running
from perfstudies.errors import BadParameter
from perfstudies.load.http import socket_transport
from perfstudies.load.http.socket_transport import SocketTransport
from perfstudies.load.http.wire import BadReply, head
from perfstudies.load.soap import connect

DOCTYPE = '<!DOCTYPE a [<!ENTITY b "c">]>'


@pytest.fixture
def server():
    with running() as made:
        yield made


def client(server, timeout_s=30, **arguments):
    def made(**zeeps):
        return SocketTransport(**arguments, **zeeps)

    found = connect(server.wsdl, timeout_s, made)
    # The server wants to know which request it is.
    found.settings.extra_http_headers = {"X-Request": "0/0"}
    return found


def ask(client, kind="SNBpolicy01"):
    return client.service.AAARequest(version="0.1", type=kind)


@pytest.mark.parametrize("kind", ["SNBpolicy01", "chunks", "until the end"])
def test_an_answer_is_parsed_however_it_is_framed(server, kind):
    answer = ask(client(server), kind)
    assert (answer.Answer, answer.Session) == ("yes", "1")


def test_one_connection_serves_all_calls(server):
    calling = client(server)
    for _ in range(5):
        ask(calling)
    assert server.connections == 2  # one was for the description


def test_without_keeping_each_call_has_a_connection(server):
    calling = client(server, keep_alive=False)
    for _ in range(3):
        ask(calling)
    assert server.connections == 4


def test_a_connection_that_was_closed_meanwhile_is_not_used(server):
    calling = client(server)
    ask(calling)
    (kept,) = calling.transport._idle[server.address]
    kept.shutdown(2)
    assert ask(calling).Answer == "yes" and server.connections == 3


@pytest.mark.parametrize("kind", ["until the end", "half", "close", "reset", "garbled"])
def test_a_connection_whose_reply_did_not_end_it_whole_is_not_kept(server, kind):
    calling = client(server)
    with suppress(OSError, EOFError, BadReply):
        ask(calling, kind)
    assert not any(calling.transport._idle.values())
    assert ask(calling).Answer == "yes"


def test_a_fault_is_zeeps_and_the_connection_stays(server):
    calling = client(server)
    with pytest.raises(zeep.exceptions.Fault, match="no bean left") as caught:
        ask(calling, "fault")
    assert caught.value.detail.findtext("NoBean") == "in time"
    assert ask(calling).Answer == "yes" and server.connections == 2


@pytest.mark.parametrize(
    ("kind", "error", "message"),
    [
        ("html", zeep.exceptions.Fault, "Unknown fault"),
        ("empty", zeep.exceptions.TransportError, "HTTP status 500"),
        ("other", zeep.exceptions.XMLParseError, "Unexpected element"),
        ("garbled", BadReply, "not HTTP: b'220 smtp"),
        ("half", EOFError, "closed before the reply was complete"),
        ("close", EOFError, "closed before the reply was complete"),
        ("reset", ConnectionResetError, "reset"),
    ],
)
def test_what_is_no_answer_is_an_error(server, kind, error, message):
    with pytest.raises(error, match=message):
        ask(client(server), kind)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (DOCTYPE + ANSWER, zeep.exceptions.DTDForbidden),
        (ANSWER.replace("yes", "y" * 11_000_000), zeep.exceptions.TransportError),
        (ANSWER[:-5], zeep.exceptions.TransportError),
    ],
)
def test_a_reply_is_parsed_as_safely_as_zeep_does(server, monkeypatch, text, error):
    monkeypatch.setitem(REPLIES, "made", reply(200, text))
    with pytest.raises(error):
        ask(client(server), "made")


def test_a_redirect_is_not_followed(server, monkeypatch):
    monkeypatch.setitem(REPLIES, "made", reply(302, "", f"Location: {server.wsdl}"))
    with pytest.raises(zeep.exceptions.TransportError, match="HTTP status 302"):
        ask(client(server), "made")
    assert len(server.seen) == 1


def test_a_reply_that_has_no_end_is_cut_off(server, monkeypatch):
    monkeypatch.setattr(socket_transport, "REPLY_LIMIT", len(ANSWER))
    with pytest.raises(BadReply, match="longer than"):
        ask(client(server))


def test_a_call_ends_with_its_time(server):
    with pytest.raises(TimeoutError):
        ask(client(server, timeout_s=2), "hang")  # the description has to come within that time, too
    calling = client(server)
    with calling.transport.settings(timeout=0.05), pytest.raises(TimeoutError):
        ask(calling, "hang")


def test_the_time_is_the_whole_calls_and_not_each_parts(server, monkeypatch):
    """A server that sends a byte now and then does not keep a call for ever."""
    calling = client(server, timeout_s=15)
    clock = count(step=10)
    monkeypatch.setattr(socket_transport, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    with pytest.raises(TimeoutError, match="timed out"):  # 5 s were left for sending, none for the reply
        ask(calling)
    assert next(clock) == 30


def test_without_a_listener_the_connection_is_refused(server):
    calling = client(server)
    server.loop.call_soon_threadsafe(server.stop)
    with pytest.raises(ConnectionError):
        for _ in range(100):
            calling.transport.close()
            ask(calling)


def test_threads_share_a_transport(server):
    calling = client(server)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda number: ask(calling, ["chunks", "x"][number % 2]).Answer, range(200)))
    assert answers == ["yes"] * 200 and server.connections <= 9


def test_requests_come_from_the_given_address(server):
    ask(client(server, source="127.0.1.4"))
    assert server.peers == {"127.0.1.4"}


def test_closing_closes_what_is_kept(server):
    calling = client(server)
    ask(calling)
    (kept,) = calling.transport._idle[server.address]
    calling.transport.close()
    assert kept.fileno() == -1 and not any(calling.transport._idle.values())


@pytest.mark.parametrize(
    ("address", "headers", "message"),
    [
        ("https://127.0.0.1/", {}, "plain HTTP"),
        ("http://127.0.0.1/", {"A": "b\r\nC: d"}, "line break"),
    ],
)
def test_what_cannot_be_sent_is_refused(address, headers, message):
    with pytest.raises(BadParameter, match=message):
        head(address, tuple(headers.items()), True)
