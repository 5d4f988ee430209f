"""What a reply may cost: its whole time, and its length as it comes and unpacked."""

import gzip

import pytest
import requests

from made.answering import answering
from perfstudies.load import guarded
from perfstudies.permit import LOOPBACK

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n"
PAUSE_S = 0.05


@pytest.mark.parametrize(
    "pieces",
    [
        [HEAD, *([b"X-Slow: 1\r\n"] * 60), b"Content-Length: 2\r\n\r\nok"],
        [HEAD + b"Content-Length: 100\r\n\r\n", *([b"x"] * 100)],
        [HEAD + b"Transfer-Encoding: chunked\r\n\r\n", *([b"1\r\nx\r\n"] * 100), b"0\r\n\r\n"],
    ],
    ids=["header", "body", "chunks"],
)
def test_a_time_out_holds_for_the_whole_reply_however_steadily_it_drips(pieces):
    with answering(*pieces, pause_s=PAUSE_S) as address:
        session = guarded.session(LOOPBACK, set())
        with pytest.raises((requests.Timeout, requests.ConnectionError), match="timed out"):
            session.get(address, timeout=10 * PAUSE_S)
        # The same reply in time: it is the deadline that refused it, nothing else.
        assert session.get(address, timeout=60).status_code == 200


def test_a_longer_reply_than_may_be_read_is_refused_as_it_comes():
    with answering(HEAD + b"Content-Length: 20000\r\n\r\n", b"x" * 20_000) as address:
        with pytest.raises(requests.RequestException, match="longer than may be read"):
            guarded.session(LOOPBACK, set(), most_bytes=10_000).get(address, timeout=60)
        assert len(guarded.session(LOOPBACK, set(), most_bytes=30_000).get(address, timeout=60).content) == 20_000


def test_a_reply_that_unpacks_to_more_is_refused_before_it_is_there():
    packed = gzip.compress(b"\0" * 10_000_000)
    head = HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
    with answering(head, packed) as address:
        with pytest.raises(requests.RequestException, match="longer than 1000000 bytes when it is unpacked"):
            guarded.session(LOOPBACK, set(), most_bytes=1_000_000).get(address, timeout=60)
        assert len(guarded.session(LOOPBACK, set()).get(address, timeout=60).content) == 10_000_000


def test_a_connection_is_kept_and_each_request_has_its_own_time():
    # Together they take three seconds, each a quarter of one.
    with answering(HEAD + b"Content-Length: 2\r\n\r\nok", pause_s=0.25) as address:
        peers = set()
        session = guarded.session(LOOPBACK, peers)
        for _ in range(12):
            assert session.get(address, timeout=2.5).text == "ok"
        assert peers == {"127.0.0.1"}
