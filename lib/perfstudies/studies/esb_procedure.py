"""How a run of the ESB study's loads goes: back end and engine running and warm, then the load, then its log.

The settings of a block, or of some, share the processes of back end and engines, which are warmed up first. Of each run
the repository keeps a reduced log; the whole one stays where the run was measured, but for that of an experiment's
first run, which is kept so that the reduction can be repeated.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from perfstudies.errors import MissingTool, SystemFailed
from perfstudies.host import NoiseMeter
from perfstudies.lab import PlannedRun
from perfstudies.load.limits import require_open_files
from perfstudies.load.rate import run_rate
from perfstudies.studies.esb_base import RAW_LOG
from perfstudies.studies.esb_collect import collect, open_files_complaints
from perfstudies.studies.esb_means import NONE, Means
from perfstudies.studies.esb_warm_up import Target, unrecorded, warm_up
from perfstudies.systems import esb, usage
from perfstudies.systems.java import java, java_version
from perfstudies.systems.stall import stalled
from perfstudies.workloads.esb_messages import Messages

build = esb.build

WARM_UP_BYTES = 1024
CAPACITY_S = {"smoke": 0.5, "quick": 1.5, "standard": 4, "full": 10}
"""How long a closed load runs whose rate open arrivals take a share of."""
HASTY = ("smoke", "quick")
"""Profiles whose blocks and experiments share processes: a start takes longer than their runs."""
ANSWERS_S = 10.0
"""How long an engine that ran out of files has to answer once more."""
BRIEF = "quick"
"""The profile whose warm-up a run's own process gets: what is asked of it is whether messages fail, not how fast."""
BACK_END_SETTINGS = {"threads.core": "100", "threads.max": "10000"}
"""Axis2's server takes a thread for each connection, of which Synapse at times opens twice as many as it has clients.
"""

Facts = tuple[Mapping[str, object], tuple[str, ...]]


@dataclass(frozen=True)
class Way:
    """A way to the back end: the engine, if there is one, and messages for its proxies."""

    engine: esb.Engine | None
    messages: Messages
    address: Callable[[str], str]


@contextmanager
def bench(progress: object = None) -> Iterator[Callable[[PlannedRun, Path], Facts]]:
    """Open the place where runs are carried out; yields what carries out one, and stops its processes at the end."""
    place = Bench()
    try:
        yield place.run
    finally:
        place.stop()


class Bench:
    """Carries out runs; keeps the back end and an engine a kind for the runs that share them."""

    def __init__(self) -> None:
        self._processes = ExitStack()
        self._back_end: esb.Service | None = None
        self._ways: dict[tuple, Way] = {}
        self._capacities: dict[tuple, float] = {}
        self._warm: dict[tuple, dict[str, object]] = {}
        self._block: tuple | None = None

    def stop(self) -> None:
        """Stop all processes."""
        self._ways.clear()
        self._capacities.clear()
        self._warm.clear()
        self._back_end = self._block = None
        self._processes.close()

    def run(self, planned: PlannedRun, folder: Path) -> Facts:
        """Carry out one run in its folder.

        Returns
        -------
        facts : dict
            For the manifest: workload, system, noise, what each party used.
        files : tuple of str
            The logs to be listed.

        Raises
        ------
        SystemFailed
            If a process did not start, died or hung. What was recorded until then is kept.
        BadParameter
            If this machine's limit of open files is too low for so many clients.
        MissingTool
            If this machine lacks the engine.
        """
        means = Means.of(planned)
        if not means.open_files:
            # A file a client, and at times two a client to the back end; what is started here inherits the limit.
            require_open_files(3 * means.connections, f"an engine between {means.connections} clients and the back end")
        work = folder / "work"
        try:
            with ExitStack() as own:
                home = folder.parent / ".process"
                self._begin_block(planned, means, home)
                if planned.experiment.shared_process:
                    self._prepare(planned, home)
                    way = self._ways.get(_kind(means)) or self._started(means, home, self._processes)
                else:
                    way = self._started(means, work, own)
                    self._warm_up({(_kind(means), means.proxy): way}, BRIEF, work)
                message = way.messages.of(means.proxy, means.message_bytes)
                target = Target("run", way.address(means.proxy), message)
                capacity = self._capacity(planned, means, target, work)
                way.messages.check(target.address, means.proxy, message)
                told = self._send(planned, means, way, target, capacity, folder)
                files = collect(planned, folder)
                if means.open_files:
                    told["too_many_open_files"] = open_files_complaints(way.engine.process.log)
                    told["answers_afterwards"] = _answers(way, target, means.proxy)
                else:
                    way.messages.check(target.address, means.proxy, message)
        except MissingTool:
            raise  # what is there can go on with other runs
        except BaseException:
            with ExitStack() as broken:
                broken.push(lambda *_: True)  # the first error is the one to tell
                broken.callback(self.stop)
            raise
        shutil.rmtree(work, ignore_errors=True)
        return told, files

    def _begin_block(self, planned: PlannedRun, means: Means, home: Path) -> None:
        block = (planned.profile, planned.seed)
        if planned.profile not in HASTY:
            block = (*block, planned.experiment.key, planned.block // means.blocks_a_process)
        if self._block == block:
            return
        self.stop()
        shutil.rmtree(home, ignore_errors=True)  # a lab that was killed left it
        self._processes.callback(shutil.rmtree, home, ignore_errors=True)
        self._back_end = self._processes.enter_context(esb.backend(home / "backend", BACK_END_SETTINGS))
        self._block = block

    def _prepare(self, planned: PlannedRun, home: Path) -> None:
        """Start and warm up, together, what any setting of the experiment needs and is not there yet."""
        cold: dict[tuple, Way] = {}
        for setting in planned.experiment.settings(planned.profile):
            means = Means.of(replace(planned, setting=setting))
            kind = _kind(means)
            if (kind, means.proxy) in self._warm:
                continue
            try:
                if kind not in self._ways:
                    self._ways[kind] = self._started(means, home, self._processes)
            except MissingTool:
                continue  # the runs that need it say so
            cold[kind, means.proxy] = self._ways[kind]
        if cold:
            self._warm_up(cold, planned.profile, home)

    def _started(self, means: Means, place: Path, processes: ExitStack) -> Way:
        """Start a way to the back end, which is not warm."""
        if means.engine == NONE:
            return Way(None, Messages(self._back_end.wsdl), lambda proxy: self._back_end.endpoint)
        folder = place / "-".join((means.engine, *means.engine_settings.values()))
        engine = processes.enter_context(
            esb.engine(
                means.engine, folder, self._back_end.endpoint, means.engine_settings,
                open_files=means.open_files or None,
            )
        )  # fmt: skip
        return Way(engine, Messages(self._back_end.wsdl, engine), engine.address)

    def _warm_up(self, cold: Mapping[tuple, Way], profile: str, place: Path) -> None:
        targets = [
            Target(f"{kind[0]} {proxy}", way.address(proxy), way.messages.of(proxy, WARM_UP_BYTES))
            for (kind, proxy), way in cold.items()
        ]
        alive = [self._alive(way) for way in cold.values()]
        told = warm_up(targets, profile, place, lambda: all(one() for one in alive))
        self._warm |= dict(zip(cold, told, strict=True))

    def _capacity(self, planned: PlannedRun, means: Means, target: Target, work: Path) -> float:
        """Return how many messages a second a closed load gets through; 0 if the run takes no share of it."""
        if not means.rate_share:
            return 0.0
        kind = (_kind(means), means.proxy, means.message_bytes, planned.block)
        if kind not in self._capacities:
            work.mkdir(parents=True, exist_ok=True)
            seconds = CAPACITY_S[planned.profile]
            plan = target.plan(work / "capacity.bin", seconds, means.connections)
            self._capacities[kind] = unrecorded(plan, lambda: True).ended / seconds
        return self._capacities[kind]

    def _alive(self, way: Way) -> Callable[[], bool]:
        return lambda: self._back_end.process.alive() and (way.engine is None or way.engine.process.alive())

    def _send(
        self, planned: PlannedRun, means: Means, way: Way, target: Target, capacity: float, folder: Path
    ) -> dict[str, object]:
        """Send the run's load; return the manifest's facts."""
        rate = means.rate_per_s or means.rate_share * capacity
        plan = target.plan(
            folder / RAW_LOG, means.seconds, means.connections, rate, means.messages, means.timeout_s,
            planned.seed + planned.block,
        )  # fmt: skip
        pids = {"backend": self._back_end.pid} | ({"engine": way.engine.pid} if way.engine else {})
        everybody = [self._back_end.pid, *(other.engine.pid for other in self._ways.values() if other.engine)]
        watch = usage.Watch(pids)
        meter = NoiseMeter(*dict.fromkeys([*everybody, *pids.values()]))
        stop = stalled(pids["engine"], means.stall_s) if means.stall_s else nullcontext()
        self._back_end.served()
        started = time.monotonic_ns()
        with stop as stall:

            def begins(start_ns: int) -> None:
                watch.begin()
                if stall:
                    stall.at(start_ns + int(means.seconds / 2 * 1e9))

            try:
                result = run_rate(plan, self._alive(way), begins=begins)
                parties, busy = watch.parties(), watch.machine()
            finally:
                watch.end()
        noise = meter.read()
        parties["client"] = {"user_s": result.cpu_user_s, "system_s": result.cpu_system_s}
        return {
            "workload": {
                "load": planned.experiment.load,
                "amount": planned.experiment.size(planned.profile).amount_of(planned.setting),
                "connections": means.connections,
                "messages_per_connection": means.messages,
                "seconds": means.seconds,
                "rate_per_s": round(rate, 3),
                "capacity_per_s": round(capacity, 3),
                "proxy": means.proxy,
                "message_bytes": len(target.message.content),
                "timeout_s": means.timeout_s,
                "stalled_s": [round((at - result.start_ns) / 1e9, 4) for at in (stall.moments if stall else ())],
                "ready_s": round((result.start_ns - started) / 1e9, 3),
                "ended_early": result.ended_early,
                "warm_up": self._warm[_kind(means), means.proxy],
            },
            "system": {
                "name": planned.experiment.system,
                "engine": means.engine,
                "java": java_version(java()),
                "libraries": esb.libraries(means.engine),
                "build": esb.build(),
            },
            "load_s": round(noise.took_s, 3),
            "served": self._back_end.served(),
            "parties": parties,
            "machine": busy,
            "noise": noise.facts(),
        }


def _kind(means: Means) -> tuple:
    """Return what tells engines' processes apart."""
    return (means.engine, *sorted(means.engine_settings.items()), means.open_files)


def _answers(way: Way, target: Target, proxy: str) -> bool:
    """Return whether the engine still answers: one that has run out of files may be broken for good."""
    try:
        way.messages.check(target.address, proxy, target.message, ANSWERS_S)
    except SystemFailed:
        return False
    return True
