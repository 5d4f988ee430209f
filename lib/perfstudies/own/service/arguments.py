"""Arguments for an operation, made from its schema: what must be there, small, and the same for the same seed.

Optional elements are left out, but for the operation's own arguments, which descriptions made from code declare as
optional all alike. Lists have one item, or as many as they must; of a choice the first branch is taken that ends; and a
type that contains itself is followed only as far as it must be.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd
from zeep import xsd
from zeep.xsd.elements.indicators import Group, Indicator
from zeep.xsd.types.builtins import default_types

from perfstudies.errors import BadParameter
from perfstudies.own.service import facets, values
from perfstudies.own.service.description import Caller, Description

DEPTH = 12
"""How deep types may be nested before they count as endless."""
VALUE = "_value_1"
"""zeep's name for what has none: the text of a type with attributes, the items of a repeated group."""


class _Endless(Exception):
    """A type that contains itself without an end."""


def generate(caller: Caller, description: Description, seed: int) -> dict[str, object]:
    """Return arguments that fit an operation's input; zeep has built a message of them.

    Parameters
    ----------
    caller : Caller
        Of the operation.
    description : Description
        Its documents have the facets.
    seed : int
        Of the values.

    Raises
    ------
    BadParameter
        If there are none that end, or a pattern is too hard; the message names the argument.
    """
    body = caller.input
    if body is None:
        return {}
    maker = _Maker(facets.read(description.documents.values()), random.Random(f"arguments/{seed}"))
    try:
        if isinstance(body.type, xsd.ComplexType):
            made = maker.fields(body.type, 0, caller.operation)
        else:
            made = {"value": maker.value(body.type, 0, caller.operation)}
    except _Endless:
        raise BadParameter(f"{caller.operation}: its arguments never end; give them yourself") from None
    caller.message(made)
    return made


def table(arguments: Mapping[str, object]) -> pd.DataFrame:
    """Return arguments as a frame: a row a value, with its path and what it is."""
    rows = list(_leaves("", arguments)) or [("(none)", "")]
    return pd.DataFrame(rows, columns=["Argument", "Value"]).set_index("Argument")


def _leaves(path: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(f"{path}.{name}" if path else str(name), inner)
    elif isinstance(value, list | tuple):
        for place, inner in enumerate(value):
            yield from _leaves(f"{path}[{place}]", inner)
    else:
        yield path, str(value)


class _Maker:
    """Follows zeep's types."""

    def __init__(self, known: Mapping[str, facets.Facets], rng: random.Random):
        self._known, self._rng, self._made = known, rng, 0

    def value(self, kind: Any, depth: int, path: str) -> object:
        """Return a value of a type."""
        if depth > DEPTH:
            raise _Endless(path)
        self._made += 1
        if self._made > values.MOST_VALUES:
            raise BadParameter(f"{path}: more than {values.MOST_VALUES:,} values; give the arguments yourself")
        if not isinstance(kind, xsd.ComplexType):
            return self._simple(kind, path)
        item = _item_type(kind)
        return self.fields(kind, depth, path) if item is None else [self.value(item, depth + 1, path)]

    def fields(self, kind: xsd.ComplexType, depth: int, path: str) -> dict[str, object]:
        """Return the fields of a complex type that must be there."""
        made: dict[str, object] = {}
        for name, nested in kind.elements_nested:
            made |= self._particle(name, nested, depth, path)
        for name, attribute in kind.attributes:
            if getattr(attribute, "required", False):
                made[name] = self.value(attribute.type, depth + 1, f"{path}.{name}")
        return made

    def _particle(self, name: str | None, particle: Any, depth: int, path: str) -> dict[str, object]:
        if isinstance(particle, xsd.Any):
            return {}
        if particle.min_occurs == 0:
            return self._argument(name, particle, path) if depth == 0 and isinstance(particle, xsd.Element) else {}
        if isinstance(particle, Indicator):
            inside = self._indicator(particle, depth, path)
            return {name or VALUE: [inside]} if particle.accepts_multiple else inside
        return self._element(name, particle, depth, path)

    def _element(self, name: str | None, element: Any, depth: int, path: str) -> dict[str, object]:
        path = f"{path}.{element.attr_name}"
        if not element.accepts_multiple:
            return {name or element.attr_name: self.value(element.type, depth + 1, path)}
        least = max(1, element.min_occurs)
        return {name or element.attr_name: [self.value(element.type, depth + 1, path) for _ in range(least)]}

    def _argument(self, name: str | None, element: Any, path: str) -> dict[str, object]:
        try:
            return self._element(name, element, 0, path)
        except _Endless:
            return {}

    def _indicator(self, indicator: Any, depth: int, path: str) -> dict[str, object]:
        if isinstance(indicator, Group):
            return self._indicator(indicator.child, depth, path)
        if isinstance(indicator, xsd.Choice):
            for name, one in indicator.elements_nested:
                try:
                    # zeep makes the branches of a choice optional; one must be there.
                    of = self._element if isinstance(one, xsd.Element) else self._particle
                    return of(name, one, depth, path)
                except _Endless:
                    continue
            raise _Endless(path)
        made: dict[str, object] = {}
        for name, one in indicator.elements_nested:
            made |= self._particle(name, one, depth, path)
        return made

    def _simple(self, kind: Any, path: str) -> object:
        own = self._known.get(kind.qname.text if kind.qname is not None else "", facets.NONE)
        if isinstance(kind, xsd.ListType):
            return [self._simple(kind.item_type, path)]
        if isinstance(kind, xsd.UnionType) and kind.item_types:
            return self._simple(kind.item_types[0], path)
        try:
            return values.draw(_built_in(kind), own, self._rng)
        except BadParameter as error:
            raise BadParameter(f"{path}: {error}") from error


def _item_type(kind: Any) -> Any:
    """Return the type of the items if a type is an array of the style rpc/encoded."""
    for _, nested in kind.elements_nested:
        if isinstance(nested, xsd.Sequence) and len(nested) == 1 and isinstance(nested[0], xsd.Any):
            return nested[0].restrict
    return None


def _built_in(kind: Any) -> str:
    """Return the local name of the built-in type that a simple type is or is derived from."""
    for one in type(kind).__mro__:
        name = getattr(one, "_default_qname", None)
        if name in default_types:
            return name.localname
    return "string"
