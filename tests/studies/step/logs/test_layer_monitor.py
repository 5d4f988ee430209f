import gzip
import io
from pathlib import Path

import pytest

from perfstudies.errors import BadLog
from perfstudies.studies.step.logs import layer_monitor

# The record that the STEP study prints as its Figure 4, its omitted context filled in.
FIGURE_4 = """\
thread[17] tag[filter] accTime[1558494253ns] context[]
thread[17] tag[hibernate] accTime[294309343ns] context[]
thread[17] tag[si] accTime[441975142ns] context[name=SearchFlightsService]
thread[17] tag[soap] accTime[1506191620ns] context[name=searchFlights,note=a%2Cb%5D%3D]
thread[17] tag[wsi] accTime[1504073613ns] context[]

"""


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_the_study_s_record_is_read(tmp_path):
    (record,) = layer_monitor.read(_write(tmp_path / "log", FIGURE_4))
    assert record.thread == 17
    assert record.line == 1
    assert {tag: layer.ns for tag, layer in record.layers.items()} == {
        "filter": 1558494253,
        "hibernate": 294309343,
        "si": 441975142,
        "soap": 1506191620,
        "wsi": 1504073613,
    }
    assert record.layers["soap"].context == {"name": "searchFlights", "note": "a,b]="}


def test_a_log_cut_anywhere_keeps_its_whole_records(tmp_path):
    whole = FIGURE_4 * 3
    for cut in range(len(FIGURE_4) + 1, 2 * len(FIGURE_4)):
        truncated = []
        records = list(layer_monitor.read(_write(tmp_path / "log", whole[:cut]), truncated))
        assert len(records) == 1
        assert truncated == ["log:7"]


def test_a_packed_log_that_was_cut_is_refused(tmp_path):
    path = tmp_path / "log.gz"
    text = "".join(FIGURE_4.replace("1558494253", str(1558494253 + i * 7919)) for i in range(2000))
    packed = gzip.compress(text.encode())
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(BadLog, match=r"log\.gz:\d+: cut or damaged"):
        list(layer_monitor.read(path))


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("accTime[294309343ns]", "accTime[fast]", 8),
        ("tag[wsi]", "tag[si]", 11),
        ("thread[17] tag[wsi]", "thread[18] tag[wsi]", 11),
        ("note=a", "note", 10),
        ("thread[17] tag[filter]", "GET /flights", 7),
    ],
)
def test_a_broken_line_is_named_by_file_and_line(tmp_path, old, new, line):
    broken = FIGURE_4.replace(old, new, 1) if "note" not in new else FIGURE_4.replace("note=a%2Cb%5D%3D", "note")
    path = _write(tmp_path / "some.log", FIGURE_4 + broken + FIGURE_4)
    with pytest.raises(BadLog) as caught:
        list(layer_monitor.read(path))
    assert (caught.value.path, caught.value.line) == (path, line)
    assert str(path) in str(caught.value)


def test_a_broken_whole_line_in_a_cut_record_is_an_error_too(tmp_path):
    text = FIGURE_4 + FIGURE_4.rstrip("\n").replace("accTime[294309343ns]", "accTime[]")
    with pytest.raises(BadLog, match=":8:"):
        list(layer_monitor.read(_write(tmp_path / "log", text)))


def test_merging_adds_the_thread_and_nothing_else(tmp_path):
    part = FIGURE_4.replace("thread[17] ", "")
    parts = [_write(tmp_path / f"monitor-{thread}.log", part * count) for thread, count in ((17, 2), (4, 1))]
    merged = io.StringIO()
    assert layer_monitor.merge(parts, merged) == []
    assert merged.getvalue() == FIGURE_4.replace("thread[17]", "thread[4]") + FIGURE_4 * 2


def test_merging_leaves_out_and_names_a_cut_record(tmp_path):
    part = FIGURE_4.replace("thread[17] ", "")
    path = _write(tmp_path / "monitor-17.log", (part * 2)[:-30])
    merged = io.StringIO()
    assert layer_monitor.merge([path], merged) == ["monitor-17.log:7"]
    assert merged.getvalue() == FIGURE_4


def test_merging_refuses_a_foreign_file(tmp_path):
    with pytest.raises(BadLog, match="monitor-<thread>.log"):
        layer_monitor.merge([_write(tmp_path / "catalina.log", "")], io.StringIO())
