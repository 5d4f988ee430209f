"""Prepared messages are zeep's: the same bytes, the same objects, the same errors, whatever is sent or comes back."""

import re
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest
import zeep
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from zeep.xsd.valueobjects import CompoundValue

from perfstudies.load.http.wire import Reply
from perfstudies.load.prepared import prepare
from perfstudies.load.soap import SAFE

WSDL = """<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
 xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t"><types>
 <x:schema targetNamespace="urn:t" elementFormDefault="{form}">{schema}</x:schema></types>
 <message name="in"><part name="body" element="t:ask"/></message>
 <message name="out"><part name="body" element="t:answer"/></message>
 <message name="head"><part name="head" element="t:ask"/></message>
 <portType name="p"><operation name="ask"><input message="t:in"/><output message="t:out"/></operation></portType>
 <binding name="b" type="t:p"><s:binding transport="http://schemas.xmlsoap.org/soap/http" style="{style}"/>
 <operation name="ask"><s:operation soapAction="urn:ask"/><input><s:body use="literal"/>{header}</input>
 <output><s:body use="literal"/></output></operation></binding>
 <service name="s"><port name="p" binding="t:b"><s:address location="http://127.0.0.1/"/></port></service>
 </definitions>"""
BOTH = '<x:element name="ask" type="t:All"/><x:element name="answer" type="t:All"/>'
TYPES = """<x:complexType name="One"><x:sequence><x:element name="text" type="x:string"/>
  <x:element name="number" type="x:int" minOccurs="0"/></x:sequence></x:complexType>
 <x:complexType name="Other"><x:complexContent><x:extension base="t:One"/></x:complexContent></x:complexType>
 <x:simpleType name="Level"><x:restriction base="x:string"><x:enumeration value="low"/></x:restriction></x:simpleType>
 <x:complexType name="All"><x:sequence>
  <x:element name="one" type="t:One" maxOccurs="3"/><x:element name="maybe" type="t:One" minOccurs="0"/>
  <x:element name="level" type="t:Level" minOccurs="0"/>
  <x:element name="price" type="x:decimal" minOccurs="0" maxOccurs="unbounded"/>
  <x:element name="when" type="x:dateTime" minOccurs="0" nillable="true"/><x:element name="last" type="x:string"/>
 </x:sequence></x:complexType>"""
ENVELOPE = '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"{}><e:Body>{}</e:Body></e:Envelope>'
SINGLE = """<x:element name="ask"><x:complexType><x:sequence><x:element name="a" type="x:string"/></x:sequence>
 </x:complexType></x:element><x:element name="answer"><x:complexType><x:sequence>{}</x:sequence></x:complexType>
 </x:element>"""


class Canned(zeep.Transport):
    """Keeps what it should send and answers with a given text."""

    sent = b""
    text = ""

    def post(self, address, message, headers):
        self.sent = (address, message, dict(headers))
        reply = Reply()
        reply.feed(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(self.text.encode()), self.text.encode()))
        return reply


@pytest.fixture(scope="module")
def clients(tmp_path_factory):
    """Return a function that gives two clients of a schema: zeep's as it is, and a prepared one."""
    made = {}

    def give(schema=TYPES + BOTH, form="qualified", style="document", header="", version="soap"):
        text = WSDL.format(schema=schema, form=form, style=style, header=header)
        text = text.replace("/wsdl/soap/", f"/wsdl/{version}/")
        if text not in made:
            path = tmp_path_factory.mktemp("wsdl") / "t.wsdl"
            path.write_text(text)
            both = [zeep.Client(str(path), transport=Canned(), settings=zeep.Settings(**SAFE)) for _ in range(2)]
            made[text] = (*both, prepare(both[1]))
        return made[text]

    return give


def outcome(client, text, arguments):
    """Return all that a call comes to."""
    client.transport.sent, client.transport.text = b"", text
    try:
        answer = client.service.ask(**arguments)
    except Exception as error:
        return client.transport.sent, type(error), str(error)
    said = [re.sub(" at 0x[0-9a-f]+", "", text) for text in (str(plain(answer)), repr(answer))]
    return client.transport.sent, repr(type(answer)), *said


def plain(answer):
    """Return an answer's values with their types, at every level."""
    if isinstance(answer, CompoundValue):
        return type(answer).__name__, [(name, plain(value)) for name, value in answer.__values__.items()]
    return [plain(value) for value in answer] if type(answer) is list else (type(answer), repr(answer))


def same(clients, text, arguments):
    zeeps, ours, _ = clients
    expected = outcome(zeeps, text, arguments)
    assert outcome(ours, text, arguments) == expected
    return expected


def answer(inner, declare="", tag="answer"):
    return ENVELOPE.format(declare, f'<n:{tag} xmlns:n="urn:t">{inner}</n:{tag}>')


ONE = "<n:one><n:text>a</n:text></n:one>"
GOOD = answer(ONE + "<n:last>z</n:last>")
ASKED = {"one": [{"text": "a", "number": 1}], "last": "z"}

texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff"))
ones = st.fixed_dictionaries({"text": texts}, optional={"number": st.none() | st.integers(-9, 9) | st.just("7")})
bodies = st.fixed_dictionaries(
    {"one": st.lists(ones, min_size=1, max_size=3), "last": texts},
    optional={
        "maybe": ones | st.none(),
        "level": st.sampled_from(["low", "high", None]),
        "price": st.lists(st.decimals(allow_nan=False, places=2) | st.floats(0, 9) | st.integers(), max_size=3),
        "when": st.none() | st.just("2012-09-01T00:00:00Z"),
    },
)


@given(body=bodies)
def test_what_is_good_is_prepared_to_the_same_bytes_and_objects(clients, body):
    zeeps, ours, done = clients()
    assert done == {"ask"}
    sent, *_ = same((zeeps, ours, done), GOOD, body)
    echoed = sent[1].decode("utf-8").partition("?>")[2].replace("ns0:ask", "ns0:answer")
    same((zeeps, ours, done), echoed, body)


def test_it_is_not_zeeps_code_that_did_it(clients, monkeypatch):
    _, ours, _ = clients()
    expected = outcome(ours, GOOD, ASKED)
    operation = ours.service._binding.get("ask")
    for message in (operation.input, operation.output):
        monkeypatch.setattr(message, "_zeep", SimpleNamespace(wsdl=ours.wsdl))
    assert outcome(ours, GOOD, ASKED) == expected


@pytest.mark.parametrize(
    "changes",
    [
        {"last": None},
        {"one": []},
        {"one": [ASKED["one"][0]] * 4},
        {"one": ASKED["one"][0]},
        {"one": [{"text": "a", "other": 1}]},
        {"one": [{}]},
        {"one": ["a"]},
        {"one": (ASKED["one"][0],)},
        {"maybe": {}},
        {"maybe": zeep.xsd.SkipValue},
        {"other": 1},
        {"last": b"bytes"},
        {"last": ["a", "b"]},
        {"last": {"a": "b"}},
        {"last": True},
        {"last": "\x00"},
        {"last": etree.CDATA("a < b")},
        {"when": zeep.xsd.Nil},
        {"price": 1},
        {"price": [None]},
        {"price": ["much", Decimal("1E+3")]},
        {"_soapheaders": [etree.fromstring("<a/>")]},
        {"_soapheaders": None},
    ],
)
def test_what_is_not_plain_is_zeeps_to_build_or_refuse(clients, changes):
    same(clients(), GOOD, ASKED | changes)


def test_typed_objects_are_built_as_zeep_builds_them(clients):
    sent = []
    for client in clients()[:2]:
        kinds = client.type_factory("urn:t")
        one = kinds.One(text="a", number=2)
        outcome(client, GOOD, {"one": [one], "maybe": kinds.One("b"), "last": "z"})
        one.text, one.more = "c", 1
        sent.append((client.transport.sent, outcome(client, GOOD, {"one": [one], "last": kinds.One("b")})))
    assert sent[0] == sent[1] and b">b<" in sent[0][0][1]


def test_positional_arguments_and_prefixes_are_zeeps(clients):
    sent = []
    for client in clients(TYPES + BOTH, "unqualified")[:2]:
        client.set_ns_prefix("mine", "urn:t")
        client.transport.text = GOOD
        client.service.ask([{"text": "a"}], None, None, None, None, "z")
        sent.append(client.transport.sent)
        outcome(client, GOOD, ASKED)
        sent.append(client.transport.sent)
    assert sent[:2] == sent[2:] and b"<mine:ask" in sent[1][1]


XSI = ' xmlns:i="http://www.w3.org/2001/XMLSchema-instance" xmlns:x="http://www.w3.org/2001/XMLSchema"'


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        answer(f"<!-- why --> {ONE} <n:last/>\n"),
        answer(ONE * 3 + "<n:maybe><n:text>b</n:text></n:maybe><n:price>1.50</n:price><n:price/><n:last>z</n:last>"),
        answer(ONE * 4 + "<n:last>z</n:last>"),
        answer(ONE + "<n:maybe/><n:last>z</n:last>"),
        answer(ONE),
        answer("<n:last>z</n:last>"),
        answer(""),
        answer("<n:last>z</n:last>" + ONE),
        answer(ONE + "<n:last>z</n:last><n:last>y</n:last>"),
        answer(ONE + "<n:unknown/><n:last>z</n:last>"),
        answer(ONE + "<last>z</last>"),
        answer(ONE + '<m:last xmlns:m="urn:m">z</m:last>'),
        answer(ONE + "<n:last>z<n:inner/>y</n:last>"),
        answer(ONE + "<n:last><![CDATA[<z>]]></n:last>"),
        answer(ONE + "<?why not?><n:last>z</n:last>"),
        answer(ONE + '<n:last i:type="x:int">7</n:last>', XSI),
        answer(ONE + '<n:last i:nil="true"/>', XSI),
        answer('<n:one i:type="n:One"><n:text>a</n:text></n:one><n:last>z</n:last>', XSI + ' xmlns:n="urn:t"'),
        answer('<n:one i:type="n:Other"><n:text>a</n:text></n:one><n:last>z</n:last>', XSI + ' xmlns:n="urn:t"'),
        answer(ONE + '<n:last other="1">z</n:last>'),
        answer("<n:one><n:text>a</n:text><n:number>many</n:number></n:one><n:last>z</n:last>"),
        answer(ONE + "<n:price>much</n:price><n:last>z</n:last>"),
        answer(ONE + "<n:when>2012-09-01T00:00:00Z</n:when><n:last>z</n:last>"),
        answer(ONE + "<n:when>soon</n:when><n:last>z</n:last>"),
        answer(ONE + "<n:last>z</n:last>", tag="other"),
        ENVELOPE.format("", ""),
        ENVELOPE.format("", "<a/><b/>"),
        GOOD.replace("<e:Body>", "<e:Header><a>b</a></e:Header><e:Body>"),
        GOOD.replace("Body", "Rump"),
        GOOD.replace("Envelope", "Folder"),
        ENVELOPE.format("", "<e:Fault><faultcode>c</faultcode><faultstring>why</faultstring></e:Fault>"),
        '<!DOCTYPE a [<!ENTITY b "c">]>' + GOOD,
        "no XML",
    ],
)
def test_what_comes_back_is_what_zeep_makes_of_it(clients, text):
    same(clients(), text, ASKED)


@pytest.mark.parametrize("strict", [True, False])
def test_settings_are_zeeps(clients, strict):
    zeeps, ours, _ = clients()
    for text in (answer(ONE + "<n:unknown/><n:last>z</n:last>"), answer("<n:last>z</n:last>" + ONE)):
        with (
            zeeps.settings(strict=strict, xsd_ignore_sequence_order=True),
            ours.settings(strict=strict, xsd_ignore_sequence_order=True),
        ):
            same(clients(), text, ASKED)


@pytest.mark.parametrize(
    ("inner", "reply"),
    [
        ('<x:element name="b" type="x:int"/>', "<n:b>7</n:b>"),
        ('<x:element name="b" type="x:int" minOccurs="0"/>', ""),
        ('<x:element name="b" type="x:int" maxOccurs="9"/>', "<n:b>7</n:b><n:b>8</n:b>"),
        ('<x:element name="b"><x:complexType><x:sequence><x:element name="c" type="x:int" maxOccurs="9"/></x:sequence>'
         "</x:complexType></x:element>", "<n:b><n:c>7</n:c></n:b>"),
        ('<x:element name="b" type="t:One"/>', "<n:b><n:text>7</n:text></n:b>"),
    ],
)  # fmt: skip
def test_an_answer_of_one_element_is_unwrapped_as_zeep_does(clients, inner, reply):
    both = clients(TYPES + SINGLE.format(inner))
    assert both[2] == {"ask"}
    same(both, answer(reply), {"a": "b"})


@pytest.mark.parametrize(
    "inner",
    [
        '<x:choice><x:element name="b" type="x:int"/><x:element name="c" type="x:int"/></x:choice>',
        '<x:any minOccurs="0"/>',
        '<x:element name="b" type="x:int" default="7"/>',
        '<x:element name="b"><x:complexType><x:attribute name="c" type="x:int"/></x:complexType></x:element>',
        '<x:element name="b" type="x:anyType"/>',
        '<x:element name="b" type="x:int"/><x:element name="b" type="x:int"/>',
        '<x:element name="b" type="t:Loop" minOccurs="0"/>',
        '<x:sequence minOccurs="0" maxOccurs="9"><x:element name="b" type="x:int"/></x:sequence>',
    ],
)
def test_what_is_not_plain_is_not_prepared(clients, inner):
    loop = '<x:complexType name="Loop"><x:sequence><x:element name="b" type="t:Loop" minOccurs="0"/></x:sequence>'
    both = clients(f"{loop}</x:complexType>{SINGLE.format(inner)}")
    assert both[2] == frozenset()
    same(both, answer("<n:b>7</n:b>"), {"a": "b"})


def test_messages_with_headers_and_of_the_rpc_style_are_not_prepared(clients):
    header = '<s:header message="t:head" part="head" use="literal"/>'
    assert clients(header=header)[2] == frozenset()
    assert clients(style="rpc")[2] == frozenset()


def test_soap_1_2_is_prepared_too(clients):
    both = clients(version="soap12")
    text = GOOD.replace("http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope")
    sent, *_ = same(both, text, ASKED)
    assert both[2] == {"ask"} and "soap+xml" in sent[2]["Content-Type"]


def test_a_type_that_comes_again_is_looked_at_once(clients):
    deep = "".join(
        f'<x:complexType name="D{level}"><x:sequence><x:element name="a" type="t:D{level + 1}"/>'
        f'<x:element name="b" type="t:D{level + 1}"/></x:sequence></x:complexType>'
        for level in range(30)
    )
    last = '<x:complexType name="D30"><x:sequence><x:element name="text" type="x:string"/></x:sequence></x:complexType>'
    elements = BOTH.replace("t:All", "t:D0")
    assert clients(deep + last + elements)[2] == {"ask"}


def test_preparing_twice_is_preparing_once(clients):
    _, ours, done = clients()
    message = ours.service._binding.get("ask").input
    assert prepare(ours) == done and ours.service._binding.get("ask").input is message


def test_a_prepared_client_still_describes_itself(clients):
    zeeps, ours, _ = clients()
    assert str(ours.service.ask.__doc__) == str(zeeps.service.ask.__doc__)


def test_the_echo_service_is_prepared():
    wsdl = Path(__file__).parents[2] / "benchmarks" / "echo.wsdl"
    assert prepare(zeep.Client(str(wsdl))) == {"echo"}
