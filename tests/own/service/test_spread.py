"""The users of a run over the worker processes of a Dask cluster on loopback."""

import os

import distributed
import polars as pl
import pytest

from made.own_service import running
from perfstudies.errors import SystemFailed
from perfstudies.own.service import measuring, reading
from perfstudies.own.service.declaration import Load, Target, comparison
from perfstudies.own.service.description import Description
from perfstudies.own.service.spread import divided, over
from perfstudies.own.service.users import Job
from perfstudies.permit import LOOPBACK
from perfstudies.runs import store


@pytest.fixture(scope="module")
def scheduler():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None,
    ) as cluster:  # fmt: skip
        yield cluster.scheduler_address


@pytest.fixture
def service():
    with running() as found:
        yield found


def measure(service, folder, scheduler, load, **target):
    target = {"wsdl": service.wsdl, "operation": "say", "arguments": {"text": "hello"}} | target
    wanted = comparison("spread", target, {"timeout_s": 5.0} | load, None, 1)
    (run,) = measuring.measure(wanted, LOOPBACK, folder, scheduler, show_progress=False)
    return run


@pytest.mark.parametrize("load", [{"users": 3, "requests": 20}, {"users": 3, "requests": 20, "rate_per_s": 500.0}])
def test_workers_send_all_requests_between_them(service, tmp_path, scheduler, load):
    run = measure(service, tmp_path, scheduler, load)
    assert run.manifest["status"] == store.FINISHED and run.manifest["workload"]["outcomes"]["ok"] == 20
    rows = reading.records(run)
    assert rows["user"].unique().to_list() == [0, 1, 2] and len(service.seen) == 20
    if "rate_per_s" in load:
        assert sorted(rows["request"]) == list(range(20))
    assert run.manifest["hosts"] == {"sent": os.uname().nodename, "served": "127.0.0.1"}


def test_requests_come_from_other_processes(service, tmp_path, scheduler, monkeypatch):
    # What this process is told to do with a request does not matter to the workers.
    def never(*_):
        raise AssertionError("this process sent a request")

    monkeypatch.setattr("perfstudies.own.service.calls.SoapAsker.ask", never)
    assert measure(service, tmp_path, scheduler, {"users": 2, "requests": 6}).manifest["status"] == store.FINISHED


def test_a_server_that_dies_fails_the_run_with_what_workers_had(service, tmp_path, scheduler):
    with pytest.raises(SystemFailed, match="does not answer any more"):
        measure(service, tmp_path, scheduler, {"users": 2, "requests": 60}, arguments={"text": "die 10"})
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
    rows = pl.read_csv(folder / measuring.REQUESTS)
    assert (rows["outcome"] == "ok").sum() == 9 and (rows["outcome"] == "transport error").sum() >= 5


def test_there_is_no_scheduler():
    with (
        pytest.raises(SystemFailed, match="no Dask scheduler answers at nonsense://127"),
        over("nonsense://127.0.0.1:1"),
    ):
        pass


def test_a_job_is_divided_without_losing_a_user_or_a_request():
    load = Load(users=5, requests=13)
    due_ns = tuple((number, number * 10) for number in range(13))
    job = Job(Target("x", "y", {}), Description("x", {}), LOOPBACK, load, tuple(range(5)), due_ns)
    for parts in (1, 2, 3, 5, 9):
        made = divided(job, parts)
        assert len(made) == min(parts, 5)
        assert sorted(user for one in made for user in one.users) == list(range(5))
        assert sorted(due for one in made for due in one.due_ns) == list(due_ns)
    assert sum(job.requests_of(user) for user in job.users) == 13
