"""Logs with a line for every interception, as the Event monitor and Perf4J write them: thousands of lines a request.

The text is read in blocks and parsed column by column; what stays of a line are its request, its tag and two numbers. A
reading is a rule that makes one time of all the visits that a request paid to a layer. The result is what a monitor
that adds up would have written: `perfstudies.studies.step.logs.layer_monitor.Record`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from perfstudies.errors import BadLog
from perfstudies.files import opened
from perfstudies.logs.text import UNPACKING, damaged, require_content
from perfstudies.studies.step.logs import slices
from perfstudies.studies.step.logs.layer_monitor import Layer, Record, parse_context

OUTERMOST = "filter"
READS, WRITES = "hibernate.load", "hibernate.write"
#: How much text is parsed at a time, and how much is read: what a cut file holds beyond its last piece is lost.
PIECE_BYTES = 1 << 24
READ_BYTES = 1 << 17
_END = f"tag[{OUTERMOST}]".encode()
_ARRIVED = re.compile(rb"arrived_ns=(\d+)")
THREAD = r"^thread\[(?P<thread>\d{1,9})\] "


@dataclass(frozen=True)
class Format:
    """A log's format.

    Attributes
    ----------
    name : str
        What its monitor is called, for messages.
    line : str
        A regular expression of a line, with the groups ``tag``, ``start``, ``elapsed`` and ``context``: a fifth would
        take it three times as long.
    unit_ns : int
        The nanoseconds of its unit of time.
    threads : bool
        Whether each line begins with its thread.
    """

    name: str
    line: str
    unit_ns: int
    threads: bool = False


@dataclass(frozen=True)
class Log:
    """A log's interceptions.

    Attributes
    ----------
    visits : DataFrame
        A row an interception in the order of the log: ``request`` (0 .. n-1 as they ended), ``tag``, ``start_ns``,
        ``elapsed_ns``.
    requests : DataFrame
        A row a request: ``line`` (its first), ``lines`` (how many), ``thread`` and ``context`` (a mapping of its tags
        to what was noted there).
    truncated : tuple of str
        ``file:line`` of the interceptions of a request that was cut off, which are left out.
    overlapping : tuple of int
        Requests that cannot be told from others, which have no samples.
    """

    visits: pd.DataFrame
    requests: pd.DataFrame
    truncated: tuple[str, ...]
    overlapping: tuple[int, ...] = ()


Rule = Callable[[pd.DataFrame], pd.Series]


def read(path: Path, form: Format) -> Log:
    """Read a log, plain or ``.gz``.

    Raises
    ------
    BadLog
        For a line that is not of the format or a request of two threads; with file and line.
    """
    truncated: tuple[str, ...] = ()
    frames, before = [parse(path, "", form)], 0
    for text, whole in blocks(path):
        frame = parse(path, text, form, before)
        if whole:
            frames.append(frame)
            before += len(frame)
        else:
            truncated = (f"{path.name}:{before + 1}",)
    frame = pd.concat(frames, ignore_index=True)
    ends = frame["tag"] == OUTERMOST
    # An interception belongs to the request whose outermost one is the next to end.
    frame["request"] = ends.cumsum() - ends.astype(int)
    by_request = frame.groupby("request")
    mixed = by_request["thread"].transform("first") != frame["thread"]
    if mixed.any():
        raise BadLog(path, int(mixed.argmax()) + 1, "a request of two threads")
    requests = pd.DataFrame({"lines": by_request.size(), "thread": by_request["thread"].first()})
    requests.insert(0, "line", requests["lines"].cumsum().shift(fill_value=0) + 1)
    noted: list[Any] = [{} for _ in range(len(requests))]
    row: Any
    for row in frame[frame["context"] != ""].itertuples():
        noted[row.request].setdefault(row.tag, {}).update(parse_context(path, row.Index + 1, row.context))
    requests["context"] = noted
    visits = frame[["request", "tag", "start_ns", "elapsed_ns"]]
    return Log(visits.astype({"tag": "category"}), requests, truncated)


def parse(path: Path, text: str, form: Format, before: int = 0) -> pd.DataFrame:
    """Return the whole lines of a text: ``thread`` (0 if the format has none), ``tag``, two times in ns, ``context``.

    Raises
    ------
    BadLog
        For a line that is not of the format; its number counts from `before`.
    """
    whole = text[: text.rfind("\n")] if "\n" in text else None
    rows = pc.split_pattern(pa.array([whole], pa.large_string()), "\n").flatten()
    found = pc.extract_regex(rows, f"^{form.line}$")
    if found.null_count:
        at = pc.index(found.is_null(), True).as_py()
        raise BadLog(path, before + at + 1, f"not a line of {form.name}'s format: {rows[at].as_py().strip()[:120]!r}")
    thread = np.zeros(len(rows), np.int64)
    if form.threads:
        thread = pc.extract_regex(rows, THREAD).field("thread").cast(pa.int64()).to_numpy()
    return pd.DataFrame(
        {
            "thread": thread,
            "tag": found.field("tag").to_pandas(),
            "start_ns": found.field("start").cast(pa.int64()).to_numpy() * form.unit_ns,
            "elapsed_ns": found.field("elapsed").cast(pa.int64()).to_numpy() * form.unit_ns,
            "context": found.field("context").to_pandas(),
        }
    )


def samples(log: Log, path: Path, rule: Rule) -> pd.DataFrame:
    """Return a log's samples as `slices.samples` does; the slice of Hibernate's engine is 0.

    Parameters
    ----------
    log : Log
        From `read`.
    path : Path
        Its file, for messages.
    rule : callable
        `summed`, `merged` or `aggregated`.
    """
    frame = slices.samples(_records(log, rule(log.visits)), path)
    apart = ~frame["line"].isin(log.requests["line"].loc[[*log.overlapping]])
    return frame[apart].reset_index(drop=True)


def summed(visits: pd.DataFrame) -> pd.Series:
    """Return the sum of the visits' times by request and tag, in ns: visits within each other count twice."""
    return visits.groupby(["request", "tag"], observed=True)["elapsed_ns"].sum()


def merged(visits: pd.DataFrame) -> pd.Series:
    """Return the length of the visits' union by request and tag, in ns: a moment counts once, whoever is visiting."""
    ordered = visits.sort_values(["request", "tag", "start_ns"], kind="stable", ignore_index=True)
    group = ordered.groupby(["request", "tag"], observed=True, sort=False).ngroup()
    start, end = ordered["start_ns"], ordered["start_ns"] + ordered["elapsed_ns"]
    # The earlier visits of the group began no later, so what they cover of this one ends where the last of them does.
    covered = end.groupby(group).cummax().groupby(group).shift(fill_value=np.iinfo(np.int64).min)
    added = (end - np.maximum(start, covered)).clip(lower=0)
    return ordered.assign(added_ns=added).groupby(["request", "tag"], observed=True)["added_ns"].sum()


def aggregated(visits: pd.DataFrame) -> pd.Series:
    """Return the visits' times by request and tag, in ns, by the STEP study's rule for Perf4J (its section 3.11).

    "Consecutive 0 ms records were combined and the elapsed time was computed using the timestamps": here each run
    of records of 0 ms and one tag that follow each other in the log becomes one record, from the earliest time stamp to
    the latest. What happened between two of them is thus counted as their layer's. Other records keep their time.
    """
    zero, keys = visits["elapsed_ns"] == 0, visits[["request", "tag"]]
    follows = zero & zero.shift(fill_value=False) & (keys == keys.shift()).all(axis=1)
    runs = visits.assign(end_ns=visits["start_ns"] + visits["elapsed_ns"]).groupby((~follows).cumsum())
    combined = runs.agg(
        request=("request", "first"), tag=("tag", "first"), low=("start_ns", "min"), high=("end_ns", "max")
    )
    return (combined["high"] - combined["low"]).groupby([combined["request"], combined["tag"]], observed=True).sum()


def blocks(path: Path) -> Iterator[tuple[str, bool]]:
    """Yield a file's text in blocks of whole requests (true), then what follows the last one's end (false), if any."""
    rest = b""
    for piece in _pieces(path):
        rest += piece
        ended = rest.rfind(_END, 0, rest.rfind(b"\n") + 1)
        if ended >= 0:
            stop = rest.find(b"\n", ended) + 1
            yield rest[:stop].decode("utf-8", errors="replace"), True
            rest = rest[stop:]
    if rest:
        yield rest.decode("utf-8", errors="replace"), False


def keep(path: Path, kept: range) -> None:
    """Leave in a plain log only the lines of some requests, numbered in the order of their arrival.

    A request's lines are those after the end of the one before: what follows the last one's end is left out.

    Raises
    ------
    BadLog
        If a request's last line does not say when it arrived; with file and line.
    """
    arrivals: list[int] = []
    with open(path, "rb") as log:
        for number, line in enumerate(log, start=1):
            if _END in line:
                told = _ARRIVED.search(line)
                if told is None:
                    raise BadLog(path, number, "the end of a request that does not say when it arrived")
                arrivals.append(int(told.group(1)))
    order = sorted(range(len(arrivals)), key=arrivals.__getitem__)
    chosen = set(order[kept.start : kept.stop])
    part = path.with_name(path.name + ".part")
    with open(path, "rb") as log, open(part, "wb") as out:
        request = 0
        for line in log:
            if request in chosen:
                out.write(line)
            request += _END in line
    part.replace(path)


def _pieces(path: Path) -> Iterator[bytes]:
    """Yield a file's content in pieces, a packed one's unpacked."""
    require_content(path)
    piece, lines = bytearray(), 0
    with opened(path) as file:
        try:
            while read := file.read1(READ_BYTES):
                piece += read
                lines += read.count(b"\n")
                if len(piece) >= PIECE_BYTES:
                    yield bytes(piece)
                    piece.clear()
        except UNPACKING as error:
            raise damaged(path, lines + 1, error) from error
    yield bytes(piece)


def _records(log: Log, times: pd.Series) -> Iterator[Record]:
    ns: Any = times.unstack(fill_value=0)
    # Neither monitor intercepts Hibernate as a whole: it is what its reads and its writes take together.
    ns["hibernate"] = ns[[tag for tag in (READS, WRITES) if tag in ns]].sum(axis=1)
    for request, row in log.requests.iterrows():
        layers = {tag: Layer(int(ns.at[request, tag]), row["context"].get(tag, {})) for tag in ns}
        yield Record(row["thread"], layers, row["line"])
