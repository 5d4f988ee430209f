"""Perf4J's lines are looked for at a line's begin first: what is found is the same as by one expression anywhere."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from perfstudies.own.logs import files, perf4j_lines
from perfstudies.own.logs.requests import OTHER, tidy
from perfstudies.own.logs.samples import FOLDER

WATCH = r"start\[(?<start>-?\d+)\] time\[(?<time>[^\]]*)\] tag\[(?<tag>[^\]]*)\]"


def _anywhere(path):
    """Read the lines by one expression, whatever a watch stands behind."""
    watch = pl.col("watch").struct
    tag = watch.field("tag")
    return tidy(
        files.lines(path).select("line", pl.col("text").str.extract_groups(WATCH).alias("watch")),
        start_s=watch.field("start").cast(pl.Float64, strict=False) / 1000,
        elapsed_ms=watch.field("time").cast(pl.Float64, strict=False),
        ok=~tag.str.ends_with(".failure"),
        operation=tag.str.strip_suffix(".failure").str.strip_suffix(".success"),
        wrong={OTHER: tag.is_null()},
    )


def _compare(path, lines):
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    found, expected = (read(path).collect(engine="streaming") for read in (perf4j_lines.read, _anywhere))
    assert_frame_equal(found, expected, check_exact=True)


GOOD_WATCH = "start[1795377776555] time[121] tag[report.success] message[status 200]"
WATCHES = [
    GOOD_WATCH,
    "start[1] time[5] tag[a]",
    "start[-1] time[5] tag[a]",
    "start[] time[5] tag[a]",
    "start[+1] time[5] tag[a]",
    "start[1.5] time[5] tag[a]",
    "start[٣] time[٣] tag[٣]",
    f"start[{'9' * 30}] time[5] tag[a]",
    f"start[{'9' * 400}] time[{'9' * 400}] tag[a]",
    "start[1] time[] tag[]",
    "start[1] time[NaN] tag[a]",
    "start[1] time[inf] tag[a]",
    "start[1] time[-inf] tag[a]",
    "start[1] time[1e23] tag[a]",
    "start[1] time[-3] tag[a]",
    "start[1] time[ 5] tag[a]",
    "start[1] time[5.25] tag[a]",
    "start[1] time[0x5] tag[a]",
    "start[1] time[[[] tag[[[a]",
    "start[1] time[5] tag[a]] tag[b]",
    "start[1] time[5]] tag[a]",
    "start[1]  time[5] tag[a]",
    "start[1] time[5]\ttag[a]",
    " start[1] time[5] tag[a]",
    "\ufeffstart[1] time[5] tag[a]",
    "INFO TimingLogger - start[1] time[5] tag[a.failure]",
    "2026-11-22 20:01:28,811 [main] INFO - start[1] time[5] tag[a.b.success] message[x]",
    "start[x] start[1] time[5] tag[a]",
    "start[1] time[5] start[2] time[6] tag[b]",
    "start[1] time[5] tag[a] start[2] time[6] tag[b.failure]",
    "sstart[1] time[5] tag[a]",
    "START[1] time[5] tag[a]",
    "start[1] time[5] tag[a",
    "start[1] time[5 tag[a]",
    "start[1] time[start[2] time[7] tag[b] tag[a]",
    "start[1] time[5] tag[.failure]",
    "start[1] time[5] tag[.success]",
    "start[1] time[5] tag[.]",
    "start[1] time[5] tag[..failure]",
    "start[1] time[5] tag[a.]",
    "start[1] time[5] tag[a.failure]",
    "start[1] time[5] tag[afailure]",
    "start[1] time[5] tag[a.FAILURE]",
    "start[1] time[5] tag[a.failure ]",
    "start[1] time[5] tag[a.failure.failure]",
    "start[1] time[5] tag[a.success.failure]",
    "start[1] time[5] tag[a.failure.success]",
    "start[1] time[5] tag[a.success.success]",
    "start[1] time[5] tag[a.b.c]",
    "start[1] time[5] tag[a.b.failure]",
    "start[1] time[5] tag[http://a/b?c=d.success]",
    "start[1] time[5] tag[\u00e9t\u00e9\U0001f600.failure]",
    "start[1] time[5] tag[a\0b]",
    "start[1] time[5] tag[a\rb]\r",
    "start[1] time[5] tag[a\u2028b]",
    "start[1] time[5] tag[a\x1fb]",
    "",
    "]",
    "java.lang.OutOfMemoryError: Java heap space",
]  # fmt: skip


@pytest.mark.parametrize("line", WATCHES, ids=lambda line: ascii(line[:60]))
def test_a_watch_is_the_same_wherever_it_is_looked_for(tmp_path, line):
    for lines in ([line], [GOOD_WATCH, line, GOOD_WATCH], [GOOD_WATCH, line, "broken"]):
        _compare(tmp_path / "log", lines)


def test_watches_are_the_same_all_together(tmp_path):
    _compare(tmp_path / "log", WATCHES)


def test_watches_at_the_begin_are_not_read_the_long_way(monkeypatch):
    sample = FOLDER / "perf4j/watches.log"
    expected = _anywhere(sample).collect()
    monkeypatch.setattr(perf4j_lines, "_WATCH", "x^(?<start>)(?<time>)(?<tag>)")
    assert_frame_equal(perf4j_lines.read(sample).collect(), expected, check_exact=True)
