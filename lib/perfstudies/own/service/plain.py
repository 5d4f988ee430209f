"""Plain values, as a notebook's parameters, JSON or the environment give them, and what is wrong with them."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from perfstudies.errors import BadParameter, require_one_of

HIDDEN = "(secret)"
LARGEST = 10**9
"""What no number of a load exceeds: requests, seconds, and what clocks and sockets can count."""


def is_number(value: object) -> bool:
    """Return whether a value is a number that is not too large."""
    return isinstance(value, (int, float)) and abs(value) <= LARGEST


def shown(value: object) -> str:
    """Return a value as an error tells it."""
    return "a number too large" if isinstance(value, (int, float)) and abs(value) > LARGEST else repr(value)[:80]


def given(values: object) -> dict[str, Any]:
    """Return a mapping, or what a text of JSON says, without what is as good as left out.

    An operation may have no arguments: an empty mapping of them says so.
    """
    told = mapping("a setting", values)
    return {
        key: value for key, value in told.items() if value not in ("", None) and (value != {} or key == "arguments")
    }


def mapping(what: str, value: object) -> Mapping[str, Any]:
    """Return a mapping, or what a text of JSON says, if it is one; `BadParameter` if not."""
    found = from_json(what, value)
    if not isinstance(found, Mapping):
        raise BadParameter(f"{what} = {shown(value)}: must have names, as in {{'name': value}}")
    return found


def from_json(what: str, value: object) -> Any:
    """Return what a text of JSON says, and any other value as it is; `BadParameter` if the text is none."""
    try:
        return json.loads(value) if isinstance(value, str) and value else value or {}
    except (ValueError, RecursionError) as error:
        raise BadParameter(f"{what} = {shown(value)} is not JSON: {error}") from error


def secret(what: str, variable: str) -> str:
    """Return the value of an environment variable; `BadParameter` if it is not there."""
    if not os.environ.get(variable):
        raise BadParameter(
            f"{what}: there is no environment variable {variable!r}. Set it before JupyterLab or the command starts; "
            "its value is written nowhere."
        )
    return os.environ[variable]


def of_header(what: str, variable: str) -> str:
    """Return `secret` for a header; `BadParameter`, which does not quote it, if it is none that a header can have."""
    value = secret(what, variable)
    if value != value.strip() or not value.isprintable() or max(map(ord, value)) > 255:
        raise BadParameter(f"{what}: {variable!r} has white space around its value, or a sign that no header can have")
    return value


def quotable(user: str, password: str) -> list[str]:
    """Return how a server may quote a password that it was told: as it is, and as basic authentication tells it."""
    return [password, base64.b64encode(f"{user}:{password}".encode("latin-1", "replace")).decode()]


def hidden(text: str, secrets: Iterable[str]) -> str:
    """Return a text without secrets."""
    for one in secrets:
        text = text.replace(one, HIDDEN)
    return text


def known(kind: type, values: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Return values for a dataclass; `BadParameter` for a name that is none of its fields, with the nearest one."""
    names = [one.name for one in fields(kind)]
    for key in values:
        require_one_of(what, key, names)
    return dict(values)
