"""Arguments made from a schema: within every facet, the same for the same seed, and accepted by zeep and by lxml."""

import random
import re

import pytest
from lxml import etree

from made.own_service import WSDL
from perfstudies.errors import BadParameter
from perfstudies.own.service import arguments, facets, values
from perfstudies.own.service.declaration import Target
from perfstudies.own.service.description import caller, read
from perfstudies.own.service.facets import Facets
from perfstudies.permit import LOOPBACK

HEAD = """<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:made:service"
 targetNamespace="urn:made:service" elementFormDefault="qualified">"""
TAIL = """<x:element name="said" type="x:string"/><x:element name="refusal" type="x:string"/></x:schema>"""
BUILT_IN = (
    "string", "normalizedString", "token", "language", "Name", "NCName", "NMTOKEN", "ID", "boolean", "decimal",
    "integer", "nonPositiveInteger", "negativeInteger", "nonNegativeInteger", "positiveInteger", "long", "int", "short",
    "byte", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte", "float", "double", "duration", "dateTime",
    "time", "date", "gYear", "gYearMonth", "gMonth", "gMonthDay", "gDay", "hexBinary", "base64Binary", "anyURI",
)  # fmt: skip
RICH = """
<x:simpleType name="Colour"><x:restriction base="x:string"><x:enumeration value="red"/><x:enumeration value="blue"/>
</x:restriction></x:simpleType>
<x:simpleType name="Plate"><x:restriction base="x:string"><x:pattern value="[A-Z]{2}-\\d{3,5}"/></x:restriction>
</x:simpleType>
<x:simpleType name="Short"><x:restriction base="x:string"><x:maxLength value="3"/></x:restriction></x:simpleType>
<x:simpleType name="Two"><x:restriction base="t:Short"><x:minLength value="2"/></x:restriction></x:simpleType>
<x:simpleType name="Share"><x:restriction base="x:decimal"><x:minExclusive value="0"/><x:maxInclusive value="0.5"/>
</x:restriction></x:simpleType>
<x:simpleType name="Teens"><x:restriction base="x:int"><x:minInclusive value="13"/><x:maxExclusive value="20"/>
</x:restriction></x:simpleType>
<x:simpleType name="Numbers"><x:list itemType="x:int"/></x:simpleType>
<x:simpleType name="Either"><x:union memberTypes="x:int x:string"/></x:simpleType>
<x:complexType name="Money"><x:simpleContent><x:extension base="x:decimal">
<x:attribute name="currency" use="required" type="x:NCName"/><x:attribute name="note" type="x:string"/>
</x:extension></x:simpleContent></x:complexType>
<x:complexType name="Base"><x:sequence><x:element name="code"><x:simpleType><x:restriction base="x:string">
<x:length value="5"/></x:restriction></x:simpleType></x:element></x:sequence></x:complexType>
<x:complexType name="Node"><x:complexContent><x:extension base="t:Base"><x:sequence>
<x:element name="next" type="t:Node" minOccurs="0"/>
<x:choice><x:element name="inner" type="t:Endless"/><x:element name="leaf" type="t:Colour"/></x:choice>
</x:sequence></x:extension></x:complexContent></x:complexType>
<x:complexType name="Endless"><x:sequence><x:element name="again" type="t:Endless"/></x:sequence></x:complexType>
<x:group name="Both"><x:sequence><x:element name="plate" type="t:Plate"/><x:element name="two" type="t:Two"/>
</x:sequence></x:group>
<x:element name="say"><x:complexType><x:sequence>
<x:element name="colour" type="t:Colour"/><x:group ref="t:Both"/><x:element name="share" type="t:Share"/>
<x:element name="teens" type="t:Teens" minOccurs="2" maxOccurs="unbounded"/><x:element name="numbers" type="t:Numbers"/>
<x:element name="either" type="t:Either"/><x:element name="money" type="t:Money"/><x:element name="node" type="t:Node"/>
<x:element name="many" maxOccurs="unbounded"><x:complexType><x:all><x:element name="on" type="x:boolean"/></x:all>
</x:complexType></x:element><x:element name="optional" type="x:string" minOccurs="0"/>
</x:sequence></x:complexType></x:element>"""


@pytest.fixture
def described(tmp_path):
    """Give a function that takes the schema's part about ``say`` and returns caller, description and whole schema."""
    callers = []

    def describe(part):
        schema = HEAD + part + TAIL
        (tmp_path / "s.xsd").write_text(schema)
        (tmp_path / "s.wsdl").write_text(WSDL.format(schema="s.xsd", address="http://127.0.0.1:9"))
        target = Target(str(tmp_path / "s.wsdl"), "say")
        found = read(target, LOOPBACK)
        callers.append(caller(target, found, LOOPBACK, 5))
        return callers[-1], found, etree.XMLSchema(etree.fromstring(schema))

    yield describe
    for one in callers:
        one.close()


def body(one, made):
    envelope = etree.fromstring(one.message(made))
    return envelope.find("{*}Body")[0]


def test_every_part_of_a_rich_schema_is_met_by_every_seed(described):
    one, found, schema = described(RICH)
    for seed in range(30):
        made = arguments.generate(one, found, seed)
        schema.assertValid(body(one, made))
    assert made["colour"] in ("red", "blue") and re.fullmatch(r"[A-Z]{2}-\d{3,5}", made["plate"])
    assert 13 <= made["teens"][0] < 20 and 0 < made["share"] <= 0.5
    assert len(made["node"]["code"]) == 5 and made["node"].keys() == {"code", "leaf"}
    assert made["money"].keys() == {"_value_1", "currency"} and len(made["many"]) == 1


def test_at_least_as_many_items_as_there_must_be(described):
    one, found, schema = described(RICH)
    made = arguments.generate(one, found, 1)
    assert len(made["teens"]) == 2
    schema.assertValid(body(one, made))


def test_the_same_seed_gives_the_same_and_another_one_others(described):
    one, found, _ = described(RICH)
    first = arguments.generate(one, found, 1)
    assert first == arguments.generate(one, found, 1) != arguments.generate(one, found, 2)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_type_has_a_value(described, name):
    part = f'<x:element name="say"><x:complexType><x:sequence><x:element name="a" type="x:{name}"/></x:sequence>'
    one, found, schema = described(f"{part}</x:complexType></x:element>")
    for seed in range(5):
        schema.assertValid(body(one, arguments.generate(one, found, seed)))


def test_the_operation_s_own_arguments_are_given_although_they_are_optional(described):
    part = """<x:element name="say"><x:complexType><x:sequence><x:element name="a" type="t:In" minOccurs="0"/>
    </x:sequence></x:complexType></x:element><x:complexType name="In"><x:sequence><x:element name="b" type="x:int"/>
    <x:element name="c" type="x:int" minOccurs="0"/></x:sequence></x:complexType>"""
    one, found, _ = described(part)
    assert arguments.generate(one, found, 1)["a"].keys() == {"b"}


def test_a_message_of_one_plain_element_is_generated(described):
    one, found, schema = described('<x:element name="say" type="x:date"/>')
    made = arguments.generate(one, found, 1)
    assert made.keys() == {"value"}
    schema.assertValid(body(one, made))


def test_what_never_ends_is_told(described):
    part = """<x:element name="say"><x:complexType><x:sequence><x:element name="a" type="t:E"/></x:sequence>
    </x:complexType></x:element><x:complexType name="E"><x:sequence><x:element name="again" type="t:E"/></x:sequence>
    </x:complexType>"""
    one, found, _ = described(part)
    with pytest.raises(BadParameter, match="never end; give them yourself"):
        arguments.generate(one, found, 1)


def test_a_pattern_that_is_too_hard_names_its_argument(described):
    part = """<x:element name="say"><x:complexType><x:sequence><x:element name="a"><x:simpleType>
    <x:restriction base="x:string"><x:pattern value="(a|b)c(d|e){4}f"/></x:restriction></x:simpleType></x:element>
    </x:sequence></x:complexType></x:element>"""
    one, found, _ = described(part)
    with pytest.raises(BadParameter, match=r"say\.a: no value was found"):
        arguments.generate(one, found, 1)


def test_facets_come_from_the_nearest_restriction():
    read_again = facets.read([(HEAD + RICH + TAIL).encode()])
    assert read_again["{urn:made:service}Two"].numbers == {"maxLength": "3", "minLength": "2"}
    assert read_again["{urn:made:service}Colour"].enumeration == ("red", "blue")


@pytest.mark.parametrize("name", ["int", "integer", "negativeInteger", "unsignedByte"])
def test_numbers_keep_to_their_ends(name):
    low, high = {"negativeInteger": (-20, -3)}.get(name, (3, 20))
    bounded = Facets(numbers={"minInclusive": str(low), "maxInclusive": str(high)})
    drawn = {values.draw(name, bounded, random.Random(seed)) for seed in range(300)}
    assert min(drawn) >= low and max(drawn) <= high and len(drawn) > 5


def test_the_table_names_every_value_by_its_path():
    table = arguments.table({"a": {"b": [{"c": 1}, {"c": 2}]}, "d": "x"})
    assert table["Value"].to_dict() == {"a.b[0].c": "1", "a.b[1].c": "2", "d": "x"}
    assert len(arguments.table({})) == 1
