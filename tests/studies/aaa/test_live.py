"""The AAA study's runs on real servers: both containers, all parties, the record of both sides."""

import lzma
from dataclasses import replace

import psutil
import pytest

from perfstudies.experiment import Factor
from perfstudies.runs import lab, recording, store
from perfstudies.runs.plan import Plan
from perfstudies.servers import mariadb
from perfstudies.studies.aaa import bench, collect
from perfstudies.studies.aaa import declared as aaa

pytestmark = pytest.mark.live


def _measured(experiment, folder, monkeypatch):
    monkeypatch.setattr(recording, "PROCESSED", folder / "processed")
    with experiment.module(experiment.bench).bench() as procedure:
        runs = lab.measure(Plan.of(experiment, "smoke", 1, folder=folder / "runs"), procedure, show_progress=False)
    assert [run.manifest["status"] for run in runs] == [store.FINISHED] * len(runs), runs[0].manifest.get("error")
    assert _servers() == []
    assert not list((folder / "runs").glob("*/work")) + list((folder / "runs" / ".process").glob("*"))
    return recording.load(experiment, runs)


def test_two_beans_serve_ten_requests_in_one_container_and_two_in_the_other(tmp_path, monkeypatch):
    experiment = aaa.TWO_BEANS.select(pool=["glassfish-2", "openejb-2"])
    recorded = _measured(experiment, tmp_path, monkeypatch)
    runs = recorded.runs.set_index("pool")
    assert runs.loc["glassfish-2", "beans_busy_max"] > 2
    assert runs.loc["openejb-2", "beans_busy_max"] <= 2
    # Only what is kept of the beans is limited.
    created, destroyed = runs.loc["glassfish-2", ["beans_created", "beans_destroyed"]]
    assert created - destroyed <= 2 < created
    refused = recorded.samples[recorded.samples["outcome"] == "soap fault"]
    assert set(refused["pool"]) == {"openejb-2"}
    assert set(refused["detail"]) == set(refused["status"]) == {"NoBean"}


def test_both_sides_of_a_request_tell_one_story_and_the_studys_logs_another_half(tmp_path, monkeypatch):
    experiment = aaa.POOLS.select(http_threads=["100"], ejb_max=["32"])
    recorded = _measured(experiment, tmp_path, monkeypatch)
    samples = recorded.samples[recorded.samples["outcome"] == "ok"]
    assert len(recorded.samples) == 4 * aaa.POOLS.size("smoke").requests
    assert (samples["asm_ms"] >= recorded.runs["unit_ms"].iloc[0]).all()
    assert (samples["asm_ms"] <= samples["ejb_ms"]).all()
    assert (samples["ejb_ms"] <= samples["servlet_ms"]).all()
    assert (samples["entered_us"] >= samples["started_us"]).all()
    assert recorded.runs["server_answered"].sum() >= len(samples)
    (run,) = store.runs(tmp_path / "runs")
    assert {name for name in run.manifest["files"] if name.startswith(("Total", "EJB"))} == {
        f"{kind}_Timelog-{client}.xz" for kind in ("Total", "EJB") for client in range(4)
    }


def test_a_process_serves_a_first_deployment_that_is_no_part_of_the_record(tmp_path, monkeypatch):
    sent, run_clients = [], bench.run_clients

    def noting(plans, *more, **named):
        sent.append((plans[0].record.parent.name, len(plans), plans[0].requests))
        return run_clients(plans, *more, **named)

    monkeypatch.setattr(bench, "run_clients", noting)
    monkeypatch.setitem(bench.FIRST_DEPLOYMENT_REQUESTS, "smoke", 3)
    recorded = _measured(aaa.GAPS, tmp_path, monkeypatch)
    assert [one for one in sent if one[0] == "first-deployment"] == [("first-deployment", 4, 3)]
    assert sent[1][0] == "first-deployment"  # after the warm-up, before any run
    assert len(recorded.samples) == len(recorded.runs) * 4 * aaa.GAPS.size("smoke").requests == 160
    for run in store.runs(tmp_path / "runs"):
        assert run.manifest["workload"]["first_deployment_requests"] == 3


def test_a_closed_loads_deployment_serves_requests_like_its_own_that_are_no_part_of_the_record(tmp_path, monkeypatch):
    sent, run_clients = [], bench.run_clients

    def noting(plans, *more, **named):
        sent.append(plans[0])
        return run_clients(plans, *more, **named)

    monkeypatch.setattr(bench, "run_clients", noting)
    recorded = _measured(aaa.MIXES.select(mix=["both-20"]), tmp_path, monkeypatch)
    before, load = sent[-2:]
    assert (before.wsdl, before.users, before.keep_alive) == (load.wsdl, load.users, load.keep_alive)
    assert before.distinct_bodies() == load.distinct_bodies()
    (run,) = store.runs(tmp_path / "runs")
    assert run.manifest["workload"]["deployment_warm_up_requests"] == before.requests == 2 * load.requests == 200
    assert len(recorded.samples) == run.manifest["statistics"]["requests"] == 100
    with lzma.open(run.file(collect.SERVER_RECORD), "rt") as record:
        assert sum(1 for _ in record) == 101


def test_the_parties_exchange_what_the_sequence_says_and_refuse_bad_tickets(tmp_path, monkeypatch):
    experiment = aaa.SEQUENCES.select(sequence=["push", "roaming"])
    # A busy machine may need more than the usual second between a ticket and its use.
    experiment = replace(experiment, fixed={**experiment.fixed, "ticket.lifetime_ms": "4000"})
    recorded = _measured(experiment, tmp_path, monkeypatch)
    runs = {run["sequence"]: run for run in recorded.runs.to_dict("records")}
    hops = ("user>aaa", "aaa>user", "user>equipment", "equipment>user")
    assert {hop: runs["push"][f"messages {hop}"] for hop in hops} == dict.fromkeys(hops, 1.0)
    run = runs["roaming"]
    hops = ("user>aaa", "aaa>provider", "provider>equipment", "equipment>provider", "provider>aaa", "aaa>user")
    assert {hop: run[f"messages {hop}"] for hop in hops} == dict.fromkeys(hops, 1.0)
    assert (run["ticket_expired"], run["ticket_tampered"], run["ticket_replayed"]) == (
        "TicketExpired", "TicketTampered", "TicketReplayed",
    )  # fmt: skip
    assert recorded.warnings == ()


@pytest.mark.skipif(bool(mariadb.unavailable()), reason=mariadb.unavailable() or "MariaDB is there")
def test_policies_come_from_the_database_that_the_setting_names_and_its_work_is_no_noise(tmp_path, monkeypatch):
    own, meter = [], bench.NoiseMeter

    def noting(*pids):
        own.extend(psutil.Process(pid).name() for pid in pids)
        return meter(*pids)

    monkeypatch.setattr(bench, "NoiseMeter", noting)
    recorded = _measured(aaa.DATABASES.select(database=["mariadb"]), tmp_path, monkeypatch)
    assert [name for name in own if "mariadb" in name or "mysqld" in name]
    assert set(recorded.samples["outcome"]) == {"ok"}
    assert len(recorded.samples) == aaa.DATABASES.size("smoke").requests
    (run,) = store.runs(tmp_path / "runs")
    assert run.manifest["system"]["database"].startswith("MariaDB 1")
    assert not [child for child in psutil.Process().children(recursive=True) if "mariadb" in child.name()]


@pytest.mark.skipif(bool(mariadb.unavailable()), reason=mariadb.unavailable() or "MariaDB is there")
def test_a_database_that_ends_its_connections_fails_requests_of_the_burst_and_what_follows(tmp_path, monkeypatch):
    # The timer holds the burst up for some seconds, however fast the machine is: it is cut while it goes on.
    size = replace(aaa.CUT.size("smoke"), time_scale=10)
    experiment = replace(aaa.CUT, factors=(Factor("requests", ("2000",), ("2,000",)),), sizes={"smoke": size})
    recorded = _measured(experiment, tmp_path, monkeypatch)
    (run,) = store.runs(tmp_path / "runs")
    assert run.manifest["database_cut"]["connections"] > 0
    assert 500 <= run.manifest["database_cut"]["after_requests"] < 2000
    samples = recorded.samples.set_index("phase")
    failed = samples[samples["detail"].astype(str).str.contains("RepositoryFailed")]
    # GlassFish's pool, as it comes, does not test a connection before it hands it out.
    assert "after" in failed.index and "before" not in failed.index
    assert set(samples.loc["before", "outcome"]) == {"ok"}
    # On a busy machine one may time out before it is refused.
    assert "soap fault" in (after := set(samples.loc["after", "outcome"])) and after <= {"soap fault", "timed out"}


@pytest.mark.parametrize("start", ["warm", "cold"])
def test_a_server_that_is_killed_fails_its_run_and_leaves_only_logs(tmp_path, monkeypatch, start):
    run_clients = bench.run_clients

    def and_kill(plans, prefix=(), alive=None, told=None, **named):
        def kill(ended):
            for child in _servers():
                child.kill()

        if not plans[0].record.parent.name.startswith("smoke"):
            return run_clients(plans, prefix, alive, told, **named)
        # Long enough to be killed in: some looks may pass before the first request has ended, and the server.
        return run_clients([replace(one, gap_ms=1000) for one in plans], prefix, alive, kill)

    experiment = aaa.BEAN_START.select(start=[start])
    experiment = replace(experiment, fixed=experiment.fixed | {"clients": "2"})
    plan = Plan.of(experiment, "smoke", 1, folder=tmp_path / "runs")
    with monkeypatch.context() as killing:
        killing.setattr(bench, "run_clients", and_kill)
        with experiment.module(experiment.bench).bench() as procedure:
            (run,) = lab.measure(plan, procedure, show_progress=False)
            assert run.manifest["status"] == store.FAILED
            assert "died" in run.manifest["error"]
            assert "it ended with status -9). The end of " in run.manifest["error"]
            records = list(run.folder.glob("client-*.csv"))
            assert sum(len(record.read_text().splitlines()) - 1 for record in records) > 0
            assert _servers() == []
            left = [path for path in run.folder.rglob("*") if path.is_dir() or "policies" in path.name]
            assert left == [run.folder / "work"]
            assert list((tmp_path / "runs" / ".process").glob("*")) == []
    with experiment.module(experiment.bench).bench() as procedure:
        (again,) = lab.measure(plan, procedure, show_progress=False)
    assert again.manifest["status"] == store.FINISHED
    assert len(list((tmp_path / "runs" / lab.SET_ASIDE).iterdir())) == 1


def _servers():
    return [child for child in psutil.Process().children(recursive=True) if "java" in child.name()]
