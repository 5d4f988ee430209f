"""The STEP study's run procedure (its section 3.7), unattended.

Fresh database, populated; fresh server, configured; virtual users; stop; collect and merge the logs. The
study compiled and deployed anew for each run; here a fresh process reads its settings from a file.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from perfstudies import store
from perfstudies.host import NoiseMeter
from perfstudies.lab import PlannedRun
from perfstudies.load.closed import run_users
from perfstudies.load.record import COLUMNS
from perfstudies.logs import layer_monitor
from perfstudies.paths import PROCESSED
from perfstudies.systems import flight
from perfstudies.systems.java import java, java_version, libraries
from perfstudies.workloads import flight_data, flight_load

MONITOR_LOG = "monitor.log.gz"
CLIENT_LOG = "client.csv.gz"
CLASSES = "classes.jsa"
USERS = 1
WARM_UP, MEASURED = "warm-up", "measured"


def build() -> str:
    """Return a checksum of the system under test: its own jars' content and its libraries' names."""
    java()
    own = ("flight", "monitor")
    parts = [
        f"{name} {store.sha256(path) if name.startswith(own) else ''}" for name, path in libraries("flight").items()
    ]
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
    size = planned.experiment.size(planned.profile)
    sessions = size.sessions_of(planned.setting)
    seeds = [load.seed(planned.block, user, USERS) for user in range(USERS)]
    phases = write_loads(folder, load, data, seeds, size.warm_up_sessions, sessions)

    with flight.start(work, image(data), planned.settings) as service:
        if size.warm_up_sessions:
            service.set_log_level("off")
            run_users(service.wsdl, *phases[WARM_UP], service.process.alive)
            service.set_log_level(planned.settings["log.level"])
        log_bytes_before = _size(work / flight.FUNCTIONAL_LOG)
        meter = NoiseMeter(service.process.pid)
        run_users(service.wsdl, *phases[MEASURED], service.process.alive)
        noise = meter.read()
        log_bytes_after = _size(work / flight.FUNCTIONAL_LOG)

    truncated = _merge_monitor(work / flight.MONITOR_FOLDER, folder)
    _merge_client([record for phase in phases.values() for record in phase[1]], folder)
    loads = [path for phase in phases.values() for path in phase[0]]
    facts = {
        "workload": {
            "load": load.name,
            "users": USERS,
            "sessions": sessions,
            "warm_up_sessions": size.warm_up_sessions,
            "seeds": seeds,
            "sha256": [store.sha256(path) for path in loads],
        },
        "system": {
            "name": "flight",
            "java": java_version(java()),
            "libraries": list(libraries("flight")),
            "build": build(),
        },
        "load_s": round(noise.took_s, 3),
        "noise": {
            "load_average": list(noise.load_average),
            "stolen": round(noise.stolen, 5),
            "foreign": round(noise.foreign, 5),
            "reasons": noise.reasons,
        },
        "log_bytes": {
            "functional_log_bytes": _size(work / flight.FUNCTIONAL_LOG),
            "measured_log_bytes": log_bytes_after - log_bytes_before,
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


def write_loads(
    folder: Path,
    load: flight_load.Load,
    data: flight_data.FlightData,
    seeds: Sequence[int],
    warm_up_sessions: int,
    sessions: int,
) -> dict[str, tuple[list[Path], list[Path]]]:
    """Write each user's requests, cut into the two phases, before anything is started.

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

    Returns
    -------
    dict
        For each phase the load files and the files to record in, one a user.
    """
    phases: dict[str, tuple[list, list]] = {WARM_UP: ([], []), MEASURED: ([], [])}
    for user, seed in enumerate(seeds):
        requests = list(flight_load.sessions(load, data, seed, warm_up_sessions + sessions))
        for phase, (loads, records) in phases.items():
            mine = [one for one in requests if (one.session < warm_up_sessions) == (phase == WARM_UP)]
            loads.append(folder / f"load-{user}-{phase}.jsonl")
            records.append(folder / f"client-{user}-{phase}.csv")
            flight_load.write(iter(mine), loads[-1])
    return phases


def image(data: flight_data.FlightData) -> flight.Image:
    """Return the populated database and class archive that every run starts from, made once for each build."""
    folder = PROCESSED / "flight" / build()[:16]
    if not folder.exists():
        partial = folder.with_suffix(f".{os.getpid()}")
        shutil.rmtree(partial, ignore_errors=True)
        _archive_classes(flight.populate(partial, data), partial)
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)
    return flight.Image(folder / f"{flight.DATABASE}.mv.db", folder / CLASSES)


def _archive_classes(populated: flight.Image, folder: Path) -> None:
    """Serve a session once and have the JVM archive the classes it loaded: a start then takes half the time."""
    work = folder / "work"
    load, record = folder / "load.jsonl", folder / "client.csv"
    small = flight_load.study_load("SizeSmall")
    flight_load.write(flight_load.sessions(small, flight_data.generate(), small.seed(0), 2), load)
    with flight.start(work, populated, {}, [f"-XX:ArchiveClassesAtExit={folder / CLASSES}"]) as service:
        run_users(service.wsdl, [load], [record], service.process.alive)
    shutil.rmtree(work)


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
        out.write(",".join(COLUMNS) + "\n")
        for path in records:
            if path.exists():
                with open(path, encoding="utf-8") as part:
                    next(part)
                    out.writelines(part)
                path.unlink()
    store.compress(merged, folder / CLIENT_LOG)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
