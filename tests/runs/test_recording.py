import errno

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from made.runs import make, record
from perfstudies.errors import BadParameter, BadRecording
from perfstudies.experiment import Experiment, Factor
from perfstudies.runs import recording, store
from perfstudies.runs.store import Run

TIMES = {"filter": 10, "soap": 9, "si": 7, "hibernate": 4, "hibernate.load": 1, "hibernate.write": 1}
EXPERIMENT = Experiment("step", "up", "?", "flight", "none", (Factor("level", ("low", "high"), ("Low", "High")),))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "PROCESSED", tmp_path / "processed")


@pytest.fixture
def runs(tmp_path):
    return [
        make(tmp_path, "a", 0, {"level": "high"}, [record(i, TIMES) for i in (2, 1, 3)], warm_up=1),
        make(tmp_path, "b", 0, {"level": "low"}, [record(1, TIMES), record(2, TIMES | {"soap": 11})]),
    ]


def test_samples_have_run_block_level_and_what_was_warm_up(runs):
    samples = recording.load(EXPERIMENT, runs).samples
    assert samples["run"].tolist() == ["a"] * 3 + ["b"] * 2
    assert samples["measured"].tolist() == [False, True, True, True, True]
    assert samples.loc[0, "line"] == 8  # the record that arrived first is the second of the log
    assert list(samples["level"].cat.categories) == ["low", "high"]


def test_a_condition_keeps_the_samples_that_satisfy_it(runs):
    recorded = recording.load(EXPERIMENT, runs)
    assert recording.only(recorded, "run == 'a' and request > 0").samples["request"].tolist() == [1, 2]
    assert recording.only(recorded, "") is recorded


@pytest.mark.parametrize(
    ("where", "problem"), [("speed > 1", "is no condition"), ("request >", "is no"), ("request > 9", "none of 5")]
)
def test_a_condition_that_cannot_hold_is_refused(runs, where, problem):
    with pytest.raises(BadParameter, match=problem):
        recording.only(recording.load(EXPERIMENT, runs), where)


def test_an_impossible_record_is_a_warning_with_run_and_line(runs):
    (first, *_) = recording.load(EXPERIMENT, runs).warnings
    assert first.startswith("b/monitor.log.gz:8: request 1")


def test_the_samples_are_left_for_analyses_elsewhere(runs, tmp_path):
    samples = recording.load(EXPERIMENT, runs).samples
    left = pd.read_parquet(tmp_path / "processed" / "step" / "up.parquet")
    assert left["request_ms"].tolist() == samples["request_ms"].tolist()


def test_a_table_of_somebody_else_in_their_place_is_replaced(runs, tmp_path):
    path = tmp_path / "processed" / "step" / "up.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.table({"a": [1]}), path)
    samples = recording.load(EXPERIMENT, runs).samples
    assert len(pd.read_parquet(path)) == len(samples)


def test_a_full_disk_costs_those_samples_alone_and_leaves_no_draft(runs, monkeypatch):
    def full(table, path):
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(recording.pq, "write_table", full)
    assert len(recording.load(EXPERIMENT, runs).samples) == 5
    (left,) = [path for path in recording.PROCESSED.rglob("*") if path.is_file()]
    assert left.suffix == ".kept" and not left.name.startswith(".")


def test_one_changed_byte_in_a_raw_log_stops_everything(runs):
    log = runs[0].folder / "monitor.log.gz"
    changed = bytearray(log.read_bytes())
    changed[-1] ^= 1
    log.write_bytes(changed)
    with pytest.raises(BadRecording, match="differs from the checksum"):
        recording.load(EXPERIMENT, runs)


def _unreadable(tmp_path, name, level):
    return make(tmp_path, name, 1, {"level": level}, [record(1, TIMES), record(2, TIMES).replace("accTime", "t", 1)])


def test_a_run_that_cannot_be_read_is_left_out_and_named_by_file_and_line(runs, tmp_path):
    recorded = recording.load(EXPERIMENT, [_unreadable(tmp_path, "c", "low"), *runs])
    (told,) = recorded.failed
    assert told.startswith("c: its logs cannot be read: ") and "c/monitor.log.gz:8: not a line" in told
    assert "no other run" not in told
    for frame in (recorded.samples, recorded.calls, recorded.runs):
        assert set(frame["run"]) == {"a", "b"}


def test_a_setting_of_which_no_run_can_be_read_is_named(runs, tmp_path):
    recorded = recording.load(
        EXPERIMENT, [runs[0], _unreadable(tmp_path, "c", "low"), _unreadable(tmp_path, "d", "low")]
    )
    assert len(recorded.failed) == 2
    assert all(told.endswith("; no other run of low can be read") for told in recorded.failed)


def test_runs_of_which_none_can_be_read_are_refused_by_file_and_line(tmp_path):
    with pytest.raises(BadRecording, match=r"step/up: no run can be read; .*c/monitor.log.gz:8:"):
        recording.load(EXPERIMENT, [_unreadable(tmp_path, "c", "low")])


def test_a_cut_record_is_set_aside_and_counted(tmp_path):
    run = make(tmp_path, "c", 0, {"level": "low"}, [record(1, TIMES), record(2, TIMES)[:-40]])
    recorded = recording.load(EXPERIMENT, [run])
    assert len(recorded.samples) == 1
    assert recorded.truncated == ("monitor.log.gz:8",)


def test_failed_runs_are_told_and_left_out(runs):
    failed = Run(runs[1].folder, runs[1].manifest | {"status": store.FAILED, "error": "it died"})
    recorded = recording.load(EXPERIMENT, [runs[0], failed])
    assert recorded.failed == ("b: it died",)
    assert set(recorded.samples["run"]) == {"a"}
    with pytest.raises(BadRecording, match="none of 1 runs finished; the first error: it died"):
        recording.load(EXPERIMENT, [failed])


def test_runs_without_a_monitor_s_log_have_calls_and_no_samples(tmp_path):
    made = make(tmp_path, "none", 0, {"level": "low"}, [record(1, TIMES)])
    (made.folder / "monitor.log.gz").unlink()
    store.write_manifest(made.folder, made.manifest, ("client.csv.gz",))
    recorded = recording.load(EXPERIMENT, [Run(made.folder, store.read_manifest(made.folder))])
    assert recorded.samples.empty
    assert {"run", "block", "level", "measured"} <= set(recorded.samples)
    assert recorded.calls["level"].tolist() == ["low"]
    assert (recording.PROCESSED / "step" / "up.parquet").exists()
