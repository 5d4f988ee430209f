"""zeep's messages with the walk over their types prepared once, instead of found anew in every call.

For each message zeep asks every type what it is, what it accepts and what its default is, through several layers, and
that is most of what it costs. For plain messages (sequences of simple elements and of such sequences, each named once)
`prepare` writes the answers down. A prepared message takes only values and replies of which it is sure that zeep would
accept them; anything else, from a missing element to an xsi:type, it hands to zeep's own code, which then builds, reads
or refuses it. So the bytes, the objects and the errors are zeep's. All else of a call stays with zeep: safe parsing,
faults, headers, plug-ins, signatures.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, NamedTuple

import zeep
from lxml import etree
from zeep.wsdl.bindings.soap import SoapBinding
from zeep.wsdl.messages import DocumentMessage
from zeep.wsdl.messages.base import SerializedMessage
from zeep.xsd.elements import Element
from zeep.xsd.elements.indicators import Sequence
from zeep.xsd.types import AnySimpleType, ComplexType
from zeep.xsd.types.base import Type
from zeep.xsd.types.builtins import String
from zeep.xsd.valueobjects import CompoundValue

_SIMPLE_VALUES = {str, int, float, Decimal}


def prepare(client: zeep.Client) -> frozenset[str]:
    """Prepare the messages of a client, before its first call.

    Parameters
    ----------
    client : zeep.Client
        Its operations are called as before.

    Returns
    -------
    frozenset of str
        The operations whose request and reply are prepared. The others are zeep's as they were.
    """
    done: set[str] = set()
    parts: _Parts = {}
    for binding in client.wsdl.bindings.values():
        if isinstance(binding, SoapBinding):
            for name, operation in binding.all().items():
                operation.input = _prepared(operation.input, parts)
                operation.output = _prepared(operation.output, parts)
                if isinstance(operation.input, _Message) and isinstance(operation.output, _Message):
                    done.add(name)
    return frozenset(done)


_Parts = dict[int, "_Simple | _Compound | None"]
"""What reads and writes each type that has been looked at, by its identity."""


class _Unsure(Exception):
    """This is zeep's to decide."""


class _Message:
    """Stands for a message of zeep's, and is it wherever it does not know better."""

    def __init__(self, message: Any, body: Any):
        self._zeep, self._body = message, body
        self._root = message.body.qname.text
        soap = message.nsmap["soap-env"]
        self._soap, self._envelope_tag, self._body_tag = soap, f"{{{soap}}}Envelope", f"{{{soap}}}Body"
        action = message.operation.soapaction
        self._action = f'"{action}"' if action else '""'

    def __getattr__(self, name: str) -> Any:
        return getattr(self._zeep, name)

    def serialize(self, *args: Any, **kwargs: Any) -> SerializedMessage:
        """Build the message's envelope."""
        if args:
            return self._zeep.serialize(*args, **kwargs)
        nsmap = {"soap-env": self._soap, **self._zeep.wsdl.types._prefix_map_custom}
        envelope = etree.Element(self._envelope_tag, nsmap=nsmap)
        try:
            node = etree.SubElement(etree.SubElement(envelope, self._body_tag), self._root)
            self._body.render(node, kwargs)
        except Exception:  # whatever is wrong, zeep says it
            return self._zeep.serialize(**kwargs)
        return SerializedMessage(path=None, headers={"SOAPAction": self._action}, content=envelope)

    def deserialize(self, envelope: Any) -> object:
        """Return what an envelope holds."""
        try:
            (node,) = envelope.find(self._body_tag)
            if node.tag != self._root:
                raise _Unsure
            value = self._body.parse(node)
        except Exception:  # whatever is wrong, zeep says it
            return self._zeep.deserialize(envelope)
        return self._body.unwrapped(value)


class _Field(NamedTuple):
    """An element of a sequence: its name and tag, how often it comes, and what reads and writes it."""

    name: str
    tag: str
    least: int
    most: float
    many: bool
    parse: Callable[[etree._Element], object]
    render: Callable[[etree._Element, object], None]


class _Simple:
    """Text."""

    def __init__(self, kind: AnySimpleType):
        self._text, self._value = kind.xmlvalue, kind.pythonvalue
        self._is_string = type(kind) is String

    def parse(self, node: etree._Element) -> object:
        if node.attrib:
            raise _Unsure
        text = node.text
        return text if text is None or self._is_string else self._value(text)

    def render(self, node: etree._Element, value: Any) -> None:
        kind = type(value)
        if kind not in _SIMPLE_VALUES:
            raise _Unsure
        node.text = value if kind is str and self._is_string else self._text(value)


class _Compound:
    """A sequence of elements."""

    def __init__(self, kind: ComplexType, fields: tuple[_Field, ...]):
        self._class, self._fields = kind._value_class, fields
        self._names = frozenset(field.name for field in fields)

    def parse(self, node: etree._Element) -> CompoundValue:
        if node.attrib:
            raise _Unsure
        children: Iterator[Any] = iter(node)
        values: OrderedDict[str, object] = OrderedDict()
        child = next(children)  # an empty sequence is no value, or one of defaults
        for name, tag, least, most, many, parse, _ in self._fields:
            found: list[object] = []
            while child is not None and len(found) < most and child.tag == tag:
                found.append(parse(child))
                child = next(children, None)
            if least and not found:
                raise _Unsure
            values[name] = found if many else found[0] if found else None
        if child is not None:
            raise _Unsure
        made = self._class.__new__(self._class)
        object.__setattr__(made, "__values__", values)  # as zeep's own does, by a longer way
        return made

    def render(self, node: etree._Element, value: Any) -> None:
        kind = type(value)
        values = value if kind is dict else value.__values__ if kind is self._class else None
        if values is None or not self._names.issuperset(values):
            raise _Unsure
        for name, tag, least, most, many, _, render in self._fields:
            one = values.get(name)
            if one is None:
                if least:
                    raise _Unsure
            elif not many:
                render(etree.SubElement(node, tag), one)
            elif type(one) is list and least <= len(one) <= most:
                for each in one:
                    render(etree.SubElement(node, tag), each)
            else:
                raise _Unsure

    def unwrapped(self, value: CompoundValue) -> object:
        """Return what zeep returns of a body: its only element, and that one's only element, or the whole."""
        if len(self._fields) > 1:
            return value
        only = value[self._fields[0].name]
        if isinstance(only, CompoundValue) and len(only) == 1:
            return next(iter(only.__values__.values()))
        return only


def _prepared(message: Any, parts: _Parts) -> Any:
    """Return what stands for a message: itself if it is not plain."""
    plain: Any = DocumentMessage
    if type(message) is not plain or message.body is None or message.header.type._element:
        return message
    body = message.body
    if message._is_body_wrapped or not (_plain_element(body) and isinstance(body.type, ComplexType)):
        return message
    part = _part(body.type, parts)
    return _Message(message, part) if part else message


def _part(kind: Any, parts: _Parts) -> _Simple | _Compound | None:
    """Return what reads and writes a type; nothing for one that is not plain, or that is part of itself."""
    if id(kind) not in parts:
        parts[id(kind)] = None  # as long as it is being made: whoever asks for it now is part of itself
        parts[id(kind)] = _made(kind, parts)
    return parts[id(kind)]


def _made(kind: Any, parts: _Parts) -> _Simple | _Compound | None:
    if isinstance(kind, AnySimpleType):
        return _Simple(kind) if _inherits(kind, AnySimpleType, "parse_xmlelement", "render", "validate") else None
    own = ("parse_xmlelement", "render", "parse_kwargs", "_create_object", "__call__")
    if not isinstance(kind, ComplexType) or not _inherits(kind, ComplexType, *own):
        return None
    sequence = kind._element
    if type(sequence) is not Sequence or sequence.accepts_multiple or kind.attributes or kind._array_type:
        return None
    fields: list[Any] = [_field(name, element, parts) for name, element in sequence.elements_nested]
    names = {field.name for field in fields if field}
    return _Compound(kind, tuple(fields)) if fields and len(names) == len(fields) else None


def _field(name: Any, element: Any, parts: _Parts) -> _Field | None:
    if not _plain_element(element) or not name == element.name == element.attr_name:
        return None
    part = _part(element.type, parts)
    if part is None or element.default is not None:
        return None
    most = float("inf") if element.max_occurs == "unbounded" else element.max_occurs
    many = element.accepts_multiple
    return _Field(name, element.qname.text, element.min_occurs, most, many, part.parse, part.render)


def _plain_element(element: Any) -> bool:
    return type(element) is Element and element.type is not None


def _inherits(kind: Type, base: type, *names: str) -> bool:
    """Whether a type does these things as zeep's base of its kind."""
    return all(getattr(type(kind), name) is getattr(base, name) for name in names)
