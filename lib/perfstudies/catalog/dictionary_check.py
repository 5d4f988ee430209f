"""Compares the data dictionary with the files themselves: ``perfstudies dictionary``.

Every file must be of a kind, every column of a file must be in its kind with values of its type, and every column of a
kind must be in some file. Of tables one file an experiment is opened, of manifests and other JSON each.
"""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain, islice
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from perfstudies.catalog import verify
from perfstudies.catalog.dictionary import Dictionary, Field, Kind
from perfstudies.errors import BadLog
from perfstudies.files import opened
from perfstudies.load.rate import log
from perfstudies.runs.archive import SUFFIX, Archive
from perfstudies.runs.manifest import MANIFEST

MOST_ROWS = 2000
"""Of a table that are looked at."""
EACH = ("json", "parquet")
"""Formats of which each file is looked at: what is in one says little of the next."""
LOOKED_UP = ("setting.*", "properties.*")
"""Fields whose names are those of settings."""

_PYTHON = {"integer": (int,), "number": (int, float), "string": (str,), "boolean": (bool,), "any": (object,)}
_TEXT = {
    "integer": re.compile(r"-?\d+(\.0*)?"),
    "number": re.compile(r"-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|nan|inf"),
    "boolean": re.compile(r"True|False"),
    "string": re.compile(r".*", re.DOTALL),
    "any": re.compile(r".*", re.DOTALL),
}

Columns = dict[str, list]
Reader = Callable[[Kind], Columns]


def problems(known: Dictionary, raw: Path, processed: Path | None = None) -> list[str]:
    """Say what the dictionary lacks, and what it has too much.

    Parameters
    ----------
    known : Dictionary
        What is described.
    raw : Path
        The folder ``data/raw``.
    processed : Path, optional
        The folder ``data/processed``; without it kinds of files there are passed over.

    Returns
    -------
    list of str
        Each with the kind or the file; empty if both agree.
    """
    found: list[str] = []
    seen: dict[str, set[str]] = defaultdict(set)
    looked: Looked = {}
    files = _recorded(raw)
    if processed is not None:
        tables = sorted(processed.rglob("*.parquet"))
        names = (f"processed/{path.relative_to(processed).as_posix()}" for path in tables)
        files = chain(files, ((name, partial(columns_of, path=path)) for name, path in zip(names, tables, strict=True)))
    opened = set()
    for name, read in files:
        kind = known.kind_of(name)
        if kind is None:
            found.append(f"{name}: no kind of the dictionary has it")
            continue
        place = (kind.name, name if kind.format in EACH else str(Path(name).parent.parent))
        # A file of no row shows no value: it is passed over, and the next one of its folder is looked at.
        if place not in opened and kind.format != "document":
            columns = read(kind)
            if any(columns.values()):
                opened.add(place)
            found += [f"{name}: {problem}" for problem in _misfits(known, kind, columns, seen, looked)]
        seen.setdefault(kind.name, set())
    for kind in known.kinds:
        if processed is None and all(path.startswith("processed/") for path in kind.paths):
            continue
        if kind.name not in seen:
            found.append(f"kind {kind.name}: no file is of it")
            continue
        unused = [field.name for field in kind.fields if field.name not in seen[kind.name]]
        found += [f"kind {kind.name}: no file has {name}" for name in unused]
    found += [f"settings: no run has {field.name}" for field in known.settings if field.name not in seen["settings"]]
    return found


def _recorded(raw: Path) -> Iterator[tuple[str, Reader]]:
    """Yield each recorded file's path, in an archive as if it were in a folder, and what reads its columns."""
    for name in verify.recorded(raw):
        if name.endswith(SUFFIX):
            yield from _members(Archive(raw / name), f"raw/{name.removesuffix(SUFFIX)}")
        else:
            yield f"raw/{name}", partial(columns_of, path=raw / name)


def _members(packed: Archive, folder: str) -> Iterator[tuple[str, Reader]]:
    for run, told in packed.manifests.items():
        yield f"{folder}/{run}/{MANIFEST}", partial(_of_json, documents=[told])
        for name in told["files"]:
            # The next one asked for stands further back, so that the archive is gone through once.
            at = partial(packed.file, run, name)
            yield f"{folder}/{run}/{name}", partial(_of_log, at=at)


def _of_log(kind: Kind, at: Callable[[], Path]) -> Columns:
    return columns_of(kind, at())


def columns_of(kind: Kind, path: Path) -> Columns:
    """Return the first values of each column of a file, by name.

    Raises
    ------
    BadLog
        If a line does not fit the kind's pattern, or a row the heading.
    """
    return _READ[kind.format](kind, path)


def _csv(kind: Kind, path: Path) -> Columns:
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(islice(csv.reader(line for line in file if not line.startswith("#")), MOST_ROWS))
    for number, row in enumerate(rows, start=1):
        if row and len(row) != len(rows[0]):
            raise BadLog(path, number, f"{len(row)} values instead of {len(rows[0])}")
    return {name: [row[at] for row in rows[1:] if row] for at, name in enumerate(rows[0])}


def _lines(kind: Kind, path: Path) -> Columns:
    pattern = re.compile(kind.pattern)
    found: Columns = {name: [] for name in pattern.groupindex}
    with opened(path, "rt", encoding="utf-8") as file:
        for number, line in enumerate(islice(file, MOST_ROWS), start=1):
            if not line.strip():
                continue
            match = pattern.fullmatch(line.rstrip("\n"))
            if match is None:
                raise BadLog(path, number, f"not a line of the kind {kind.name}: {line[:100]!r}")
            for name, value in match.groupdict().items():
                found[name].append(value or "")
    return found


def _json(kind: Kind, path: Path) -> Columns:
    return _of_json(kind, [json.loads(path.read_text(encoding="utf-8"))])


def _json_lines(kind: Kind, path: Path) -> Columns:
    with opened(path, "rt", encoding="utf-8") as file:
        return _of_json(kind, map(json.loads, islice(file, MOST_ROWS)))


def _of_json(kind: Kind, documents: Iterable[object]) -> Columns:
    found: Columns = defaultdict(list)
    for told in documents:
        for name, value in leaves(told):
            found[name] += value
    return found


def leaves(value: object, name: str = "") -> Iterator[tuple[str, list]]:
    """Yield the paths of what a JSON document holds, each with its value; with none where a list is empty."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            # A name may itself have points: they are told from the path's by a sign that no name has.
            yield from leaves(inner, f"{name}\0{key}" if name else key)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, f"{name}[]")
        if not value:
            yield f"{name}[]", []
    else:
        yield name, [value]


def _binary(kind: Kind, path: Path) -> Columns:
    with opened(path, "rb") as file:
        file.seek(log.HEADER.itemsize)
        data = file.read(MOST_ROWS * log.ROW.itemsize)
    rows = np.frombuffer(data, log.ROW, len(data) // log.ROW.itemsize)
    return {name: rows[name].tolist() for name in rows.dtype.names or ()}


def _parquet(kind: Kind, path: Path) -> Columns:
    table = pq.read_table(path).slice(0, MOST_ROWS)
    found = {name: table[name].to_pylist() for name in table.column_names}
    return {name: [None if value != value else value for value in values] for name, values in found.items()}


_READ = {
    "csv": _csv, "lines": _lines, "json": _json, "json-lines": _json_lines, "binary": _binary, "parquet": _parquet,
}  # fmt: skip


Looked = dict[tuple[str, str], tuple[Field | None, list[tuple[str, str]]]]
"""By kind and column what describes it, and which descriptions are used by it: thousands of files have the same."""


def _misfits(
    known: Dictionary, kind: Kind, columns: Columns, seen: dict[str, set[str]], looked: Looked
) -> Iterator[str]:
    for name, values in columns.items():
        if (kind.name, name) not in looked:
            looked[kind.name, name] = _field(known, kind, name)
        field, used = looked[kind.name, name]
        for place, what in used:
            seen[place].add(what)
        if field is None and kind.format.startswith("json") and not values:
            continue  # of an empty list nothing tells what its elements would be
        if field is None:
            shown = name.replace("\0", ".")
            yield f"{shown} is not described in the kind {kind.name} (its first value: {next(iter(values), None)!r})"
        elif wrong := _first_misfit(field, values):
            yield wrong


def _field(known: Dictionary, kind: Kind, name: str) -> tuple[Field | None, list[tuple[str, str]]]:
    """Return what describes a column, and the names of the descriptions that it uses, each with where it stands."""
    shown = name.replace("\0", ".")
    setting = shown if kind.factors else ""
    used: list[tuple[str, str]] = []
    for field in kind.fields:
        if field.name == shown or ("*" in field.name and _path(field.name).fullmatch(name)):
            used.append((kind.name, field.name))
            if field.name not in LOOKED_UP:
                return field, used
            setting = shown.partition(".")[2]
            break
    for field in known.settings:
        if field.name == setting:
            return field, [*used, ("settings", field.name)]
    return None, used


@cache
def _path(pattern: str) -> re.Pattern:
    whole = re.escape(pattern).replace(r"\*\*", ".+").replace(r"\*", "[^\0]+").replace(r"\.", "\0")
    return re.compile(whole, re.DOTALL)


def _first_misfit(field: Field, values: Sequence) -> str | None:
    for value in values:
        if value is None or value == "":
            if not field.empty:
                return f"{field.name} is empty, and the dictionary does not say what that means"
        elif isinstance(value, str):
            if not _TEXT[field.type].fullmatch(value):
                return f"{field.name} is {value!r}, which is no {field.type}"
        elif not isinstance(value, _PYTHON[field.type]) or (isinstance(value, bool) and field.type == "integer"):
            return f"{field.name} is {value!r}, which is no {field.type}"
    return None
