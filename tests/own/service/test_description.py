"""A description read with its imports: over HTTP from loopback or from a file's folder, and from nowhere else."""

import socket

import pytest
import requests

from made.own_service import SCHEMA, WSDL, running
from perfstudies import permit
from perfstudies.errors import BadParameter, SystemFailed
from perfstudies.own.service.declaration import Target
from perfstudies.own.service.description import caller, read
from perfstudies.permit import LOOPBACK, Permit


@pytest.fixture
def service():
    with running() as found:
        yield found


def called(target, text="hello", permitted=LOOPBACK):
    one = caller(target, read(target, permitted), permitted, 5)
    try:
        return one.call({"text": text}), one
    finally:
        one.close()


def test_imports_over_http_are_read_and_kept(service):
    target = Target(service.wsdl, "say")
    found = read(target, LOOPBACK)
    assert set(found.documents) == {service.wsdl, f"{service.address}/s.xsd"}
    service.documents.clear()
    one = caller(target, found, LOOPBACK, 5)  # by what was read, not by what is there now
    assert one.call({"text": "x"}) == "x" and one.peers == {"127.0.0.1"}
    one.close()


def test_a_file_imports_from_its_folder_and_below(service, tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "s.xsd").write_text(SCHEMA)
    path = tmp_path / "s.wsdl"
    path.write_text(WSDL.format(schema="more/s.xsd", address=service.address))
    assert called(Target(str(path), "say"))[0] == "hello"


@pytest.mark.parametrize("place", ["../s.xsd", "{outside}"])
def test_a_file_imports_nothing_from_elsewhere(service, tmp_path, place):
    outside = tmp_path / "s.xsd"
    outside.write_text(SCHEMA)
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "s.wsdl"
    path.write_text(WSDL.format(schema=place.format(outside=outside), address=service.address))
    with pytest.raises(BadParameter, match="folder or below"):
        read(Target(str(path), "say"), LOOPBACK)
    (tmp_path / "in" / "s.xsd").symlink_to(outside)
    path.write_text(WSDL.format(schema="s.xsd", address=service.address))
    with pytest.raises(BadParameter, match="folder or below"):
        read(Target(str(path), "say"), LOOPBACK)


@pytest.mark.parametrize("where", ["http://192.0.2.1/s.xsd", "file:///etc/passwd"])
def test_an_import_from_elsewhere_is_refused_before_anything_is_sent_there(service, monkeypatch, where):
    real = socket.getaddrinfo

    def only_here(host, *arguments, **options):
        assert host == "127.0.0.1", f"{host} was resolved"
        return real(host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", only_here)
    service.documents["/?wsdl"] = WSDL.format(schema=where, address=service.address)
    with pytest.raises(BadParameter, match="loopback interface only"):
        read(Target(service.wsdl, "say"), LOOPBACK)


def test_a_service_elsewhere_is_refused_unless_an_endpoint_or_a_consent_is_given(service):
    service.documents["/?wsdl"] = WSDL.format(schema=f"{service.address}/s.xsd", address="http://192.0.2.1")
    with pytest.raises(BadParameter, match=r"192\.0\.2\.1"):
        read(Target(service.wsdl, "say"), LOOPBACK)
    read(Target(service.wsdl, "say"), Permit(("192.0.2.1",)))
    assert called(Target(service.wsdl, "say", endpoint=f"{service.address}/first"))[0] == "hello"


def test_a_remote_address_of_a_description_is_refused_before_anything_is_sent(monkeypatch):
    def used(*_, **__):
        raise AssertionError("a name was resolved")

    monkeypatch.setattr(socket, "getaddrinfo", used)
    for wsdl in ("http://test.example.org/?wsdl", "https://192.0.2.1/?wsdl"):
        with pytest.raises(BadParameter, match="If you may load"):
            read(Target(wsdl, "say"), LOOPBACK)


def test_ports_and_endpoints_are_chosen_by_name(service):
    called(Target(service.wsdl, "say"))
    called(Target(service.wsdl, "say", port="Second"))
    called(Target(service.wsdl, "say", endpoint=f"{service.address}/third"))
    assert [path for path, *_ in service.seen] == ["/first", "/second", "/third"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"operation": "sai"}, "Did you mean 'say'"),
        ({"service": "Mad"}, "Did you mean 'Made'"),
        ({"port": "Third"}, "use one of: First, Second"),
    ],
)
def test_an_unknown_name_is_told_with_the_nearest(service, options, said):
    with pytest.raises(BadParameter, match=said):
        read(Target(**{"wsdl": service.wsdl, "operation": "say"} | options), LOOPBACK)


@pytest.mark.parametrize("document", ["<html><p>not found", "", "<a/>", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'])
def test_a_description_that_is_none_is_a_clear_error(service, document):
    service.documents["/?wsdl"] = document
    with pytest.raises(SystemFailed, match="no usable WSDL"):
        read(Target(service.wsdl, "say"), LOOPBACK)


def test_a_file_that_is_not_there_is_a_clear_error(tmp_path):
    with pytest.raises(SystemFailed, match="no such file"):
        read(Target(str(tmp_path / "none.wsdl"), "say"), LOOPBACK)


def test_declared_faults_are_known_by_their_detail(service):
    target = Target(service.wsdl, "say")
    one = caller(target, read(target, LOOPBACK), LOOPBACK, 5)
    assert one.declared_faults == {"{urn:made:service}refusal"}
    one.close()


def test_name_and_password_go_with_each_message_and_come_from_the_environment(service, monkeypatch):
    service.password = "me:open sesame"
    monkeypatch.setenv("SECRET", "open sesame")
    target = Target(service.wsdl, "say", user="me", password_variable="SECRET")
    assert called(target)[0] == "hello"
    monkeypatch.delenv("SECRET")
    with pytest.raises(BadParameter, match="no environment variable 'SECRET'"):
        read(target, LOOPBACK)


def test_the_password_is_for_the_service_s_own_hosts_alone(service, monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET", "open sesame")
    with running() as elsewhere:
        # The description imports its schema from the other one, and sends messages to where it lies itself.
        service.documents["/?wsdl"] = service.documents["/?wsdl"].replace(
            f'schemaLocation="{service.address}', f'schemaLocation="{elsewhere.address}'
        )
        assert called(Target(service.wsdl, "say", user="me", password_variable="SECRET"))[0] == "hello"
        assert [headers.get("Authorization") for _, headers in elsewhere.asked] == [None]
        assert all(headers["Authorization"].startswith("Basic ") for _, headers in service.asked)
        assert all(headers["Authorization"].startswith("Basic ") for *_, headers, _ in service.seen)


@pytest.mark.parametrize("where", ["wsdl", "endpoint"])
def test_an_address_with_a_password_is_refused_and_not_quoted(service, where):
    address = service.address.replace("//", "//me:open-sesame@")
    told = {"wsdl": service.wsdl} | {where: address}
    with pytest.raises(BadParameter, match="has a name or a password in it") as refused:
        called(Target(**told, operation="say"))
    assert "sesame" not in str(refused.value)


@pytest.mark.parametrize(("security", "inside"), [("token-text", ">open sesame<"), ("token-digest", "PasswordDigest")])
def test_a_token_goes_in_the_header(service, monkeypatch, security, inside):
    monkeypatch.setenv("SECRET", "open sesame")
    called(Target(service.wsdl, "say", user="me", password_variable="SECRET", security=security))
    body = service.seen[0][1]
    assert inside in body and ">me<" in body
    assert ("open sesame" in body) == (security == "token-text")


def test_a_consented_description_s_host_is_read(monkeypatch):
    monkeypatch.setattr(permit, "is_loopback", lambda host: host == "127.0.0.1")
    with running("127.0.0.2") as elsewhere:
        with pytest.raises(BadParameter):
            read(Target(elsewhere.wsdl, "say"), LOOPBACK)
        assert called(Target(elsewhere.wsdl, "say"), permitted=Permit(("127.0.0.2",)))[1].peers == {"127.0.0.2"}


def test_a_description_or_an_answer_that_is_too_long_is_refused(service):
    target = Target(service.wsdl, "say")
    with pytest.raises(SystemFailed, match="longer than may be read|unpacked"):
        read(target, LOOPBACK, 5, most_bytes=200)
    one = caller(target, read(target, LOOPBACK), LOOPBACK, 5, most_bytes=2000)
    try:
        with pytest.raises(requests.RequestException, match="longer"):
            one.call({"text": "x" * 5000})
        assert one.call({"text": "x"}) == "x"
    finally:
        one.close()
