"""Values for a JSON Schema, drawn as a service sees them every day: all that it names is there, texts are short.

References are followed within the document alone: nothing is opened or fetched. Each value is checked against the
schema by a validator before it counts; where none fits, whoever declares the target has to give it.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from faker import Faker
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from perfstudies.errors import BadParameter
from perfstudies.own.service import values
from perfstudies.own.service.facets import Facets

DEPTH = 6
"""How deep values are nested at which only what must be there is."""
ENDLESS = 60
"""How deep they may be nested at all."""
MORE_ITEMS = 2
"""By how many a list may exceed the fewest that it must have, or one."""
MOST_ITEMS = 1000
TRIES = 40
HERE = "urn:document"
LATEST = datetime(2026, 1, 1, tzinfo=UTC)
"""Of moments that are drawn; up to the present one, the same seed would draw others every second."""
FORMATS: dict[str, Callable[[Faker], str]] = {
    "date": lambda fake: fake.date(end_datetime=LATEST),
    "date-time": lambda fake: fake.date_time(tzinfo=UTC, end_datetime=LATEST).isoformat(),
    "email": lambda fake: fake.safe_email(),
    "hostname": lambda fake: fake.hostname(),
    "ipv4": lambda fake: fake.ipv4(),
    "ipv6": lambda fake: fake.ipv6(),
    "time": lambda fake: f"{fake.time(end_datetime=LATEST)}Z",
    "uri": lambda fake: fake.uri(),
    "uuid": lambda fake: fake.uuid4(),
}
_ENDS = {
    "minimum": "minInclusive", "maximum": "maxInclusive", "exclusiveMinimum": "minExclusive",
    "exclusiveMaximum": "maxExclusive",
}  # fmt: skip


NOWHERE = (Unresolvable, TypeError, ValueError)
"""What a reference raises that leads nowhere; the last two where it names a part of a text or a list."""


def within(document: Mapping[str, Any]) -> Registry[Any]:
    """Return what references are looked up in: a document, as `HERE`, and nothing else."""
    return Registry().with_resource(HERE, DRAFT202012.create_resource(document))


class Drawing:
    """Draws values for one schema of a document.

    Parameters
    ----------
    document : mapping
        That references are within, of JSON Schema's draft 2020-12.
    pointer : str
        Where the schema is in it, a JSON pointer; empty for the document itself.
    what : str
        What errors call it.

    Raises
    ------
    BadParameter
        If it is no schema, or one of its references leads out of the document or nowhere.
    """

    def __init__(self, document: Mapping[str, Any], pointer: str, what: str):
        self._what, self._fake = what, Faker()
        self._within = within(document)
        self._schema = self._at(f"#{pointer}")
        try:
            Draft202012Validator.check_schema(self._schema)
        except (SchemaError, RecursionError) as error:
            raise BadParameter(f"{what}: {str(error).splitlines()[0][:200]}") from error
        self._validator = Draft202012Validator({"$ref": f"{HERE}#{pointer}"}, registry=self._within)

    def draw(self, seed: str) -> Any:
        """Return a value, the same for the same seed; `BadParameter` if none was found that fits."""
        rng = random.Random(seed)
        self._fake.seed_instance(seed)
        problem = ""
        for _ in range(TRIES):
            self._left = values.MOST_VALUES
            try:
                value = self._value(self._schema, 0, rng)
                error = next(iter(self._validator.iter_errors(value)), None)
            except (Unresolvable, RecursionError, re.error) as broken:
                raise BadParameter(f"{self._what}: {str(broken)[:200]}") from broken
            if error is None:
                return value
            problem = f"{'/'.join(map(str, error.absolute_path)) or 'the value'}: {error.message[:120]}"
        raise BadParameter(f"{self._what}: no value was found for it ({problem}); give this one yourself")

    def _at(self, reference: str) -> Any:
        try:
            return self._within.resolver(HERE).lookup(reference).contents
        except NOWHERE:
            raise BadParameter(f"{self._what}: there is no {reference[1:121]!r} in it") from None

    def _plain(self, schema: Any, rng: random.Random, depth: int) -> dict[str, Any]:
        """Return a schema without references and alternatives: all that must hold in one, of alternatives one."""
        if depth > ENDLESS:
            raise BadParameter(f"{self._what}: a part of it contains itself without an end")
        if not isinstance(schema, Mapping):
            return {}
        found = {name: value for name, value in schema.items() if name not in ("$ref", "allOf", "oneOf", "anyOf")}
        others = list(schema.get("allOf", ()))
        if "$ref" in schema:
            reference = str(schema["$ref"])
            if not reference.startswith("#"):
                raise BadParameter(f"{self._what}: {reference[:120]!r} leads out of the document")
            others.append(self._at(reference))
        others += [rng.choice(schema[one]) for one in ("oneOf", "anyOf") if schema.get(one)]
        for other in (self._plain(one, rng, depth + 1) for one in others):
            both = {
                "properties": {**found.get("properties", {}), **other.get("properties", {})},
                "required": [*found.get("required", ()), *other.get("required", ())],
            }
            found = {**found, **other, **{name: value for name, value in both.items() if value}}
        return found

    def _value(self, schema: Any, depth: int, rng: random.Random) -> Any:
        self._left -= 1
        if self._left < 0:
            raise BadParameter(f"{self._what}: more than {values.MOST_VALUES:,} values in one; give this one yourself")
        told = self._plain(schema, rng, depth)
        if "const" in told:
            return told["const"]
        if told.get("enum"):
            return rng.choice(told["enum"])
        kind = _kind(told)
        if kind == "object":
            return self._object(told, depth, rng)
        if kind == "array":
            return self._array(told, depth, rng)
        if kind == "boolean":
            return bool(rng.randrange(2))
        if kind == "null":
            return None
        if kind in ("integer", "number"):
            return _number(kind, told, rng)
        if told.get("format") in FORMATS and "pattern" not in told:
            return FORMATS[told["format"]](self._fake)
        patterns = (told["pattern"].removeprefix("^").removesuffix("$"),) if "pattern" in told else ()
        lengths: dict[str, str] = {name: str(told[name]) for name in ("minLength", "maxLength") if name in told}
        return values.draw("string", Facets(patterns=patterns, numbers=lengths), rng)

    def _object(self, told: Mapping[str, Any], depth: int, rng: random.Random) -> dict[str, Any]:
        named, must = told.get("properties", {}), set(told.get("required", ()))
        chosen = {name: one for name, one in named.items() if name in must or depth < DEPTH}
        rest = told.get("additionalProperties", {})
        chosen |= {name: rest for name in sorted(must - set(named))}
        return {name: self._value(one, depth + 1, rng) for name, one in chosen.items()}

    def _array(self, told: Mapping[str, Any], depth: int, rng: random.Random) -> list[Any]:
        first = list(told.get("prefixItems", ()))
        least = max(told.get("minItems", 0), len(first), 1 if depth < DEPTH else 0)
        most = told.get("maxItems", least + MORE_ITEMS)
        if min(least, most) > MOST_ITEMS:
            raise BadParameter(f"{self._what}: a list of {least:,} items is too long; give this one yourself")
        count = rng.randint(min(least, most), min(most, least + MORE_ITEMS)) if depth < DEPTH else min(least, most)
        found: list[Any] = []
        for _ in range(TRIES + count):
            if len(found) == count:
                break
            of = first[len(found)] if len(found) < len(first) else told.get("items", {})
            one = self._value(of, depth + 1, rng)
            if not (told.get("uniqueItems") and one in found):
                found.append(one)
        return found


def _kind(told: Mapping[str, Any]) -> str:
    """Return a schema's type; of several the first that is not null, of none what its other words are about."""
    kinds = told.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else [one for one in kinds if one != "null"] or [*kinds]
    if kinds:
        return str(kinds[0])
    if "properties" in told or "required" in told:
        return "object"
    if "items" in told or "prefixItems" in told:
        return "array"
    return "number" if any(name in told for name in (*_ENDS, "multipleOf")) else "string"


def _number(kind: str, told: Mapping[str, Any], rng: random.Random) -> float | int:
    ends = {facet: str(told[name]) for name, facet in _ENDS.items() if name in told}
    drawn: Any = values.draw("integer" if kind == "integer" else "double", Facets(numbers=ends), rng)
    step = told.get("multipleOf")
    if not step:
        return drawn
    below = drawn // step * step
    is_low = below < told.get("minimum", below) or below <= told.get("exclusiveMinimum", -math.inf)
    return below + step if is_low else below
