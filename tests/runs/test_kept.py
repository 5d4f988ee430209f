"""What was read of runs is kept until something that decides it is another; what is broken is made again."""

import dataclasses
import errno
import multiprocessing
import os
import signal
from pathlib import Path

import pandas as pd
import pytest

from made.runs import make, record
from perfstudies.errors import BadRecording
from perfstudies.experiment import Experiment, Factor
from perfstudies.runs import archive, checksums, kept, recording, store
from perfstudies.runs.pack import pack
from perfstudies.studies.step import read as step_read

TIMES = {"filter": 10, "soap": 9, "si": 7, "hibernate": 4, "hibernate.load": 1, "hibernate.write": 1}
EXPERIMENT = Experiment("step", "up", "?", "flight", "none", (Factor("level", ("low", "high"), ("Low", "High")),))


@pytest.fixture
def reads(tmp_path, monkeypatch):
    """Count the runs that are read."""
    monkeypatch.setattr(recording, "PROCESSED", tmp_path / "processed")
    read, found = step_read.read, []
    monkeypatch.setattr(step_read, "read", lambda run: found.append(run.name) or read(run))
    return found


@pytest.fixture
def folder(tmp_path):
    for block, (name, level) in enumerate({"a": "high", "b": "low"}.items()):
        make(tmp_path / "up", name, block, {"level": level}, [record(1, TIMES)])
    return tmp_path / "up"


@pytest.fixture(params=["folder", "archive"])
def source(request, folder, tmp_path):
    """An experiment's folder of runs, or where it would be beside its archive."""
    if request.param == "folder":
        return folder
    pack(store.runs(folder), archive.place(tmp_path / "packed" / "up"))
    return tmp_path / "packed" / "up"


def runs_of(source):
    return list(store.runs(source))


def files(tmp_path):
    return sorted((tmp_path / "processed" / "step" / "up").iterdir())


def test_logs_are_read_once_and_the_frames_are_the_same(source, reads):
    first, second = (recording.load(EXPERIMENT, runs_of(source)) for _ in range(2))
    assert reads == ["a", "b"]
    for name in ("samples", "calls", "runs"):
        pd.testing.assert_frame_equal(getattr(first, name), getattr(second, name), check_exact=True)
    told = [one.name for one in dataclasses.fields(first) if one.name not in ("samples", "calls", "runs")]
    assert [getattr(first, name) for name in told] == [getattr(second, name) for name in told]


def test_a_choice_of_runs_and_another_order_of_levels_are_kept_for_themselves(source, reads):
    other = dataclasses.replace(EXPERIMENT, factors=(Factor("level", ("high", "low"), ("High", "Low")),))
    for _ in range(2):
        assert len(recording.load(EXPERIMENT, runs_of(source)).runs) == 2
        assert len(recording.load(EXPERIMENT, runs_of(source)[:1]).runs) == 1
        assert list(recording.load(other, runs_of(source)).runs["level"].cat.categories) == ["high", "low"]
    assert reads == ["a", "b", "a", "a", "b"]


def test_other_code_reads_again(source, reads, monkeypatch):
    recording.load(EXPERIMENT, runs_of(source))
    monkeypatch.setattr(recording, "code_checksum", lambda *modules: "another")
    recording.load(EXPERIMENT, runs_of(source))
    assert reads == ["a", "b"] * 2


def test_a_log_or_a_manifest_that_changed_is_read_again(folder, reads):
    recording.load(EXPERIMENT, runs_of(folder))
    log = folder / "a" / "client.csv.gz"
    os.utime(log, ns=(0, 0))
    recording.load(EXPERIMENT, runs_of(folder))
    assert reads == ["a", "b"] * 2
    log.write_bytes(log.read_bytes() + b"x")
    with pytest.raises(BadRecording, match="differs from the checksum"):
        recording.load(EXPERIMENT, runs_of(folder))
    log.unlink()
    with pytest.raises(BadRecording, match="client.csv.gz is missing"):
        recording.load(EXPERIMENT, runs_of(folder))


def test_another_archive_is_read_again(folder, tmp_path, reads):
    target = archive.place(tmp_path / "packed" / "up")
    for runs in (runs_of(folder), runs_of(folder)[1:]):
        pack(runs, target)
        recording.load(EXPERIMENT, runs_of(tmp_path / "packed" / "up")[-1:])
    assert reads == ["b", "b"]


@pytest.mark.parametrize(
    "change", [lambda data: b"", lambda data: data[:-9], lambda data: data[:60] + b"x" + data[61:]]
)
def test_what_is_broken_is_made_again(source, reads, tmp_path, change):
    recording.load(EXPERIMENT, runs_of(source))
    (path,) = files(tmp_path)
    path.write_bytes(change(path.read_bytes()))
    recording.load(EXPERIMENT, runs_of(source))
    recording.load(EXPERIMENT, runs_of(source))
    assert reads == ["a", "b"] * 2


def test_a_changed_number_is_not_taken_for_what_was_kept(tmp_path):
    kept.kept(tmp_path, "a", lambda: b"0" * 100)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes().replace(b"0" * 100, b"0" * 99 + b"1"))
    assert kept.kept(tmp_path, "a", lambda: b"made again") == b"made again"


def test_a_full_disk_costs_no_result_and_leaves_no_draft(tmp_path, monkeypatch):
    def full(self, content):
        self.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert kept.kept(tmp_path / "kept", "a", lambda: 7) == 7
    assert list((tmp_path / "kept").iterdir()) == []


def test_a_file_where_the_folder_should_be_costs_no_result(tmp_path):
    (tmp_path / "kept").write_text("a file")
    assert kept.kept(tmp_path / "kept" / "more", "a", lambda: 7) == 7


def _killed(folder):
    os.replace = lambda *paths: os.kill(os.getpid(), signal.SIGKILL)
    kept.kept(folder, "a", lambda: b"0" * 1000)


def test_the_draft_of_a_process_that_was_killed_goes_as_what_was_not_used_for_longest(tmp_path):
    started = multiprocessing.get_context("fork").Process(target=_killed, args=(tmp_path,))
    started.start()
    started.join()
    (draft,) = tmp_path.iterdir()
    os.utime(draft, ns=(0, 0))
    for number in range(kept.MOST):
        kept.kept(tmp_path, f"{number}", lambda: b"0" * 1000)
    assert not draft.exists() and len(list(tmp_path.iterdir())) == kept.MOST


def test_only_the_last_used_stay(tmp_path):
    made = []
    for number in range(kept.MOST + 2):
        kept.kept(tmp_path, f"{number}", lambda number=number: made.append(number))
        os.utime(tmp_path / f"{number}{kept.SUFFIX}", ns=(number, number))
        kept.kept(tmp_path, "0", lambda: made.append("again"))
    assert made == list(range(kept.MOST + 2))
    assert len(list(tmp_path.iterdir())) == kept.MOST


def test_small_ones_do_not_put_a_large_one_out(tmp_path):
    kept.kept(tmp_path, "large", lambda: bytes(100_000))
    for number in range(9):
        kept.kept(tmp_path, f"{number}", lambda number=number: number)
    assert kept.kept(tmp_path, "large", lambda: "made again") == bytes(100_000)


def test_samples_are_left_once_for_whoever_reads_them_elsewhere(source, reads, tmp_path):
    samples = recording.load(EXPERIMENT, runs_of(source)).samples
    path = tmp_path / "processed" / "step" / "up.parquet"
    pd.testing.assert_frame_equal(pd.read_parquet(path), samples)
    os.utime(path, ns=(5, 5))
    recording.load(EXPERIMENT, runs_of(source))
    assert path.stat().st_mtime_ns == 5
    recording.load(EXPERIMENT, runs_of(source)[:1])
    assert set(pd.read_parquet(path)["run"]) == {"a"}
    path.write_text("no table")
    recording.load(EXPERIMENT, runs_of(source))
    pd.testing.assert_frame_equal(pd.read_parquet(path), samples)


def _keep(folder, barrier):
    barrier.wait()
    for number in range(20):
        assert kept.kept(folder, f"{number % 5}", lambda number=number: b"%d" % (number % 5) * 10**5)[:1] in b"01234"


def test_processes_keep_the_same_at_once(tmp_path):
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(3)
    processes = [context.Process(target=_keep, args=(tmp_path, barrier)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_readers_code_is_its_module_and_what_that_imports():
    used = checksums.code_checksum("perfstudies.logs.text")
    assert used == checksums.code_checksum("perfstudies.logs.text", "perfstudies.errors")
    assert used != checksums.code_checksum("perfstudies.logs.text", "perfstudies.report.tables")


def test_a_tables_key_changes_with_its_values_its_types_its_names_and_the_code():
    table = pd.DataFrame({"run": ["a", "a", "b"], "request_ms": [1.0, 2.0, 3.0]})
    others = [
        table.assign(request_ms=[1.0, 2.0, 3.000001]),
        table.assign(run=["a", "b", "b"]),
        table.assign(request_ms=[1, 2, 3]),
        table.rename(columns={"request_ms": "elapsed_ms"}),
        table.iloc[::-1],
    ]
    keys = [kept.key_of_frame(one, "code") for one in [table, *others]] + [kept.key_of_frame(table, "other code")]
    assert len(set(keys)) == len(keys)
    assert kept.key_of_frame(table.copy(), "code") == keys[0]
