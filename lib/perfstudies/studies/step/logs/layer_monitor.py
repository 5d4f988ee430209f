"""The Layer monitor's log: the format of the STEP study's Figure 4.

A record is a line a layer and a blank line at its end::

    thread[17] tag[filter] accTime[1558494253ns] context[]
    thread[17] tag[soap] accTime[1506191620ns] context[name=searchFlights,request_logical_length=204]

The server writes a file a thread without the thread's field; `merge` joins them and adds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO
from urllib.parse import unquote

from perfstudies.errors import BadLog
from perfstudies.logs.text import lines

_LAYER = re.compile(
    r"(?:thread\[(?P<thread>\d{1,9})\] )?"
    r"tag\[(?P<tag>[^\[\]]+)\] accTime\[(?P<ns>\d{1,18})ns\] context\[(?P<context>[^\[\]]*)\]\n?",
    re.ASCII,
)
_THREAD_FILE = re.compile(r"monitor-(\d{1,9})\.log", re.ASCII)


@dataclass(frozen=True)
class Layer:
    """The time that a request spent in one layer, in nanoseconds, and what was noted there."""

    ns: int
    context: dict[str, str]


@dataclass(frozen=True)
class Record:
    """One request's layers by tag, the thread that served it, and the line its record starts at."""

    thread: int
    layers: dict[str, Layer]
    line: int


def read(path: Path, truncated: list[str] | None = None) -> Iterator[Record]:
    """Yield the records of a merged log (``.log`` or ``.log.gz``) in their order.

    Parameters
    ----------
    path : Path
        The log.
    truncated : list of str, optional
        Is given ``file:line`` of a last record that was cut off, which is left out.

    Raises
    ------
    BadLog
        For any other line that is not of the format, a tag that stands twice in a record, or a record
        of two threads; with file and line.
    """
    for block in _blocks(path, [] if truncated is None else truncated):
        yield _record(path, block)


def merge(parts: Sequence[Path], out: TextIO) -> list[str]:
    """Join thread files ``monitor-<thread>.log`` into one log with the thread's field on every line.

    Parameters
    ----------
    parts : sequence of Path
        The thread files.
    out : text file
        Where the merged log goes.

    Returns
    -------
    list of str
        ``file:line`` of each cut last record, which is left out of the merged log.

    Raises
    ------
    BadLog
        For a file of another name or a broken line.
    """
    truncated: list[str] = []
    for part in sorted(parts, key=thread_of):
        thread = thread_of(part)
        for block in _blocks(part, truncated):
            _record(part, block)
            for _, text in block:
                out.write(f"thread[{thread}] {text}")
            out.write("\n")
    return truncated


def _blocks(path: Path, truncated: list[str]) -> Iterator[list[tuple[int, str]]]:
    """Yield each record's numbered lines; a last one without its blank line is set aside."""
    block: list[tuple[int, str]] = []
    for number, text in enumerate(lines(path), start=1):
        if text != "\n":
            block.append((number, text))
        elif block:
            yield block
            block = []
    if block:
        # Cut off by a kill or a full disk. Its complete lines must be sound all the same.
        for number, text in block:
            if text.endswith("\n"):
                _layer(path, number, text)
        truncated.append(f"{path.name}:{block[0][0]}")


def thread_of(path: Path) -> int:
    """Return the thread whose file this is; another file's name is a `BadLog`."""
    match = _THREAD_FILE.fullmatch(path.name)
    if match is None:
        raise BadLog(path, 1, "a monitor's file is called monitor-<thread>.log")
    return int(match[1])


def _record(path: Path, texts: list[tuple[int, str]]) -> Record:
    layers: dict[str, Layer] = {}
    threads = set()
    for number, text in texts:
        match = _layer(path, number, text)
        if match["tag"] in layers:
            raise BadLog(path, number, f"the tag {match['tag']!r} stands twice in a record")
        threads.add(int(match["thread"] or 0))
        if len(threads) > 1:
            raise BadLog(path, number, "a record of two threads")
        layers[match["tag"]] = Layer(int(match["ns"]), parse_context(path, number, match["context"]))
    return Record(threads.pop(), layers, texts[0][0])


def _layer(path: Path, number: int, text: str) -> re.Match:
    match = _LAYER.fullmatch(text)
    if match is None:
        raise BadLog(path, number, f"not a line of the Layer monitor's format: {text.strip()[:120]!r}")
    return match


def parse_context(path: Path, number: int, text: str) -> dict[str, str]:
    """Return the key-value pairs of a context, decoded; a part that is no such pair is a `BadLog`."""
    context = {}
    for pair in text.split(",") if text else ():
        key, equals, value = pair.partition("=")
        if not equals:
            raise BadLog(path, number, f"no key=value in the context: {pair[:120]!r}")
        context[unquote(key)] = unquote(value)
    return context
