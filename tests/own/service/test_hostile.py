"""Descriptions, replies, parameters and names that mean no good: an error of the lab's own or an outcome on record."""

import gzip
import math

import pytest

from made.answering import answering
from made.bounded import bounded
from made.own_service import SCHEMA, WSDL, running
from perfstudies import sent
from perfstudies.errors import BadParameter, PerfstudiesError
from perfstudies.own.service import calls, measuring, preparing
from perfstudies.own.service.declaration import Target, comparison
from perfstudies.own.service.description import caller, read
from perfstudies.permit import LOOPBACK

BOMB = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
WELL = WSDL.format(schema="s.xsd", address="{address}")
XSD = '<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema"'


def _simple(facets, base="string"):
    """Return a schema whose one argument has such facets."""
    kind = f'<x:simpleType><x:restriction base="x:{base}">{facets}</x:restriction></x:simpleType>'
    return SCHEMA.replace('<x:element name="text" type="x:string"/>', f'<x:element name="text">{kind}</x:element>', 1)


def _occurs(least):
    return SCHEMA.replace('name="text" type', f'name="text" minOccurs="{least}" maxOccurs="unbounded" type', 1)


DESCRIPTIONS = {
    "entity bomb": f'<!DOCTYPE d [<!ENTITY a0 "ha">{BOMB}]><d>&a11;</d>',
    "external DTD": f'<!DOCTYPE d SYSTEM "http://192.0.2.1/d.dtd">{WELL}',
    "parameter entity": f'<!DOCTYPE d [<!ENTITY % p SYSTEM "file:///etc/passwd">%p;]>{WELL}',
    "deep": "<a>" * 200_000,
    "deep and whole": "<a>" * 100_000 + "</a>" * 100_000,
    "huge attribute": f'<a b="{"x" * 20_000_000}"/>',
    "NUL": WELL.replace("<w:types>", "\0<w:types>"),
    "control character": WELL.replace("<w:types>", "\x08<w:types>"),
    "an encoding that there is not": '<?xml version="1.0" encoding="klingon"?>' + WELL,
    "another encoding than it says": ('<?xml version="1.0" encoding="utf-16"?>' + WELL),
    "no UTF-8": b"\xff\xfe\xfa" + WELL.encode(),
    "XSLT": '<x:stylesheet xmlns:x="http://www.w3.org/1999/XSL/Transform" version="1.0"/>',
    "an unknown prefix": WELL.replace('type="t:p"', 'type="zz:p"'),
    "no message": WELL.replace('<w:message name="in">', '<w:message name="other">'),
    "no port type": WELL.replace('type="t:p"', 'type="t:q"'),
    "a type that is not there": WELL.replace("t:say", "t:shout"),
    "binary": gzip.compress(b"x" * 5000),
}
SCHEMAS = {
    "a billion items": _occurs(10**9),
    "no number of items": _occurs("many"),
    "a negative number of items": _occurs(-3),
    "a text of a billion": _simple('<x:minLength value="1000000000"/>'),
    "a length that is none": _simple('<x:length value="long"/>'),
    "a billion digits": _simple('<x:totalDigits value="1000000000"/>', "integer"),
    "an end that is no number": _simple('<x:minInclusive value="low"/>', "int"),
    "an end that is NaN": _simple('<x:minInclusive value="NaN"/>', "int"),
    "an end that is endless": _simple('<x:maxInclusive value="INF"/>', "int"),
    "an end of a billion digits": _simple('<x:minInclusive value="1e999999999"/>', "integer"),
    "a pattern that is none": _simple('<x:pattern value="[a"/>'),
    "a pattern that takes for ever": _simple('<x:pattern value="(a|a|a+)+b([a-z]+)+c"/>'),
    "a pattern of a billion": _simple('<x:pattern value="a{1000000000}"/>'),
    "a schema that imports itself": SCHEMA.replace(
        "<x:element", '<x:include schemaLocation="s.xsd"/><x:element', 1
    ),
    "a type that is derived from itself": SCHEMA.replace('type="x:string"', 'type="t:me"', 1).replace(
        "<x:element", '<x:simpleType name="me"><x:restriction base="t:me"/></x:simpleType><x:element', 1
    ).replace("<x:schema ", '<x:schema xmlns:t="urn:made:service" ', 1),
    "no schema": "<nothing/>",
    "bytes": "\0\1\2",
}  # fmt: skip
ADDRESSES = (
    "file:///etc/passwd", "ftp://127.0.0.1/", "javascript:alert(1)", "", "//127.0.0.1", "http://", "http://[::1",
    "http://127.0.0.1:99999/", "http://127.0.0.1:port/", "http://127.0.0.1:-1/", "http://127.0.0.1\\@192.0.2.1/",
    "http://\u2168.example.org/", "http://192.0.2.1#@127.0.0.1/", f"http://{'a' * 300}/",
)  # fmt: skip


def _file(folder, wsdl, schema=SCHEMA, address="http://127.0.0.1:9"):
    """Write a description and its schema; return its path."""
    wsdl = wsdl.replace("{address}", address) if isinstance(wsdl, str) else wsdl
    for name, text in (("s.wsdl", wsdl), ("s.xsd", schema)):
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return str(folder / "s.wsdl")


def _prepared(path, arguments=None):
    """Do what is done with a target before anything is sent: read, generate arguments, make a message."""
    wanted = comparison("made", {"wsdl": path, "operation": "say", "arguments": arguments}, {})
    return preparing.prepare(wanted, "service", LOOPBACK)


@pytest.mark.parametrize(
    "document", [text for text in DESCRIPTIONS.values() if text], ids=[n for n, t in DESCRIPTIONS.items() if t]
)
def test_a_hostile_description_is_an_error_of_the_lab_s(tmp_path, document):
    with bounded(), pytest.raises(PerfstudiesError) as refused:
        _prepared(_file(tmp_path, document))
    assert len(str(refused.value)) < 2000 and "root:" not in str(refused.value)


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_arguments_of_a_hostile_schema_are_small_or_an_error_of_the_lab_s(tmp_path, schema):
    with bounded():
        try:
            found = _prepared(_file(tmp_path, WELL, schema))
        except PerfstudiesError as error:
            assert len(str(error)) < 2000
        else:
            assert found.message_bytes < 100_000


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("where", ["wsdl", "endpoint", "description"])
def test_an_address_that_is_none_or_leads_elsewhere_is_an_error_of_the_lab_s(tmp_path, address, where):
    told = {"wsdl": _file(tmp_path, WELL, address=address if where == "description" else "http://127.0.0.1:9")}
    told |= {where: address} if where != "description" and address else {}
    try:
        target = Target(**told, operation="say")
        one = caller(target, read(target, LOOPBACK, 5), LOOPBACK, 5)
    except PerfstudiesError:
        return
    found = calls.SoapAsker(one, {"text": "x"}).ask(0, 0, 0, 0)
    assert found.outcome == sent.TRANSPORT_ERROR and one.peers <= {"127.0.0.1"}


class Endless(dict):
    """Documents of which each imports the next."""

    def get(self, path, default=None):
        number = int(path.strip("/s.xd") or 0)
        inside = f'<x:include schemaLocation="/s{number + 1}.xsd"/>'
        return SCHEMA.replace("<x:element", f"{inside}<x:element", 1) if path.endswith("xsd") else super().get(path)


def test_imports_without_end_are_an_error_of_the_lab_s():
    with running() as service, bounded():
        service.documents = Endless(service.documents)
        with pytest.raises(PerfstudiesError):
            read(Target(service.wsdl, "say"), LOOPBACK)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n"
ENVELOPE = b'<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>%b</e:Body></e:Envelope>'
SAID = ENVELOPE % b'<t:said xmlns:t="urn:made:service"><t:text>%b</t:text></t:said>'


def _whole(body, *headers):
    return HEAD + b"".join(one + b"\r\n" for one in headers) + b"Content-Length: %d\r\n\r\n" % len(body) + body


REPLIES = {
    "entity bomb": _whole(f'<!DOCTYPE d [<!ENTITY a0 "ha">{BOMB}]><d>&a11;</d>'.encode()),
    "external DTD": _whole(b'<!DOCTYPE d SYSTEM "http://192.0.2.1/d.dtd"><d/>'),
    "deep": _whole(ENVELOPE % (b"<a>" * 50_000 + b"</a>" * 50_000)),
    "never closed": _whole(b"<a>" * 100_000),
    "huge attribute": _whole(ENVELOPE % (b'<a b="%b"/>' % (b"x" * 11_000_000))),
    "NUL": _whole(SAID % b"\0"),
    "no UTF-8": _whole(SAID % b"\xff\xfe"),
    "an encoding that there is not": _whole(b'<?xml version="1.0" encoding="klingon"?>' + SAID % b"x"),
    "an error page of 200": _whole(b"<html><body><h1>Welcome"),
    "nothing": _whole(b""),
    "blanks": _whole(b" " * 1000),
    "a fault without a word": _whole(ENVELOPE % b"<e:Fault/>"),
    "a fault of a million words": _whole(
        ENVELOPE % (b"<e:Fault><faultcode>e:S</faultcode><faultstring>%b</faultstring></e:Fault>" % (b"no " * 10**6))
    ),
    "a fault with line ends": _whole(
        ENVELOPE % b"<e:Fault><faultcode>e:S</faultcode><faultstring>a\n\n,b\"c&#13;d</faultstring></e:Fault>"
    ),
    "another envelope": _whole(SAID.replace(b"xmlsoap.org/soap", b"example.org/soap") % b"x"),
    "no gzip": _whole(SAID % b"x", b"Content-Encoding: gzip"),
    "half a gzip": _whole(gzip.compress(SAID % b"x")[:-12], b"Content-Encoding: gzip"),
    "shorter than said": HEAD + b"Content-Length: 5000\r\n\r\n" + SAID % b"x",
    "a length below 0": HEAD + b"Content-Length: -5\r\n\r\n" + SAID % b"x",
    "a length that is none": HEAD + b"Content-Length: long\r\n\r\n" + SAID % b"x",
    "a length of 1e308": HEAD + b"Content-Length: " + b"9" * 308 + b"\r\n\r\n" + SAID % b"x",
    "chunks without a length": HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nx\r\n0\r\n\r\n",
    "a chunk without an end": HEAD + b"Transfer-Encoding: chunked\r\n\r\nffffffff\r\nx",
    "a header of a million": HEAD + b"X: " + b"x" * 1_000_000 + b"\r\n\r\n",
    "a million headers": HEAD + b"X: y\r\n" * 1_000_000 + b"\r\n",
    "a header that is none": b"HTTP/1.1 200 OK\r\n\0\xff: \r\nno colon\r\n\r\n" + SAID % b"x",
    "a status that is none": b"HTTP/1.1 abc OK\r\n\r\n",
    "a status of 999": b"HTTP/1.1 999 \xff\r\nContent-Length: 0\r\n\r\n",
    "HTTP/9": b"HTTP/9.9 200 OK\r\n\r\n",
    "no HTTP": b"\x16\x03\x01 SSH-2.0-OpenSSH\r\n\r\n",
    "100 for ever": b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000,
    "a multipart without parts": b"HTTP/1.1 200 OK\r\nContent-Type: multipart/related; boundary=x\r\n"
    b"Content-Length: 2\r\n\r\nxx",
    "a charset that there is not": b"HTTP/1.1 200 OK\r\nContent-Type: text/xml; charset=klingon\r\n"
    b"Content-Length: %d\r\n\r\n" % len(SAID % b"x") + SAID % b"x",
}  # fmt: skip


@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES)
def test_a_hostile_reply_is_an_outcome_on_record(tmp_path, reply):
    with answering(reply, b"", pause_s=0) as address, bounded():
        target = Target(_file(tmp_path, WELL), "say", endpoint=address)
        one = caller(target, read(target, LOOPBACK), LOOPBACK, 0.5)
        try:
            found = calls.SoapAsker(one, {"text": "hello"}).ask(0, 0, 0, 0)
        finally:
            one.close()
        path = tmp_path / "requests.csv"
        with sent.Recorder(path) as recorder:
            recorder.add(found)
        assert found.outcome in sent.OUTCOMES and found.sent_ns <= found.ended_ns
        assert path.read_text(encoding="utf-8").count("\n") == 2 and path.stat().st_size < 20_000


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, -math.inf, 1e308, -1, 0, "5", "x", [], {}, True, 10**400, None],
    ids=lambda value: str(value)[:9],
)
@pytest.mark.parametrize(
    "name", ["users", "requests", "think_s", "rate_per_s", "limit_s", "timeout_s", "reply_limit_mb"]
)
def test_a_load_of_hostile_numbers_is_refused_or_sound(name, value):
    try:
        load = comparison("made", {"wsdl": "x", "operation": "say"}, {name: value}).load
        measuring.bounds.require(comparison("made", {"wsdl": "x", "operation": "say"}, {name: value}), remote=False)
    except BadParameter as error:
        assert len(str(error)) < 1000
        return
    numbers = [load.users, load.requests, load.think_s, load.limit_s, load.timeout_s, load.reply_bytes]
    assert all(isinstance(one, (int, float)) and math.isfinite(one) and one >= 0 for one in numbers)
    assert load.rate_per_s is None or (math.isfinite(load.rate_per_s) and load.rate_per_s > 0)


@pytest.mark.parametrize(
    "given",
    [
        {"settings": "[" * 100_000}, {"settings": "{"}, {"settings": "[1]"}, {"settings": {"a": 5}}, {"settings": 7},
        {"settings": {"a": {"arguments": "[" * 100_000}}}, {"settings": {"a": {"wsdl": 5}}}, {"settings": {5: {}}},
        {"settings": {"a": {"operation": ["say"]}}}, {"runs": "two"}, {"runs": math.nan}, {"runs": 0},
        *({"name": name} for name in ("..", ".", "a/b", "\\", "a" * 300, "a\0b", "\ud800", "\x1b[2J", "", " ", "ä", 5)),
        *({"settings": {name: {}}} for name in ("../..", "/etc", "a" * 300, "a\nb", "\udcff")),
    ],
    ids=lambda given: str(given)[:40].encode("ascii", "backslashreplace").decode(),
)  # fmt: skip
def test_hostile_names_and_parameters_are_refused(given):
    told = {"name": "made", "target": {"wsdl": "x", "operation": "say"}, "load": {}} | given
    with pytest.raises(BadParameter) as refused:
        comparison(**told)
    assert len(str(refused.value)) < 2000


@pytest.mark.parametrize("name", ["a\0b", "a" * 300, "a" * 5000, "\ud800", "/", "/dev/zero", "~nobody-of-this-name/x"])
def test_a_hostile_name_of_a_description_is_an_error_of_the_lab_s(name):
    with bounded(), pytest.raises(PerfstudiesError):
        read(Target(name, "say"), LOOPBACK)
