"""Replies in pieces: framing, faults, what must be there, whatever the pieces are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from made.rate_server import reply
from perfstudies.load.rate.heads import HEAD_LIMIT
from perfstudies.load.rate.replies import (
    BAD,
    COMPLETE,
    FAULT,
    MORE,
    REPLY,
    RESET,
    SHORT,
    end_of_connection,
    feed,
    judge,
    reset,
    tail_bytes,
)

OK = reply(b"<soap:Envelope>well</soap:Envelope>")
END = b"</soap:Envelope>"


def read(pieces, must=b"", ended=False):
    """Feed pieces; return what was said at last, the status, the length of the body, and whether to keep on."""
    made = np.zeros(1, REPLY)
    head, tail = np.zeros(HEAD_LIMIT, np.uint8), np.zeros(tail_bytes(must), np.uint8)
    scratch, must = np.zeros(2 * tail.size, np.uint8), np.frombuffer(must, np.uint8).copy()
    buffer = np.zeros(1 << 17, np.uint8)
    one = made[0]
    reset(one, must)
    said = MORE
    for piece in pieces:
        assert said == MORE, "it was complete before its last byte"
        buffer[:] = 0x46  # what is behind a piece is none of it
        buffer[: len(piece)] = np.frombuffer(piece, np.uint8)
        said = feed(one, head, tail, scratch, must, buffer, len(piece))
        if said == BAD:
            break
    if ended and said == MORE:
        said = end_of_connection(one)
    return said, (judge(one) if said == COMPLETE else None), int(one["body"]), bool(one["keep"])


def chunked(*parts, extension=b"", trailer=b""):
    body = b"".join(b"%x%b\r\n%b\r\n" % (len(part), extension, part) for part in parts)
    return b"HTTP/1.1 200 OK\r\nTRANSFER-ENCODING: Chunked\r\n\r\n" + body + b"0\r\n" + trailer + b"\r\n"


@pytest.mark.parametrize(
    ("data", "status", "length", "keep"),
    [
        (OK, 200, 35, True),
        (reply(b""), 200, 0, True),
        (reply(b"x", b"202 Accepted"), 202, 1, True),
        (reply(b"x", b"503 Service Unavailable"), 503, 1, True),
        (reply(b"x", b"200 OK", b"connection: Close"), 200, 1, False),
        (reply(b"x").replace(b"/1.1", b"/1.0"), 200, 1, False),
        (reply(b"x", b"200 OK", b"Connection: Keep-Alive").replace(b"/1.1", b"/1.0"), 200, 1, True),
        (b"HTTP/1.1 204 No Content\r\n\r\n", 204, 0, True),
        (b"HTTP/1.1 200\r\ncontent-length:  2 \r\n\r\nab", 200, 2, True),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + OK, 200, 35, True),
        (chunked(b"abc", b"x" * 300), 200, 303, True),
        (chunked(b"abc", extension=b";name=1f"), 200, 3, True),
        (chunked(b"abc", trailer=b"Length: 3\r\nMore: x\r\n"), 200, 3, True),
        (chunked(b"abc").replace(b"\r\n\r\n", b"\r\nContent-Length: 99\r\n\r\n", 1), 200, 3, True),
        (chunked(), 200, 0, True),
    ],
)
def test_a_whole_reply(data, status, length, keep):
    assert read([data]) == (COMPLETE, status, length, keep)
    assert read([data[at : at + 1] for at in range(len(data))]) == (COMPLETE, status, length, keep)
    assert read([data[:-1]])[0] == MORE


@pytest.mark.parametrize(
    "data",
    [
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/2 200 OK\r\n\r\n",
        b"HTTP/1.1 2x0 OK\r\n\r\n",
        b"HTTP/1.1 20\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1 2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n:\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * HEAD_LIMIT,
    ],
)
def test_what_is_not_http(data):
    assert read([data])[0] == BAD
    assert read([data[at : at + 1] for at in range(len(data))])[0] == BAD


def test_a_reply_may_end_with_its_connection():
    until = b"HTTP/1.1 200 OK\r\n\r\nwell"
    assert read([until]) == (MORE, None, 4, False)
    assert read([until], ended=True) == (COMPLETE, 200, 4, False)
    assert read([], ended=True)[0] == RESET
    assert read([OK[:10]], ended=True)[0] == RESET
    assert read([OK[:-1]], ended=True)[0] == SHORT
    assert read([chunked(b"abc")[:-3]], ended=True)[0] == SHORT


def test_a_connection_is_not_kept_if_more_came_than_was_asked_for():
    assert read([OK + b"x"]) == (COMPLETE, 200, 35, False)


@pytest.mark.parametrize("status", [b"200 OK", b"500 Internal Server Error", b"202 Accepted"])
@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b"<soap:Envelope><soap:Body><soap:Fault><faultcode/></soap:Fault>", True),
        (b"<Envelope><Fault xmlns=''/>", True),
        (b"<Envelope><Fault>", True),
        (b"<s:Fault\n  a='b'>", True),
        (b"<s:Fault/>", True),
        (b"<FaultyPart>Fault</FaultyPart>", False),
        (b"<NoFault>a Fault </NoFault>", False),
        (b"<s:Faul", False),
        (b"<s:Fault", False),
    ],
)
def test_a_fault_in_the_body_is_told_whatever_the_http_status(status, body, fault):
    data = reply(body, status)
    expected = FAULT if fault else int(status[:3])
    assert read([data])[1] == expected
    assert read([data[at : at + 1] for at in range(len(data))])[1] == expected


def test_a_fault_in_the_head_is_none():
    assert read([reply(b"x", b"200 OK", b"X: <s:Fault>")])[1] == 200


def test_what_a_whole_reply_has():
    assert read([OK], END)[1] == 200
    assert read([reply(b"<soap:Envelope>")], END)[1] == SHORT
    assert read([reply(b"", b"200 OK", b"X: " + END)], END)[1] == SHORT
    assert read([reply(b"", b"404 Not Found")], END)[1] == 404
    long = bytes(range(256))
    assert read([chunked(b"a" * 300, long[:100], long[100:])], long)[1] == 200
    assert read([chunked(b"a" * 300, long[:100], long[101:])], long)[1] == SHORT


PARTS = st.sampled_from([b"<soap:Envelope>", END, b":Fault", b"Fault>", b"<", b":", b"Fa", b"\r\n", b"0"])
BODIES = st.lists(PARTS | st.binary(max_size=20), max_size=12).map(b"".join)
MUSTS = st.sampled_from([b"", END, b"a", b"abab", bytes(range(200))])


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_reply_is_the_same_in_any_pieces(data):
    body, must = data.draw(BODIES), data.draw(MUSTS)
    body += data.draw(st.sampled_from([b"", must]))
    if data.draw(st.booleans()):
        made = reply(body, data.draw(st.sampled_from([b"200 OK", b"500 Error"])), b"Connection: keep-alive")
    else:
        cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=5)))
        parts = [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True) if b > a]
        made = chunked(*parts, extension=data.draw(st.sampled_from([b"", b" ", b";x"])))
    if data.draw(st.booleans()):
        made = b"HTTP/1.1 100 Continue\r\nX: y\r\n\r\n" + made
    cuts = sorted(set(data.draw(st.lists(st.integers(1, len(made) - 1), max_size=20))))
    pieces = [made[a:b] for a, b in zip([0, *cuts], [*cuts, len(made)], strict=True)]
    found = read(pieces, must)
    assert found == read([made], must)
    said, status, length, keep = found
    assert (said, length, keep) == (COMPLETE, len(body), True)
    marks = [b"<", b":"]
    ends = [b">", b"/", b" ", b"\t", b"\n", b"\v", b"\f", b"\r"]
    fault = any(mark + b"Fault" + end in body for mark in marks for end in ends)
    http = 500 if b"500 Error" in made.split(b"\r\n\r\n")[0] + made.split(b"\r\n\r\n")[1] else 200
    assert status == (FAULT if fault else http if http == 500 or must in body else SHORT)
