"""What every run of the Flight Web Service starts from: populated databases and an archive of loaded classes.

Made once for each build of the service and kept in ``data/processed/flight``; a run works on copies.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from math import inf
from pathlib import Path

from perfstudies.load.closed import run_users
from perfstudies.paths import PROCESSED
from perfstudies.systems import flight, mariadb
from perfstudies.systems.java import build_checksum
from perfstudies.workloads import flight_data, flight_load

CLASSES = "classes.jsa"


def build() -> str:
    """Return a checksum of the system under test: its own jars' content and its libraries' names."""
    return build_checksum("flight", ("flight", "monitor"))


def image(data: flight_data.FlightData) -> flight.Image:
    """Return the populated H2 database and the class archive."""

    def make(folder: Path) -> None:
        _archive_classes(flight.populate(folder, data), folder)

    folder = _made("h2", make, flight.RETENTION_S / 2)
    return flight.Image(folder / f"{flight.DATABASE}.mv.db", folder / CLASSES)


def mariadb_image(data: flight_data.FlightData) -> Path:
    """Return the populated data folder of a MariaDB that was stopped in order.

    Raises
    ------
    MissingTool
        If MariaDB is not installed.
    """

    def make(folder: Path) -> None:
        mariadb.initialise(folder / "data")
        with mariadb.start(folder / "data") as server:
            flight.populate_at(folder, data, server)

    return _made("mariadb", make) / "data"


def _made(name: str, make: Callable[[Path], None], oldest_s: float = inf) -> Path:
    folder = PROCESSED / "flight" / f"{build()[:16]}-{name}"
    if not folder.exists() or time.time() - folder.stat().st_mtime > oldest_s:
        partial = folder.with_suffix(f".{os.getpid()}")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        make(partial)
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)
    return folder


def _archive_classes(populated: flight.Image, folder: Path) -> None:
    """Serve a session once and have the JVM archive the classes it loaded: a start then takes half the time."""
    work = folder / "work"
    load, record = folder / "load.jsonl", folder / "client.csv"
    small = flight_load.study_load("SizeSmall")
    flight_load.write(flight_load.sessions(small, flight_data.generate(), small.seed(0), 2), load)
    options = [f"-XX:ArchiveClassesAtExit={folder / CLASSES}"]
    with flight.start(work, flight.h2(work, populated), {}, java_options=options) as service:
        run_users(service.wsdl, [load], [record], service.process.alive)
    shutil.rmtree(work)
