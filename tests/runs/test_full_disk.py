"""A disk that is full at every single operation of a run: it ends with what to do, and the rerun gives the same."""

import json

import pytest

from made.full_disk import full
from made.runs import HOST
from perfstudies.errors import PerfstudiesError
from perfstudies.exchange import Exchange, Journal
from perfstudies.experiment import Experiment, Factor, Size
from perfstudies.runs import archive, lab, pack, store
from perfstudies.runs.plan import Plan
from perfstudies.studies.aaa.logs import client

LOGS = ("client.csv.gz", "Total_Timelog.xz")
MOST = 400
EXPERIMENT = Experiment(
    "study", "name", "?", "none", "load", (Factor("level", ("off", "on"), ("off", "on")),),
    sizes={"smoke": Size(1, 1)},
)  # fmt: skip
stays = pytest.mark.parametrize("stays", [True, False], ids=["it stays full", "once"])


@pytest.fixture(autouse=True)
def any_host(monkeypatch):
    """To look at the host takes longer than all that is tested."""
    monkeypatch.setattr(lab.host, "describe", lambda: HOST)


class Procedure:
    """Records three requests as a study does, packs the logs, and remembers which runs it carried out."""

    def __init__(self):
        self.carried_out = []

    def __call__(self, run, folder):
        self.carried_out.append(run.name)
        with Journal(folder / "client.csv", folder / "Total_Timelog") as journal:
            for number in range(3):
                journal.add(Exchange(0, number, number, number, number + 1000 * len(run.name), 2.5, "ok", "", 321))
        for name in LOGS:
            store.compress(folder / store.plain(name), folder / name)
        return {"load_s": 1.0}, LOGS


def _plan(folder):
    return Plan.of(EXPERIMENT, "smoke", 1, folder=folder)


def _read(run):
    frame, truncated = client.read(run.file("client.csv"))
    assert (len(frame), truncated) == (3, 0)


def _measure(folder, procedure):
    return lab.measure(_plan(folder), procedure, show_progress=False, read=_read)


def _logs(runs):
    return {run.name: [run.file(name).read_bytes() for name in LOGS] for run in runs}


@stays
def test_a_disk_that_is_full_at_any_operation_of_a_run_loses_nothing_and_the_rerun_completes(tmp_path, stays):
    expected = _logs(_measure(tmp_path / "whole", Procedure()))
    for first in range(1, MOST):
        folder, began = tmp_path / f"full-{first}", Procedure()
        with full(folder, first, stays) as disk:
            try:
                _measure(folder, began)
            except PerfstudiesError as error:
                assert f"the disk of {folder}" in str(error) and "Make room and give the same command again" in str(
                    error
                )
        ended = store.finished(folder)
        assert all(run.is_whole for run in ended)
        assert _logs(ended).items() <= expected.items(), "half a log was taken for a whole one"
        rerun = Procedure()
        runs = _measure(folder, rerun)
        assert _logs(runs) == expected
        assert rerun.carried_out == [run.name for run in runs if run.name not in {one.name for one in ended}]
        if disk.done < first:
            assert not rerun.carried_out and first > 20
            return
    raise AssertionError("it never passed")


@stays
def test_a_disk_that_is_full_while_a_run_of_another_machine_comes_leaves_nothing_of_it(tmp_path, stays):
    (one, other) = _measure(tmp_path / "whole", Procedure())
    files = {path.name: path.read_bytes() for path in one.folder.iterdir()}
    for first in range(1, MOST):
        parent = tmp_path / f"full-{first}"
        with full(parent, first, stays) as disk:
            try:
                lab.adopt(parent, one.name, files)
            except PerfstudiesError as error:
                assert "is full" in str(error) and list(parent.glob("*")) == []
        if disk.done < first:
            assert store.finished(parent)[0].is_whole and first > 6
            return
        lab.adopt(parent, one.name, files)
        assert [run.name for run in store.finished(parent)] == [one.name] != [other.name]
    raise AssertionError("it never passed")


@stays
def test_a_disk_that_is_full_while_an_archive_is_made_leaves_the_runs_and_no_archive(tmp_path, stays):
    for first in range(1, MOST):
        folder = tmp_path / f"full-{first}"
        runs = _measure(folder, Procedure())
        with full(tmp_path, first, stays) as disk:
            try:
                pack.pack_folder(folder, runs)
            except OSError:
                assert not archive.place(folder).exists() and _logs(store.finished(folder)) == _logs(runs)
                assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
        if disk.done < first:
            assert len(store.finished(folder)) == 2 and first > 2
            return
    raise AssertionError("it never passed")


def test_a_manifest_that_was_cut_by_a_full_disk_is_none(tmp_path):
    (run, _) = _measure(tmp_path, Procedure())
    text = (run.folder / store.MANIFEST).read_text()
    for cut in range(1, len(text) - 2, 7):
        (run.folder / store.MANIFEST).write_text(text[:cut])
        assert [one.name for one in _plan(tmp_path).missing] == [run.name], json.dumps(text[:cut])
