"""Bodies and values of requests that are drawn from schemas, the same in every run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from perfstudies.errors import BadParameter, require_one_of
from perfstudies.own.service import openapi
from perfstudies.own.service.json_schema import Drawing

COUNT = 256
"""How many different ones there are; then they come again."""


class Drawn:
    """What the requests of one kind draw.

    Parameters
    ----------
    document, what
        As of `Drawing`.
    body : str or None
        Where the body's schema is, a JSON pointer; None without a body.
    places : mapping of str to str
        Where the schema of each place is.

    Raises
    ------
    BadParameter
        As of `Drawing`, here and when something is drawn.
    """

    def __init__(self, document: Mapping[str, Any], body: str | None, places: Mapping[str, str], what: str):
        self._what = what
        self._body = None if body is None else Drawing(document, body, f"{what}, the body")
        self._places = {name: Drawing(document, pointer, f"{what}, {name}") for name, pointer in places.items()}

    @classmethod
    def of_file(cls, path: str) -> Drawn:
        """Draw bodies by a file that is one schema."""
        try:
            document = json.loads(Path(path).read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise BadParameter(f"body_schema: {path} is not JSON: {str(error)[:200]}") from error
        if not isinstance(document, Mapping):
            raise BadParameter(f"body_schema: {path} is no schema: it has no names")
        return cls(document, "", {}, f"body_schema {path}")

    @classmethod
    def of_operation(cls, path: str, operation_id: str) -> Drawn:
        """Draw what an OpenAPI document says of an operation."""
        told = openapi.read(path)
        require_one_of(f"the operation of {path}", operation_id, told.operations)
        one = told.operations[operation_id]
        return cls(told.content, one.body or None, one.places, f"operation {operation_id}")

    @property
    def places(self) -> set[str]:
        """The names of the places that it has values for."""
        return set(self._places)

    @property
    def has_body(self) -> bool:
        """Whether it draws bodies."""
        return self._body is not None

    def body(self, number: int) -> bytes:
        """Return the body of the request of a number, as JSON."""
        return self._bodies[number % COUNT]

    def row(self, number: int) -> dict[str, str]:
        """Return the values of its places for the request of a number."""
        return self._rows[number % COUNT]

    @cached_property
    def _bodies(self) -> list[bytes]:
        if self._body is None:
            return [b""] * COUNT
        drawn = (self._body.draw(f"{self._what}/{number}") for number in range(COUNT))
        return [json.dumps(value, ensure_ascii=False).encode() for value in drawn]

    @cached_property
    def _rows(self) -> list[dict[str, str]]:
        return [
            {name: _text(one.draw(f"{self._what}/{name}/{number}")) for name, one in self._places.items()}
            for number in range(COUNT)
        ]


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
