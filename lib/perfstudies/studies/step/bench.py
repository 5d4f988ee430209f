"""The STEP study's run procedure (its section 3.7), unattended.

Fresh database, populated; fresh server, configured; virtual users; stop; collect and merge the logs. The
study compiled and deployed anew for each run, in a fresh server. Here a run is a fresh deployment on a
fresh database, and an experiment says whether it gets a process of its own or shares one with its block:
then all settings of a block meet the same warm process, in random order, and are compared within it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from perfstudies import load_file
from perfstudies.load.closed import run_users
from perfstudies.runs import store
from perfstudies.runs.bench import Bench, Facts, Progress
from perfstudies.runs.host import NoiseMeter
from perfstudies.runs.plan import PlannedRun
from perfstudies.servers import mariadb
from perfstudies.servers.java import java_version, libraries
from perfstudies.servers.quota import quota
from perfstudies.studies.step import collect as step_collect
from perfstudies.studies.step.collect import CLIENT_LOG, size_bytes
from perfstudies.studies.step.server import flight, flight_images, generations
from perfstudies.studies.step.settings import DEFAULTS, RunSettings
from perfstudies.studies.step.workload import flight_data, flight_load

WARM_UP, MEASURED = "warm-up", "measured"
PROCESS_WARM_UP_SESSIONS = {"smoke": 6, "quick": 10, "standard": 100, "full": 100}
"""Sessions that a shared process serves before its first run, by profile.

In a pilot, times fell until some 100 to 200 requests were served, with every library and database. After 60 sessions
the first deployment was still some 5 % slower than those that followed; after 10 it was some 20 %, and all requests
took half as long again.
"""
_CLIENT_VM = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xms16m")
VMS: dict[str, tuple[str, ...]] = {
    "server": (),
    "client": (*_CLIENT_VM, "-Xmx256m"),
    "client-64m": (*_CLIENT_VM, "-Xmx64m"),
}
"""What the JVM is told, by `RunSettings.vm`. HotSpot's client VM had the quick compiler alone, collected garbage with
one thread, and took 256 MB at most on a machine of the study's size (release notes of Java SE 6, update 18); before
that update 64 MB."""


class FlightBench(Bench):
    """Keeps a process for the runs of a block that share it: one of each generation, database, VM and share."""

    def __init__(self, progress: Progress | None = None) -> None:
        super().__init__(progress)
        self._shared: dict[tuple[object, ...], _Shared] = {}

    def stop(self) -> None:
        """Stop the shared processes."""
        self._shared.clear()
        super().stop()

    def carry_out(self, planned: PlannedRun, folder: Path) -> Facts:
        """Carry out one run: the manifest's facts are workload, system, noise, sizes of the logs and counts."""
        work = folder / "work"
        settings = settings_of(planned)
        data = flight_data.generate()
        make_images(planned, data)
        with ExitStack() as own:
            database = own.enter_context(fresh_database(settings, work, data))
            if planned.experiment.shared_process:
                shared = self._process(planned, settings, folder, data)
                service = shared.service
                service.deploy(work, database, settings.service)
                deployment = shared.deployments = shared.deployments + 1
            else:
                self.stop()  # the processes of an earlier experiment
                generation = generations.named(settings.generation)
                started = flight.start(work, database, settings.service, VMS[settings.vm], generation=generation)
                service = own.enter_context(started)
                deployment = 0
            facts, collect = _serve(planned, settings, service, database, folder, self.send)
            service.close()
        files = collect()
        facts["system"]["deployment"] = deployment
        if planned.experiment.shared_process:
            facts["workload"]["process_warm_up_sessions"] = PROCESS_WARM_UP_SESSIONS[planned.profile]
        return facts, files

    def send(
        self,
        planned: PlannedRun,
        settings: RunSettings,
        service: flight.Service,
        loads: Sequence[Path],
        records: Sequence[Path],
    ) -> dict[str, object]:
        """Send each user's measured load and record it; return what the manifest is to say of how."""
        run_users(service.wsdl, loads, records, service.process.alive)
        return {}

    def _process(
        self, planned: PlannedRun, settings: RunSettings, folder: Path, data: flight_data.FlightData
    ) -> _Shared:
        """Return the block's process for a setting, started and warmed up if it is the first that asks for it."""
        self.begin_block(planned, folder)
        generation = generations.named(settings.generation)
        traces = generation.fixes_tracing and settings.traces
        percent = settings.cpu_percent
        special = ["trace"] * traces + ([] if percent is None else [f"cpu-{percent}"])
        key = (generation.name, settings.database, settings.vm, *special)
        if key not in self._shared:
            home = self.home / "-".join(key)
            level = {"log.level": "trace" if traces else "off"}
            load = flight_load.study_load("SizeMedium")
            sessions = PROCESS_WARM_UP_SESSIONS[planned.profile]
            # What is warmed up is the service and its way to the database, not a network between them.
            with fresh_database(replace(settings, link="local"), home, data) as database:
                part = None if percent is None else self.processes.enter_context(quota(percent))
                prefix = part.prefix if part else ()
                server = flight.start(home, database, level, VMS[settings.vm], generation=generation, prefix=prefix)
                service = self.processes.enter_context(server)
                service.set_log_level("off")
                requests = flight_load.sessions(load, data, load.seed(planned.block), sessions)
                load_file.write(requests, home / "load.jsonl")
                run_users(service.wsdl, [home / "load.jsonl"], [home / "client.csv"], service.process.alive)
                service.close()
            if part:
                part.begin()
            self._shared[key] = _Shared(service)
        return self._shared[key]


@dataclass
class _Shared:
    """A process that runs share, and how many were deployed in it."""

    service: flight.Service
    deployments: int = 0


bench = FlightBench.opened
build = flight_images.build


def settings_of(planned: PlannedRun) -> RunSettings:
    """Return a run's settings: H2 where MariaDB is not there, unless databases are compared or one is behind a link."""
    settings = RunSettings.of(planned)
    compared = "database" in (factor.name for factor in planned.experiment.factors)
    return settings if compared or settings.link != "local" else with_a_database(settings)


def make_images(planned: PlannedRun, data: flight_data.FlightData) -> None:
    """Make what the runs of a planned one's experiment start from, all of it before the first of them."""
    chosen = planned.experiment.settings(planned.profile)
    settings = [settings_of(replace(planned, setting=setting)) for setting in chosen]
    wanted = {(generations.named(one.generation), one.database) for one in settings}
    # A run that asks for a MariaDB where there is none says so itself, and costs no other.
    flight_images.make(data, {one for one in wanted if one[1] != "mariadb" or not mariadb.unavailable()})


def with_a_database(settings: RunSettings) -> RunSettings:
    """Return settings with H2 in the place of a MariaDB that is not there."""
    missing = settings.database == "mariadb" and mariadb.unavailable()
    return replace(settings, database="h2") if missing else settings


@contextmanager
def fresh_database(
    settings: RunSettings, work: Path, data: flight_data.FlightData
) -> Iterator[flight.Database | mariadb.Database]:
    """Give a run a populated database of its own, in its folder; a server of it is stopped at the end.

    Raises
    ------
    MissingTool
        If a MariaDB is asked for and this machine has none, or not the link to it.
    """
    generation = generations.named(settings.generation)
    if settings.database == "h2":
        yield flight.h2(work, flight_images.image(data, generation))
        return
    shutil.copytree(flight_images.mariadb_image(data, generation), work / "mariadb")
    options = () if settings.flushes_at_commit else mariadb.LAZY_DISK
    with mariadb.start(work / "mariadb", settings.link, options=options) as server:
        yield server


def _serve(
    planned: PlannedRun,
    settings: RunSettings,
    service: flight.Service,
    database: flight.Database | mariadb.Database,
    folder: Path,
    send: Callable[..., dict[str, object]],
) -> tuple[dict, Callable[[], tuple[str, ...]]]:
    """Send the load; return the manifest's facts, and what collects the logs once the deployment is closed."""
    work = folder / "work"
    size = planned.experiment.size(planned.profile)
    warm_up_sessions, sessions = size.warm_up_sessions_of(planned.setting), size.sessions_of(planned.setting)
    requests = size.requests_of(planned.setting)
    load = flight_load.study_load(settings.load)
    seeds = [load.seed(planned.block, user) for user in range(settings.users)]
    phases = write_loads(folder, load, flight_data.generate(), seeds, warm_up_sessions, sessions, requests)
    bandwidth = None
    if isinstance(database, mariadb.Database) and settings.link != "local":
        bandwidth = database.link.measure_bandwidth()

    warmed_up = 0
    if warm_up_sessions:
        service.set_log_level("off")
        # One user warms up what the deployment made anew; others would only make it longer.
        loads, records = phases[WARM_UP]
        warmed_up = sum(1 for _ in load_file.read(loads[0]))
        run_users(service.wsdl, loads[:1], records[:1], service.process.alive)
        service.set_log_level(settings.service.get("log.level", DEFAULTS["log.level"]))
    statistics = settings.service.get("statistics") == "true"
    if statistics:
        service.statistics()
    logs = {
        "measured_log_bytes": work / flight.FUNCTIONAL_LOG,
        "console_log_bytes": service.process.log,
        "monitor_log_bytes": work / flight.MONITOR_FOLDER,
    }
    before = {name: size_bytes(path) for name, path in logs.items()}
    meter = noise_meter(service, database)
    how = send(planned, settings, service, *phases[MEASURED])
    noise = meter.read()
    counters = service.statistics() if statistics else None
    log_bytes = {name: size_bytes(path) - before[name] for name, path in logs.items()}

    facts = {
        "workload": {
            "load": load.name,
            "users": settings.users,
            "sessions": sessions,
            "requests": requests,
            "warm_up_sessions": warm_up_sessions,
            "seeds": seeds,
            "sha256": [store.sha256(path) for loads, _ in phases.values() for path in loads],
        },
        "system": system_facts(planned, settings, database),
        "load_s": round(noise.took_s, 3),
        "noise": noise.facts(),
        **how,
    }
    if counters is not None:
        facts["statistics"] = counters
    if bandwidth is not None:
        facts["bandwidth"] = {
            "to_database_mbit_s": round(bandwidth.to_server, 3),
            "from_database_mbit_s": round(bandwidth.to_client, 3),
        }

    def collect() -> tuple[str, ...]:
        monitor = settings.service.get("monitor", DEFAULTS["monitor"])
        kept = None
        if settings.kept_requests is not None:
            kept = range(warmed_up, warmed_up + settings.kept_requests)
            facts["monitor_log"] = {"first_request": kept.start, "requests": len(kept)}
        truncated, files = step_collect.monitor_log(monitor, work / flight.MONITOR_FOLDER, folder, kept)
        step_collect.client_log([record for phase in phases.values() for record in phase[1]], folder)
        facts["log_bytes"] = {"functional_log_bytes": size_bytes(work / flight.FUNCTIONAL_LOG), **log_bytes}
        facts["truncated_records"] = truncated
        # Functional logs reach gigabytes at trace: the study kept their sizes, and so does the lab. The load
        # files can be made again from their seeds, to the byte.
        shutil.rmtree(work)
        for loads, _ in phases.values():
            for path in loads:
                path.unlink()
        return (*files, CLIENT_LOG)

    return facts, collect


def noise_meter(service: flight.Service, database: flight.Database | mariadb.Database) -> NoiseMeter:
    """Watch how busy the machine is beside the service and a server of its database."""
    also = [database.process.pid] if isinstance(database, mariadb.Database) else []
    return NoiseMeter(service.process.pid, *also)


def system_facts(
    planned: PlannedRun, settings: RunSettings, database: flight.Database | mariadb.Database
) -> dict[str, object]:
    """Return what a manifest says of the system under test."""
    generation = generations.named(settings.generation)
    return {
        "name": planned.experiment.system,
        "java": java_version(),
        "libraries": list(libraries(generation.system)),
        "build": flight_images.build_of(generation),
        "database": f"MariaDB {database.version}" if isinstance(database, mariadb.Database) else "H2",
    }


def write_loads(
    folder: Path,
    load: flight_load.Load,
    data: flight_data.FlightData,
    seeds: Sequence[int],
    warm_up_sessions: int,
    sessions: int,
    requests: int | None = None,
) -> dict[str, tuple[list[Path], list[Path]]]:
    """Write each user's requests, cut into the two phases, before they are sent.

    Parameters
    ----------
    folder : Path
        Where the files go.
    load, data : Load, FlightData
        What is sent, and what is in the database.
    seeds : sequence of int
        One a user.
    warm_up_sessions, sessions : int
        Sessions of each phase.
    requests : int, optional
        The most measured requests of a user; all of its sessions' by default.

    Returns
    -------
    dict
        For each phase the load files and the files to record in, one a user.
    """
    phases: dict[str, tuple[list, list]] = {WARM_UP: ([], []), MEASURED: ([], [])}
    for user, seed in enumerate(seeds):
        all_requests = list(flight_load.sessions(load, data, seed, warm_up_sessions + sessions))
        mine = {
            WARM_UP: [one for one in all_requests if one.session < warm_up_sessions],
            MEASURED: [one for one in all_requests if one.session >= warm_up_sessions][:requests],
        }
        for phase, (loads, records) in phases.items():
            loads.append(folder / f"load-{user}-{phase}.jsonl")
            records.append(folder / f"client-{user}-{phase}.csv")
            load_file.write(iter(mine[phase]), loads[-1])
    return phases
