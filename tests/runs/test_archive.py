"""An experiment's runs as one archive: the same runs, the same bytes, and nothing but what its manifests say."""

import hashlib
import io
import json
import lzma
import tarfile
import tracemalloc

import pandas as pd
import pytest

from made.runs import make, record
from perfstudies.errors import BadLog, BadRecording
from perfstudies.experiment import Experiment, Factor
from perfstudies.runs import archive, recording, registry, store
from perfstudies.runs.archive import Archive
from perfstudies.runs.pack import pack, pack_folder

TIMES = {"filter": 10, "soap": 9, "si": 7, "hibernate": 4, "hibernate.load": 1, "hibernate.write": 1}
EXPERIMENT = Experiment("step", "up", "?", "flight", "none", (Factor("level", ("low", "high"), ("Low", "High")),))
FRAMES = ("samples", "calls", "runs")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "PROCESSED", tmp_path / "processed")


@pytest.fixture
def folder(tmp_path):
    """An experiment's folder of three runs, below a folder as data/raw."""
    found = tmp_path / "raw" / "reference" / "step" / "up"
    for block, (name, level) in enumerate({"c": "low", "a": "high", "b": "low"}.items()):
        make(found, name, block, {"level": level}, [record(i, TIMES | {"soap": 9 + 2 * block}) for i in (2, 1, 3)])
    return found


@pytest.fixture
def packed(folder):
    return pack(store.runs(folder), folder.parents[3] / "packed" / "up.tar.xz")


def runs_of(path):
    return list(store.runs(path.with_name(path.name.removesuffix(archive.SUFFIX))))


def read_all(path):
    """Read every log of an archive; return their bytes by run and name."""
    return {(run.name, name): run.file(name).read_bytes() for run in runs_of(path) for name in run.manifest["files"]}


def rewritten(path, change):
    """Pack an archive's members again after a change of their list."""
    with tarfile.open(path) as tar:
        members = [(member, tar.extractfile(member).read()) for member in tar]
    with lzma.open(path, "wb") as out, tarfile.open(fileobj=out, mode="w|") as tar:
        for member, content in change(members):
            member.size = len(content) if member.isreg() else 0
            tar.addfile(member, io.BytesIO(content))
    return path


def member(name, kind=tarfile.REGTYPE):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, "/etc/passwd" if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE) else ""
    return info, b"x\n"


def listed(raw, *paths):
    lines = (f"{store.sha256(path)}  {path.relative_to(raw).as_posix()}\n" for path in paths)
    (raw / registry.NAME).write_text("".join(lines))


def test_plain_logs_and_manifests_come_out_as_they_went_in(folder, packed):
    before = list(store.runs(folder))
    after = runs_of(packed)
    assert [run.name for run in after] == [run.name for run in before] == ["a", "b", "c"]
    for one, other in zip(before, after, strict=True):
        assert other.folder == packed / one.name
        assert {**one.manifest, "files": 0} == {**other.manifest, "files": 0}
        assert set(other.manifest["files"]) == {"client.csv", "monitor.log"}
        for name, told in other.manifest["files"].items():
            plain = store.gzip.decompress(one.file(name).read_bytes())
            assert other.file(f"{name}.gz").read_bytes() == other.file(name).read_bytes() == plain
            assert told == {"bytes": len(plain), "sha256": hashlib.sha256(plain).hexdigest()}


def test_an_archive_unpacks_to_a_folder_a_run_with_all_manifests_first(packed):
    with tarfile.open(packed) as tar:
        names, facts = tar.getnames(), {(one.mode, one.mtime, one.uid, one.uname) for one in tar.getmembers()}
    assert names[:3] == ["a/manifest.json", "b/manifest.json", "c/manifest.json"]
    assert names[3:] == [f"{run}/{log}" for run in "abc" for log in ("client.csv", "monitor.log")]
    assert facts == {(0o644, 0, 0, "")}


def test_the_same_runs_give_the_same_bytes_from_folders_and_from_an_archive(folder, packed):
    runs = runs_of(packed)
    for name, chosen in {"again": reversed(list(store.runs(folder))), "own": runs, "up": runs}.items():
        other = pack(chosen, packed.with_name(f"{name}.tar.xz"))
        assert other.read_bytes() == packed.read_bytes()
    assert not [path for path in packed.parent.iterdir() if path.name.startswith(".")]


def test_only_finished_runs_are_packed_and_what_was_there_stays(folder, packed):
    before = packed.read_bytes()
    (one, *others) = store.runs(folder)
    failed = store.Run(one.folder, one.manifest | {"status": store.FAILED})
    for chosen, problem in (([failed, *others], "a is not finished"), ([], "no run")):
        with pytest.raises(BadRecording, match=problem):
            pack(chosen, packed)
    (others[1].folder / "client.csv.gz").unlink()
    with pytest.raises(BadRecording, match="client.csv.gz is missing"):
        pack(others, packed)
    assert packed.read_bytes() == before and len(list(packed.parent.iterdir())) == 1


def test_packing_a_folder_leaves_the_archive_alone(folder):
    target = pack_folder(folder, list(store.runs(folder)))
    assert target == archive.place(folder) and not folder.exists()
    assert [run.name for run in store.runs(folder)] == ["a", "b", "c"]
    folder.mkdir()
    with pytest.raises(BadRecording, match="are both there"):
        list(store.runs(folder))


def test_logs_can_be_asked_for_in_any_order_one_run_being_there_at_a_time(packed):
    a, b, c = runs_of(packed)
    paths = [run.file("client.csv") for run in (c, a, b, a)]
    assert len({path.parent for path in paths}) == 3
    assert [path.exists() for path in paths] == [False, True, False, True]
    assert a.file("monitor.log").parent == paths[1].parent
    with pytest.raises(BadRecording, match=r"up.tar.xz/a/other is missing"):
        a.file("other")


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.9, 0.999])
def test_a_cut_archive_is_refused_with_its_name(packed, share):
    content = packed.read_bytes()
    packed.write_bytes(content[: int(share * len(content))])
    with pytest.raises(BadRecording, match=r"up\.tar\.xz is cut"):
        read_all(packed)


def test_an_empty_file_and_a_foreign_one_are_no_archive(packed):
    for content in (b"", b"YZ", lzma.compress(b""), lzma.compress(b"no archive\n" * 1000)):
        packed.write_bytes(content)
        with pytest.raises(BadRecording, match=r"up\.tar\.xz is cut, altered or no archive"):
            runs_of(packed)


def test_what_was_cut_off_before_packing_is_missed(packed):
    rewritten(packed, lambda members: members[:-1])
    with pytest.raises(BadRecording, match=r"up\.tar\.xz .*its end stands where c/monitor.log is due"):
        read_all(packed)


def test_one_flipped_bit_anywhere_is_noticed(packed):
    content = packed.read_bytes()
    whole = read_all(packed)
    for at in range(0, len(content), max(1, len(content) // 60)):
        changed = bytearray(content)
        changed[at] ^= 4
        packed.write_bytes(changed)
        try:
            assert read_all(packed) == whole, at  # padding of the format means nothing
        except BadRecording as error:
            assert "up.tar.xz" in str(error)


def test_an_altered_log_is_named_by_archive_run_and_file(packed):
    def change(members):
        return [(one, content.replace(b"arrived", b"aRRived")) for one, content in members]

    rewritten(packed, change)
    with pytest.raises(BadRecording, match=r"up\.tar\.xz/a/monitor\.log differs from the checksum"):
        read_all(packed)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("/etc/passwd", tarfile.REGTYPE), ("../x", tarfile.REGTYPE), ("a/../x", tarfile.REGTYPE),
        ("a/b/x", tarfile.REGTYPE), ("x", tarfile.REGTYPE), ("a/..", tarfile.REGTYPE), ("a\\b/x", tarfile.REGTYPE),
        ("a/x", tarfile.SYMTYPE), ("a/x", tarfile.LNKTYPE), ("a", tarfile.DIRTYPE), ("a/x", tarfile.FIFOTYPE),
    ],
)  # fmt: skip
@pytest.mark.parametrize("place", [0, 3, 5, 9])
def test_members_that_no_run_has_are_refused(packed, tmp_path, name, kind, place):
    rewritten(packed, lambda members: [*members[:place], member(name, kind), *members[place:]])
    with pytest.raises(BadRecording, match=r"up\.tar\.xz .*is no file of a run"):
        read_all(packed)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda members: [*members, member("c/notes")], "c/notes stands where its end is due"),
        (lambda members: [*members, members[-1]], "c/monitor.log stands where its end is due"),
        (lambda members: [*members[:4], *members[5:]], "b/client.csv stands where a/monitor.log is due"),
        (lambda members: members[1:], "a/client.csv stands where b/client.csv is due"),
        (lambda members: [members[1], members[0], *members[2:]], "twice, or out of order"),
        (lambda members: members[3:], "it holds no run"),
        (lambda members: [(members[0][0], b"{"), *members[1:]], "a/manifest.json is not a manifest"),
    ],
)
def test_members_in_other_places_than_the_manifests_say_are_refused(packed, change, problem):
    rewritten(packed, change)
    with pytest.raises(BadRecording, match=rf"up\.tar\.xz.*{problem}"):
        read_all(packed)


def test_runs_are_counted_without_their_logs(packed):
    rewritten(packed, lambda members: [(one, content if "manifest" in one.name else b"") for one, content in members])
    assert [run.name for run in runs_of(packed)] == ["a", "b", "c"]


def test_an_archive_is_compared_with_the_registry(folder):
    raw, path = folder.parents[2], pack_folder(folder, store.runs(folder))
    listed(raw, path)
    assert len(list(store.runs(folder))) == 3
    told = (raw / registry.NAME).read_text()
    for text, kind, problem in (
        ("", BadRecording, r"up\.tar\.xz is not in"),
        (told.replace(told[:8], "0" * 8), BadRecording, r"up\.tar\.xz differs from its checksum"),
        (told[:-1], BadLog, r"registry\.txt:1: not a checksum"),
        (told[:40], BadLog, r"registry\.txt:1: not a checksum"),
        (told * 2, BadLog, r"registry\.txt:2: .* listed twice"),
    ):
        (raw / registry.NAME).write_text(text)
        with pytest.raises(kind, match=problem):
            list(store.runs(folder))


def test_an_archive_that_changes_between_two_looks_is_refused(folder, packed):
    runs = runs_of(packed)
    pack(list(store.runs(folder))[:2], packed)
    with pytest.raises(BadRecording, match="changed while it was read"):
        runs[0].file("client.csv")


def test_a_broken_line_is_named_by_archive_run_file_and_line(folder, packed):
    broken = [record(1, TIMES), record(2, TIMES).replace("accTime", "time", 1)]
    make(folder, "d", 3, {"level": "low"}, broken)
    pack(store.runs(folder), packed)
    failed = recording.load(EXPERIMENT, runs_of(packed)).failed
    assert [f"{packed}/d/monitor.log:8: " in one for one in failed] == [True]


def test_frames_are_equal_from_folders_from_an_archive_and_kept(folder, packed):
    first = recording.load(EXPERIMENT, list(store.runs(folder)))
    for other in (recording.load(EXPERIMENT, runs_of(packed)), recording.load(EXPERIMENT, runs_of(packed))):
        for name in FRAMES:
            pd.testing.assert_frame_equal(getattr(first, name), getattr(other, name), check_exact=True)
        assert other.host == first.host
        assert other.warnings == tuple(text.replace("monitor.log.gz", "monitor.log") for text in first.warnings)


def test_memory_does_not_grow_with_the_logs(tmp_path, monkeypatch):
    monkeypatch.setattr("perfstudies.runs.store._WINDOW_BYTES", (1 << 20, 1 << 20))
    peaks = []
    for lines in (1 << 10, 1 << 20):
        folder = tmp_path / str(lines)
        for name in "ab":
            run = folder / name
            run.mkdir(parents=True)
            (run / "log").write_bytes(b"the same line again and again\n" * lines)
            store.compress(run / "log", run / "log.gz")
            store.write_manifest(run, {"status": store.FINISHED}, ("log.gz",))
        tracemalloc.start()
        try:
            packed = Archive(pack(store.runs(folder), tmp_path / f"packed-{lines}.tar.xz"))
            assert [packed.file(run, "log").stat().st_size for run in packed.manifests] == [30 * lines] * 2
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert peaks[1] - peaks[0] < 8 << 20


def test_a_manifest_of_a_run_is_the_same_text_but_for_its_files(folder, packed):
    (run, *_) = runs_of(packed)
    with tarfile.open(packed) as tar:
        text = tar.extractfile("a/manifest.json").read().decode()
    original = (folder / "a" / "manifest.json").read_text()
    assert text.partition(' "files"')[0] == original.partition(' "files"')[0]
    assert json.loads(text) == run.manifest
