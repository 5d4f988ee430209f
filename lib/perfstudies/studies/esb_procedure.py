"""How a run of the ESB study's loads goes: back end and engine running and warm, then the load, then its log.

The settings of a block share the processes of back end and engines, which have answered messages before. Of each run
the repository keeps a reduced log; the whole one stays where the run was measured, but for that of an experiment's
first run, which is kept so that the reduction can be repeated.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from perfstudies.host import NoiseMeter
from perfstudies.lab import PlannedRun
from perfstudies.load.limits import require_open_files
from perfstudies.load.rate import RateResult, run_rate
from perfstudies.load.rate_plan import RatePlan
from perfstudies.studies.esb_base import RAW_LOG
from perfstudies.studies.esb_collect import collect, open_files_complaints
from perfstudies.studies.esb_means import NONE, Means
from perfstudies.systems import esb, usage
from perfstudies.systems.java import java, java_version
from perfstudies.systems.stall import stalled
from perfstudies.workloads.esb_messages import Message, Messages

build = esb.build

WARM_UP_S = {"smoke": 0.5, "quick": 3, "standard": 8, "full": 30}
"""How long a process answers messages before its first run, by profile; each run's own warm-up is found in its log."""
WARM_UP_CONNECTIONS = 100
CAPACITY_S = {"smoke": 0.5, "quick": 1.5, "standard": 4, "full": 10}
"""How long a closed load runs whose rate open arrivals take a share of."""
HASTY = ("smoke", "quick")
"""Profiles whose blocks and experiments share processes: a start takes longer than their runs."""
WARM_UP_TIMEOUT_S = 30.0
HIGHEST_RATE_PER_S = 100_000
"""Room in a log for so many messages a second; none of the systems comes near."""
BACK_END_THREADS = "10000"
"""At most: Axis2's server takes a thread for each connection, of which Synapse at times opens twice as many as it has
clients."""

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
        self._block: tuple | None = None

    def stop(self) -> None:
        """Stop all processes."""
        self._ways.clear()
        self._capacities.clear()
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
                self._begin_block(planned, folder.parent / ".process")
                way = self._way(planned, means, folder.parent / ".process", own, work)
                message = way.messages.of(means.proxy, means.message_bytes)
                capacity = self._capacity(planned, means, way, message, work)
                way.messages.check(way.address(means.proxy), means.proxy, message)
                told = self._send(planned, means, way, message, capacity, folder)
                way.messages.check(way.address(means.proxy), means.proxy, message)
                files = collect(planned, folder)
                if means.open_files:
                    told["too_many_open_files"] = open_files_complaints(way.engine.process.log)
        except BaseException:
            with ExitStack() as broken:
                broken.push(lambda *_: True)  # the first error is the one to tell
                broken.callback(self.stop)
            raise
        shutil.rmtree(work, ignore_errors=True)
        return told, files

    def _begin_block(self, planned: PlannedRun, home: Path) -> None:
        block = (planned.profile, planned.seed)
        if planned.profile not in HASTY:
            block = (*block, planned.experiment.key, planned.block)
        if self._block == block:
            return
        self.stop()
        shutil.rmtree(home, ignore_errors=True)  # a lab that was killed left it
        self._processes.callback(shutil.rmtree, home, ignore_errors=True)
        self._back_end = self._processes.enter_context(esb.backend(home / "backend", _back_end_settings()))
        self._block = block

    def _way(self, planned: PlannedRun, means: Means, home: Path, own: ExitStack, work: Path) -> Way:
        """Return a warm way to the back end: one that the block's runs share, or one of this run alone."""
        kind = (means.engine, *sorted(means.engine_settings.items()), means.open_files)
        if planned.experiment.shared_process and kind in self._ways:
            return self._ways[kind]
        processes, place = (self._processes, home) if planned.experiment.shared_process else (own, work)
        if means.engine == NONE:
            way = Way(None, Messages(self._back_end.wsdl), lambda proxy: self._back_end.endpoint)
        else:
            engine = processes.enter_context(
                esb.engine(
                    means.engine, place / "-".join(map(str, (means.engine, *means.engine_settings.values()))),
                    self._back_end.endpoint, means.engine_settings, open_files=means.open_files or None,
                )
            )  # fmt: skip
            way = Way(engine, Messages(self._back_end.wsdl, engine), engine.address)
        # With too few open files a warm-up would break what the run is to meet whole.
        connections = WARM_UP_CONNECTIONS
        self._load(planned, way, way.messages.of("direct", 780), "direct", connections, WARM_UP_S, place)
        if planned.experiment.shared_process:
            self._ways[kind] = way
        return way

    def _capacity(self, planned: PlannedRun, means: Means, way: Way, message: Message, work: Path) -> float:
        """Return how many messages a second a closed load gets through; 0 if the run takes no share of it."""
        if not means.rate_share:
            return 0.0
        kind = (means.engine, *sorted(means.engine_settings.items()), means.proxy, means.message_bytes)
        if kind not in self._capacities:
            result = self._load(planned, way, message, means.proxy, means.connections, CAPACITY_S, work)
            self._capacities[kind] = result.ended / CAPACITY_S[planned.profile]
        return self._capacities[kind]

    def _load(
        self,
        planned: PlannedRun,
        way: Way,
        message: Message,
        proxy: str,
        connections: int,
        seconds: Mapping[str, float],
        place: Path,
    ) -> RateResult:
        """Send a closed load that is not recorded."""
        place.mkdir(parents=True, exist_ok=True)
        record = place / "not-recorded.bin"
        plan = _plan(way.address(proxy), message, connections, seconds[planned.profile], record, planned.seed)
        try:
            return run_rate(plan, self._alive(way))
        finally:
            record.unlink(missing_ok=True)

    def _alive(self, way: Way) -> Callable[[], bool]:
        return lambda: self._back_end.process.alive() and (way.engine is None or way.engine.process.alive())

    def _send(
        self, planned: PlannedRun, means: Means, way: Way, message: Message, capacity: float, folder: Path
    ) -> dict[str, object]:
        """Send the run's load; return the manifest's facts."""
        rate = means.rate_per_s or means.rate_share * capacity
        plan = _plan(
            way.address(means.proxy), message, means.connections, means.seconds, folder / RAW_LOG,
            planned.seed + planned.block, rate, means.messages, means.timeout_s,
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
                "message_bytes": len(message.content),
                "timeout_s": means.timeout_s,
                "stalled_s": [round((at - result.start_ns) / 1e9, 4) for at in (stall.moments if stall else ())],
                "ready_s": round((result.start_ns - started) / 1e9, 3),
                "ended_early": result.ended_early,
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


def _back_end_settings() -> dict[str, str]:
    return {"threads.core": "100", "threads.max": BACK_END_THREADS}


def _plan(
    address: str,
    message: Message,
    connections: int,
    seconds: float,
    record: Path,
    seed: int,
    rate: float = 0.0,
    messages: int = 0,
    timeout_s: float = WARM_UP_TIMEOUT_S,
) -> RatePlan:
    return RatePlan(
        address=address,
        message=message.content,
        headers=message.headers,
        connections=connections,
        requests_per_connection=messages,
        max_requests=messages * connections or int(HIGHEST_RATE_PER_S * max(1.0, seconds)),
        duration_s=seconds,
        rate=rate,
        seed=seed,
        timeout_s=timeout_s,
        must_contain=message.must_contain,
        record=record,
    )
