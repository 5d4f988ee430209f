"""What an OpenAPI document (3.0 or 3.1) says of a service's operations, so that they can be asked by their names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml

from perfstudies.errors import BadParameter
from perfstudies.own.service.json_schema import HERE, NOWHERE, within

METHODS = ("get", "post", "put", "patch", "delete", "head", "options")
JSON = "application/json"
MOST_BYTES = 20_000_000
MOST_PARTS = 1_000_000
"""Names, values and lists of a document with what its aliases stand for, of which a short text can have any number."""
IN = ("path", "query", "header", "cookie")
"""Where parameters are; a cookie's is not drawn."""
_AS_JSON = re.compile(r"(application/|[^;]+\+)json\s*(;|$)", re.IGNORECASE)


class _Loader(yaml.SafeLoader):
    """YAML of version 1.2: ``12:30:00``, ``2024-01-01`` and ``no`` are texts, ``1e6`` is a number."""

    yaml_implicit_resolvers: dict[str, Any] = {}


for _tag, _plain in {
    "merge": "<<$", "null": "(~|null|Null|NULL)?$", "bool": "(true|True|TRUE|false|False|FALSE)$",
    "int": r"[-+]?(0|[1-9]\d*)$", "float": r"[-+]?(\.\d+|\d+\.\d*|\d+(?=[eE]))([eE][-+]?\d+)?$",
}.items():  # fmt: skip
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_plain), None)


@dataclass(frozen=True)
class Operation:
    """An operation.

    Attributes
    ----------
    method, path : str
        With the places of its parameters as ``${name}``.
    headers : mapping of str to str
        Those that must be there, with their places.
    body : str
        Where the body's schema is in the document, a JSON pointer; empty without a body.
    places : mapping of str to str
        Where the schema of each place is, likewise.
    other_body, cookies : str
        What must be sent and is not drawn: a body's type that is not JSON, and cookies by their names.
    """

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    places: Mapping[str, str] = field(default_factory=dict)
    other_body: str = ""
    cookies: str = ""


@dataclass(frozen=True)
class Document:
    """A document.

    Attributes
    ----------
    content : mapping
        As JSON, its schemas in JSON Schema's draft 2020-12.
    operations : mapping of str to Operation
        By their ``operationId``.
    """

    content: Mapping[str, Any]
    operations: Mapping[str, Operation]


def read(path: str) -> Document:
    """Read a document of JSON or YAML.

    Raises
    ------
    BadParameter
        If it is none, or of another version.
    """
    file = Path(path)
    return _read(path, file.stat().st_size, file.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _read(path: str, size: int, _changed_ns: int) -> Document:
    if size > MOST_BYTES:
        raise BadParameter(f"openapi: {path} is longer than {MOST_BYTES:,} bytes")
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        try:
            content = json.loads(text)
        except ValueError:
            content = yaml.load(text, _Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadParameter(f"openapi: {path} is neither JSON nor YAML: {str(error)[:200]}") from error
    version = str(content.get("openapi", "")) if isinstance(content, Mapping) else ""
    if not version.startswith(("3.0", "3.1")):
        has = f"says version {version[:20]}" if version else "does not say its version"
        raise BadParameter(f"openapi: {path} {has}; 3.0 and 3.1 are read")
    paths = content.get("paths")
    if not isinstance(paths, Mapping):
        raise BadParameter(f"openapi: {path} has no paths")
    try:
        content = _as_schema(content, version.startswith("3.0"), count())
    except RecursionError:
        raise BadParameter(f"openapi: {path} is nested too deep") from None
    found = {}
    for place, item in content["paths"].items():
        for method in METHODS:
            told = item.get(method) if isinstance(item, Mapping) else None
            if isinstance(told, Mapping) and told.get("operationId"):
                found[str(told["operationId"])] = _operation(content, place, method)
    if not found:
        raise BadParameter(f"openapi: {path} has no operation with an operationId, by which it is asked")
    return Document(content, found)


def _operation(content: Mapping[str, Any], path: str, method: str) -> Operation:
    here = f"/paths/{_escaped(path)}"
    item = content["paths"][path]
    told = item[method]
    parameters = {}
    for level, owner in ((here, item), (f"{here}/{method}", told)):
        listed = owner.get("parameters") or []
        for number, one in enumerate(listed if isinstance(listed, list) else [listed]):
            pointer, resolved = _resolved(content, f"{level}/parameters/{number}", one)
            if resolved.get("in") in IN and (resolved.get("required") or resolved["in"] == "path"):
                if "name" not in resolved:
                    raise BadParameter(f"openapi: {pointer}: this parameter has no name")
                parameters[str(resolved["in"]), str(resolved["name"])] = f"{pointer}/schema"
    names = [re.sub(r"^(?=\d|$)", "p_", re.sub(r"\W", "_", name, flags=re.ASCII)) for _, name in parameters]
    unique = [name if name not in names[:at] else f"{name}__{at}" for at, name in enumerate(names)]
    places = dict(zip(parameters, unique, strict=True))
    filled = re.sub(r"\{([^}]*)\}", lambda match: f"${{{places.get(('path', match[1]), match[1])}}}", path)
    query = "&".join(f"{quote(name)}=${{{place}}}" for (kind, name), place in places.items() if kind == "query")
    headers = {name: f"${{{place}}}" for (kind, name), place in places.items() if kind == "header"}
    body = other_body = ""
    if "requestBody" in told:
        pointer, resolved = _resolved(content, f"{here}/{method}/requestBody", told["requestBody"])
        _, types = _resolved(content, f"{pointer}/content", resolved.get("content") or {})
        chosen = JSON if JSON in types else next(filter(_AS_JSON.match, types), "")
        if chosen:
            body = f"{pointer}/content/{_escaped(chosen)}/schema"
            headers |= {} if chosen == JSON else {"Content-Type": chosen}
        elif resolved.get("required"):
            other_body = " or ".join(types) or "not described"
    filled += f"?{query}" if query else ""
    drawn = {places[key]: pointer for key, pointer in parameters.items() if key[0] != "cookie"}
    cookies = ", ".join(name for kind, name in parameters if kind == "cookie")
    return Operation(method.upper(), filled, headers, body, drawn, other_body, cookies)


def _resolved(content: Mapping[str, Any], pointer: str, told: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return where a part is that may be a reference, and what it is."""
    if not isinstance(told, Mapping):
        raise BadParameter(f"openapi: {pointer}: {str(told)[:80]!r} has no names, as it must")
    reference = str(told.get("$ref", ""))
    if not reference:
        return pointer, told
    try:
        found = within(content).resolver(HERE).lookup(reference).contents if reference.startswith("#/") else None
    except NOWHERE:
        found = None
    if not isinstance(found, Mapping) or not found or "$ref" in found:
        raise BadParameter(f"openapi: {reference[:120]!r} leads nowhere in the document")
    return reference.removeprefix("#"), found


def _escaped(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1").replace("%", "%25")


def _as_schema(told: Any, is_old: bool, parts: Iterator[int]) -> Any:
    """Return a part of a document as JSON Schema's for requests: without properties that only answers have, and what
    version 3.0 says of null and of open ends in the words of today."""
    if next(parts) > MOST_PARTS:
        raise BadParameter(f"openapi: the document has more than {MOST_PARTS:,} parts")
    if isinstance(told, list):
        return [_as_schema(one, is_old, parts) for one in told]
    if not isinstance(told, Mapping):
        return told
    found = {str(name): _as_schema(value, is_old, parts) for name, value in told.items()}
    if isinstance(found.get("properties"), Mapping):
        named = found["properties"].items()
        kept = {name: one for name, one in named if not (isinstance(one, Mapping) and one.get("readOnly") is True)}
        gone = set(found["properties"]) - set(kept)
        required = found.get("required")
        must = {"required": [name for name in required if name not in gone]} if isinstance(required, list) else {}
        found |= {"properties": kept} | must
    if not is_old:
        return found
    if found.get("nullable") is True and isinstance(found.get("type"), str):
        found["type"] = [found["type"], "null"]
    for name, end in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if found.get(name) is True and end in found:
            found[name] = found.pop(end)
        elif found.get(name) is False:
            del found[name]
    return found
