"""Turns on a machine, seen by a second file handle: the lock counts by handle, so one process can play two."""

import os
import threading

import pytest

from perfstudies import turns
from perfstudies.errors import PerfstudiesError


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(turns.FOLDER, str(tmp_path))
    return tmp_path


def test_a_measurement_has_the_machine_alone():
    with turns.measuring():
        with pytest.raises(PerfstudiesError, match="another measurement or a batch is under way"):
            with turns.measuring():
                pass
    with turns.measuring():
        pass


def test_work_that_measures_nothing_shares_the_machine_and_keeps_measurements_away():
    with turns.sharing(), turns.sharing():
        with pytest.raises(PerfstudiesError, match="under way"):
            with turns.measuring():
                pass


@pytest.mark.parametrize("second", [lambda: turns.measuring(wait=True), turns.sharing])
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
        with turns.measuring():
            thread = threading.Thread(target=later)
            thread.start()
            assert waiting.wait(30)
            order.append("first")
        thread.join(30)
    assert order == ["first", "second"]


def test_whose_parent_has_the_turn_needs_no_second(monkeypatch):
    with turns.measuring():
        monkeypatch.setenv(turns.HELD, "1")
        with turns.measuring():
            pass


def test_a_link_in_the_place_of_the_lock_is_not_followed(folder):
    os.symlink(folder / "elsewhere", turns.place())
    with pytest.raises(OSError):
        with turns.measuring():
            pass
    assert not (folder / "elsewhere").exists()
