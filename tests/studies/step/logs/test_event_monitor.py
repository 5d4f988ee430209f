import gzip
import io
from pathlib import Path

import pytest

from made.interceptions import event_request as request
from perfstudies.errors import BadLog
from perfstudies.studies.step.logs import event_monitor, interceptions
from perfstudies.studies.step.logs.slices import SLICES


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_slices_follow_from_the_union_of_the_visits(tmp_path):
    frame, truncated = event_monitor.samples(_write(tmp_path / "log", request(17, 1)))
    row = frame.iloc[0]
    assert [row[name] for name in SLICES] == [20, 10, 45, 0, 5, 20]
    assert row["request_ms"] == 100
    assert (row["operation"], row["outcome"], row["request_length"], row["thread"]) == ("searchFlights", "ok", 61, 17)
    assert truncated == ()


def test_the_plain_sum_counts_visits_within_each_other_twice(tmp_path):
    path = _write(tmp_path / "log", request(17, 1))
    frame = interceptions.samples(event_monitor.read(path), path, event_monitor.RULES["summed"])
    assert (frame.loc[0, "reads_ms"], frame.loc[0, "service_ms"], frame.loc[0, "engine_ms"]) == (30, 35, 0)


def test_requests_are_numbered_by_arrival_over_threads_and_know_their_first_line(tmp_path):
    text = request(17, 3) + request(17, 5) + request(18, 4)
    frame, _ = event_monitor.samples(_write(tmp_path / "log", text))
    assert frame["line"].tolist() == [1, 17, 9]
    assert frame["thread"].tolist() == [17, 18, 17]


def test_a_log_is_read_the_same_in_pieces_of_any_size(tmp_path, monkeypatch):
    path = _write(tmp_path / "log", "".join(request(17, arrived) for arrived in range(40)))
    whole, _ = event_monitor.samples(path)
    monkeypatch.setattr(interceptions, "PIECE_BYTES", 100)
    monkeypatch.setattr(interceptions, "READ_BYTES", 70)
    pieces, _ = event_monitor.samples(path)
    assert len(whole) == 40
    assert pieces.equals(whole)


def test_a_log_cut_anywhere_keeps_its_whole_requests(tmp_path):
    whole = request(17, 1) * 3
    length = len(request(17, 1))
    for cut in range(length + 1, 2 * length, 19):
        frame, truncated = event_monitor.samples(_write(tmp_path / "log", whole[:cut]))
        assert len(frame) == 1
        assert truncated == ("log:9",)


def test_a_packed_log_that_was_cut_is_refused(tmp_path):
    packed = gzip.compress("".join(request(17, arrived) for arrived in range(4000)).encode())
    (tmp_path / "log.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(BadLog, match=r"log\.gz:\d+: cut or damaged"):
        event_monitor.samples(tmp_path / "log.gz")


@pytest.mark.parametrize(
    ("old", "new", "line", "problem"),
    [
        ("elapsed[5000000]", "elapsed[fast]", 12, "not a line of the Event monitor's format"),
        ("tag[wsi] ", "", 14, "not a line"),
        ("thread[17] tag[filter]", "thread[18] tag[filter]", 16, "two threads"),
        ("name=searchFlights", "name", 15, "no key=value"),
        (" context[name=One]", " context[name=One] x", 11, "not a line"),
        ("thread[17] tag[hibernate.load]", "\nthread[17] tag[hibernate.load]", 9, "not a line"),
    ],
)
def test_a_broken_line_is_named_by_file_and_line(tmp_path, old, new, line, problem):
    path = _write(tmp_path / "some.log", request(17, 1) + request(17, 2).replace(old, new, 1) + request(17, 3))
    with pytest.raises(BadLog, match=problem) as caught:
        event_monitor.samples(path)
    assert (caught.value.path, caught.value.line) == (path, line)


def test_a_broken_whole_line_in_a_cut_request_is_an_error_too(tmp_path):
    text = request(17, 1) + request(17, 2)[:-30].replace("start[", "begin[", 1)
    with pytest.raises(BadLog, match=":9:"):
        event_monitor.samples(_write(tmp_path / "log", text))


def test_an_empty_log_has_no_samples(tmp_path):
    frame, truncated = event_monitor.samples(_write(tmp_path / "log", ""))
    assert (len(frame), truncated) == (0, ())


def test_merging_adds_the_thread_and_leaves_out_a_cut_request(tmp_path):
    def part(thread, text):
        return _write(tmp_path / f"monitor-{thread}.log", text.replace(f"thread[{thread}] ", ""))

    parts = [part(17, request(17, 2) + request(17, 3)[:-30]), part(4, request(4, 1))]
    merged = io.StringIO()
    assert event_monitor.merge(parts, merged) == ["monitor-17.log:9"]
    assert merged.getvalue() == request(4, 1) + request(17, 2)


@pytest.mark.parametrize(("name", "line"), [("catalina.log", 1), ("monitor-17.log", 9)])
def test_merging_refuses_a_foreign_file_and_a_broken_line(tmp_path, name, line):
    plain = request(17, 1).replace("thread[17] ", "")
    path = _write(tmp_path / name, plain + plain.replace("tag", "tog", 1))
    with pytest.raises(BadLog, match=f"{name}:{line}:"):
        event_monitor.merge([path], io.StringIO())
