"""The STEP study's run procedure (its section 3.7), unattended.

Fresh database, populated; fresh server, configured; virtual users; stop; collect and merge the logs. The
study compiled and deployed anew for each run; here a fresh process reads its settings from a file.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from perfstudies import store
from perfstudies.host import NoiseMeter
from perfstudies.lab import PlannedRun
from perfstudies.load.closed import run_users
from perfstudies.logs import layer_monitor
from perfstudies.paths import PROCESSED
from perfstudies.systems import flight
from perfstudies.systems.java import java, java_version, libraries
from perfstudies.workloads import flight_data, flight_load

MONITOR_LOG = "monitor.log.gz"
CLIENT_LOG = "client.csv.gz"
USERS = 1


def build() -> str:
    """Return a checksum of the system under test: its own jars' content and its libraries' names."""
    java()
    own = ("flight", "monitor")
    parts = [f"{name} {store.sha256(path) if name.startswith(own) else ''}" for name, path in libraries("flight").items()]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def run(planned: PlannedRun, folder: Path) -> tuple[Mapping[str, object], tuple[str, ...]]:
    """Carry out one run in its folder.

    Returns
    -------
    facts : dict
        For the manifest: workload, system, noise, sizes of the functional logs, counts.
    files : tuple of str
        The raw logs to be listed: the merged monitor log and the client's record.

    Raises
    ------
    SystemFailed
        If the server did not start, died or hung. What the users recorded is kept.
    """
    work = folder / "work"
    data = flight_data.generate()
    load = flight_load.study_load(planned.experiment.load)
    sessions = planned.experiment.size(planned.profile).sessions
    seeds = [load.seed(planned.block, user, USERS) for user in range(USERS)]
    loads = [folder / f"load-{user}.jsonl" for user in range(USERS)]
    for path, seed in zip(loads, seeds, strict=True):
        flight_load.write(flight_load.sessions(load, data, seed, sessions), path)
    records = [folder / f"client-{user}.csv" for user in range(USERS)]

    with flight.start(work, _populated(data), planned.settings) as service:
        log_bytes_at_start = _size(work / flight.FUNCTIONAL_LOG)
        meter = NoiseMeter(service.process.pid)
        run_users(service.wsdl, loads, records, service.process.alive)
        noise = meter.read()

    truncated = _merge_monitor(work / flight.MONITOR_FOLDER, folder)
    _merge_client(records, folder)
    facts = {
        "workload": {
            "load": load.name,
            "users": USERS,
            "sessions": sessions,
            "seeds": seeds,
            "sha256": [store.sha256(path) for path in loads],
        },
        "system": {"name": "flight", "java": java_version(java()), "libraries": list(libraries("flight")), "build": build()},
        "load_s": round(noise.took_s, 3),
        "noise": {
            "load_average": list(noise.load_average),
            "stolen": round(noise.stolen, 5),
            "foreign": round(noise.foreign, 5),
            "reasons": noise.reasons,
        },
        "log_bytes": {
            "functional_log_bytes": _size(work / flight.FUNCTIONAL_LOG),
            "functional_log_bytes_at_start": log_bytes_at_start,
            "console_log_bytes": _size(work / flight.CONSOLE_LOG),
        },
        "truncated_records": truncated,
    }
    # Functional logs reach gigabytes at trace: the study kept their sizes, and so does the lab. The load
    # files can be made again from their seeds, to the byte.
    shutil.rmtree(work)
    for path in loads:
        path.unlink()
    return facts, (MONITOR_LOG, CLIENT_LOG)


def _populated(data: flight_data.FlightData) -> Path:
    """Return the populated database that every run copies, made once for each build of the system."""
    folder = PROCESSED / "flight-database" / build()[:16]
    database = folder / f"{flight.DATABASE}.mv.db"
    if not database.exists():
        partial = folder.with_suffix(f".{os.getpid()}")
        shutil.rmtree(partial, ignore_errors=True)
        flight.populate(partial, data)
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)
    return database


def _merge_monitor(parts: Path, folder: Path) -> list[str]:
    merged = folder / "monitor.log"
    with open(merged, "w", encoding="utf-8", newline="\n") as out:
        truncated = layer_monitor.merge(list(parts.glob("*.log")), out)
    store.compress(merged, folder / MONITOR_LOG)
    return truncated


def _merge_client(records: list[Path], folder: Path) -> None:
    """Join the users' records under one heading; each line names its user."""
    merged = folder / "client.csv"
    with open(merged, "w", encoding="utf-8", newline="\n") as out:
        for user, path in enumerate(records):
            with open(path, encoding="utf-8") as part:
                heading = next(part)
                out.writelines([heading] if user == 0 else [])
                out.writelines(part)
            path.unlink()
    store.compress(merged, folder / CLIENT_LOG)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
