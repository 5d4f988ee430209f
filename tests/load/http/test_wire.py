"""HTTP replies however they are cut, and what is judged of them; requests as bytes."""

import pytest

from made.soap_server import ANSWER, ENVELOPE, REPLIES, reply
from perfstudies.errors import BadParameter, SystemFailed
from perfstudies.load.http.wire import BadReply, Reply, Request, failure, judge, peer

KNOWN = [reply(200, ANSWER, "SOAPAction: 12.875"), REPLIES["chunks"], REPLIES["fault"]]


def read(*parts):
    made = Reply()
    complete = [made.feed(part) for part in parts]
    return made, complete


@pytest.mark.parametrize("data", KNOWN)
def test_a_reply_is_the_same_however_it_is_cut(data):
    whole, _ = read(data)
    assert whole.complete and whole.reusable
    for at in range(1, len(data)):
        made, complete = read(data[:at], data[at:])
        assert complete == [False, True]
        assert (made.status_code, made.content, made.ejb_ms) == (whole.status_code, whole.content, whole.ejb_ms)


@pytest.mark.parametrize("data", KNOWN)
def test_a_reply_that_ends_too_early_is_not_complete(data):
    for at in range(len(data)):
        assert read(data[:at], b"")[1][-1] is False


def test_without_a_length_the_reply_ends_with_the_connection():
    made, complete = read(REPLIES["until the end"], b"")
    assert complete == [False, True] and made.content.decode() == ANSWER and not made.reusable


def test_a_reply_without_a_body_is_complete_with_its_head():
    assert read(b"HTTP/1.1 204 No Content\r\n\r\n")[0].complete


@pytest.mark.parametrize(
    "data",
    [
        b"SSH-2.0\r\n",
        b"HTTP/1.1 ok\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nabc\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200" + b"x" * 70_000,
    ],
)
def test_anything_else_is_no_reply(data):
    with pytest.raises(BadReply, match="not HTTP"):
        read(data)


def test_what_is_no_reply_is_shown():
    with pytest.raises(BadReply, match="not HTTP: b'220 smtp ready"):
        read(REPLIES["garbled"])


def test_a_reply_with_more_behind_it_ends_its_connection():
    assert not read(reply(200, ANSWER) + b"HTTP/1.1")[0].reusable


def test_a_reply_says_whether_its_connection_ends():
    assert not read(reply(200, ANSWER, "Connection: Close"))[0].reusable


@pytest.mark.parametrize("said", ["", "soon"])
def test_a_header_that_is_no_time_is_none(said):
    assert read(reply(200, ANSWER, f"SOAPAction: {said}"))[0].ejb_ms is None


@pytest.mark.parametrize(
    ("status", "text", "outcome", "detail"),
    [
        (200, ANSWER, "ok", ""),
        (202, ANSWER, "http error", "HTTP 202"),
        (200, "<a/>", "http error", "HTTP 200 without SOAP"),
        (200, ENVELOPE.format(body=""), "http error", "HTTP 200 with an empty body"),
        (200, '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;', "http error", "HTTP 200 without SOAP"),
        (500, ENVELOPE.format(body="<e:Fault><faultstring>why</faultstring></e:Fault>"), "soap fault", "why"),
        (500, ENVELOPE.format(body="<e:Fault/>"), "soap fault", "no text"),
    ],
)
def test_what_a_reply_is_judged(status, text, outcome, detail):
    assert judge(read(reply(status, text))[0]) == (outcome, detail)


@pytest.mark.parametrize(
    ("error", "started", "outcome"),
    [
        (ConnectionResetError(104, ""), False, "refused"),
        (ConnectionResetError(104, ""), True, "lost"),
        (ConnectionRefusedError(111, ""), False, "refused"),
        (BrokenPipeError(32, ""), False, "refused"),
        (TimeoutError("timed out"), False, "timed out"),
        (TimeoutError(110, ""), True, "timed out"),
        (OSError(113, ""), False, "lost"),
    ],
)
def test_what_a_failure_is_judged(error, started, outcome):
    made = Reply()
    made.started = started
    judged, detail = failure(error, made)
    assert judged == outcome and detail


@pytest.mark.parametrize("number", [24, 99])
def test_what_the_client_ran_out_of_is_no_outcome(number):
    with pytest.raises(SystemFailed, match="the client ran out of something"):
        failure(OSError(number, ""), Reply())


def test_a_request_carries_its_number():
    made = Request("http://127.0.0.1:8080/AAA/server?x=1", b"<a/>", {"SOAPAction": '"A"'}, keep_alive=False)
    head, _, body = made.numbered(2, 17).partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert body == b"<a/>" and lines[0] == "POST /AAA/server?x=1 HTTP/1.1" and lines[-1] == "X-Request: 2/17"
    assert {"Host: 127.0.0.1:8080", "Connection: close", 'SOAPAction: "A"', "Content-Length: 4"} <= set(lines)


def test_the_peer_is_ipv4():
    assert peer("http://127.0.0.1/") == ("127.0.0.1", 80)
    with pytest.raises(BadParameter, match="IPv4"):
        peer("http://[::1]:80/")
