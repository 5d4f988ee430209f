from pathlib import Path

import pytest

from made_interceptions import perf4j_request as request
from perfstudies.errors import BadLog, BadParameter
from perfstudies.logs import perf4j
from perfstudies.logs.slices import SLICES


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(("rule", "reads_ms"), [("merged", 12), ("raw", 18), ("aggregated", 20)])
def test_each_rule_reads_the_same_records_differently(tmp_path, rule, reads_ms):
    frame, truncated = perf4j.samples(_write(tmp_path / "log", request(0)), rule)
    row = frame.iloc[0]
    assert [row[name] for name in SLICES] == [20, 20, 60 - reads_ms, 0, 0, reads_ms]
    assert (row["request_ms"], row["thread"], row["operation"], truncated) == (100, 0, "searchFlights", ())


def test_samples_are_made_of_the_union(tmp_path):
    path = _write(tmp_path / "log", request(0))
    assert perf4j.samples(path)[0].equals(perf4j.samples(path, "merged")[0])
    with pytest.raises(BadParameter, match="use one of: merged, raw, aggregated"):
        perf4j.samples(path, "summed")


def test_the_lines_that_the_study_prints_are_read(tmp_path):
    figure_8 = "start[1279756475199] time[12] tag[hibernate.load]\nstart[1279756475211] time[0] tag[hibernate.load]\n"
    log = perf4j.read(_write(tmp_path / "log", figure_8 + request(0).splitlines(keepends=True)[-1]))
    assert log.visits["elapsed_ns"].tolist() == [12_000_000, 0, 100_000_000]


def test_requests_that_overlap_cannot_be_told_apart(tmp_path):
    touching = _write(tmp_path / "touching", request(0) + request(100 - 10))  # as far as the clocks may differ
    assert len(perf4j.samples(touching)[0]) == 2
    with pytest.raises(BadLog, match=":22: requests overlap"):
        perf4j.samples(_write(tmp_path / "log", request(0) + request(100 - 11)))


def test_a_cut_log_keeps_its_whole_requests(tmp_path):
    frame, truncated = perf4j.samples(_write(tmp_path / "log", request(0) + request(200)[:-10]))
    assert (len(frame), truncated) == (1, ("log:12",))


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [("time[12]", "time[-1]", 13), ("tag[wsi]", "tag[wsi] message[", 20), ("tag[si]", "tag[]", 19)],
)
def test_a_broken_line_is_named_by_file_and_line(tmp_path, old, new, line):
    path = _write(tmp_path / "some.log", request(0) + request(200).replace(old, new, 1))
    with pytest.raises(BadLog, match="not a line of Perf4J's format") as caught:
        perf4j.samples(path)
    assert (caught.value.path, caught.value.line) == (path, line)
