"""JMeter's ``.jtl`` as XML: an element a sample, read one after the other and freed.

Samples within a sample are its parts, and not counted. A document type is refused: a log has none, and entities are how
XML is made to read other files or to grow without end.

Source: Apache JMeter, User's Manual, "Listeners", section "XML log format".
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
from lxml import etree

from perfstudies.errors import BadLog
from perfstudies.files import opened
from perfstudies.own.logs import files
from perfstudies.own.logs.jmeter_csv import TRANSACTION
from perfstudies.own.logs.requests import BROKEN, SCHEMA, tidy

_SAMPLES = ("sample", "httpSample")
_ROWS = 20_000
_RAW = {"line": pl.Int64, "ts": pl.String, "t": pl.String, "s": pl.String, "lb": pl.String}


def recognises(head: bytes) -> bool:
    """Say whether a log that begins so is one."""
    return head.lstrip(b"\xef\xbb\xbf \r\n").startswith(b"<") and b"<testResults" in head


def read(path: Path) -> pl.LazyFrame:
    """Read a log.

    Raises
    ------
    BadLog
        When it is read, if it has a document type.
    """
    return files.from_batches(lambda size: _batches(path), SCHEMA)


def _batches(path: Path) -> Iterator[pl.DataFrame]:
    rows: list[tuple] = []
    line = 1
    with opened(path) as file, files.refusing_damage(path):
        parser = etree.iterparse(
            file, tag=("testResults", *_SAMPLES), events=("start", "end"),
            resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False,
        )  # fmt: skip
        try:
            for event, element in parser:
                if event == "start":
                    if element.getparent() is None and element.getroottree().docinfo.internalDTD is not None:
                        raise BadLog(path, 1, "it has a document type, which no log of JMeter's has; it is not read")
                    continue
                parent = element.getparent()
                if parent is None or parent.tag != "testResults":
                    continue
                line = element.sourceline or line
                # A controller's, after its samples, or around them: then it is the only one.
                has_parts = any(one.tag in _SAMPLES for one in element)
                if has_parts or not element.get("rm", "").startswith(TRANSACTION):
                    rows.append((line, *(element.get(name) for name in ("ts", "t", "s", "lb"))))
                element.clear()
                while element.getprevious() is not None:
                    del parent[0]
                if len(rows) == _ROWS:
                    yield _tidy(rows)
                    rows = []
        except (etree.XMLSyntaxError, EOFError):
            yield _tidy(rows)
            broken = {"line": line + 1, "elapsed_ms": None, "ok": None, "operation": "", "problem": BROKEN}
            yield pl.DataFrame([broken | {"start_s": None}], schema=SCHEMA)
            return
    yield _tidy(rows)


def _tidy(rows: list[tuple]) -> pl.DataFrame:
    frame = pl.DataFrame(rows, schema=_RAW, orient="row").lazy()
    return tidy(
        frame,
        start_s=pl.col("ts").cast(pl.Float64, strict=False) / 1000,
        elapsed_ms=pl.col("t").cast(pl.Float64, strict=False),
        ok=pl.when(pl.col("s").is_in(["true", "false"])).then(pl.col("s") == "true"),
        operation=pl.col("lb"),
    ).collect()
