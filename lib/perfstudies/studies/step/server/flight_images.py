"""What every run of the Flight Web Service starts from: populated databases and an archive of loaded classes.

Made once for each build of the service and kept in ``data/processed/flight``; a run works on copies. The archive is of
the jars where they are: it is made anew when they were moved, copied or built again, for the JVM would refuse it.
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

from perfstudies import load_file
from perfstudies.load.closed import run_users
from perfstudies.paths import PROCESSED
from perfstudies.servers import mariadb
from perfstudies.servers.java import build_checksum, class_path
from perfstudies.studies.step.server import flight
from perfstudies.studies.step.server.generations import GENERATIONS, RETENTION_S, TODAY, Generation
from perfstudies.studies.step.workload import flight_data, flight_load

CLASSES = "classes.jsa"
MADE_FOR = "made-for.txt"


def build() -> str:
    """Return a checksum of the systems under test, of all generations."""
    return hashlib.sha256("\n".join(map(build_of, GENERATIONS.values())).encode()).hexdigest()


def build_of(generation: Generation) -> str:
    """Return a checksum of the system under test: its own jars' content and its libraries' names."""
    return build_checksum(generation.system, ("flight", "launch", "monitor"))


def make(data: flight_data.FlightData, wanted: Iterable[tuple[Generation, str]]) -> None:
    """Make what is missing of images, each a generation and ``"h2"`` or ``"mariadb"``, two at the same time.

    The classes of a generation are in its image of H2, which is made with each.
    """

    def one(wanted: tuple[Generation, str]) -> None:
        generation, database = wanted
        (mariadb_image if database == "mariadb" else image)(data, generation)

    by_name = {(generation.name, kind): generation for generation, database in wanted for kind in ("h2", database)}
    with ThreadPoolExecutor(2) as two:
        # Those of H2 first: they take longest.
        list(two.map(one, ((by_name[key], key[1]) for key in sorted(by_name, key=lambda key: key[1]))))


def image(data: flight_data.FlightData, generation: Generation = TODAY) -> flight.Image:
    """Return the populated H2 database and the class archive."""

    def make(folder: Path) -> None:
        _archive_classes(flight.populate(folder, data, generation), folder)

    folder = _made("h2", make, RETENTION_S / 2, class_path(generation.system), generation)
    return flight.Image(folder / f"{flight.DATABASE}{generation.h2_suffix}", folder / CLASSES, generation)


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
            flight.populate_at(folder, data, server, generation)

    return _made("mariadb", make, generation=generation) / "data"


def _made(
    name: str,
    make: Callable[[Path], None],
    oldest_s: float = inf,
    made_for: str = "",
    generation: Generation = TODAY,
) -> Path:
    """Return a folder that is made when it is not there, is too old, or was made for something else."""
    folder = PROCESSED / "flight" / f"{build_of(generation)[:16]}-{name}"
    if not _fits(folder, made_for) or time.time() - folder.stat().st_mtime > oldest_s:
        partial = folder.with_suffix(f".{os.getpid()}")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        make(partial)
        (partial / MADE_FOR).write_text(made_for, encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)
    return folder


def _fits(folder: Path, made_for: str) -> bool:
    stamp = folder / MADE_FOR
    return folder.exists() and (not made_for or stamp.is_file() and stamp.read_text(encoding="utf-8") == made_for)


def _archive_classes(populated: flight.Image, folder: Path) -> None:
    """Serve a session once and have the JVM archive the classes it loaded: a start then takes half the time."""
    work = folder / "work"
    load, record = folder / "load.jsonl", folder / "client.csv"
    small = flight_load.study_load("SizeSmall")
    load_file.write(flight_load.sessions(small, flight_data.generate(), small.seed(0), 2), load)
    options = [f"-XX:ArchiveClassesAtExit={folder / CLASSES}"]
    database = flight.h2(work, populated)
    with flight.start(work, database, {}, java_options=options, generation=populated.generation) as service:
        run_users(service.wsdl, [load], [record], service.process.alive)
    shutil.rmtree(work)
