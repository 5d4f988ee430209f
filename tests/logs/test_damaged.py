"""Every raw log of the lab's own, cut at every byte of its last records, damaged bit by bit, and with hostile values.

What comes out is the whole records, or an error of the lab's own that names the file: never an exception of a library,
and never a number that was not recorded where the packing's checksum, or the manifest's, can tell.
"""

import gzip
import lzma

import numpy as np
import pytest

from made.raw_logs import RAW_LOGS
from perfstudies.errors import BadLog, BadRecording
from perfstudies.runs import store

PACK = {".gz": lambda content: gzip.compress(content, mtime=0), ".xz": lzma.compress}
FLIPS = 60
LAST = 3
HOSTILE = (
    "9" * 30, "9" * 400, "9" * 5000, "1e308", "1e23", "nan", "inf", "-1", "-" + "9" * 30, "", " ", "0x10", "1_0", "٣",
    '"', '""', '","', "\r", "\0", "\x1f", "\u2028", "\ufeff", "%ff%00", "[", "]]", "=", "a=b,c", "#", "x" * 200_000,
)  # fmt: skip
every = pytest.mark.parametrize("raw", RAW_LOGS.values(), ids=RAW_LOGS)
packed = pytest.mark.parametrize("raw", [one for one in RAW_LOGS.values() if one.packs], ids=lambda raw: raw.name)


def _read(raw, path, content):
    """Return what is read of a log with this content, or the error of the lab's own, which has to name the file."""
    path.write_bytes(content)
    try:
        return raw.read(path)
    except BadLog as error:
        assert error.path == path and str(error).startswith(f"{path}:"), error
        assert len(str(error)) < 2000 + len(str(path)), "a message for people"
        return error


@every
def test_a_plain_log_cut_anywhere_gives_its_whole_records_or_is_refused(tmp_path, raw):
    path, content = tmp_path / raw.name, raw.content
    whole = _read(raw, path, content)
    assert len(whole) == len(raw.records)
    begin = len(content) - sum(map(len, raw.records[-LAST:]))
    ends = np.cumsum([len(raw.head), *map(len, raw.records)])
    for cut in range(begin, len(content)):
        found = _read(raw, path, content[:cut])
        kept = int(np.searchsorted(ends, cut, side="right")) - 1
        if isinstance(found, BadLog):
            assert not raw.keeps, (cut, found)
        else:
            assert found == whole[:kept], cut
            assert raw.keeps or cut in ends or raw.name == "requests.bin", "half a record was taken for a whole one"


@every
def test_a_plain_log_of_which_a_bit_was_flipped_never_raises_what_is_not_the_lab_s(tmp_path, raw):
    path, content, random = tmp_path / raw.name, raw.content, np.random.default_rng(11)
    for _ in range(FLIPS):
        flipped = bytearray(content)
        flipped[random.integers(len(content))] ^= 1 << random.integers(8)
        _read(raw, path, bytes(flipped))


@every
def test_hostile_values_in_the_place_of_numbers_are_read_or_named(tmp_path, raw):
    path, random = tmp_path / raw.name, np.random.default_rng(12)
    for hostile in HOSTILE:
        for _ in range(6):
            record = int(random.integers(len(raw.records)))
            old = raw.records[record]
            at = random.integers(len(old), size=2)
            new = old[: min(at)] + hostile.encode() + old[max(at) :]
            each = [*raw.records[:record], new, *raw.records[record + 1 :]]
            _read(raw, path, raw.head + b"".join(each))


@packed
@pytest.mark.parametrize("suffix", PACK)
def test_a_packed_log_that_was_cut_is_refused_wherever_it_was(tmp_path, raw, suffix):
    path, content = tmp_path / f"{raw.name}{suffix}", PACK[suffix](raw.content)
    assert len(_read(raw, path, content)) == len(raw.records)
    for cut in range(len(content)):
        assert isinstance(_read(raw, path, content[:cut]), BadLog), cut


@packed
@pytest.mark.parametrize("suffix", PACK)
def test_a_packed_log_of_which_a_bit_was_flipped_is_refused_or_read_as_it_was(tmp_path, raw, suffix):
    path, content, random = tmp_path / f"{raw.name}{suffix}", PACK[suffix](raw.content), np.random.default_rng(13)
    whole = _read(raw, path, content)
    for at in [*random.integers(len(content), size=FLIPS), *range(len(content) - 8, len(content))]:
        flipped = bytearray(content)
        flipped[at] ^= 1 << random.integers(8)
        found = _read(raw, path, bytes(flipped))
        assert isinstance(found, BadLog) or found == whole, at


@every
def test_the_manifest_s_checksum_tells_every_flip_and_every_cut(tmp_path, raw):
    (tmp_path / raw.name).write_bytes(raw.content)
    store.write_manifest(tmp_path, {"run": "r", "status": store.FINISHED}, (raw.name,))
    run = store.Run(tmp_path, store.read_manifest(tmp_path))
    assert run.file(raw.name).read_bytes() == raw.content
    random = np.random.default_rng(14)
    for at in random.integers(len(raw.content), size=10):
        flipped = bytearray(raw.content)
        flipped[at] ^= 1 << random.integers(8)
        for content in (bytes(flipped), raw.content[:at]):
            (tmp_path / raw.name).write_bytes(content)
            with pytest.raises(BadRecording, match=f"{raw.name} differs from the checksum"):
                run.file(raw.name)
