"""Log files of others as polars scans, plain or compressed, in bounded memory.

A compressed log is unpacked to a temporary file while it is read, which takes disk instead of memory, and an archive
that was cut yields what can still be read of it. A last line without its line end was cut: it may look whole and still
hold half a number, so it is set aside. An archive that was cut between two lines has an empty line set aside instead.

What is no log of requests is refused before memory or disk is full of it: a line longer than `LONGEST_LINE_BYTES`,
hardly anything but line ends, or more than `UNPACKED_BYTES` in a packed file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
from polars.io.plugins import register_io_source

from perfstudies.errors import BadLog
from perfstudies.files import FULL, PACKED, opened, temporary
from perfstudies.logs.text import UNPACKING
from perfstudies.own.logs.requests import CUT, PROBLEMS, SCHEMA

TEXT = 200

LONGEST_LINE_BYTES = 1 << 24
UNPACKED_BYTES = 1 << 35
"""Of one packed log; that much room its temporary file may take."""

_BLOCK = 1 << 20
_HEAD = 1 << 16
_MOST_LINES = 400_000
"""In a block. The shortest lines of a log, a digit and a semicolon, make 350,000."""


def head(path: Path) -> bytes:
    """Return the first 64 KiB of a log, unpacked.

    Raises
    ------
    BadLog
        If there is no such file, or it is empty or none that can be unpacked.
    """
    if not path.is_file():
        raise BadLog(path, 1, "there is no such file; give a path from the repository's root, or an absolute one")
    try:
        start = next(_blocks(path, _HEAD), b"")
    except OSError as error:
        raise BadLog(path, 1, f"it cannot be read: {error.strerror or error}") from error
    if not start.strip():
        raise BadLog(path, 1, "it is empty")
    return start


def scan(path: Path, build: Callable[[Path], pl.LazyFrame], quoted: bool = False) -> pl.LazyFrame:
    """Read a log through a scan of plain text, whatever it is packed in.

    Parameters
    ----------
    path : Path
        The log, plain, ``.gz`` or ``.xz``.
    build : callable
        Makes the lazy frame of a plain file, with the columns of `perfstudies.own.logs.requests.SCHEMA`.
    quoted : bool
        Whether a line end between double quotes belongs to the record.

    Returns
    -------
    polars.LazyFrame
        The same, a last line without its end marked as cut.
    """
    if path.suffix not in PACKED:
        for _ in blocks(path):
            """Every block of it is one of a log."""
        if _ended(path):
            return build(path)

    def marked(size: int | None) -> Iterator[pl.DataFrame]:
        with _plain(path) as plain:
            last = 0 if _ended(plain) else _last_record(plain, quoted)
            told = False
            cut = pl.when(pl.col("line") == last).then(pl.lit(CUT, PROBLEMS)).otherwise("problem").alias("problem")
            for batch in build(plain).collect_batches(engine="streaming", maintain_order=True, chunk_size=size):
                told = told or (batch["line"] == last).any()
                yield batch.with_columns(cut) if last else batch
            if last and not told:  # it was no request's line, and nothing of it is known but that it was cut
                yield pl.DataFrame([dict.fromkeys(SCHEMA) | {"line": last, "problem": CUT}], schema=SCHEMA)

    return from_batches(marked, build(Path(os.devnull)).collect_schema())


def from_batches(make: Callable[[int | None], Iterable[pl.DataFrame]], schema: Mapping[str, Any]) -> pl.LazyFrame:
    """Return what a generator of frames of a size makes, called anew each time it is read, as a lazy frame."""

    def source(
        columns: list[str] | None, predicate: pl.Expr | None, rows: int | None, size: int | None
    ) -> Iterator[pl.DataFrame]:
        for batch in make(size):
            if rows is not None:
                batch = batch.head(rows)
                rows -= len(batch)
            batch = batch if predicate is None else batch.filter(predicate)
            yield batch if columns is None else batch.select(columns)
            if rows == 0:
                return

    return register_io_source(source, schema=schema)


def lines(path: Path) -> pl.LazyFrame:
    """Scan a plain file as lines: ``line`` (their number, from 1) and ``text``, bytes that are no UTF-8 replaced."""
    # What polars has for lines stops at such bytes. No log has the separator in it.
    options: dict[str, Any] = {"separator": "\x1f", "quote_char": None, "encoding": "utf8-lossy"}
    found = pl.scan_csv(
        path, glob=False, has_header=False, schema={"text": pl.String}, row_index_name="line", row_index_offset=1,
        extra_columns="ignore", missing_columns="insert", raise_if_empty=False, **options,
    )  # fmt: skip
    return found.with_columns(pl.col("text").fill_null(""))


def table(path: Path, columns: Iterable[str], numbers: Iterable[str] = (), **options: Any) -> pl.LazyFrame:
    """Scan a plain file of separated values, ``line`` (the number of its record, from 1) before the columns.

    Values are text, or numbers in the columns that are said to hold some, null where they are none. A record with too
    few values has nulls in the last ones, one with too many has the next in ``beyond``.
    """
    schema = dict.fromkeys([*columns, "beyond"], pl.String) | dict.fromkeys(numbers, pl.Float64)
    return pl.scan_csv(
        path, glob=False, has_header=False, schema=schema, row_index_name="line", row_index_offset=1,
        encoding="utf8-lossy", extra_columns="ignore", missing_columns="insert", raise_if_empty=False,
        ignore_errors=True, **options,
    )  # fmt: skip


def count(path: Path) -> int:
    """Return how many line ends a log has, unpacked."""
    return sum(block.count(b"\n") for block in _blocks(path, _BLOCK))


def texts(path: Path, records: Iterable[int], quoted: bool) -> dict[int, tuple[int, str]]:
    """Find records of a log by their numbers.

    Parameters
    ----------
    path : Path
        The log, plain or packed.
    records : iterable of int
        Their numbers, from 1.
    quoted : bool
        Whether a line end between double quotes belongs to the record.

    Returns
    -------
    dict
        For each number the line where the record begins, and the first 200 characters of it.
    """
    wanted = sorted(set(records))
    found: dict[int, tuple[int, str]] = {}
    if not wanted:
        return found
    record, line, rest = 1, 1, b""
    for block in _blocks(path, _BLOCK):
        block, rest = rest + block, b""
        next_wanted = next(one for one in wanted if one not in found)
        # A block without a record that is wanted is only counted.
        if not (quoted and b'"' in block) and record + block.count(b"\n") < next_wanted:
            end = block.rfind(b"\n") + 1
            ends = block.count(b"\n")
            record, line, rest = record + ends, line + ends, block[end:]
            continue
        at = 0
        for end in _ends(block, quoted):
            if record in wanted:
                found[record] = line, _excerpt(block[at:end])
                if record == wanted[-1]:
                    return found
            record, line, at = record + 1, line + block.count(b"\n", at, end), end
        rest = block[at:]
        if len(rest) > LONGEST_LINE_BYTES:
            break  # a quote that is never closed: what follows is one record to the end
    if rest and record in wanted:
        found[record] = line, _excerpt(rest)
    return found


def _ends(block: bytes, quoted: bool) -> Iterator[int]:
    """Yield where each record of a block ends."""
    at = inside = 0
    while (end := block.find(b"\n", at) + 1) > 0:
        inside = (inside + block.count(b'"', at, end)) % 2 if quoted else 0
        if not inside:
            yield end
        at = end


def _excerpt(text: bytes) -> str:
    return text[: 4 * TEXT].decode("utf-8", errors="replace").rstrip("\r\n")[:TEXT]


@contextmanager
def refusing_damage(path: Path) -> Iterator[None]:
    """Refuse an archive that does not fit its checksum or cannot be unpacked; one that was cut is no matter of it.

    Raises
    ------
    BadLog
        In the place of what gzip, zlib and lzma raise.
    """
    try:
        yield
    except EOFError:
        raise
    except UNPACKING as error:
        problem = f"damaged: what is packed here does not fit its checksum, or cannot be unpacked ({error})"
        raise BadLog(path, 1, f"{problem}. No line of it can be trusted; get another copy") from error


def _blocks(path: Path, size: int) -> Iterator[bytes]:
    """Yield a log's blocks, unpacked; an empty one last says that the archive was cut."""
    with opened(path) as file, refusing_damage(path):
        try:
            while block := file.read1(size):  # what stands before a cut comes out; read() would lose it
                yield block
        except EOFError:
            yield b""


def blocks(path: Path) -> Iterator[bytes]:
    """Yield a log's blocks, unpacked; an empty one last says that the archive was cut.

    Raises
    ------
    BadLog
        If they could not be a log's, or the archive is damaged.
    """
    line, without_end, unpacked = 1, 0, 0
    for block in _blocks(path, _BLOCK):
        ends = block.count(b"\n")
        without_end = len(block) - block.rfind(b"\n") - 1 if ends else without_end + len(block)
        unpacked += len(block)
        if without_end > LONGEST_LINE_BYTES:
            raise BadLog(path, line + ends, f"longer than {LONGEST_LINE_BYTES:,} bytes: no line of a log of requests")
        if ends > _MOST_LINES:
            raise BadLog(path, line, f"{ends:,} line ends in {len(block):,} bytes from here on: no log of requests")
        if path.suffix in PACKED and unpacked > UNPACKED_BYTES:
            raise BadLog(path, line, f"more than {UNPACKED_BYTES:,} bytes when it is unpacked; split it")
        line += ends
        yield block


@contextmanager
def _plain(path: Path) -> Iterator[Path]:
    if path.suffix not in PACKED:
        yield path
        return
    with temporary("log") as folder:
        plain = folder / path.stem
        try:
            block = b"\n"
            with plain.open("wb") as file:
                for block in blocks(path):
                    file.write(block)
            if not block and _ended(plain):  # cut between two lines: a line without an end says so
                with plain.open("ab") as file:
                    file.write(b"\0")
        except OSError as error:
            if error.errno not in FULL:
                raise
            size = f"{plain.stat().st_size:,} bytes of it were unpacked to {folder}, which is full"
            raise BadLog(path, 1, f"{size}; make room, or name another folder by TMPDIR") from error
        yield plain


def _ended(path: Path) -> bool:
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return True
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _last_record(plain: Path, quoted: bool) -> int:
    """Return the number of the last record of a file."""
    records = table(plain, ["first"]) if quoted else lines(plain)
    return records.select(pl.col("line").max()).collect(engine="streaming").item()
