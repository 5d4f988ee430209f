"""The formats of others' logs that are known, and how a file's is found.

A format is a module of this package and a line of `FORMATS`. Most have a line a request: their ``requests`` makes a
lazy frame of `perfstudies.own.logs.requests.SCHEMA`. Some have only what the tool made of its requests: their
``summary`` makes a `perfstudies.own.aggregate.Observed` of it, in which what the log does not say is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import polars as pl

from perfstudies.errors import BadLog, BadParameter, require_one_of
from perfstudies.own.aggregate import Observed
from perfstudies.own.logs import (
    access,
    files,
    gatling,
    hdr,
    jmeter_csv,
    jmeter_xml,
    k6,
    locust,
    perf4j_lines,
    timelog_lines,
    timing_lines,
    vegeta,
)  # fmt: skip
from perfstudies.own.logs.access_pattern import SERVERS


@dataclass(frozen=True)
class Format:
    """A format of logs.

    Attributes
    ----------
    name, what : str
        What it is called in parameters, and in words.
    recognises : callable
        Whether a log that begins with these bytes is one.
    requests : callable, optional
        Makes a lazy frame of a path, and of a pattern if the format needs one.
    summary : callable, optional
        Makes an `Observed` of a path, a setting and a run, where there are no single requests.
    pattern : bool
        Whether the reader has to give a pattern.
    quoted : bool
        Whether a line end between double quotes belongs to the record.
    note : str
        What a log of the format does not say; of one that is refused, with neither requests nor a summary, what to do.
    """

    name: str
    what: str
    recognises: Callable[[bytes], bool] = lambda head: False
    requests: Callable[..., pl.LazyFrame] | None = None
    summary: Callable[[Path, str, str], Observed] | None = None
    pattern: bool = False
    quoted: bool = False
    note: str = ""


FORMATS = {
    one.name: one
    for one in (
        Format("jmeter-csv", "JMeter's .jtl as CSV", jmeter_csv.recognises, jmeter_csv.read, quoted=True),
        Format("jmeter-xml", "JMeter's .jtl as XML", jmeter_xml.recognises, jmeter_xml.read),
        Format("k6-csv", "k6's CSV output", k6.recognises_csv, k6.read_csv, quoted=True),
        Format("vegeta-json", "vegeta encode --to json", vegeta.recognises_json, vegeta.read_json),
        Format("k6-json", "k6's JSON output", k6.recognises_json, k6.read_json),
        Format("vegeta-csv", "vegeta encode --to csv", vegeta.recognises_csv, vegeta.read_csv, quoted=True),
        Format(
            "vegeta-gob", "Vegeta's binary results", vegeta.recognises_gob,
            note="first run: vegeta encode --to csv --output NEW.csv THIS",
        ),
        Format("gatling", "Gatling's simulation.log, text", gatling.recognises, gatling.read),
        Format(
            "gatling-binary", "the binary log of newer Gatlings", gatling.recognises_binary,
            note="its form is not published; releases up to 3.9 write text, or have a tool that is built on Gatling's "
            "own reader export it as CSV, and name that log's times by a pattern",
        ),
        Format("locust-stats", "Locust's _stats.csv", locust.recognises_stats, summary=locust.stats, note=locust.NOTE),
        Format(
            "locust-history", "Locust's _stats_history.csv", locust.recognises_history, summary=locust.history,
            note=locust.NOTE,
        ),
        Format("hdr", "percentiles of HdrHistogram or wrk2", hdr.recognises, summary=hdr.summary, note=hdr.NOTE),
        Format("perf4j", "Perf4J's lines", perf4j_lines.recognises, perf4j_lines.read),
        Format(
            "timelog", "the AAA study's Timelogs", timelog_lines.recognises, timelog_lines.read, note="no times of day",
        ),
        *(
            Format(server, f"{server}'s access log", requests=partial(access.read, server=server), pattern=True)
            for server in SERVERS
        ),
        Format("lines", "lines by a regular expression", requests=timing_lines.read, pattern=True),
    )
}  # fmt: skip


def detect(path: Path) -> Format:
    """Find a log's format by how it begins.

    Raises
    ------
    BadLog
        If there is no such file, it is empty, or its format is not known or cannot be known without a pattern.
    """
    head = files.head(path)
    for one in FORMATS.values():
        if one.recognises(head):
            return one
    if access.resembles(head):
        raise BadLog(
            path, 1, f"it looks like an access log: give format = {' or '.join(map(repr, SERVERS))}, and as pattern "
            "the log format of the server's configuration",
        )  # fmt: skip
    known = ", ".join(one.name for one in FORMATS.values())
    raise BadLog(path, 1, f"its format is not known; known are {known}. Or: format = 'lines' and a pattern")


def named(name: str, pattern: str | None) -> Format:
    """Return a format by its name.

    Raises
    ------
    BadParameter
        If there is none of that name, or a pattern is missing or of no use.
    """
    require_one_of("format", name, FORMATS)
    found = FORMATS[name]
    if found.pattern and not pattern:
        form = "its regular expression" if name == "lines" else "the log format of the server's configuration"
        raise BadParameter(f"format = {name!r} needs a pattern: {form}")
    if pattern and not found.pattern:
        raise BadParameter(f"format = {name!r} takes no pattern; leave it None")
    return found
