"""The data dictionary: what every column of every recorded table means, its type and its unit.

The dictionary itself is ``data/raw/dictionary.json``, changed by hand. A *kind* is a table that many files share: where
they are, their format and their columns. Here it is read, and written as the page ``docs/DATA.md``;
`perfstudies.catalog.dictionary_check` compares it with the files themselves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from perfstudies.errors import BadRecording, require_one_of
from perfstudies.paths import ROOT
from perfstudies.runs.store import plain

NAME = "dictionary.json"
PAGE = ROOT / "docs" / "DATA.md"
TYPES = ("string", "integer", "number", "boolean", "any")
FORMATS = {
    "csv": "comma-separated values with a heading",
    "lines": "a line a record, by a pattern",
    "json": "JSON",
    "json-lines": "JSON, a document a line",
    "binary": "binary",
    "parquet": "Parquet",
    "document": "text",
}


INTRODUCTION = """# The data

What every column of every table means. This page is made from `data/raw/dictionary.json` by
`perfstudies verify --write`; change that file, not this page.

Paths are below `data/`. `.gz` and `.xz` at the end of a name are left out, as are those of archives: the logs of an
experiment are plain in `<experiment>.tar.xz`, packed one by one in a folder `<experiment>`. In the paths of JSON
documents `[]` is an element of a list, `*` any name and `**` any path. A column without a unit holds words, a number of
things, or a share of one.
The machine's monotonic clock is the same for all processes of a run, and means nothing beyond it.

To describe a new kind of file, add it to `kinds`: `name`, `title`, `paths`, `format` and `fields`. A format is one of
{formats}.
A field has `name`, `type`, `description`, and where they apply `unit` and `empty` (what an empty value means). Lines
have a `pattern`, a regular expression with a group a field. Of several kinds that have a path the first counts.
`perfstudies dictionary` says what is not described yet, and what is described but not there. Then
`perfstudies verify --write` makes this page, the metadata and the list of checksums again.
"""


@dataclass(frozen=True)
class Field:
    """A column.

    Attributes
    ----------
    name : str
        As in the file; in JSON its path, ``[]`` for an element of a list, ``*`` for any name, ``**`` for any path.
    type : str
        One of `TYPES`.
    description : str
        What it means.
    unit : str
        Its unit; empty for words, numbers of things and shares.
    empty : str
        What an empty value means; without it there is none.
    """

    name: str
    type: str
    description: str
    unit: str = ""
    empty: str = ""

    def __post_init__(self) -> None:
        require_one_of(f"type of {self.name}", self.type, TYPES)


@dataclass(frozen=True)
class Kind:
    """A table that files share.

    Attributes
    ----------
    name, title : str
        What to call it, and what it is.
    paths : tuple of str
        Where its files are, below ``data``; ``*`` is any part of a name.
    format : str
        One of `FORMATS`.
    fields : tuple of Field
        Its columns.
    pattern : str
        Of the format ``lines``: a regular expression with a group a column.
    factors : bool
        Whether the table also has a column a factor of its experiment.
    """

    name: str
    title: str
    paths: tuple[str, ...]
    format: str
    fields: tuple[Field, ...]
    pattern: str = ""
    factors: bool = False

    def __post_init__(self) -> None:
        require_one_of(f"format of {self.name}", self.format, FORMATS)

    @cached_property
    def _places(self) -> re.Pattern:
        parts = (re.escape(plain(path)).replace(r"\*", "[^/]*") for path in self.paths)
        return re.compile("|".join(parts))

    def has(self, path: str) -> bool:
        """Return whether a path below ``data`` is one of its files, packed or not."""
        return self._places.fullmatch(plain(path)) is not None


@dataclass(frozen=True)
class Dictionary:
    """All kinds, and what factors and properties of runs mean."""

    kinds: tuple[Kind, ...]
    settings: tuple[Field, ...]

    def kind_of(self, path: str) -> Kind | None:
        """Return the kind of a path below ``data``: the first that has it."""
        return next((kind for kind in self.kinds if kind.has(path)), None)


def load(raw: Path) -> Dictionary:
    """Read the dictionary of a folder ``data/raw``.

    Raises
    ------
    BadRecording
        If it is missing or not a dictionary.
    """
    path = raw / NAME
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        kinds = tuple(
            Kind(**{**kind, "paths": tuple(kind["paths"]), "fields": _fields(kind["fields"])}) for kind in told["kinds"]
        )
        return Dictionary(kinds, _fields(told["settings"]))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise BadRecording(f"{path} is not a data dictionary: {error}") from error


def _fields(told: Iterable[dict]) -> tuple[Field, ...]:
    return tuple(Field(**field) for field in told)


def page(dictionary: Dictionary) -> str:
    """Return the dictionary as a page of Markdown."""
    return "\n".join(_page(dictionary)) + "\n"


def _page(dictionary: Dictionary) -> Iterator[str]:
    yield INTRODUCTION.format(formats=", ".join(f"`{name}`" for name in FORMATS))
    yield from ("| kind | what it is |", "|---|---|")
    yield from (f"| [{kind.name}](#{kind.name}) | {kind.title} |" for kind in dictionary.kinds)
    yield "| [settings](#settings) | Factors, and properties of runs |"
    for kind in dictionary.kinds:
        yield from ("", f"## {kind.name}", "", f"{kind.title}.", "", *(f"- `{path}`" for path in kind.paths))
        yield f"- {FORMATS[kind.format]}" + (f": `{kind.pattern}`" if kind.pattern else "")
        if kind.factors:
            yield "- besides these, a column a factor of the experiment: see [settings](#settings)"
        yield from _table(kind.fields)
    yield from ("", "## settings", "", "Factors of experiments and properties of runs; their values are text.")
    yield from _table(dictionary.settings)


def _table(fields: tuple[Field, ...]) -> Iterator[str]:
    if not fields:
        return
    yield from ("", "| column | type | unit | meaning |", "|---|---|---|---|")
    for field in fields:
        meaning = f"{field.description}. Empty: {field.empty}." if field.empty else f"{field.description}."
        yield f"| `{field.name}` | {field.type} | {field.unit} | {meaning} |"
