"""Temporary folders go with their process, or with the next that makes one."""

import os
import subprocess
import sys
import tempfile

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
