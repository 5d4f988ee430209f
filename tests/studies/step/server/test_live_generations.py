"""The service on the libraries of 2009 and on today's: asked the same, both answer the same and record the same."""

import os
from collections import Counter
from dataclasses import replace

import psutil
import pytest
import zeep.exceptions
from zeep.helpers import serialize_object

from perfstudies.errors import BadParameter, SystemFailed
from perfstudies.experiment import Factor, Size
from perfstudies.load.soap import KeepingTransport, connect, said_by
from perfstudies.load_file import Request
from perfstudies.runs import lab, recording, store
from perfstudies.runs.plan import Plan
from perfstudies.servers import mariadb, quota
from perfstudies.studies.step import bench, collect
from perfstudies.studies.step import declared as step
from perfstudies.studies.step.logs import event_monitor, layer_monitor, perf4j
from perfstudies.studies.step.server import flight, flight_images, generations
from perfstudies.studies.step.workload import flight_data, flight_load

pytestmark = pytest.mark.live

DATA = flight_data.generate()
GENERATION = Factor("generation", ("today", "2009"), ("Today", "2009"))
TOO_LONG = "9" * 256
"""No column holds it, so that the database refuses it in the midst of a reservation."""


def _requests():
    """A seeded session file, mistakes included, and what it never asks for."""
    load = flight_load.study_load("SizeSmall")
    requests = list(flight_load.sessions(load, DATA, load.seed(0), 8))
    cities = {airport.code: airport.city for airport in DATA.airports}
    one = DATA.flights[0]
    there = {"departure": cities[one.origin], "destination": cities[one.destination]}
    passenger = {"name": "João Ñandú", "id": "1"}
    for operation, arguments in (
        ("createLowPriceReservation", there | {"passenger": passenger}),
        ("createLowPriceReservation", there | {"destination": "Nowhere", "passenger": passenger}),
        ("createSingleReservation", {"flightNumber": one.number, "passenger": passenger}),
        ("createSingleReservation", {"flightNumber": one.number, "passenger": {"name": " ", "id": "1"}}),
        ("createSingleReservation", {"flightNumber": one.number, "passenger": {"name": "A", "id": TOO_LONG}}),
        ("createSingleReservation", {"flightNumber": one.number, "passenger": passenger}),
    ):
        requests.append(Request(len(requests), len(requests), 0, operation, arguments))
    return requests


def _answer(client, request):
    """What a caller gets: the answer, or the fault's message, its name and what it holds."""
    try:
        return serialize_object(client.service[request.operation](**request.arguments), dict)
    except zeep.exceptions.Fault as fault:
        message, detail = said_by(fault)
        # Libraries of 2009 add where in the program it happened; the contract knows of the first entry alone.
        name = detail[0].tag.rpartition("}")[2]
        # What made the service unavailable each library calls by a name of its own.
        return message, name, "" if name == "serviceUnavailable" else "".join(detail[0].itertext())


@pytest.fixture(scope="module")
def services(tmp_path_factory):
    """A process of each generation, whose deployments the tests replace."""
    home = tmp_path_factory.mktemp("generations")
    opened = {}
    try:
        for name, generation in generations.GENERATIONS.items():
            image = flight_images.image(DATA, generation)
            folder = home / name
            running = flight.start(folder, flight.h2(folder, image), {"log.level": "off"}, generation=generation)
            opened[name] = (running, running.__enter__(), image)
        yield {name: (service, image) for name, (_, service, image) in opened.items()}
    finally:
        for running, _, _ in opened.values():
            running.__exit__(None, None, None)


@pytest.fixture
def deploy(services, tmp_path):
    """Deploy a generation anew, on a fresh database."""

    def deployed(name, **settings):
        service, image = services[name]
        folder = tmp_path / name / f"{len(list(tmp_path.glob(f'{name}/*')))}"
        service.deploy(folder, flight.h2(folder, image), {key.replace("_", "."): v for key, v in settings.items()})
        return service, connect(service.wsdl, 60, KeepingTransport), folder

    yield deployed
    for service, _ in services.values():
        service.close()


def _records(folder, monitor):
    """The records of a deployment that was closed, merged as the lab merges them."""
    collect.monitor_log(monitor, folder / flight.MONITOR_FOLDER, folder)
    return folder / collect.MONITOR_LOG


def _arrived(record):
    return int(record.layers["filter"].context["arrived_ns"])


def test_both_answer_and_record_the_same_of_a_whole_session_file(deploy):
    requests = _requests()
    answers, sent, records = {}, {}, {}
    for name in generations.GENERATIONS:
        service, client, folder = deploy(name, log_level="info")
        pairs = [(_answer(client, request), client.transport.sent) for request in requests]
        answers[name], sent[name] = zip(*pairs, strict=True)
        service.close()
        records[name] = sorted(layer_monitor.read(_records(folder, "layer")), key=_arrived)
    assert sent["2009"] == sent["today"]
    for request, today, old in zip(requests, answers["today"], answers["2009"], strict=True):
        assert old == today, request
    # It was a whole file: every operation, every outcome.
    assert len({request.operation for request in requests}) == 4
    kinds = Counter(kind[1] for kind in answers["2009"] if isinstance(kind, tuple))
    assert kinds["flightFault"] >= 3 and kinds["serviceUnavailable"] == 1
    assert [] in answers["2009"] and any(isinstance(answer, list) and answer for answer in answers["2009"])

    assert len(records["2009"]) == len(requests)
    for today, old in zip(records["today"], records["2009"], strict=True):
        assert set(old.layers) == set(today.layers)
        for tag, layer in today.layers.items():
            assert set(old.layers[tag].context) == set(layer.context)
            for key in ("name", "outcome", "request_logical_length"):
                assert old.layers[tag].context.get(key) == layer.context.get(key)
        assert old.layers["filter"].ns > old.layers["soap"].ns > old.layers["wsi"].ns > old.layers["si"].ns
        assert old.layers["si"].ns > old.layers["hibernate"].ns >= old.layers["hibernate.load"].ns > 0
    writes = [record.layers["soap"].context["name"] for record in records["2009"] if "hibernate.write" in record.layers]
    assert writes and "searchFlights" not in writes


@pytest.mark.parametrize("monitor", ["none", "event", "perf4j"])
def test_every_monitor_records_on_the_libraries_of_2009(deploy, monitor):
    service, client, folder = deploy("2009", monitor=monitor, monitor_wrap="false", monitor_collections="true")
    for request in _requests()[:4]:
        _answer(client, request)
    service.close()
    if monitor == "none":
        assert not list((folder / flight.MONITOR_FOLDER).glob("*"))
        return
    reader = {"event": event_monitor, "perf4j": perf4j}[monitor]
    tags = reader.read(_records(folder, monitor)).visits["tag"].value_counts()
    assert tags["filter"] == tags["soap"] == tags["wsi"] == tags["si"] == 4
    # The root of each request, all flights with both airports and the airplane, and the queries that found them.
    assert tags["hibernate.load"] > 4 * len(DATA.flights)
    assert "hibernate" not in tags


@pytest.mark.parametrize("cache", ["none", "read-only", "read-write"])
def test_every_cache_of_2009_keeps_what_todays_keeps(deploy, cache):
    requests = [request for request in _requests() if request.operation == "searchFlights"][:2]
    counted, answers = {}, {}
    for name in generations.GENERATIONS:
        service, client, _ = deploy(name, cache=cache, statistics="true", monitor="none")
        answers[name] = [_answer(client, request) for request in requests]
        counted[name] = service.statistics()
    assert answers["2009"] == answers["today"]
    assert counted["2009"] == counted["today"]
    assert (counted["2009"]["second_level_hits"] > 0) == (cache == "read-write")
    assert (counted["2009"]["second_level_puts"] > 0) == (cache != "none")


def test_debug_tells_of_every_object_in_2009_and_of_none_today(deploy):
    search = _requests()[0]
    told = {}
    for name in generations.GENERATIONS:
        service, client, folder = deploy(name, log_level="debug", log_console="false", log_location="false")
        _answer(client, search)
        before = (folder / flight.FUNCTIONAL_LOG).stat().st_size
        _answer(client, search)
        told[name] = (folder / flight.FUNCTIONAL_LOG).stat().st_size - before
    assert told["2009"] > 5 * told["today"] > 0


def test_trace_is_refused_by_a_process_of_2009_that_began_without_it(deploy):
    service, *_ = deploy("2009", log_level="info")
    with pytest.raises(SystemFailed, match="tells of values"):
        service.set_log_level("trace")


def _experiment(factors, fixed=()):
    sizes = {"smoke": Size(blocks=1, sessions=1, requests_at={"trace": 1})}
    return replace(step.MONITOR_COMPARISON, factors=factors, fixed=dict(fixed), sizes=sizes)


def _measured(experiment, folder, *settings):
    """Measure an experiment's settings, all but those that take long and are told elsewhere."""
    plan = Plan.of(experiment, "smoke", 1, folder=folder)
    plan = plan.only([run.name for run in plan.runs if tuple(run.setting.values()) in settings])
    with bench.bench() as procedure:
        runs = lab.measure(plan, procedure, show_progress=False)
    assert [run.manifest["status"] for run in runs] == [store.FINISHED] * len(settings), [
        run.manifest.get("error") for run in runs
    ]
    return recording.load(experiment, runs), {tuple(run.manifest["setting"].values()): run.manifest for run in runs}


def test_a_block_has_a_process_of_each_generation_and_one_more_for_trace(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "PROCESS_WARM_UP_SESSIONS", {"smoke": 1})
    levels = Factor("log.level", ("info", "trace"), ("Info", "Trace"))
    experiment = _experiment((GENERATION, levels), {"log.console": "false", "log.location": "false"})
    wanted = [("today", "info"), ("2009", "info"), ("2009", "trace")]
    recorded, manifests = _measured(experiment, tmp_path, *wanted)
    systems = [manifests[setting]["system"] for setting in wanted]
    assert [system["deployment"] for system in systems] == [1, 1, 1]
    old = ["hibernate-core-3.3.2.GA.jar" in system["libraries"] for system in systems]
    assert old == [False, True, True]
    assert systems[0]["build"] != systems[1]["build"] == systems[2]["build"]
    assert (recorded.calls["outcome"] == "ok").any()
    # Of every value of every flight.
    assert manifests["2009", "trace"]["log_bytes"]["measured_log_bytes"] > 1000 * len(DATA.flights)


@pytest.mark.skipif(bool(mariadb.unavailable()), reason=mariadb.unavailable() or "MariaDB is there")
def test_a_run_of_2009_on_mariadb(tmp_path):
    experiment = _experiment((GENERATION,), {"database": "mariadb", "cache": "read-write", "statistics": "true"})
    recorded, manifests = _measured(experiment, tmp_path, ("2009",))
    system = manifests["2009",]["system"]
    assert system["database"].startswith("MariaDB 1")
    assert "mysql-connector-java-5.1.8.jar" in system["libraries"]
    assert not recorded.calls["outcome"].isin(["system error", "transport error"]).any()
    assert recorded.runs["second_level_hits"].iloc[0] > 0


@pytest.mark.skipif(bool(mariadb.unavailable()), reason=mariadb.unavailable() or "MariaDB is there")
def test_what_a_variant_changes_reaches_the_processes(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "PROCESS_WARM_UP_SESSIONS", {"smoke": 1})
    told, served = {}, bench.run_users

    def and_look(wsdl, loads, records, alive):
        if "measured" in loads[0].name:
            children = psutil.Process().children(recursive=True)
            told[loads[0].parent.name] = " ".join(word for child in children for word in child.cmdline())
        served(wsdl, loads, records, alive)

    monkeypatch.setattr(bench, "run_users", and_look)
    experiment = replace(step.SLICE_CAUSES, sizes={"smoke": Size(blocks=1, sessions=1)})
    wanted = [("today", variant) for variant in ("as-study", "lazy-disk", "client-vm")]
    _measured(experiment, tmp_path, *wanted)
    lazy, client = mariadb.LAZY_DISK[0], " ".join(bench.VMS["client"])
    # A process of each VM: the client's is there from its run on.
    found = {variant: words for name, words in told.items() for _, variant in wanted if name.endswith(variant)}
    assert lazy in found["lazy-disk"] and lazy not in found["as-study"] + found["client-vm"]
    assert client in found["client-vm"]


@pytest.mark.skipif(bool(mariadb.unavailable()), reason=mariadb.unavailable() or "MariaDB is there")
@pytest.mark.skipif(bool(quota.unavailable()), reason=quota.unavailable() or "quotas can be set")
def test_a_service_gets_its_part_of_a_processor_once_its_process_is_warm(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "PROCESS_WARM_UP_SESSIONS", {"smoke": 1})
    told, served = [], bench.run_users

    def and_look(wsdl, loads, records, alive):
        mine = {str(child.pid) for child in psutil.Process().children(recursive=True)}
        name = f"perfstudies-{os.getpid()}-*"
        (group,) = list(quota.ROOT.glob(name)) + list(quota.ROOT.glob(f"*/{name}"))
        assert mine & set((group / "cgroup.procs").read_text().split())
        counts = dict(line.split() for line in (group / "cpu.stat").read_text().splitlines())
        # The kernel counts periods where there is a part to keep to.
        told.append((loads[0].name, int(counts.get("nr_periods", 0)) > 0, group))
        served(wsdl, loads, records, alive)

    monkeypatch.setattr(bench, "run_users", and_look)
    experiment = replace(step.SLOW_SERVER, sizes={"smoke": Size(blocks=1, sessions=1)})
    _measured(experiment, tmp_path, ("local", "part"))
    assert [one[:2] for one in told] == [("load.jsonl", False), ("load-0-measured.jsonl", True)]
    assert not any(group.exists() for _, _, group in told)


def test_what_asks_for_mariadb_gets_h2_where_there_is_none_unless_databases_are_compared(monkeypatch):
    def databases(experiment):
        runs = Plan.of(experiment, "standard", 1).runs
        return {run.setting.get("database"): bench.settings_of(run).database for run in runs}

    monkeypatch.setattr(mariadb, "unavailable", lambda: "")
    assert databases(step.SLICE_CAUSES) == {None: "mariadb"}
    monkeypatch.setattr(mariadb, "unavailable", lambda: "it has to be installed")
    assert databases(step.SLICE_CAUSES) == {None: "h2"}
    # What is compared with H2 is left out instead, and said to be.
    assert databases(step.TIME_BREAKDOWN) == {"mariadb": "mariadb", "h2": "h2"}


def test_a_generation_that_there_is_not_is_named():
    with pytest.raises(BadParameter, match="generation = '2010' is not known; use one of: today, 2009"):
        generations.named("2010")
