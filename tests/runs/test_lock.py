"""A machine's lock, seen by a second file handle: it counts by handle, so one process can play two."""

import os
import threading

import pytest

from perfstudies.errors import PerfstudiesError
from perfstudies.runs import lock


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(lock.FOLDER, str(tmp_path))
    return tmp_path


def test_a_measurement_has_the_machine_alone():
    with lock.measuring():
        with pytest.raises(PerfstudiesError, match="another measurement or a batch is under way"):
            with lock.measuring():
                pass
    with lock.measuring():
        pass


def test_work_that_measures_nothing_shares_the_machine_and_keeps_measurements_away():
    with lock.sharing(), lock.sharing():
        with pytest.raises(PerfstudiesError, match="under way"):
            with lock.measuring():
                pass


@pytest.mark.parametrize("second", [lambda: lock.measuring(wait=True), lock.sharing])
def test_who_waits_says_so_and_comes_when_the_measurement_ends(second, capfd):
    order, waiting = [], threading.Event()

    def later():
        with second():
            order.append("second")

    class Told:
        def write(self, text):
            waiting.set()

        def flush(self):
            pass

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sys.stderr", Told())
        with lock.measuring():
            thread = threading.Thread(target=later)
            thread.start()
            assert waiting.wait(30)
            order.append("first")
        thread.join(30)
    assert order == ["first", "second"]


def test_whose_parent_holds_the_lock_needs_no_second(monkeypatch):
    with lock.measuring():
        monkeypatch.setenv(lock.HELD, "1")
        with lock.measuring():
            pass


def test_a_link_in_the_place_of_the_lock_is_not_followed(folder):
    os.symlink(folder / "elsewhere", lock.place())
    with pytest.raises(OSError):
        with lock.measuring():
            pass
    assert not (folder / "elsewhere").exists()
