"""What a zeep client refuses before anything is measured; the answers come from a real HTTP server."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from made import threads
from perfstudies.errors import BadParameter, SystemFailed
from perfstudies.load.soap import connect
from perfstudies.permit import LOOPBACK

BOMB = b'<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><definitions xmlns="http://schemas.xmlsoap.org/wsdl/">&b;</definitions>'
ELSEWHERE = b"""<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
 xmlns:t="urn:t" targetNamespace="urn:t"><portType name="p"/><binding name="b" type="t:p">
 <s:binding transport="http://schemas.xmlsoap.org/soap/http"/></binding>
 <service name="s"><port name="p" binding="t:b"><s:address location="http://192.0.2.1/"/></port></service></definitions>"""


@pytest.fixture
def answer():
    """Serve one document at an address; give a function that sets it and returns the address."""
    documents = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(documents["now"])

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def serve(document: bytes) -> str:
        documents["now"] = document
        return f"http://127.0.0.1:{server.server_port}/?wsdl"

    with threads.serving(server):
        yield serve


@pytest.mark.parametrize("address", ["http://127.0.0.1:80/x", "http://localhost/x", "http://[::1]:8080/"])
def test_loopback_is_allowed(address):
    LOOPBACK.require(address)


@pytest.mark.parametrize(
    "address", ["http://192.0.2.1/", "http://example.org/?wsdl", "http://127.0.0.1.example.org/", "127.0.0.1", ""]
)
def test_anything_else_is_refused(address):
    with pytest.raises(BadParameter, match="loopback interface only"):
        LOOPBACK.require(address)


def test_a_service_elsewhere_is_refused_although_its_wsdl_is_here(answer):
    with pytest.raises(BadParameter, match=r"192\.0\.2\.1"):
        connect(answer(ELSEWHERE), timeout_s=5)


@pytest.mark.parametrize("document", [b"<html><p>not found", b"", b"<a/>", b"\x00\x01", BOMB])
def test_a_document_that_is_no_wsdl_is_a_clear_error(answer, document):
    with pytest.raises(SystemFailed, match=r"no usable WSDL at http://127.0.0.1.*\?wsdl"):
        connect(answer(document), timeout_s=5)


def test_a_server_that_is_not_there_is_a_clear_error():
    with pytest.raises(SystemFailed, match="no usable WSDL"):
        connect("http://127.0.0.1:9/?wsdl", timeout_s=5)
