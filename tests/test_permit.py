"""Where a load may be sent: refused before anything is resolved or connected, unless a host is named."""

import socket

import pytest

from made.own_service import running
from perfstudies import permit
from perfstudies.errors import BadParameter
from perfstudies.load import guarded
from perfstudies.permit import LOOPBACK, Permit
from perfstudies.permit import permit as permitted


@pytest.fixture
def no_network(monkeypatch):
    """Whoever resolves a name or opens a connection fails the test."""

    def used(*_, **__):
        raise AssertionError("a name was resolved or a connection opened")

    monkeypatch.setattr(socket, "getaddrinfo", used)
    monkeypatch.setattr(socket, "create_connection", used)
    monkeypatch.setattr(socket.socket, "connect", used)


@pytest.mark.parametrize("consent", ["I may load a.example.org", "I may load b.example.org and a.example.org"])
def test_a_host_is_permitted_by_its_whole_name(consent):
    permitted(consent).require("https://a.example.org:8443/x?wsdl")
    for other in ("http://example.org/", "http://x.a.example.org/", "http://a.example.org.evil.example/"):
        with pytest.raises(BadParameter, match="not to"):
            permitted(consent).require(other)


@pytest.mark.parametrize(
    "consent", ["yes", "true", "a.example.org", "I may load", "I may load ", "i may load a.example.org", "I may load *"]
)
def test_no_other_sentence_is_a_consent(consent):
    with pytest.raises(BadParameter, match="is no consent"):
        permitted(consent)


@pytest.mark.parametrize(
    "address", ["ftp://localhost/", "file:///etc/passwd", "/etc/passwd", "localhost", "localhost:8080/a"]
)
def test_only_http_is_loaded(address):
    with pytest.raises(BadParameter, match="An address starts with http:// or https://") as refused:
        Permit(("localhost",)).require(address)
    assert "consent" not in str(refused.value)


def test_the_refusal_says_how_to_consent():
    with pytest.raises(BadParameter, match="consent = 'I may load test.example.org'"):
        LOOPBACK.require("http://test.example.org/?wsdl")


def test_a_session_refuses_before_it_resolves(no_network):
    with pytest.raises(BadParameter, match=r"test\.example\.org"):
        guarded.session(LOOPBACK, set()).get("http://test.example.org/")


def test_a_redirect_to_another_host_is_refused():
    with running() as service:
        service.redirect = "http://192.0.2.1/"
        with pytest.raises(BadParameter, match=r"192\.0\.2\.1"):
            guarded.session(LOOPBACK, set()).get(service.wsdl)


def test_a_loopback_name_that_stands_for_another_machine_is_refused(monkeypatch):
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    with pytest.raises(BadParameter, match=r"localhost is 192\.0\.2\.1"):
        guarded.session(LOOPBACK, set()).get("http://localhost/")


def test_who_answered_is_known():
    peers = set()
    with running() as service, guarded.session(LOOPBACK, peers) as session:
        assert session.get(service.wsdl.replace("127.0.0.1", "localhost")).status_code == 200
    assert peers == {"127.0.0.1"}


def test_a_consent_opens_the_host_that_it_names(monkeypatch):
    # Another loopback address stands for another machine.
    monkeypatch.setattr(permit, "is_loopback", lambda host: host == "127.0.0.1")
    with running("127.0.0.2") as service:
        with pytest.raises(BadParameter, match="loopback interface only"):
            guarded.session(LOOPBACK, set()).get(service.wsdl)
        allowed = permitted("I may load 127.0.0.2")
        assert guarded.session(allowed, set()).get(service.wsdl).status_code == 200
        assert allowed.remote(service.wsdl) and not allowed.remote("http://127.0.0.1/")


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("http://[::1]:8080/x", "http://[::1]/x"),
        ("http://localhost:8080/x?wsdl", "http://localhost/x?wsdl"),
        ("http://192.0.2.1:8080/x", "http://192.0.2.1:8080/x"),
    ],
)
def test_an_address_on_loopback_is_told_without_its_port(address, told):
    assert permit.without_port(address) == told
