"""What is asked of a service by plain HTTP: requests of several kinds, with weights, and values that differ.

Addresses, headers and bodies may have places, ``${name}``, which are filled from the rows of a CSV file. Bodies may be
drawn from a JSON Schema, and whole requests from an OpenAPI document. Passwords, tokens and other secrets come from
environment variables and are written nowhere.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urljoin

from perfstudies.errors import BadParameter, require_one_of
from perfstudies.own.service import openapi, plain
from perfstudies.own.service.http_kinds import BODIES, Kind, existing
from perfstudies.permit import without_port
from perfstudies.runs.store import sha256

BASIC, BEARER = "basic", "bearer"
SECURITY = (BASIC, BEARER)
MOST_ROWS = 1_000_000
"""Of a file of values: all are kept in memory."""
BETWEEN_USERS = 7919
"""Rows between the first ones of two users: a prime, so that few files bring them to the same rows."""
OF_ALL = "request"
"""What the only kind of request is called, where kinds have no names."""

BODY_FILES = ("body_file", "body_schema")
FILES = ("ca_file", "client_certificate", "client_key", "values", "openapi")
TEXTS = ("url", "user", "password_variable", *FILES)
_OWN = ("url", "method", "headers", "body", "body_file", "body_schema", "expect")


@dataclass(frozen=True)
class HttpTarget:
    """A service, and what it is asked.

    Attributes
    ----------
    url, method, headers, body, body_file, body_schema, expect
        As of `Kind`; what `operations` leave out is as here. Headers are added to theirs.
    operations : mapping of str to mapping
        Kinds of requests by name, each with fields of `Kind`; without any there is one.
    openapi : str
        An OpenAPI document, of JSON or YAML. An operation without a url is the document's of its name, or of its
        ``operation_id``.
    values : str
        A CSV file with a heading: each request takes the next row.
    user, password_variable : str
        Who asks, and the environment variable with the password or the token, which is written nowhere.
    security : {"basic", "bearer"}
        How they are told.
    secret_headers : mapping of str to str
        Further headers, by the environment variable with their value.
    ca_file : str
        The certificates that the server's must come from, instead of those that everybody trusts (PEM).
    client_certificate, client_key : str
        Files that say who asks (PEM).
    """

    procedure: ClassVar[str] = "http"

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    body_file: str = ""
    body_schema: str = ""
    expect: Sequence[int] = ()
    openapi: str = ""
    operations: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    values: str = ""
    user: str = ""
    password_variable: str = ""
    security: str = BASIC
    secret_headers: Mapping[str, str] = field(default_factory=dict)
    ca_file: str = ""
    client_certificate: str = ""
    client_key: str = ""

    def __post_init__(self) -> None:
        for name in TEXTS:
            if not isinstance(getattr(self, name), str):
                raise BadParameter(f"{name} = {plain.shown(getattr(self, name))}: must be a text")
        for name in ("headers", "operations", "secret_headers"):
            object.__setattr__(self, name, plain.mapping(name, getattr(self, name)))
        object.__setattr__(self, "expect", tuple(_statuses(self.expect)))
        require_one_of("security of a target with a url", self.security, SECURITY)
        if self.security == BASIC and bool(self.user) != bool(self.password_variable):
            raise BadParameter("user and password_variable (the environment variable's name) belong together")
        if self.security == BEARER and not self.password_variable:
            raise BadParameter("a bearer's token comes from the environment variable that password_variable names")
        if bool(self.client_certificate) != bool(self.client_key):
            raise BadParameter("client_certificate and client_key belong together")
        for name in FILES:
            object.__setattr__(self, name, existing(name, getattr(self, name)))
        lacking = {place for kind in self.kinds.values() for place in kind.lacks} - set(self.columns)
        if lacking:
            has = f"has {', '.join(self.columns)}" if self.values else "is not named"
            raise BadParameter(f"there are no values for {', '.join(sorted(lacking))}: the file of values {has}")

    @cached_property
    def kinds(self) -> dict[str, Kind]:
        """The kinds of requests by name."""
        own = {name: getattr(self, name) for name in _OWN}
        if not self.operations:
            if self.openapi:
                known = ", ".join(openapi.read(self.openapi).operations)
                raise BadParameter(f"operations: name which of {self.openapi} are asked: {known[:2000]}")
            return {OF_ALL: Kind(**own)}
        found = {}
        for name, told in self.operations.items():
            given = plain.known(Kind, plain.mapping(f"operation {name}", told), f"a field of operation {name}")
            if self.openapi and "url" not in given:
                given = self._described(name, given)
            given["headers"] = {**self.headers, **plain.mapping("headers", given.get("headers", {}))}
            given["expect"] = tuple(_statuses(given.get("expect", self.expect)))
            given["url"] = urljoin(self.url, given.get("url", "")) if given.get("url") else self.url
            own_body = dict.fromkeys(BODIES, "") | {"body": None} if {*BODIES, "openapi"} & set(given) else {}
            found[name] = Kind(**own | own_body | given)
        return found

    def _described(self, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of a kind as the OpenAPI document has them, but for those that are given."""
        known = openapi.read(self.openapi).operations
        id = given.get("operation_id", name)
        require_one_of(f"the operation {name} of {self.openapi}", id, known)
        one = known[id]
        told = {"url": self.url.rstrip("/") + one.path, "method": one.method}
        headers = {**one.headers, **plain.mapping("headers", given.get("headers", {}))}
        if one.other_body and not {*BODIES} & set(given):
            raise BadParameter(f"operation {name}: its body is {one.other_body}; give body or body_file")
        if one.cookies and "cookie" not in {key.lower() for key in (*headers, *self.headers, *self.secret_headers)}:
            raise BadParameter(f"operation {name}: it needs the cookie {one.cookies}; give it as the header Cookie")
        return told | dict(given) | {"headers": headers, "openapi": self.openapi, "operation_id": id}

    @cached_property
    def rows(self) -> list[dict[str, str]]:
        """The rows of values; one without any if there is no file."""
        if not self.values:
            return [{}]
        path = self.values
        with open(path, newline="", encoding="utf-8-sig") as file:  # as spreadsheets write it
            try:
                reader = csv.DictReader(file, strict=True, restkey="", restval=None)
                rows = []
                for row in reader:
                    if "" in row or None in row.values():
                        raise BadParameter(
                            f"values: {path}, line {reader.line_num}: not as many cells as the heading has"
                        )
                    rows.append(row)
                    if len(rows) > MOST_ROWS:
                        raise BadParameter(f"values: {path} has more than {MOST_ROWS:,} rows")
            except (csv.Error, UnicodeDecodeError) as error:
                raise BadParameter(f"values: {path} is no CSV file: {error}") from error
        if not rows:
            raise BadParameter(f"values: {path} has no row below its heading")
        return rows

    @property
    def columns(self) -> list[str]:
        """The names of the values."""
        return list(self.rows[0])

    def chosen(self, user: int, number: int) -> tuple[str, Kind, dict[str, str], int]:
        """Return the name and the kind of a user's request, its row of values and the number of what it draws; the same
        in every run."""
        kinds = self.kinds
        if len(kinds) == 1:
            name = next(iter(kinds))
        else:
            draw = random.Random(f"operations/{user}/{number}")
            name = draw.choices(list(kinds), [kind.weight for kind in kinds.values()])[0]
        at = user * BETWEEN_USERS + number
        return name, kinds[name], self.rows[at % len(self.rows)], at

    @property
    def named(self) -> list[str]:
        """The addresses that it names; places in them are those of the first row."""
        return [kind.filled(self.rows[0]).url for kind in self.kinds.values()]

    def as_properties(self) -> dict[str, str]:
        """Return what decides a run, as texts, without secrets; files by their checksums."""
        found = {one.name: getattr(self, one.name) for one in fields(self)}
        found["url"] = without_port(self.url)
        told = {name: plain.mapping(name, told) for name, told in self.operations.items()}
        found["operations"] = {name: {**own, **_checked(own, *BODY_FILES)} for name, own in told.items()}
        for name in ("headers", "operations", "secret_headers", "expect", "body"):
            found[name] = json.dumps(found[name], sort_keys=True) if found[name] not in (None, (), {}) else ""
        found |= _checked(found, *BODY_FILES, "openapi", "values")
        return {name: "" if value is None else str(value) for name, value in found.items()}


def _statuses(given: object) -> Sequence[int]:
    found = plain.from_json("expect", given)
    if isinstance(found, int):
        return [found]
    return found if isinstance(found, (list, tuple)) else []


def _checked(told: Mapping[str, Any], *names: str) -> dict[str, str]:
    """Return those files of these names that are told of, each with the checksum of its content."""
    return {name: f"{told[name]} {sha256(Path(told[name]).expanduser())[:16]}" for name in names if told.get(name)}
