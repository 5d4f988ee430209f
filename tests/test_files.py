"""Temporary folders go with their process or the next that makes one; what is written stays what it was."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from perfstudies import files

KILLED = """
import os, signal
from perfstudies.files import made_temporary
print(made_temporary("log"), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_folder_of_a_killed_process_goes_with_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True, env=environment)
    (left,) = tmp_path.iterdir()
    assert done.stdout.strip() == str(left)
    foreign = tmp_path / "perfstudies-of-somebody"
    foreign.mkdir()
    with files.temporary("log") as first, files.temporary("own") as second:
        assert set(tmp_path.iterdir()) == {foreign, first, second}
    assert list(tmp_path.iterdir()) == [foreign]


def test_a_link_stays_and_a_pipe_is_written_to(tmp_path):
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    target.write_text("old")
    link.symlink_to(target)
    files.write_atomically(link, "new")
    assert link.is_symlink() and target.read_text() == "new"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        files.write_atomically(pipe, "said")
        assert os.read(reader, 100) == b"said" and pipe.is_fifo()
    finally:
        os.close(reader)


def test_a_folder_of_another_machine_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(files.platform, "node", lambda: "elsewhere")
        theirs = files.made_temporary("log")
    ours = files.made_temporary("log")
    monkeypatch.setattr(files.psutil, "pid_exists", lambda pid: False)
    files.made_temporary("log")
    assert theirs.exists() and not ours.exists()


def test_a_folder_of_a_process_that_is_not_seen_from_a_container_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code = "from perfstudies.files import made_temporary\nprint(made_temporary('own'))"
    other = ["unshare", "--pid", "--fork", "--mount-proc", sys.executable, "-c", code]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with files.temporary("log") as ours:
        done = subprocess.run(other, capture_output=True, text=True, env=environment)
        if "unshare" in done.stderr:
            pytest.skip(done.stderr)
        assert set(tmp_path.iterdir()) == {ours, Path(done.stdout.strip())}


def test_nobody_elses_files_are_for_everybody_while_one_is_written(tmp_path, monkeypatch):
    before = os.umask(0o027)
    try:
        with monkeypatch.context() as patch:
            patch.delattr(os, "umask")
            files.write_atomically(tmp_path / "report.html", "new\n")
    finally:
        os.umask(before)
    (report,) = tmp_path.iterdir()
    assert report.stat().st_mode & 0o777 == 0o640
