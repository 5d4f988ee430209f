"""Batches and blocks on a Dask cluster of this machine's own: two workers on the loopback interface."""

import base64
import json
import os
import platform
import signal
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import dask
import psutil
import pytest
from distributed import LocalCluster

from made.batches import MAIN, PROBE, RESULTS, STOPS, lines, notebook
from made.command import perfstudies
from perfstudies import paths, workers
from perfstudies.cli import measure
from perfstudies.cli.app import INTERRUPTED
from perfstudies.errors import BadRecording, PerfstudiesError
from perfstudies.experiment import Experiment, Factor, Size
from perfstudies.notebooks import blocks, cluster, combined, remote
from perfstudies.runs import lab, lock, store
from perfstudies.runs.plan import Plan
from perfstudies.studies import EXPERIMENTS


@pytest.fixture(scope="module")
def scheduler():
    """The address of a cluster of two workers."""
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None, silence_logs=50
    ) as made:
        yield made.scheduler_address


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Keep results in a folder of the test's own."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "PROCESSED", tmp_path / "processed")
    return tmp_path


def test_a_batch_gives_what_it_gives_here_and_names_the_machine(here, scheduler):
    path = notebook(here, RESULTS, "assert seed != 2")
    arguments = [str(path), "--grid", "seed", "1", "2"]
    assert perfstudies("batch", *arguments, "--name", "far", "--scheduler", scheduler) == 1
    assert perfstudies("batch", *arguments, "--name", "near") == 1
    far, near = (here / "processed" / "batches" / name for name in ("far", "near"))
    for file in (combined.CSV, *(f"step/{one.name}" for one in (near / "step").glob("*.ipynb"))):
        if not file.endswith(".failed.ipynb"):
            assert (far / file).read_bytes() == (near / file).read_bytes(), file
    points = json.loads((far / "batch.json").read_text())["points"]
    assert [one["machine"] for one in points] == [platform.node()] * 2
    assert "AssertionError" in points[1]["error"]


def test_two_workers_on_a_machine_never_measure_side_by_side(here, scheduler):
    path, log = notebook(here, PROBE), here / "log"
    lock.place().touch()
    grid = ["--grid", "seed", "1", "2", "--grid", "source", "live", "reference"]
    assert perfstudies("batch", str(path), "-p", "log", str(log), *grid, "--scheduler", scheduler) == 0
    found = [line.split()[1:] for line in lines(log)]
    assert found == [["reference", "taken", "free"]] * 2 + [["live", "taken", "taken"]] * 2


def test_ctrl_c_ends_what_runs_on_the_workers(tmp_path, scheduler):
    path, log = notebook(tmp_path, STOPS), tmp_path / "log"
    os.mkfifo(f"{log}.pipe")
    command = [sys.executable, "-c", MAIN, str(tmp_path), str(path), "--scheduler", scheduler, "--name", "stopped"]
    command += ["-p", "log", str(log), "--grid", "seed", "2"]
    with open(tmp_path / "said", "w") as said:
        process = subprocess.Popen(command, stderr=said, start_new_session=True)
    try:
        kernel = psutil.Process(int(Path(f"{log}.pipe").read_text()))
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(60) == INTERRUPTED
        assert psutil.wait_procs([kernel], timeout=60)[1] == []
    finally:
        process.kill()
        process.wait()


def test_all_workers_are_seen_however_often_the_client_looks_by_itself(scheduler):
    with dask.config.set({"distributed.client.scheduler-info-interval": "1ms"}), workers.connected(scheduler) as client:
        assert {len(workers.present(client)) for _ in range(200)} == {2}


def test_workers_of_another_version_and_missing_schedulers_are_refused(here, scheduler, monkeypatch, capsys):
    path = str(notebook(here))
    monkeypatch.setattr(cluster, "library_checksum", lambda: "another")
    assert perfstudies("batch", path, "--scheduler", scheduler) == 1
    assert "another version of the lab" in capsys.readouterr().err
    monkeypatch.setattr(workers, "CONNECT_S", 0.5)
    assert perfstudies("batch", path, "--scheduler", "tcp://127.0.0.1:9") == 1
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in capsys.readouterr().err


@pytest.fixture
def small():
    factor = Factor("level", ("a", "b"), ("A", "B"))
    return Experiment("study", "small", "?", "none", "load", (factor,), sizes={"smoke": Size(3, 1)})


def answered(run, folder):
    (folder / "log").write_text(run.name)
    return {"load_s": 1.0, "workload": {"sessions": 1}}, ("log",)


@pytest.fixture
def worker(small, monkeypatch):
    """Make this process a worker's, which knows the small experiment."""
    monkeypatch.setattr(remote, "experiment", lambda key: {"study/small": small}[key])
    bench = SimpleNamespace(bench=lambda: nullcontext(answered), build=lambda: "build", read=lambda run: run)
    monkeypatch.setattr(Experiment, "module", lambda self, name: bench)
    monkeypatch.setattr(remote, "_watch", lambda interrupt: None)


def carrying_out(failing=()):
    """Stand in for a cluster: carry out each block here, except those that do not come back."""

    def carry_out(client, kind, orders, alone):
        assert kind == "block" and alone
        for number, order in enumerate(orders):
            yield number, {"error": "it went away"} if number in failing else remote.block(order)

    return carry_out


def test_blocks_are_measured_whole_stored_here_and_missing_ones_go_on(small, worker, tmp_path, monkeypatch):
    plan = Plan.of(small, "smoke", 1, "build", tmp_path)
    monkeypatch.setattr(cluster, "carry_out", carrying_out(failing=[1]))
    with pytest.raises(PerfstudiesError, match="study/small, block 2: it went away.*the same command goes on"):
        blocks.measure(None, plan)
    assert [run.block for run in plan.missing] == [1, 1]
    monkeypatch.setattr(cluster, "carry_out", carrying_out())
    runs = blocks.measure(None, plan)
    assert [run.name for run in runs] == [run.name for run in plan.runs]
    for run in runs:
        assert run.manifest["hosts"] == {"sent": platform.node(), "served": platform.node()}
        assert run.file("log").read_text() == run.name
    assert not list(tmp_path.glob(".*"))


def test_systems_of_another_build_are_refused(small, worker):
    planned = Plan.of(small, "smoke", 1, "another build").runs
    order = {
        "key": "study/small",
        "profile": "smoke",
        "seed": 1,
        "names": [run.name for run in planned],
        "quiet": False,
    }
    with pytest.raises(PerfstudiesError, match="the systems built here are others"):
        remote.block(order)


@pytest.mark.parametrize("change", ["path", "log", "manifest", "missing"])
def test_a_run_that_is_not_what_was_asked_for_is_not_stored(small, worker, tmp_path, change):
    plan = Plan.of(small, "smoke", 1, "build", tmp_path / "runs")
    name = plan.runs[0].name
    sent = remote.block({"key": "study/small", "profile": "smoke", "seed": 1, "names": [name], "quiet": False})["runs"][
        name
    ]
    files = {file: base64.b64decode(content) for file, content in sent.items()}
    wrong = {
        "path": files | {"../log": b""},
        "log": files | {"log": b"another"},
        "manifest": files | {store.MANIFEST: files[store.MANIFEST].replace(b'"run": "smoke', b'"run": "other')},
        "missing": {store.MANIFEST: files[store.MANIFEST]},
    }[change]
    with pytest.raises(BadRecording):
        lab.adopt(tmp_path / "runs", name, wrong)
    assert list((tmp_path / "runs").iterdir()) == [] and not (tmp_path / "log").exists()
    lab.adopt(tmp_path / "runs", name, files)
    assert name not in [run.name for run in plan.missing]


@pytest.mark.live
def test_an_experiment_is_measured_on_a_cluster(tmp_path, scheduler, monkeypatch):
    monkeypatch.setattr("perfstudies.runs.plan.RAW", tmp_path)
    one = EXPERIMENTS["corba/looks"]
    one = replace(one, factors=tuple(factor.select(factor.levels[:1]) for factor in one.factors))
    assert measure.measure([one], "smoke", scheduler=scheduler) == []
    runs = list(store.runs(tmp_path / "live" / "corba" / "looks"))
    assert len(runs) == len(Plan.of(one, "smoke", 1).runs) and {run.manifest["status"] for run in runs} == {
        store.FINISHED
    }
