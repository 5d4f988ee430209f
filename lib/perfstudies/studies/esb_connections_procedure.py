"""How a run of calls over a pool of connections goes: back end and clients running and warm, the calls, both logs.

The runs of a block meet the same processes, which have answered calls before. Each run has a pool of its own.
"""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pandas as pd

from perfstudies import store
from perfstudies.errors import SystemFailed
from perfstudies.host import NoiseMeter
from perfstudies.lab import PlannedRun
from perfstudies.logs import pooled
from perfstudies.studies.esb_connections import STANDARD_SETTINGS
from perfstudies.systems import callers, esb
from perfstudies.systems.java import build_checksum, java, java_version
from perfstudies.systems.process import Process

WARM_UP_CALLS = {"smoke": 20, "quick": 200, "standard": 2000, "full": 2000}
"""Calls that a client makes on a back end before their first run, by profile."""
HASTY = ("smoke", "quick")
"""Profiles whose blocks and experiments share processes: a start takes longer than their runs."""
LEAST_TIME_S = 60
"""What a run may take beside its calls' own time, as it would be without any at the same time."""
CLIENT_LOG, SERVER_LOG = "client.csv", "service.csv"

Facts = tuple[Mapping[str, object], tuple[str, ...]]


def build() -> str:
    """Return a checksum of the systems under test: the back end and the Axis2 client."""
    both = "".join(build_checksum(module, ("esb", "launch")) for module in ("esb-backend", callers.MODULE))
    return hashlib.sha256(both.encode()).hexdigest()


@contextmanager
def bench(progress: object = None) -> Iterator:
    """Open the place where runs are carried out; yields what carries out one, and stops its processes at the end."""
    place = Bench()
    try:
        yield place.run
    finally:
        place.stop()


class Bench:
    """Carries out runs; keeps the clients, and a back end for each delay, for the runs that share them."""

    def __init__(self) -> None:
        self._processes = ExitStack()
        self._back_ends: dict[str, tuple[esb.Service, Path]] = {}
        self._clients: dict[str, Process] = {}
        self._warm: set[tuple[str, str]] = set()
        self._block: tuple | None = None
        self._home = Path()

    def stop(self) -> None:
        """Stop all processes."""
        self._back_ends.clear()
        self._clients.clear()
        self._warm.clear()
        self._block = None
        self._processes.close()

    def run(self, planned: PlannedRun, folder: Path) -> Facts:
        """Carry out one run in its folder.

        Returns
        -------
        facts : dict
            For the manifest: workload, system, noise.
        files : tuple of str
            The raw logs to be listed.

        Raises
        ------
        SystemFailed
            If a process did not start, died or hung. What was recorded until then is kept.
        MissingTool
            If Java is missing, or a system has not been built.
        """
        means = planned.properties
        try:
            home = self._begin_block(planned, folder.parent / ".process")
            back_end, server_log = self._back_end(means["delay_ms"], home)
            client = self._client(means["client"], home)
            self._warm_up(planned, client, back_end, home)
            return self._call(planned, client, back_end, server_log, folder)
        except BaseException:
            with ExitStack() as broken:
                broken.push(lambda *_: True)  # the first error is the one to tell
                broken.callback(self.stop)
            raise

    def _begin_block(self, planned: PlannedRun, home: Path) -> Path:
        """Return where the processes of the run's block have their files; those of an earlier block are stopped."""
        block = (planned.profile, planned.seed)
        if planned.profile not in HASTY:
            block = (*block, planned.experiment.key, planned.block)
        if self._block == block:
            return self._home
        self.stop()
        shutil.rmtree(home, ignore_errors=True)  # a lab that was killed left it
        home.mkdir(parents=True)
        self._processes.callback(shutil.rmtree, home, ignore_errors=True)
        self._block, self._home = block, home
        return home

    def _back_end(self, delay_ms: str, home: Path) -> tuple[esb.Service, Path]:
        if delay_ms not in self._back_ends:
            place = home / f"backend-{delay_ms}"
            log = place.resolve() / SERVER_LOG
            settings = {"delay_ms": delay_ms, "call.log": str(log)}
            self._back_ends[delay_ms] = self._processes.enter_context(esb.backend(place, settings)), log
        return self._back_ends[delay_ms]

    def _client(self, kind: str, home: Path) -> Process:
        if kind not in self._clients:
            self._clients[kind] = self._processes.enter_context(callers.start(kind, home / kind))
        return self._clients[kind]

    def _warm_up(self, planned: PlannedRun, client: Process, back_end: esb.Service, home: Path) -> None:
        """Make calls that are not recorded, if this client has made none on this back end."""
        means = planned.properties
        if (means["client"], back_end.endpoint) in self._warm:
            return
        calls, record = WARM_UP_CALLS[planned.profile], home.resolve() / "warm-up.csv"
        plan = _told(STANDARD_SETTINGS) | {
            "connections": STANDARD_SETTINGS["threads"], "orders": means["orders"], "address": back_end.endpoint,
            "calls": str(calls), "record": str(record),
        }  # fmt: skip
        callers.call(client, means["client"], plan, home, LEAST_TIME_S + calls)
        record.unlink()
        self._warm.add((means["client"], back_end.endpoint))

    def _call(
        self, planned: PlannedRun, client: Process, back_end: esb.Service, server_log: Path, folder: Path
    ) -> Facts:
        """Make the run's calls; return the manifest's facts and the names of the logs."""
        means, size = planned.properties, planned.experiment.size(planned.profile)
        calls = size.requests
        record = folder.resolve() / CLIENT_LOG
        plan = _told(means) | {"address": back_end.endpoint, "calls": str(calls), "record": str(record)}
        before = server_log.stat().st_size if server_log.exists() else 0
        meter = NoiseMeter(back_end.pid, *(one.pid for one in self._clients.values()))
        start_ns = time.monotonic_ns()
        limit_s = LEAST_TIME_S + calls * (int(means["delay_ms"]) + int(means["pool.timeout_ms"])) / 1000
        connections = callers.call(client, means["client"], plan, folder, limit_s)
        noise = meter.read()
        self._check(back_end)
        _keep(pooled.read_client(record), start_ns, folder, pooled.CLIENT_RECORD)
        _keep(pooled.read_server(server_log, before), start_ns, folder, pooled.SERVER_RECORD)
        record.unlink()
        return {
            "workload": {
                "load": planned.experiment.load,
                "amount": size.amount_of(planned.setting),
                "calls": calls,
                "threads": int(means["threads"]),
                "warm_up_calls": WARM_UP_CALLS[planned.profile],
            },
            "system": {
                "name": planned.experiment.system,
                "client": means["client"],
                "java": java_version(java()),
                "libraries": sorted({*callers.java_libraries(), *esb.libraries()}),
                "build": build(),
            },
            "connections": connections,
            "load_s": round(noise.took_s, 3),
            "noise": noise.facts(),
        }, (pooled.CLIENT_RECORD, pooled.SERVER_RECORD)

    def _check(self, back_end: esb.Service) -> None:
        if not back_end.process.alive():
            raise SystemFailed("the back end died while it was called")


def _told(means: Mapping[str, str]) -> dict[str, str]:
    """Return the properties that reach a client."""
    return {name: value for name, value in means.items() if name not in ("client", "delay_ms")}


def _keep(frame: pd.DataFrame, start_ns: int, folder: Path, name: str) -> None:
    """Write a log with its times as microseconds after the run's start, and pack it."""
    plain = folder / name.removesuffix(".xz")
    pooled.since(frame, start_ns).to_csv(plain, index=False, lineterminator="\n")
    store.compress(plain, folder / name)
