"""How a run of the AAA study goes: a deployment of its own, clients as processes, then the logs of both sides.

The settings of a block may share a server's process, which has served requests before; every run is a fresh
deployment in it, with pools and a database of its own. Clients that have lines of their own meet the server in one
network namespace, where this machine allows that.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from perfstudies.errors import MissingTool, SystemFailed
from perfstudies.load.http.clients import kept_client, run_clients
from perfstudies.load.http.plan import USERS, Plan
from perfstudies.runs.bench import Bench, Facts, Progress
from perfstudies.runs.host import NoiseMeter
from perfstudies.runs.plan import PlannedRun
from perfstudies.servers import mariadb, usage
from perfstudies.servers.process import Process, telling
from perfstudies.servers.quota import quota
from perfstudies.studies.aaa import collect, facts, loads
from perfstudies.studies.aaa.base import OPERATION
from perfstudies.studies.aaa.loads import Phase
from perfstudies.studies.aaa.server import access_lines, containers
from perfstudies.studies.aaa.settings import H2, RunSettings

build = containers.build

WARM_UP_REQUESTS = {"smoke": 100, "quick": 500, "standard": 6000, "full": 6000}
"""Requests that a process serves before its first run, by profile; its compiler has seen the container's code then."""
WARM_UP_BEFORE_RATES = {"standard": 12000, "full": 12000}
"""The same before rising rates: after 6,000 the first deployment of a process broke down at a third of the rate that
later ones kept up with; after these, at half of it."""
WARM_UP_USERS = 4
CUT_AFTER = 4
"""The database's connections are cut when the burst's requests have ended to this part."""
FIRST_DEPLOYMENT_REQUESTS = {"smoke": 0, "quick": 0, "standard": 100, "full": 100}
"""Requests of each client of the study's own program in a process' first deployment, which is no run, by profile: the
first one meets code that the warm-up's one deployment, without waiting, has not compiled yet."""
DEPLOYMENT_WARM_UP_REQUESTS = 2000
"""What a deployment serves of a closed load before its run, at most `DEPLOYMENT_WARM_UP_PART` times what is measured:
its classes are loaded and compiled anew, and the first 1,000 requests take a third longer than those from 2,000 on."""
DEPLOYMENT_WARM_UP_PART = {"smoke": 2, "quick": 4, "standard": 2, "full": 2}
"""By profile; at quick, where a run has some hundred requests, twice as many left deployments colder."""


class ContainerBench(Bench):
    """Keeps processes, one a container and network, for the runs that share them, and the network."""

    def __init__(self, progress: Progress | None = None) -> None:
        super().__init__(progress)
        self._network = ExitStack()
        self._running: dict[tuple, _Prepared] = {}
        self._lines: access_lines.AccessLines | None = None
        self._payload: list[dict] = []
        self._no_lines = ""

    def stop(self) -> None:
        """Stop the servers; the network stays."""
        self._running.clear()
        super().stop()

    def close(self) -> None:
        """Stop the servers and take down the network."""
        super().close()
        self._lines = None
        self._network.close()

    def carry_out(self, planned: PlannedRun, folder: Path) -> Facts:
        """Carry out one run."""
        settings = _settings(planned)
        lines, network = self._connected(settings)
        work = folder / "work"
        try:
            with ExitStack() as own:
                if planned.experiment.shared_process and settings.warm:
                    prepared = self._shared(planned, settings, folder, lines)
                else:
                    if not planned.experiment.shared_process:
                        self.stop()  # those of an earlier experiment
                    prepared = own.enter_context(_start(planned, settings, work / "process", lines))
                server = prepared.server
                database = own.enter_context(_database(settings, work))
                server.deploy(work, {**settings.server, **_address(database)})
                if int(settings.server.get("ejb.steady", "0")):
                    prepared.fill_pool(int(settings.server["ejb.steady"]), work)
                if requests := _deployment_warm_up_requests(planned, settings):
                    bodies = loads.bodies(settings, requests, seed=planned.block)
                    users = {"users": settings.concurrency, "keep_alive": True}
                    prepared.ask(work / "preparing.csv", requests=requests, bodies=bodies, **users)
                cut = _Cut(database, settings.requests // CUT_AFTER) if settings.cut and database else None
                told, phases = self._serve(planned, settings, server, database, folder, lines, cut)
                server.close()
        except BaseException:
            with ExitStack() as broken:
                broken.push(lambda *_: True)  # the first error is the one to tell
                broken.callback(_remove_temporary, work)
            raise
        told["network"] = network
        told["system"]["database"] = f"MariaDB {database.version}" if database else "H2"
        if cut:
            told["database_cut"] = {"after_requests": cut.after_requests, "connections": cut.connections}
        files = collect.collect(phases, work, folder)
        shutil.rmtree(work)
        return told, files

    def _connected(self, settings: RunSettings) -> tuple[access_lines.AccessLines | None, dict]:
        """Return the clients' lines if the run has some, and what the manifest says of the network."""
        if settings.network == "loopback":
            return None, {"kind": "loopback"}
        if self._lines is None and not self._no_lines:
            try:
                self._lines = self._network.enter_context(access_lines.access_lines())
                self._payload = [_payload(self._lines, client) for client in range(len(self._lines.rates_kbit_s))]
            except MissingTool as error:
                self._no_lines = str(error)
        if self._lines is None:
            return None, {"kind": "loopback", "instead_of": settings.network, "why": self._no_lines}
        rates = dict(self._lines.rates_kbit_s)
        return self._lines, {"kind": "access lines", "kbit_s": rates, "payload_mbit_s": self._payload}

    def _shared(
        self, planned: PlannedRun, settings: RunSettings, folder: Path, lines: access_lines.AccessLines | None
    ) -> _Prepared:
        """Return the block's process of a container, started and warmed up if the block is a new one."""
        self.begin_block(planned, folder)
        kind = (settings.container, lines is not None, settings.cpus, settings.cpu_percent)
        if kind not in self._running:
            place = self.home / "-".join(map(str, kind))
            self._running[kind] = self.processes.enter_context(_start(planned, settings, place, lines))
        return self._running[kind]

    def _serve(
        self,
        planned: PlannedRun,
        settings: RunSettings,
        server: containers.Server,
        database: mariadb.Database | None,
        folder: Path,
        lines: access_lines.AccessLines | None,
        cut: _Cut | None,
    ) -> tuple[dict, list[Phase]]:
        """Send all phases of the load; return the manifest's facts and the phases with their starts."""
        phases, progress = [], self.progress
        server.statistics()
        server_s, clients_s = usage.cpu_s(server.process.pid), facts.children_s()
        meter = NoiseMeter(server.process.pid, *([database.process.pid] if database else []))
        for phase in loads.phases(planned, settings, server.wsdl, folder, lines):
            records = [plan.record for plan in phase.plans]
            cutting = cut if phase.name == loads.DURING else None
            told = partial(_tell, progress, records, cutting) if progress or cutting else None
            with telling(server.process):
                start_ns = run_clients(phase.plans, lines.prefix if lines else (), server.process.alive, told)
            phases.append(replace(phase, start_ns=start_ns))
            if loads.is_enough(settings, phase):
                break
        noise = meter.read()
        return {
            "workload": facts.workload(
                planned,
                settings,
                sum(plan.requests for phase in phases for plan in phase.plans),
                [{"name": phase.name, "start_ns": phase.start_ns} for phase in phases],
            )
            | {
                "warm_up_requests": _warm_up_requests(planned) if settings.warm else 0,
                "first_deployment_requests": _first_deployment_requests(planned) if settings.warm else 0,
                "deployment_warm_up_requests": _deployment_warm_up_requests(planned, settings),
            },
            "system": facts.system(planned, settings),
            "load_s": round(noise.took_s, 3),
            "cpu_server_s": round(usage.cpu_s(server.process.pid) - server_s, 3),
            "cpu_clients_s": round(facts.children_s() - clients_s, 3),
            "noise": noise.facts(),
            "statistics": facts.counted(server),
        }, phases


bench = ContainerBench.opened


class _Cut:
    """Ends all of a database's connections once, when enough of a burst's requests have ended.

    Attributes
    ----------
    after_requests : int
        How many had ended then; until then, how many have to.
    connections : int
        How many connections it ended.
    """

    def __init__(self, database: mariadb.Database, after_requests: int) -> None:
        self.after_requests, self.connections = after_requests, 0
        self._database, self._done = database, False

    def __call__(self, ended: int) -> None:
        if not self._done and ended >= self.after_requests:
            self._done, self.after_requests = True, ended
            self.connections = self._database.end_connections()


def _tell(progress: Progress | None, records: list[Path], cut: _Cut | None, ended: int) -> None:
    if cut:
        cut(ended)
    if progress:
        progress(records)


@dataclass
class _Prepared:
    """A server's process that is sent, by a client that stays with it, what is no part of a run.

    A client's start takes longer than most of what this one sends.
    """

    server: containers.Server
    _prefix: Sequence[str]
    _own: ExitStack

    @cached_property
    def _client(self) -> Process:
        return self._own.enter_context(kept_client(self._prefix))

    def ask(self, record: Path, **more: Any) -> None:
        """Send requests, each when the last is answered; further arguments as of `Plan`."""
        what = {"bodies": (loads.body("SNBpolicy01", 1),), "client": loads.NOT_RECORDED, **more}
        plan = Plan(wsdl=self.server.wsdl, operation=OPERATION, record=record, arrivals=USERS, **what)
        run_clients([plan], alive=self.server.process.alive, kept=self._client)

    def fill_pool(self, beans: int, work: Path) -> None:
        """Send a request and wait until the server has made the beans that it is to have at all times.

        GlassFish makes them after its first call, not when the application is deployed.

        Raises
        ------
        SystemFailed
            If it does not make them in time.
        """
        self.ask(work / "preparing.csv", requests=1)
        deadline = time.monotonic() + facts.SETTLES_WITHIN_S
        while (alive := self.server.statistics()["beans_alive"]) < beans:
            if time.monotonic() > deadline:
                waited = f"{facts.SETTLES_WITHIN_S} s after its first call"
                raise SystemFailed(f"the server has {alive} of {beans} beans {waited}")
            time.sleep(facts.POLL_S)


@contextmanager
def _start(
    planned: PlannedRun, settings: RunSettings, home: Path, lines: access_lines.AccessLines | None
) -> Iterator[_Prepared]:
    """Start a process that has served requests, unless the setting wants a cold one.

    One that is to get a part of a processor starts and warms up with all of it, which changes nothing but how long
    that takes.
    """
    prefix = lines.prefix if lines else ()
    before = {**settings.server, "timer.unit_ms": "0"}
    with ExitStack() as own:
        part = own.enter_context(quota(settings.cpu_percent)) if settings.cpu_percent else None
        within = (*prefix, *part.prefix) if part else prefix
        starting = containers.start(settings.container, home, before, within, settings.cpus)
        server = own.enter_context(starting)
        prepared = _Prepared(server, prefix, own)
        if settings.warm:
            prepared.ask(home / "warm-up.csv", requests=_warm_up_requests(planned), users=WARM_UP_USERS)
            if requests := _first_deployment_requests(planned):
                first = home / "first-deployment"
                server.deploy(first, settings.server)
                for phase in loads.phases(planned, replace(settings, requests=requests), server.wsdl, first, lines):
                    run_clients(phase.plans, prefix, server.process.alive)
                server.close()
                shutil.rmtree(first)
        if part:
            part.begin()
        yield prepared


def _remove_temporary(work: Path) -> None:
    """Remove what a server that was killed could not remove itself; its logs stay."""
    for path in work.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif path.name.startswith("policies."):
            path.unlink()


def _warm_up_requests(planned: PlannedRun) -> int:
    more = WARM_UP_BEFORE_RATES if planned.experiment.procedure == "rates" else {}
    return more.get(planned.profile, WARM_UP_REQUESTS[planned.profile])


def _first_deployment_requests(planned: PlannedRun) -> int:
    return FIRST_DEPLOYMENT_REQUESTS[planned.profile] if planned.experiment.procedure == "starts" else 0


def _deployment_warm_up_requests(planned: PlannedRun, settings: RunSettings) -> int:
    closed = planned.experiment.procedure == "closed"
    part = DEPLOYMENT_WARM_UP_PART[planned.profile]
    return min(DEPLOYMENT_WARM_UP_REQUESTS, part * settings.requests) if closed else 0


def _settings(planned: PlannedRun) -> RunSettings:
    """Return a run's settings: H2, with no connection to end, where MariaDB is not there, unless both are compared."""
    settings = RunSettings.of(planned)
    compared = "database" in (factor.name for factor in planned.experiment.factors)
    if settings.database == H2 or compared or not mariadb.unavailable():
        return settings
    return replace(settings, database=H2)


@contextmanager
def _database(settings: RunSettings, work: Path) -> Iterator[mariadb.Database | None]:
    """Yield the server's database, which is a fresh one; none if it is H2 in the server's own process."""
    if settings.database == H2:
        yield None
        return
    folder = work / "mariadb"
    mariadb.initialise(folder)
    with mariadb.start(folder) as database:
        yield database


def _address(database: mariadb.Database | None) -> dict[str, str]:
    """Return the server's settings for its database."""
    if database is None:
        return {}
    return {"database.url": database.url, "database.user": database.user, "database.password": database.password}


def _payload(lines: access_lines.AccessLines, client: int) -> dict[str, float]:
    """Return what a client's line really carries, Mbit/s."""
    found = lines.measure_bandwidth(client)
    return {"to_server": round(found.to_server, 3), "to_client": round(found.to_client, 3)}
