"""What is recorded is as its checksums say, and whatever is not is named."""

import io
import json
import lzma
import shutil
import subprocess
import tarfile

import pytest

from made.command import perfstudies
from made.runs import make, record
from perfstudies import paths
from perfstudies.catalog import verify
from perfstudies.errors import BadLog, BadRecording
from perfstudies.paths import RAW
from perfstudies.runs import registry, store
from perfstudies.runs.archive import SUFFIX
from perfstudies.runs.pack import pack_folder
from perfstudies.studies import EXPERIMENTS

RUN = "reference/step/up/run-1"
NOTHING = {kind: [] for kind in verify.ADVICE}


@pytest.fixture
def raw(tmp_path):
    """A small folder of data with a run, a published table, a run of this machine, and the list."""
    for name, text in {
        f"{RUN}/client.csv": "a,b\n1,2\n",
        f"{RUN}/monitor.log": "one line\n",
        "published/step/table-1.csv": "Slice,Time (ms)\nWeb,2.83\n",
        "live/step/up/run-2/client.csv": "a,b\n3,4\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    store.write_manifest(tmp_path / RUN, {}, ("client.csv", "monitor.log"))
    verify.write_list(tmp_path)
    return tmp_path


def test_what_is_recorded_is_as_its_checksums_say(monkeypatch):
    # What is in the experiments' archives is compared in studies/test_recorded.py, each in a test of its own.
    whole, theirs = verify._not_whole, {f"reference/{key}{SUFFIX}" for key in EXPERIMENTS}
    monkeypatch.setattr(
        verify, "_not_whole", lambda raw, names, *more: whole(raw, [one for one in names if one not in theirs], *more)
    )
    assert verify.check(RAW) == NOTHING


def test_the_list_has_every_file_but_itself_and_those_of_this_machine(raw):
    listed = registry.read(raw / registry.NAME)
    assert list(listed) == ["published/step/table-1.csv"] + [
        f"{RUN}/{name}" for name in ("client.csv", "manifest.json", "monitor.log")
    ]
    assert verify.check(raw) == NOTHING


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="there is no sha256sum here")
def test_ordinary_tools_can_check_the_list(raw):
    command = ["sha256sum", "--check", "--strict", "--quiet", registry.NAME]
    assert subprocess.run(command, cwd=raw).returncode == 0
    (raw / RUN / "client.csv").write_text("a,b\n1,3\n")
    assert subprocess.run(command, cwd=raw, capture_output=True).returncode == 1


def test_a_flipped_bit_is_found(raw):
    path = raw / "published" / "step" / "table-1.csv"
    data = bytearray(path.read_bytes())
    data[-2] ^= 1
    path.write_bytes(data)
    assert verify.check(raw) == NOTHING | {"changed": ["published/step/table-1.csv"]}


def test_a_missing_file_is_found(raw):
    (raw / "published" / "step" / "table-1.csv").unlink()
    assert verify.check(raw) == NOTHING | {"missing": ["published/step/table-1.csv"]}


def test_an_extra_file_is_found(raw):
    (raw / "published" / "step" / "table-2.csv").write_text("a\n1\n")
    assert verify.check(raw) == NOTHING | {"extra": ["published/step/table-2.csv"]}


def test_a_run_whose_own_manifest_tells_otherwise_is_found(raw):
    """The list was made after the file had changed, so that only the run's manifest knows."""
    (raw / RUN / "client.csv").write_text("a,b\n1,3\n")
    (raw / RUN / "monitor.log").unlink()
    (raw / RUN / "notes.txt").write_text("mine\n")
    verify.write_list(raw)
    assert verify.check(raw)["contradicted"] == [
        f"{RUN}/notes.txt: the run's manifest does not list it",
        f"{RUN}/client.csv: the run's manifest has another size or checksum",
        f"{RUN}/monitor.log: the run's manifest lists it, but it is not there",
    ]


@pytest.fixture
def packed(raw):
    """The same with an archive of two runs instead of a folder."""
    shutil.rmtree(raw / RUN)
    for block, name in enumerate(("run-1", "run-2")):
        make((raw / RUN).parent, name, block, {}, [record(1, {"filter": 10, "soap": 9, "si": 7})])
    folder = (raw / RUN).parent
    path = pack_folder(folder, store.runs(folder))
    verify.write_list(raw)
    return path


def test_an_archive_is_one_line_of_the_list_and_what_is_in_it_is_compared(raw, packed):
    assert list(registry.read(raw / registry.NAME)) == ["published/step/table-1.csv", "reference/step/up.tar.xz"]
    assert verify.check(raw) == NOTHING
    content = packed.read_bytes()
    packed.write_bytes(content[:-2000])
    assert verify.check(raw) == NOTHING | {"changed": ["reference/step/up.tar.xz"]}
    verify.write_list(raw)
    (said,) = verify.check(raw)["contradicted"]
    assert "up.tar.xz is cut" in said


def test_a_log_in_an_archive_that_its_manifest_tells_otherwise_is_found(raw, packed):
    with tarfile.open(packed) as tar:
        members = [(one, tar.extractfile(one).read().replace(b"run-2", b"run-3")) for one in tar]
    with lzma.open(packed, "wb") as out, tarfile.open(fileobj=out, mode="w|") as tar:
        for one, text in members:
            tar.addfile(one, io.BytesIO(text.replace(b"accTime", b"AccTime")))
    verify.write_list(raw)
    (said,) = verify.check(raw)["contradicted"]
    assert "up.tar.xz/run-1/monitor.log differs from the checksum in its manifest" in said


@pytest.mark.parametrize(("fact", "value"), [("bytes", 9), ("sha256", "0" * 64)])
def test_a_run_s_manifest_that_tells_another_size_or_checksum_is_found(raw, fact, value):
    path = raw / RUN / store.MANIFEST
    manifest = json.loads(path.read_text())
    manifest["files"]["client.csv"][fact] = value
    path.write_text(json.dumps(manifest))
    verify.write_list(raw)
    assert verify.check(raw)["contradicted"] == [f"{RUN}/client.csv: the run's manifest has another size or checksum"]


def test_a_run_s_manifest_that_is_none_is_named(raw):
    (raw / RUN / store.MANIFEST).write_text(json.dumps({"files": ["client.csv"]}))
    with pytest.raises(BadRecording, match="run-1/manifest.json is not a manifest"):
        verify.check(raw)


@pytest.mark.parametrize(
    ("line", "problem"), [("0" * 63 + "  a", "not a checksum"), ("0" * 64 + "  published/step/table-1.csv", "twice")]
)
def test_a_broken_list_is_named_by_its_line(raw, line, problem):
    path = raw / registry.NAME
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(BadLog, match=rf"registry.txt:5: .*{problem}"):
        verify.check(raw)


def test_without_a_list_it_says_how_to_make_one(tmp_path):
    with pytest.raises(BadRecording, match="perfstudies verify --write"):
        verify.check(tmp_path)


def test_the_command_names_what_is_wrong_and_what_to_do(raw, monkeypatch, capsys):
    monkeypatch.setattr(paths, "RAW", raw)
    assert perfstudies("verify") == 0
    assert "4 recorded files are as" in capsys.readouterr().out
    (raw / RUN / "client.csv").write_text("a,b\n1,3\n")
    assert perfstudies("verify") == 1
    said = capsys.readouterr().err
    assert f"changed: {RUN}/client.csv" in said and "git checkout -- data/raw" in said
