"""What every run of the Flight Web Service starts from: populated databases.

Made once for each build of the service and kept in ``data/processed/flight``; a run works on copies.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from math import inf
from pathlib import Path

from perfstudies.paths import PROCESSED
from perfstudies.servers import mariadb
from perfstudies.servers.java import build_checksum
from perfstudies.studies.step.server import flight
from perfstudies.studies.step.server.generations import GENERATIONS, RETENTION_S, TODAY, Database, Generation
from perfstudies.studies.step.workload import flight_data


def build() -> str:
    """Return a checksum of the systems under test, of all generations."""
    return hashlib.sha256("\n".join(map(build_of, GENERATIONS.values())).encode()).hexdigest()


def build_of(generation: Generation) -> str:
    """Return a checksum of the system under test: its own jars' content and its libraries' names."""
    return build_checksum(generation.system, ("flight", "launch", "monitor"))


def make(data: flight_data.FlightData, wanted: Iterable[tuple[Generation, str]]) -> None:
    """Make what is missing of images, each a generation and ``"h2"`` or ``"mariadb"``, two at the same time."""

    def one(wanted: tuple[Generation, str]) -> None:
        generation, database = wanted
        (mariadb_image if database == "mariadb" else image)(data, generation)

    with ThreadPoolExecutor(2) as two:
        list(two.map(one, sorted(wanted, key=lambda wanted: (wanted[0].name, wanted[1]))))


def image(data: flight_data.FlightData, generation: Generation = TODAY) -> flight.Image:
    """Return the populated H2 database."""

    def make(folder: Path) -> None:
        address = f"jdbc:h2:file:{folder.resolve() / flight.DATABASE}"
        flight.populate(folder, data, Database(address), generation)

    folder = _made("h2", make, generation, RETENTION_S / 2)
    return flight.Image(folder / f"{flight.DATABASE}{generation.h2_suffix}", generation)


def mariadb_image(data: flight_data.FlightData, generation: Generation = TODAY) -> Path:
    """Return the populated data folder of a MariaDB that was stopped in order.

    Raises
    ------
    MissingTool
        If MariaDB is not installed.
    """

    def make(folder: Path) -> None:
        mariadb.initialise(folder / "data")
        with mariadb.start(folder / "data", options=mariadb.LAZY_DISK) as server:
            flight.populate(folder, data, server, generation)

    return _made("mariadb", make, generation) / "data"


def _made(name: str, make: Callable[[Path], object], generation: Generation, oldest_s: float = inf) -> Path:
    """Return a folder that is made when it is not there or is too old."""
    folder = PROCESSED / "flight" / f"{build_of(generation)[:16]}-{name}"
    if not folder.exists() or time.time() - folder.stat().st_mtime > oldest_s:
        partial = folder.with_suffix(f".{os.getpid()}")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        make(partial)
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)
    return folder
