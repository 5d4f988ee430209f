"""The STEP study's run procedure (its section 3.7), unattended.

Fresh database, populated; fresh server, configured; virtual users; stop; collect and merge the logs. The
study compiled and deployed anew for each run, in a fresh server. Here a run is a fresh deployment on a
fresh database, and an experiment says whether it gets a process of its own or shares one with its block:
then all settings of a block meet the same warm process, in random order, and are compared within it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from perfstudies import store
from perfstudies.host import NoiseMeter
from perfstudies.lab import PlannedRun
from perfstudies.load.closed import run_users
from perfstudies.studies import step_collect
from perfstudies.studies.step_collect import CLIENT_LOG, size_bytes
from perfstudies.systems import flight, flight_images, mariadb
from perfstudies.systems.flight_images import build
from perfstudies.systems.java import java, java_version, libraries
from perfstudies.workloads import flight_data, flight_load

WARM_UP, MEASURED = "warm-up", "measured"
PROCESS_WARM_UP_SESSIONS = {"smoke": 6, "quick": 10, "standard": 60, "full": 60}
"""Sessions that a shared process serves before its first run, by profile.

In a pilot, after 60 the first deployment was still some 5 % slower than those that followed; after 10 it was some 20 %,
and all requests took half as long again.
"""

Facts = tuple[Mapping[str, object], tuple[str, ...]]


@dataclass(frozen=True)
class Means:
    """What a setting's properties say to the lab; the rest goes to the service.

    Attributes
    ----------
    users : int
        Virtual users at the same time.
    load : str
        The name of the workload's parameters.
    database : {"h2", "mariadb"}
        Which one.
    link : str
        How it is reached, of `perfstudies.systems.link.LINKS`.
    reuse_results : bool
        Whether H2 may answer a repeated query from its last result.
    service : dict
        Properties of the service.
    """

    users: int
    load: str
    database: str
    link: str
    reuse_results: bool
    service: dict[str, str]

    @classmethod
    def of(cls, planned: PlannedRun) -> Means:
        """Sort a planned run's properties."""
        rest = planned.properties
        return cls(
            users=int(rest.pop("users", "1")),
            load=rest.pop("load", planned.experiment.load),
            database=rest.pop("database", "h2"),
            link=rest.pop("link", "local"),
            reuse_results=rest.pop("database.reuse_results", "true") == "true",
            service=rest,
        )


@contextmanager
def bench(progress: object = None) -> Iterator[Callable[[PlannedRun, Path], Facts]]:
    """Open the place where runs are carried out; yields what carries out one, and stops its server at the end."""
    place = Bench()
    try:
        yield place.run
    finally:
        place.stop()


class Bench:
    """Carries out runs; keeps a process for the runs of a block that share it."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._service: flight.Service | None = None
        self._block: tuple | None = None
        self._deployments = 0

    def stop(self) -> None:
        """Stop the shared process, if there is one."""
        self._service, self._block = None, None
        self._stack.close()

    def run(self, planned: PlannedRun, folder: Path) -> Facts:
        """Carry out one run in its folder.

        Returns
        -------
        facts : dict
            For the manifest: workload, system, noise, sizes of the logs, counts.
        files : tuple of str
            The raw logs to be listed: the merged monitor log and the client's record.

        Raises
        ------
        SystemFailed
            If the server did not start, died or hung. What the users recorded is kept.
        MissingTool
            If this machine cannot do what the setting asks for.
        """
        work = folder / "work"
        means = Means.of(planned)
        data = flight_data.generate()
        try:
            with ExitStack() as own:
                database = own.enter_context(_database(means, work, data))
                if planned.experiment.shared_process:
                    service = self._shared(planned, folder, data)
                    service.deploy(work, database, means.service)
                    self._deployments += 1
                else:
                    self.stop()  # the process of an earlier experiment
                    classes = flight_images.image(data).classes
                    service = own.enter_context(flight.start(work, database, means.service, classes))
                    self._deployments = 0
                facts, collect = _serve(planned, means, service, database, folder)
                service.close()
        except BaseException:
            self._service = None
            with ExitStack() as broken:
                broken.push(lambda *_: True)  # the first error is the one to tell
                broken.callback(self.stop)
            raise
        files = collect()
        facts["system"]["deployment"] = self._deployments
        if planned.experiment.shared_process:
            facts["workload"]["process_warm_up_sessions"] = PROCESS_WARM_UP_SESSIONS[planned.profile]
        return facts, files

    def _shared(self, planned: PlannedRun, folder: Path, data: flight_data.FlightData) -> flight.Service:
        """Return the block's process, started and warmed up if the block is a new one."""
        block = (planned.experiment.key, planned.profile, planned.seed, planned.block)
        if self._service is None or self._block != block:
            self.stop()
            home = folder.parent / ".process"
            shutil.rmtree(home, ignore_errors=True)
            image = flight_images.image(data)
            server = flight.start(home, flight.h2(home, image), {"log.level": "off"}, image.classes)
            self._stack.callback(shutil.rmtree, home, ignore_errors=True)
            self._service, self._block, self._deployments = self._stack.enter_context(server), block, 0
            load = flight_load.study_load("SizeMedium")
            sessions = PROCESS_WARM_UP_SESSIONS[planned.profile]
            requests = flight_load.sessions(load, data, load.seed(planned.block), sessions)
            flight_load.write(requests, home / "load.jsonl")
            alive = self._service.process.alive
            run_users(self._service.wsdl, [home / "load.jsonl"], [home / "client.csv"], alive)
        return self._service


@contextmanager
def _database(means: Means, work: Path, data: flight_data.FlightData) -> Iterator[flight.Database | mariadb.Database]:
    if means.database == "h2":
        yield flight.h2(work, flight_images.image(data), means.reuse_results)
        return
    shutil.copytree(flight_images.mariadb_image(data), work / "mariadb")
    with mariadb.start(work / "mariadb", means.link) as server:
        yield server


def _serve(
    planned: PlannedRun,
    means: Means,
    service: flight.Service,
    database: flight.Database | mariadb.Database,
    folder: Path,
) -> tuple[dict, Callable[[], tuple[str, ...]]]:
    """Send the load; return the manifest's facts, and what collects the logs once the deployment is closed."""
    work = folder / "work"
    size = planned.experiment.size(planned.profile)
    sessions, requests = size.sessions_of(planned.setting), size.requests_of(planned.setting)
    load = flight_load.study_load(means.load)
    seeds = [load.seed(planned.block, user) for user in range(means.users)]
    phases = write_loads(folder, load, flight_data.generate(), seeds, size.warm_up_sessions, sessions, requests)
    behind_link = isinstance(database, mariadb.Database) and means.link != "local"
    bandwidth = database.link.measure_bandwidth() if behind_link else None

    if size.warm_up_sessions:
        service.set_log_level("off")
        # One user warms up what the deployment made anew; others would only make it longer.
        run_users(service.wsdl, *(paths[:1] for paths in phases[WARM_UP]), service.process.alive)
        service.set_log_level(means.service.get("log.level", flight.DEFAULTS["log.level"]))
    statistics = means.service.get("statistics") == "true"
    if statistics:
        service.statistics()
    logs = {
        "measured_log_bytes": work / flight.FUNCTIONAL_LOG,
        "console_log_bytes": service.process.log,
        "monitor_log_bytes": work / flight.MONITOR_FOLDER,
    }
    before = {name: size_bytes(path) for name, path in logs.items()}
    also = [database.process.pid] if isinstance(database, mariadb.Database) else []
    meter = NoiseMeter(service.process.pid, *also)
    run_users(service.wsdl, *phases[MEASURED], service.process.alive)
    noise = meter.read()
    counters = service.statistics() if statistics else None
    log_bytes = {name: size_bytes(path) - before[name] for name, path in logs.items()}

    facts = {
        "workload": {
            "load": load.name,
            "users": means.users,
            "sessions": sessions,
            "requests": requests,
            "warm_up_sessions": size.warm_up_sessions,
            "seeds": seeds,
            "sha256": [store.sha256(path) for loads, _ in phases.values() for path in loads],
        },
        "system": {
            "name": planned.experiment.system,
            "java": java_version(java()),
            "libraries": list(libraries("flight")),
            "build": build(),
            "database": f"MariaDB {database.version}" if isinstance(database, mariadb.Database) else "H2",
        },
        "load_s": round(noise.took_s, 3),
        "noise": noise.facts(),
    }
    if counters is not None:
        facts["statistics"] = counters
    if bandwidth is not None:
        facts["bandwidth"] = {
            "to_database_mbit_s": round(bandwidth.to_server, 3),
            "from_database_mbit_s": round(bandwidth.to_client, 3),
        }

    def collect() -> tuple[str, ...]:
        monitor = means.service.get("monitor", flight.DEFAULTS["monitor"])
        truncated, files = step_collect.monitor_log(monitor, work / flight.MONITOR_FOLDER, folder)
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
            flight_load.write(iter(mine[phase]), loads[-1])
    return phases
