"""How a run of the ESB study's loads goes: back end and engine running and warm, then the load, then its log.

The settings of a block, or of some, share the processes of back end and engines, which are warmed up first. Of each run
the repository keeps a reduced log; the whole one stays where the run was measured, but for that of an experiment's
first run, which is kept so that the reduction can be repeated.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from perfstudies.errors import MissingTool, SystemFailed
from perfstudies.load.http.limits import require_open_files
from perfstudies.load.rate.run import rate_client, run_rate
from perfstudies.runs.bench import HASTY, Bench, Facts, Progress
from perfstudies.runs.host import NoiseMeter
from perfstudies.runs.plan import PlannedRun
from perfstudies.servers import usage
from perfstudies.servers.java import java_version
from perfstudies.servers.process import Process, telling
from perfstudies.servers.stall import stalled
from perfstudies.studies.esb.base import RAW_LOG
from perfstudies.studies.esb.collect import collect, open_files_complaints
from perfstudies.studies.esb.server import engines
from perfstudies.studies.esb.settings import NONE, RunSettings
from perfstudies.studies.esb.warm_up import Target, unrecorded, warm_up
from perfstudies.studies.esb.workload.messages import Messages

build = engines.build

WARM_UP_BYTES = 1024
CAPACITY_S = {"smoke": 0.5, "quick": 1.5, "standard": 4, "full": 10}
"""How long a closed load runs whose rate open arrivals take a share of."""
ANSWERS_S = 10.0
"""How long an engine that ran out of files has to answer once more."""
BRIEF = "quick"
"""The profile whose warm-up a run's own process gets: what is asked of it is whether messages fail, not how fast."""
BACK_END_SETTINGS = {"threads.core": "100", "threads.max": "10000"}
"""Axis2's server takes a thread for each connection, of which Synapse at times opens twice as many as it has clients.
"""


@dataclass(frozen=True)
class Way:
    """A way to the back end: the engine, if there is one, and messages for its proxies."""

    engine: engines.Engine | None
    messages: Messages
    address: Callable[[str], str]


class BusBench(Bench):
    """Keeps the back end and an engine a kind for the runs that share them."""

    def __init__(self, progress: Progress | None = None) -> None:
        super().__init__(progress)
        self._back_end: engines.Service
        self._client: Process
        self._ways: dict[tuple, Way] = {}
        self._capacities: dict[tuple, float] = {}
        self._warm: dict[tuple, dict[str, object]] = {}

    def stop(self) -> None:
        """Stop all processes."""
        self._ways.clear()
        self._capacities.clear()
        self._warm.clear()
        super().stop()

    def block_of(self, planned: PlannedRun) -> tuple[object, ...]:
        """Return the block; an experiment may have some blocks in a row share processes."""
        of_block = super().block_of(planned)
        return (
            of_block
            if planned.profile in HASTY
            else (*of_block[:-1], planned.block // RunSettings.of(planned).blocks_a_process)
        )

    def carry_out(self, planned: PlannedRun, folder: Path) -> Facts:
        """Carry out one run; a `BadParameter` if this machine's limit of open files is too low for so many clients."""
        settings = RunSettings.of(planned)
        if not settings.open_files:
            # A file a client, and at times two a client to the back end; what is started here inherits the limit.
            require_open_files(
                3 * settings.connections, f"an engine between {settings.connections} clients and the back end"
            )
        work = folder / "work"
        with ExitStack() as own:
            if self.begin_block(planned, folder):
                self._client = self.processes.enter_context(rate_client())
                self._back_end = self.processes.enter_context(engines.backend(self.home / "backend", BACK_END_SETTINGS))
            if planned.experiment.shared_process:
                self._prepare(planned)
                way = self._ways.get(_kind(settings)) or self._started(settings, self.home, self.processes)
            else:
                way = self._started(settings, work, own)
                self._warm_up({(_kind(settings), settings.proxy): way}, BRIEF, work)
            message = way.messages.of(settings.proxy, settings.message_bytes)
            target = Target("run", way.address(settings.proxy), message)
            capacity = self._capacity(planned, settings, target, work)
            way.messages.check(target.address, settings.proxy, message)
            told = self._send(planned, settings, way, target, capacity, folder)
            files = collect(planned, folder)
            if settings.open_files and way.engine:
                told["too_many_open_files"] = open_files_complaints(way.engine.process.log)
                told["answers_afterwards"] = _answers(way, target, settings.proxy)
            else:
                way.messages.check(target.address, settings.proxy, message)
        shutil.rmtree(work, ignore_errors=True)
        return told, files

    def _prepare(self, planned: PlannedRun) -> None:
        """Start and warm up, together, what any setting of the experiment needs and is not there yet."""
        cold: dict[tuple, Way] = {}
        for setting in planned.experiment.settings(planned.profile, planned.block):
            settings = RunSettings.of(replace(planned, setting=setting))
            kind = _kind(settings)
            if (kind, settings.proxy) in self._warm:
                continue
            try:
                if kind not in self._ways:
                    self._ways[kind] = self._started(settings, self.home, self.processes)
            except MissingTool:
                continue  # the runs that need it say so
            cold[kind, settings.proxy] = self._ways[kind]
        if cold:
            self._warm_up(cold, planned.profile, self.home)

    def _started(self, settings: RunSettings, place: Path, processes: ExitStack) -> Way:
        """Start a way to the back end, which is not warm."""
        if settings.engine == NONE:
            return Way(None, Messages(self._back_end.wsdl), lambda proxy: self._back_end.endpoint)
        folder = place / "-".join((settings.engine, *settings.engine_settings.values()))
        engine = processes.enter_context(
            engines.engine(
                settings.engine, folder, self._back_end.endpoint, settings.engine_settings,
                open_files=settings.open_files or None,
            )
        )  # fmt: skip
        return Way(engine, Messages(self._back_end.wsdl, engine), engine.address)

    def _warm_up(self, cold: Mapping[tuple, Way], profile: str, place: Path) -> None:
        targets = [
            Target(f"{kind[0]} {proxy}", way.address(proxy), way.messages.of(proxy, WARM_UP_BYTES))
            for (kind, proxy), way in cold.items()
        ]
        alive = [self._alive(way) for way in cold.values()]
        told = warm_up(targets, profile, place, lambda: all(one() for one in alive), self._client)
        self._warm |= dict(zip(cold, told, strict=True))

    def _capacity(self, planned: PlannedRun, settings: RunSettings, target: Target, work: Path) -> float:
        """Return how many messages a second a closed load gets through; 0 if the run takes no share of it."""
        if not settings.rate_share:
            return 0.0
        kind = (_kind(settings), settings.proxy, settings.message_bytes, planned.block)
        if kind not in self._capacities:
            work.mkdir(parents=True, exist_ok=True)
            seconds = CAPACITY_S[planned.profile]
            plan = target.plan(work / "capacity.bin", seconds, settings.connections)
            self._capacities[kind] = unrecorded(plan, lambda: True, self._client).ended / seconds
        return self._capacities[kind]

    def _alive(self, way: Way) -> Callable[[], bool]:
        return lambda: self._back_end.process.alive() and (way.engine is None or way.engine.process.alive())

    def _send(
        self, planned: PlannedRun, settings: RunSettings, way: Way, target: Target, capacity: float, folder: Path
    ) -> dict[str, object]:
        """Send the run's load; return the manifest's facts."""
        rate = settings.rate_per_s or settings.rate_share * capacity
        plan = target.plan(
            folder / RAW_LOG, settings.seconds, settings.connections, rate, settings.messages, settings.timeout_s,
            planned.seed + planned.block,
        )  # fmt: skip
        pids = {"backend": self._back_end.pid} | ({"engine": way.engine.pid} if way.engine else {})
        everybody = [self._back_end.pid, *(other.engine.pid for other in self._ways.values() if other.engine)]
        watch = usage.Watch(pids)
        meter = NoiseMeter(*dict.fromkeys([*everybody, *pids.values(), self._client.pid]))
        stop = stalled(pids["engine"], settings.stall_s) if settings.stall_s else nullcontext()
        self._back_end.served()
        started = time.monotonic_ns()
        both = [self._back_end.process, *([way.engine.process] if way.engine else [])]
        with stop as stall, telling(*both):

            def begins(start_ns: int) -> None:
                watch.begin()
                if stall:
                    stall.at(start_ns + int(settings.seconds / 2 * 1e9))

            try:
                result = run_rate(plan, self._alive(way), begins=begins, client=self._client)
                parties, busy = watch.parties(), watch.machine()
            finally:
                watch.end()
        noise = meter.read()
        parties["client"] = {"user_s": result.cpu_user_s, "system_s": result.cpu_system_s}
        return {
            "workload": {
                "load": planned.experiment.load,
                "amount": planned.experiment.size(planned.profile).amount_of(planned.setting),
                "connections": settings.connections,
                "messages_per_connection": settings.messages,
                "seconds": settings.seconds,
                "rate_per_s": round(rate, 3),
                "capacity_per_s": round(capacity, 3),
                "proxy": settings.proxy,
                "message_bytes": len(target.message.content),
                "timeout_s": settings.timeout_s,
                "stalled_s": [round((at - result.start_ns) / 1e9, 4) for at in (stall.moments if stall else ())],
                "took_s": round((result.ended_ns - result.start_ns) / 1e9, 4),
                "ready_s": round((result.start_ns - started) / 1e9, 3),
                "ended_early": result.ended_early,
                "warm_up": self._warm[_kind(settings), settings.proxy],
            },
            "system": {
                "name": planned.experiment.system,
                "engine": settings.engine,
                "java": java_version(),
                "libraries": engines.libraries(settings.engine),
                "build": engines.build(),
            },
            "load_s": round(noise.took_s, 3),
            "served": self._back_end.served(),
            "parties": parties,
            "machine": busy,
            "noise": noise.facts(),
        }


bench = BusBench.opened


def _kind(settings: RunSettings) -> tuple:
    """Return what tells engines' processes apart."""
    return (settings.engine, *sorted(settings.engine_settings.items()), settings.open_files)


def _answers(way: Way, target: Target, proxy: str) -> bool:
    """Return whether the engine still answers: one that has run out of files may be broken for good."""
    try:
        way.messages.check(target.address, proxy, target.message, ANSWERS_S)
    except SystemFailed:
        return False
    return True
