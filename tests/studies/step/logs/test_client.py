import pytest

from perfstudies.errors import BadLog
from perfstudies.sent import Recorder, Sent
from perfstudies.studies.step.logs import client

SENT = Sent(
    0, 1, 2, "searchFlights", 1_000_000, 1_500_000, 4_500_000, "system error", 'gone, "quoted"\nand more', 300, 900
)


@pytest.fixture
def recorded(tmp_path):
    path = tmp_path / "client.csv"
    with Recorder(path) as recorder:
        recorder.add(SENT)
        recorder.add(SENT)
    return path


def test_what_is_recorded_is_read_back(recorded):
    frame, truncated = client.read(recorded)
    assert truncated == 0
    assert len(frame) == 2
    row = frame.iloc[0]
    assert row["elapsed_ms"] == 3.0
    assert row["late_ms"] == 0.5
    assert row["detail"] == 'gone, "quoted" and more'
    assert row["bytes_in"] == 900


def test_a_record_is_on_disk_before_the_next_request(tmp_path):
    path = tmp_path / "client.csv"
    with Recorder(path) as recorder:
        recorder.add(SENT)
        assert len(client.read(path)[0]) == 1


def test_a_cut_last_line_is_set_aside_and_counted(recorded):
    recorded.write_bytes(recorded.read_bytes()[:-5])
    frame, truncated = client.read(recorded)
    assert (len(frame), truncated) == (1, 1)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("system error", "meltdown", ":2: outcome: 'meltdown' is none of ok, application exception"),
        ("1500000", "soon", ":2: sent_ns: invalid literal"),
        (",900", "", ":2: 10 columns instead of 11"),
        ("user,session", "user;session", ":1: not a client record"),
    ],
)
def test_any_other_broken_line_is_named(recorded, old, new, problem):
    recorded.write_text(recorded.read_text().replace(old, new, 1))
    with pytest.raises(BadLog, match=problem):
        client.read(recorded)
