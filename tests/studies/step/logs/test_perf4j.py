from pathlib import Path

import pytest

from made.interceptions import perf4j_request as request
from perfstudies.errors import BadLog
from perfstudies.studies.step.logs import interceptions, perf4j
from perfstudies.studies.step.logs.slices import SLICES


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(("rule", "reads_ms"), [("merged", 12), ("raw", 18), ("aggregated", 20)])
def test_each_rule_reads_the_same_records_differently(tmp_path, rule, reads_ms):
    path = _write(tmp_path / "log", request(0))
    log = perf4j.read(path)
    row = interceptions.samples(log, path, perf4j.RULES[rule]).iloc[0]
    assert [row[name] for name in SLICES] == [20, 20, 60 - reads_ms, 0, 0, reads_ms]
    assert (row["request_ms"], row["thread"], row["operation"], log.truncated) == (100, 0, "searchFlights", ())


def test_samples_are_made_of_the_union(tmp_path):
    path = _write(tmp_path / "log", request(0))
    assert perf4j.samples(path)[0].equals(interceptions.samples(perf4j.read(path), path, interceptions.merged))


def test_the_lines_that_the_study_prints_are_read(tmp_path):
    figure_8 = "start[1279756475199] time[12] tag[hibernate.load]\nstart[1279756475211] time[0] tag[hibernate.load]\n"
    log = perf4j.read(_write(tmp_path / "log", figure_8 + request(0).splitlines(keepends=True)[-1]))
    assert log.visits["elapsed_ns"].tolist() == [12_000_000, 0, 100_000_000]


def test_requests_may_seem_to_touch_as_far_as_the_clocks_may_differ(tmp_path):
    frame, _, overlapping = perf4j.samples(_write(tmp_path / "log", request(0) + request(100 - 10)))
    assert (len(frame), overlapping) == (2, ())


def _lines(at, *, until=None):
    """Return a request's lines, its filter left at another time."""
    *inner, outermost = request(at).splitlines(keepends=True)
    return inner, outermost if until is None else outermost.replace("time[100]", f"time[{until - at}]")


def test_a_filter_that_alone_is_left_late_has_its_request(tmp_path):
    first, late = _lines(0, until=116)  # its answer was there at 83 ms, the next request came at 100
    frame, _, overlapping = perf4j.samples(_write(tmp_path / "log", "".join([*first, late]) + request(100)))
    assert (frame["request_ms"].tolist(), overlapping) == ([116, 100], ())
    assert frame["web_ms"].tolist() == [116 - 80, 20]  # all of it is the filter's


def _with_two_in_one(others):
    """Return a log of `others` requests and of two of which the second's first records stand before the first's end."""
    first, late = _lines(200, until=330)
    second, outermost = _lines(300)
    early, rest = second[:3], second[3:]
    before, after = range(others // 2), range(others // 2, others)
    together = [*first, *early, late, *rest, outermost]
    return "".join([*(request(100 * (number - others)) for number in before), *together,
                    *(request(1000 + 100 * number) for number in after)])  # fmt: skip


def test_requests_that_cannot_be_told_apart_are_left_out_and_named(tmp_path):
    frame, _, overlapping = perf4j.samples(_write(tmp_path / "log", _with_two_in_one(others=18)))
    assert frame["request"].tolist() == [*range(9), *range(11, 20)]  # the others keep their numbers
    assert frame["request_ms"].eq(100).all()
    assert [one.partition(": ")[0] for one in overlapping] == [f"log:{9 * 11 + 1}", f"log:{9 * 11 + 15}"]
    assert all("cannot be told" in one for one in overlapping)


def test_a_request_within_another_spoils_all_of_them(tmp_path):
    first, late = _lines(0, until=400)  # two whole requests came before its end
    second, third = request(100), request(250)
    rest = "".join(request(1000 + 100 * number) for number in range(40))
    frame, _, overlapping = perf4j.samples(_write(tmp_path / "log", "".join([*first, second, third, late]) + rest))
    assert (len(frame), len(overlapping)) == (40, 3)


def test_a_log_of_which_more_than_a_tenth_overlaps_is_refused(tmp_path):
    with pytest.raises(BadLog, match=":89: 2 of 18 requests overlap"):
        perf4j.samples(_write(tmp_path / "log", _with_two_in_one(others=16)))
    with pytest.raises(BadLog, match=":1: 2 of 2 requests overlap"):
        perf4j.samples(_write(tmp_path / "two", request(0) + request(50)))


def test_an_empty_log_has_no_samples(tmp_path):
    frame, *odd = perf4j.samples(_write(tmp_path / "log", ""))
    assert (len(frame), odd) == (0, [(), ()])


def test_a_cut_log_keeps_its_whole_requests(tmp_path):
    frame, truncated, _ = perf4j.samples(_write(tmp_path / "log", request(0) + request(200)[:-10]))
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
