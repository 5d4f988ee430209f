"""Batches and senders on two machines that speak TLS with each other, and what is left when one of them is lost."""

import json
import os
import select
import threading
import time

import polars as pl
import psutil
import pytest

from made import dask_cluster, own_service
from made.batches import RESULTS, STOPS, notebook
from made.command import perfstudies
from perfstudies import paths
from perfstudies.errors import SystemFailed
from perfstudies.notebooks import combined
from perfstudies.own.service import measuring, reading
from perfstudies.own.service.declaration import comparison
from perfstudies.permit import permit
from perfstudies.runs import store

pytestmark = pytest.mark.skipif(not dask_cluster.possible(), reason="network namespaces need root, on Linux")
NAMES = ("first", "second")
REQUESTS = 200


@pytest.fixture
def cluster(tmp_path):
    (tmp_path / "cluster").mkdir()
    with dask_cluster.running(tmp_path / "cluster", *NAMES) as made:
        yield made


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "PROCESSED", tmp_path / "processed")
    return tmp_path


def in_background(work):
    """Do work in a thread, and return what waits for it and gives its result."""
    results = []
    thread = threading.Thread(target=lambda: results.append(work()), daemon=True)
    thread.start()

    def wait():
        thread.join(120)
        return results[0]

    return wait


def where_it_stopped(cluster, log):
    """The kernel that stopped, and the name of the machine that it is on."""
    pipe = os.open(f"{log}.pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert select.select([pipe], [], [], 60)[0], "no kernel stopped"
        kernel = psutil.Process(int(os.read(pipe, 100)))
    finally:
        os.close(pipe)
    above = {process.pid for process in kernel.parents()}
    return kernel, next(name for name, process in cluster.workers.items() if process.pid in above)


def test_a_batch_outlives_a_machine_and_names_a_scheduler_that_is_lost(here, cluster, capsys):
    path, log = notebook(here, RESULTS, STOPS), here / "log"
    os.mkfifo(f"{log}.pipe")
    points = [str(path), "-p", "log", str(log), "--grid", "seed", "1", "2", "3"]
    far = in_background(lambda: perfstudies("batch", *points, "--name", "far", "--scheduler", cluster.address))
    kernel, machine = where_it_stopped(cluster, log)
    log.with_name("log.go").touch()
    cluster.kill(machine)
    assert far() == 0
    assert psutil.wait_procs([kernel], timeout=60)[1] == []
    (left,) = cluster.workers
    made = json.loads((here / "processed" / "batches" / "far" / "batch.json").read_text())["points"]
    assert {one["machine"] for one in made} <= set(NAMES) and made[1]["machine"] == left

    log.with_name("log.go").unlink()
    lost = in_background(lambda: perfstudies("batch", *points, "--name", "lost", "--scheduler", cluster.address))
    kernel, _ = where_it_stopped(cluster, log)
    cluster.scheduler.kill()
    assert lost() == 1 and "the Dask scheduler was lost" in capsys.readouterr().err
    assert psutil.wait_procs([kernel], timeout=60)[1] == []
    log.with_name("log.go").touch()
    assert perfstudies("batch", *points, "--name", "lost") == 0
    far, near = (here / "processed" / "batches" / name / combined.CSV for name in ("far", "lost"))
    assert far.read_bytes() == near.read_bytes()


def test_what_was_sent_is_kept_when_a_machine_or_the_scheduler_is_lost(tmp_path, cluster):
    with own_service.running(cluster.host) as service:

        def measure(folder):
            target = {"wsdl": service.wsdl, "operation": "say", "arguments": {"text": "hello"}}
            load = {"users": 4, "requests": REQUESTS, "timeout_s": 5.0, "limit_s": 60.0}
            wanted, consent = comparison("spread", target, load, None, 1), permit(f"I may load {cluster.host}")
            service.seen.clear()
            (run,) = measuring.measure(wanted, consent, tmp_path / folder, cluster.address, show_progress=False)
            return run

        def lost(folder, kill, said):
            def wait():
                until = time.monotonic() + 60
                while len(service.seen) < REQUESTS / 2 and time.monotonic() < until:
                    time.sleep(0.01)
                kill()

            service.seen.clear()
            killing = in_background(wait)
            with pytest.raises(SystemFailed, match=said):
                measure(folder)
            killing()
            (csv,) = (tmp_path / folder).glob(f"*/{measuring.REQUESTS}")
            rows = pl.read_csv(csv)
            assert (rows["outcome"] == "ok").all() and not rows.select("user", "request").is_duplicated().any()
            assert 0 < len(rows) <= len(service.seen) < REQUESTS
            return rows

        assert lost("runs", lambda: cluster.kill("second"), "the Dask worker at .* was lost")["user"].n_unique() == 4
        run = measure("runs")
        assert run.manifest["status"] == store.FINISHED and len(service.seen) == REQUESTS == len(reading.records(run))
        assert run.manifest["hosts"] == {"sent": "first", "served": cluster.host}
        lost("other", cluster.scheduler.kill, "the Dask scheduler was lost")
        cluster.workers["first"].wait(120)  # it ends by itself, and what it sent is all that came
        assert len(service.seen) < REQUESTS
