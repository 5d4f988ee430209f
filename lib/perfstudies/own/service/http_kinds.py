"""One kind of request by plain HTTP: its places are filled from values, and its body may be drawn from a schema."""

from __future__ import annotations

import json
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from perfstudies.errors import BadParameter, require_one_of
from perfstudies.own.service import plain
from perfstudies.own.service.drawn import Drawn

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
OK_STATUSES = range(200, 300)
BODIES = ("body", "body_file", "body_schema")
"""What may be given as a body, of which one is."""


@dataclass(frozen=True)
class Kind:
    """One kind of request.

    Attributes
    ----------
    url : str
        Its address; that of the target if empty, and relative to it if it has no host.
    method : str
    headers : mapping of str to str
    body : str, or a value of JSON
        What is sent; of a value of JSON its text, and its header says so.
    body_file : str
        A file whose bytes are sent as they are, instead.
    body_schema : str
        A file with a JSON Schema that bodies are drawn from, instead.
    openapi, operation_id : str
        An OpenAPI document, and the operation of it whose body and places are drawn.
    expect : sequence of int
        The statuses that are well; those of 200 to 299 if none is named.
    weight : float
        How often it is chosen, in proportion to the others.
    """

    url: str = ""
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    body_file: str = ""
    body_schema: str = ""
    openapi: str = ""
    operation_id: str = ""
    expect: Sequence[int] = ()
    weight: float = 1.0

    def __post_init__(self) -> None:
        require_one_of("method", self.method, METHODS)
        if not plain.is_number(self.weight) or self.weight <= 0:
            raise BadParameter(f"weight = {plain.shown(self.weight)}: must be a number above 0")
        if not all(isinstance(status, int) and 100 <= status < 600 for status in self.expect):
            raise BadParameter(f"expect = {plain.shown(self.expect)}: must be statuses, as in [200, 404]")
        for name, value in self.headers.items():
            if not isinstance(value, str) or any(sign in f"{name}{value}" for sign in "\r\n"):
                raise BadParameter(f"headers: {name} = {plain.shown(value)} must be a text of one line")
        given = [name for name in BODIES if getattr(self, name) not in (None, "")]
        if len(given) > 1:
            raise BadParameter(f"{' and '.join(given)} are two bodies: leave one out")
        for name in ("body_file", "body_schema", "openapi"):
            object.__setattr__(self, name, existing(name, getattr(self, name)))

    def is_well(self, status: int) -> bool:
        """Whether an answer of this status is what is expected."""
        return status in (self.expect or OK_STATUSES)

    @property
    def places(self) -> set[str]:
        """The names of the places that are filled from values."""
        return {place for text in self._texts for place in _places(text)}

    @cached_property
    def drawn(self) -> Drawn | None:
        """What is drawn for it from a schema; None if nothing is."""
        if self.body_schema:
            return Drawn.of_file(self.body_schema)
        return Drawn.of_operation(self.openapi, self.operation_id) if self.openapi else None

    @property
    def lacks(self) -> set[str]:
        """The names of the places that no schema has values for."""
        return self.places - (self.drawn.places if self.drawn else set())

    @property
    def is_constant(self) -> bool:
        """Whether each of its requests is the same."""
        return not self.places and self.drawn is None

    @property
    def _texts(self) -> list[str]:
        return [self.url, *self.headers.values(), self._body_text]

    @property
    def _body_text(self) -> str:
        if self.body is None or isinstance(self.body, str):
            return self.body or ""
        try:
            return json.dumps(self.body, ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise BadParameter(f"body = {plain.shown(self.body)} is not JSON: {error}") from error

    def filled(self, row: Mapping[str, str], number: int = 0) -> Filled:
        """Return a request with its places filled; in an address and in JSON values stand as these want them.

        Parameters
        ----------
        row : mapping of str to str
            Values, which go before what is drawn.
        number : int
            Of what is drawn.
        """
        if self.drawn:
            row = {**self.drawn.row(number), **row}
        in_url = {name: quote(value, safe="") for name, value in row.items()}
        headers = {name: _fill(text, row) for name, text in self.headers.items()}
        for name, value in headers.items():
            if any(sign in "\r\n" or ord(sign) > 255 for sign in value):
                raise BadParameter(f"a value for the header {name} has a line's end or a sign in it that none can have")
        if self.body_file:
            body: bytes | None = Path(self.body_file).read_bytes()
        elif self.body is None and self.drawn and self.drawn.has_body:
            body = self.drawn.body(number)
            headers = _as_json(headers)
        elif self.body is None:
            body = None
        else:
            is_json = not isinstance(self.body, str)
            as_json = {name: json.dumps(value, ensure_ascii=False)[1:-1] for name, value in row.items()}
            body = _fill(self._body_text, as_json if is_json else row).encode()
            headers = _as_json(headers) if is_json else headers
        return Filled(self.method, _fill(self.url, in_url), headers, body)


@dataclass(frozen=True)
class Filled:
    """A request as it is sent; headers and body without secrets."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None


def existing(what: str, name: str) -> str:
    """Return a file's name, with the home folder in it; `BadParameter` if there is no such file."""
    if name and not Path(name).expanduser().is_file():
        raise BadParameter(f"{what} = {name[:200]!r}: there is no such file")
    return str(Path(name).expanduser()) if name else ""


def _as_json(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers that say that the body is JSON, unless they say otherwise."""
    told = any(name.lower() == "content-type" for name in headers)
    return {**headers} if told else {**headers, "Content-Type": "application/json"}


def _places(text: str) -> set[str]:
    template = string.Template(text)
    if not template.is_valid():
        raise BadParameter(f"{text[:80]!r} has a dollar sign that begins no ${{name}}; one of its own is written $$")
    return set(template.get_identifiers())


def _fill(text: str, row: Mapping[str, str]) -> str:
    return string.Template(text).substitute(row)
