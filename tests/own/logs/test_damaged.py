"""Every format of others' logs, cut at every byte of its last lines and damaged: what stands before is right.

A line that is read as a request is one of the log's own, with its own numbers. What was cut is set aside as such, or
the log is refused by its name; nothing but an error of the lab's own is ever raised.
"""

import gzip
import lzma
import re

import numpy as np
import polars as pl
import pytest

from perfstudies.errors import BadLog
from perfstudies.own.logs import formats
from perfstudies.own.logs.observe import observe, read
from perfstudies.own.logs.requests import BROKEN, CUT
from perfstudies.own.logs.samples import SAMPLES

PACK = {".gz": lambda content: gzip.compress(content, mtime=0), ".xz": lzma.compress}
LAST = 2
CUTS, FLIPS, MOST_CUTS = 15, 15, 500
LONG = re.compile(rb"[A-Za-z0-9+/=]{40,}")
"""Headers that Vegeta keeps as text: cutting them at every byte says nothing new."""


def _of(sample):
    return formats.detect(sample.path) if sample.format is None else formats.FORMATS[sample.format]


SINGLE = [one for one in SAMPLES if _of(one).requests]
AGGREGATED = [one for one in SAMPLES if _of(one).summary]
single = pytest.mark.parametrize("sample", SINGLE, ids=lambda sample: sample.file)
aggregated = pytest.mark.parametrize("sample", AGGREGATED, ids=lambda sample: sample.file)


def _content(sample):
    """Return the beginning and the end of a sample: two lines with requests each, and all that tells its format."""
    lines = sample.path.read_bytes().splitlines(keepends=True)
    requests = read(sample.path, sample.format, sample.pattern).collect()["line"].to_list()
    head = lines[: max(2, requests[1])] if _of(sample).name != "jmeter-xml" else lines[:6]
    return LONG.sub(b"eA==", b"".join(head + lines[-LAST - 1 :]))


def _read(sample, path, content):
    """Return the requests by their lines, and whether the log was said to be cut; or its refusal."""
    path.write_bytes(content)
    try:
        found = read(path, sample.format or _of(sample).name, sample.pattern).collect(engine="streaming")
    except BadLog as error:
        assert error.path == path
        return error, True
    # polars does not round alike in every plan.
    start_s, elapsed_ms = (pl.col(name).round(3) for name in ("start_s", "elapsed_ms"))
    good = found.filter(pl.col("problem").is_null()).select("line", start_s, elapsed_ms, "ok", "operation")
    return good.rows(), found["problem"].cast(str).is_in([CUT, BROKEN]).any()


@pytest.mark.parametrize("sample", {_of(one).name: one for one in SINGLE}.values(), ids=lambda sample: sample.file)
def test_a_log_cut_anywhere_gives_the_requests_before_and_says_that_it_was(tmp_path, sample):
    content, path = _content(sample), tmp_path / "some.log"
    whole, cut = _read(sample, path, content)
    assert len(whole) >= 2 and not cut
    ends = sum(map(len, content.splitlines(keepends=True)[-LAST:]))
    for at in range(len(content) - min(ends, MOST_CUTS), len(content)):
        found, cut = _read(sample, path, content[:at])
        ended = content[:at].count(b"\n")
        before = sum(line <= ended for line, *_ in whole)
        # Of XML an element is whole before its line is, and is told of when the next one begins.
        around = 1 if _of(sample).name == "jmeter-xml" else 0
        assert found == whole[: len(found)] and abs(len(found) - before) <= around, at
        assert cut or content[:at].endswith(b"\n") or (around and content[at:].isspace()), at


@single
@pytest.mark.parametrize("suffix", PACK)
def test_a_packed_log_that_was_cut_or_damaged_gives_right_requests_or_is_refused(tmp_path, sample, suffix):
    path, random = tmp_path / f"some.log{suffix}", np.random.default_rng(21)
    content = PACK[suffix](_content(sample))
    whole, _ = _read(sample, path, content)
    for at in [*random.integers(1, len(content), size=CUTS), *range(len(content) - 10, len(content))]:
        found, cut = _read(sample, path, content[:at])
        assert cut, at
        assert isinstance(found, BadLog) or found == whole[: len(found)], at
    for at in random.integers(len(content), size=FLIPS):
        flipped = bytearray(content)
        flipped[at] ^= 1 << random.integers(8)
        found, cut = _read(sample, path, bytes(flipped))
        # What seems to end too early has no checksum that could be compared.
        assert isinstance(found, BadLog) or found == whole or cut, at


@single
def test_flipped_bits_of_a_plain_log_never_raise_what_is_not_the_lab_s(tmp_path, sample):
    path, random, content = tmp_path / "some.log", np.random.default_rng(22), _content(sample)
    for _ in range(FLIPS):
        flipped = bytearray(content)
        for at in random.integers(len(content), size=3):
            flipped[at] ^= 1 << random.integers(8)
        path.write_bytes(flipped)
        try:
            found = observe({"it": path}, sample.format or _of(sample).name, sample.pattern)
        except BadLog as error:
            assert error.path == path
        else:
            row = found.runs.iloc[0]
            # Of requests that all failed there is no time.
            assert np.isfinite(row["max_ms"]) and row["max_ms"] >= 0 or row["errors"] == row["requests"]


def _observed(sample, path, content):
    path.write_bytes(content)
    try:
        return _of(sample).summary(path, "it", "run")
    except BadLog as error:
        assert error.path == path
        return error


@aggregated
def test_aggregates_cut_anywhere_are_told_of_or_refused_and_never_half_read(tmp_path, sample):
    content, path = sample.path.read_bytes(), tmp_path / "some.log"
    numbers = {repr(row) for row in _rows(_observed(sample, path, content))}
    ends = [len(content)]
    for line in reversed(content.splitlines(keepends=True)[-LAST:]):
        ends.append(ends[-1] - len(line))
        numbers |= {repr(row) for row in _rows(_observed(sample, path, content[: ends[-1]]))}
    for at in range(ends[-1], ends[0]):
        found = _observed(sample, path, content[:at])
        assert {repr(row) for row in _rows(found)} <= numbers, at
        if not isinstance(found, BadLog) and at not in ends:
            assert found.set_aside["problem"].tolist() == [CUT] and found.set_aside_lines == 1
    path.write_bytes(content[:-1])
    if not isinstance(_observed(sample, path, content[:-1]), BadLog):
        assert "CUT" in observe({"it": path}).sources[0]


def _rows(found):
    return [] if isinstance(found, BadLog) else found.runs.drop(columns="run").to_dict("records")


@aggregated
@pytest.mark.parametrize("suffix", PACK)
def test_packed_aggregates_that_were_cut_or_damaged_are_told_of_or_refused(tmp_path, sample, suffix):
    path, random = tmp_path / f"some.log{suffix}", np.random.default_rng(23)
    content = PACK[suffix](sample.path.read_bytes())
    whole = _rows(_observed(sample, path, content))
    for at in [*random.integers(1, len(content), size=CUTS), *range(len(content) - 10, len(content))]:
        found = _observed(sample, path, content[:at])
        assert isinstance(found, BadLog) or found.set_aside["problem"].tolist() == [CUT], at
    for at in random.integers(len(content), size=FLIPS):
        flipped = bytearray(content)
        flipped[at] ^= 1 << random.integers(8)
        found = _observed(sample, path, bytes(flipped))
        assert isinstance(found, BadLog) or repr(_rows(found)) == repr(whole) or found.set_aside_lines, at


@aggregated
def test_flipped_bits_and_hostile_numbers_in_aggregates_never_raise_what_is_not_the_lab_s(tmp_path, sample):
    path, random, content = tmp_path / "some.log", np.random.default_rng(24), sample.path.read_bytes()
    for _ in range(4 * FLIPS):
        flipped = bytearray(content)
        flipped[random.integers(len(content))] ^= 1 << random.integers(8)
        _observed(sample, path, bytes(flipped))
    for hostile in (b"9" * 400, b"9" * 5000, b"1e308", b"nan", b"inf", b"-1", b"0", b"..", b"\r", b"\0", b'"', b""):
        for _ in range(8):
            begin = int(random.integers(len(content)))
            _observed(sample, path, content[:begin] + hostile + content[begin + random.integers(1, 9) :])
