import gzip
import lzma

import pytest

from perfstudies.errors import BadRecording
from perfstudies.runs import store


@pytest.fixture
def run(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "log").write_text("17 ms\n")
    store.write_manifest(folder, {"status": store.FINISHED}, ("log",))
    (found,) = store.runs(tmp_path)
    return found


def test_a_run_s_file_is_given_out_when_it_matches_its_checksum(run):
    assert run.file("log").read_text() == "17 ms\n"


def test_one_changed_number_in_a_raw_log_is_noticed(run):
    (run.folder / "log").write_text("18 ms\n")
    with pytest.raises(BadRecording, match="differs from the checksum"):
        run.file("log")


@pytest.mark.parametrize("name", ["log", "never-recorded"])
def test_a_missing_raw_log_is_named(run, name):
    (run.folder / "log").unlink()
    with pytest.raises(BadRecording, match=f"{name} is missing"):
        run.file(name)


def test_a_folder_without_manifest_is_no_run(tmp_path, run):
    (tmp_path / "interrupted").mkdir()
    assert [one.name for one in store.runs(tmp_path)] == ["run"]


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 99}'])
def test_a_foreign_manifest_is_an_error(run, text):
    (run.folder / store.MANIFEST).write_text(text)
    with pytest.raises(BadRecording, match="manifest"):
        store.read_manifest(run.folder)


def test_compressed_bytes_depend_on_the_content_alone(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).write_text("the same\n" * 100)
        store.compress(tmp_path / name, tmp_path / f"{name}.gz")
    packed = (tmp_path / "one.gz").read_bytes()
    assert packed == (tmp_path / "two.gz").read_bytes()
    assert gzip.decompress(packed) == b"the same\n" * 100
    assert not (tmp_path / "one").exists()


def test_a_small_log_is_packed_with_a_small_window(tmp_path):
    (tmp_path / "log").write_text("the same\n" * 100)
    store.compress(tmp_path / "log", tmp_path / "log.xz")
    # A writer of the largest window allocates ten times that of a reader, for every log.
    packed = (tmp_path / "log.xz").read_bytes()
    assert lzma.LZMADecompressor(memlimit=4 << 20).decompress(packed) == b"the same\n" * 100
