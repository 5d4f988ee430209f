"""How a run of calls over a pool of connections goes: back end and clients running and warm, the calls, both logs.

The runs of a block meet the same processes, which have answered calls before. Each run has a pool of its own.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from perfstudies.runs import store
from perfstudies.runs.bench import Bench, Facts, Progress
from perfstudies.runs.host import NoiseMeter
from perfstudies.runs.plan import PlannedRun
from perfstudies.servers.java import build_checksum, java_version
from perfstudies.servers.process import Process
from perfstudies.studies.esb.connections import STANDARD_SETTINGS, TODAY, VERSIONS
from perfstudies.studies.esb.logs import pooled
from perfstudies.studies.esb.server import callers, engines

WARM_UP_CALLS = {"smoke": 20, "quick": 200, "standard": 2000, "full": 2000}
"""Calls that a client makes on a back end before their first run, by profile."""
LEAST_TIME_S = 60
"""What a run may take beside its calls' own time, as it would be without any at the same time."""
CLIENT_LOG, SERVER_LOG = "client.csv", "service.csv"


def build() -> str:
    """Return a checksum of the systems under test: the back end, and the Axis2 client on each version."""
    parts = [build_checksum(module, ("esb", "launch")) for module in ("esb-backend", callers.MODULE)]
    parts += [name for version in VERSIONS for name in callers.java_libraries(version)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


class ConnectionsBench(Bench):
    """Keeps the clients, and a back end for each delay, for the runs that share them."""

    def __init__(self, progress: Progress | None = None) -> None:
        super().__init__(progress)
        self._back_ends: dict[str, tuple[engines.Service, Path]] = {}
        self._clients: dict[tuple[str, str], Process] = {}
        self._warm: set[tuple[str, str, str]] = set()

    def stop(self) -> None:
        """Stop all processes."""
        self._back_ends.clear()
        self._clients.clear()
        self._warm.clear()
        super().stop()

    def carry_out(self, planned: PlannedRun, folder: Path) -> Facts:
        """Carry out one run."""
        means = planned.properties
        self.begin_block(planned, folder)
        back_end, server_log = self._back_end(means["delay_ms"], self.home)
        client = self._client(means["client"], _version(means), self.home)
        self._warm_up(planned, client, back_end, self.home)
        return self._call(planned, client, back_end, server_log, folder)

    def _back_end(self, delay_ms: str, home: Path) -> tuple[engines.Service, Path]:
        if delay_ms not in self._back_ends:
            place = home / f"backend-{delay_ms}"
            log = place.resolve() / SERVER_LOG
            settings = {"delay_ms": delay_ms, "call.log": str(log)}
            self._back_ends[delay_ms] = self.processes.enter_context(engines.backend(place, settings)), log
        return self._back_ends[delay_ms]

    def _client(self, kind: str, version: str, home: Path) -> Process:
        if (kind, version) not in self._clients:
            started = callers.start(kind, home / f"{kind}-{version}", version)
            self._clients[kind, version] = self.processes.enter_context(started)
        return self._clients[kind, version]

    def _warm_up(self, planned: PlannedRun, client: Process, back_end: engines.Service, home: Path) -> None:
        """Make calls that are not recorded, if this client has made none on this back end."""
        means = planned.properties
        warm = means["client"], _version(means), back_end.endpoint
        if warm in self._warm:
            return
        calls, record = WARM_UP_CALLS[planned.profile], home.resolve() / "warm-up.csv"
        plan = _told(STANDARD_SETTINGS) | {
            "connections": STANDARD_SETTINGS["threads"], "orders": means["orders"], "address": back_end.endpoint,
            "calls": str(calls), "record": str(record),
        }  # fmt: skip
        callers.call(client, means["client"], plan, home, LEAST_TIME_S + calls)
        record.unlink()
        self._warm.add(warm)

    def _call(
        self, planned: PlannedRun, client: Process, back_end: engines.Service, server_log: Path, folder: Path
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
        called = callers.call(client, means["client"], plan, folder, limit_s)
        noise = meter.read()
        if not back_end.process.alive():
            raise back_end.process.failure("died while it was called")
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
                "java": java_version(),
                "libraries": sorted({*callers.java_libraries(_version(means)), *engines.libraries()}),
                "build": build(),
            },
            "connections": called.pooled,
            **({} if called.opened is None else {"opened": called.opened}),
            "load_s": round(noise.took_s, 3),
            "noise": noise.facts(),
        }, (pooled.CLIENT_RECORD, pooled.SERVER_RECORD)


bench = ConnectionsBench.opened


def _version(means: Mapping[str, str]) -> str:
    return means.get("axis2.version", TODAY)


def _told(means: Mapping[str, str]) -> dict[str, str]:
    """Return the properties that reach a client."""
    return {name: value for name, value in means.items() if name not in ("client", "axis2.version", "delay_ms")}


def _keep(frame: pd.DataFrame, start_ns: int, folder: Path, name: str) -> None:
    """Write a log with its times as microseconds after the run's start, and pack it."""
    plain = folder / name.removesuffix(".xz")
    pooled.since(frame, start_ns).to_csv(plain, index=False, lineterminator="\n")
    store.compress(plain, folder / name)
