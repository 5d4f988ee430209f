"""What a schema allows of its simple types: zeep reads their names and bases only, so the documents are read again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from lxml import etree

from perfstudies.errors import BadParameter

XSD = "{http://www.w3.org/2001/XMLSchema}"
LENGTHS = ("length", "minLength", "maxLength")
ENDS = ("minInclusive", "maxInclusive", "minExclusive", "maxExclusive")
MOST, MOST_DIGITS = 100_000, 1000
"""The longest value, and the digits of the largest number, that is made."""
DIGITS = ("totalDigits", "fractionDigits")


@dataclass(frozen=True)
class Facets:
    """The facets of a simple type and those it is derived from.

    Attributes
    ----------
    enumeration, patterns : tuple of str
        The nearest restriction's.
    numbers : mapping of str to str
        The others, by name; the nearest restriction's value.
    """

    enumeration: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    numbers: Mapping[str, str] = field(default_factory=dict)

    def number(self, name: str) -> int | None:
        """Return a facet that is a whole number; `BadParameter` if it is none that a value can be made for."""
        if name not in self.numbers:
            return None
        text = self.numbers[name]
        if not text.strip().isdecimal() or len(text) > 18 or int(text) > MOST and name in LENGTHS:
            raise BadParameter(f"no value was found for the {name} {text[:40]!r}; give this argument yourself")
        return min(int(text), MOST_DIGITS) if name in DIGITS else int(text)

    def end(self, name: str) -> Decimal | None:
        """Return a facet that bounds a number, None if it is not there or endless; `BadParameter` if it is none."""
        text = self.numbers.get(name, "INF").strip()
        if text in ("INF", "-INF"):
            return None
        try:
            found = Decimal(text)
            if found.is_finite() and abs(found.adjusted()) < MOST_DIGITS:
                return found
        except ArithmeticError:
            pass
        raise BadParameter(f"no value was found for the {name} {text[:40]!r}; give this argument yourself")


NONE = Facets()


def read(documents: Iterable[bytes]) -> dict[str, Facets]:
    """Return the facets of all simple types of schemas by qualified name.

    A type without a name has that of the element or attribute that it belongs to, as zeep calls it; of several of one
    name the first counts.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    types: dict[str, etree._Element] = {}
    for document in documents:
        for schema in etree.fromstring(document, parser).iter(f"{XSD}schema"):
            for node in schema.iter(f"{XSD}simpleType"):
                parent: Any = node.getparent()
                name = node.get("name") or parent.get("name")
                if name:
                    types.setdefault(_qualified(schema, name), node)
    return {name: _facets(node, types, set()) for name, node in types.items()}


def _qualified(schema: etree._Element, name: str) -> str:
    space = schema.get("targetNamespace")
    return f"{{{space}}}{name}" if space else name


def _facets(node: etree._Element, types: Mapping[str, etree._Element], seen: set[int]) -> Facets:
    restriction = node.find(f"{XSD}restriction")
    if restriction is None or id(node) in seen:
        return NONE
    seen.add(id(node))
    prefix, _, local = (restriction.get("base") or "").rpartition(":")
    space = restriction.nsmap.get(prefix or None)
    inner = restriction.find(f"{XSD}simpleType")
    base = inner if inner is not None else types.get(f"{{{space}}}{local}" if space else local)
    found = NONE if base is None else _facets(base, types, seen)
    own: defaultdict[str, list[Any]] = defaultdict(list)
    for facet in restriction:
        if isinstance(facet.tag, str) and facet.get("value") is not None:
            own[facet.tag.removeprefix(XSD)].append(facet.get("value"))
    numbers = {name: own[name][0] for name in (*LENGTHS, *ENDS, *DIGITS) if own[name]}
    return replace(
        found,
        enumeration=tuple(own["enumeration"]) or found.enumeration,
        patterns=tuple(own["pattern"]) or found.patterns,
        numbers={**found.numbers, **numbers},
    )
