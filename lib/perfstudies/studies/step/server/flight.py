"""The Flight Web Service: populated, started with settings, deployed anew, stopped.

The Java side is in ``systems/step/flight-common``, ``flight`` and ``flight-2009``: one service on the libraries of two
generations. Settings are its properties; those that an experiment leaves out keep the defaults of
`perfstudies.studies.step.settings`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from perfstudies.errors import require_one_of
from perfstudies.servers import mariadb
from perfstudies.servers.java import jar, jvm
from perfstudies.servers.process import Deployed, serve
from perfstudies.studies.step.server.generations import TODAY, Database, Generation
from perfstudies.studies.step.settings import DEFAULTS
from perfstudies.studies.step.workload.flight_data import FlightData, write

FUNCTIONAL_LOG = "functional.log"
TEMPORARY = "tmp"
CONSOLE_LOG = "console.log"
MONITOR_FOLDER = "monitor"
POPULATE_TIMEOUT_S = 600
DATABASE = "flight"


@dataclass(frozen=True)
class Image:
    """What every run starts from, so that each one's database is fresh and the same.

    Attributes
    ----------
    database : Path
        The populated H2 database; a run copies it.
    generation : Generation
        Whose H2 made it.
    """

    database: Path
    generation: Generation = TODAY


@dataclass(frozen=True)
class Service(Deployed):
    """A running process of the Flight Web Service; its statistics are Hibernate's counters."""

    generation: Generation = TODAY

    def deploy(self, folder: Path, database: Database | mariadb.Database, settings: Mapping[str, str]) -> None:
        """Replace the deployment by a fresh one with a folder, a database and settings of its own; as `start`."""
        self.deploy_by(_configure(folder, database, settings, self.generation), timeout_s=60)

    def close(self) -> None:
        """End the deployment and leave the process running: its files are complete then."""
        self.process.command("close", "CLOSED")

    def set_log_level(self, level: str) -> None:
        """Change the level of the functional log from now on."""
        self.process.command(f"level {level}", f"LEVEL {level}")


def populate(folder: Path, data: FlightData, database: Database | mariadb.Database, generation: Generation) -> None:
    """Make the domain's tables in a database and fill them; the folder holds the data.

    Raises
    ------
    SystemFailed
        If the service could not do it; with the end of what it said.
    """
    write(data, folder)
    config = _write(folder / "populate.properties", database, {"data": str(folder.resolve())}, generation)
    java = [*jvm(), "-XX:TieredStopAtLevel=1", *generation.java_options]
    program = [*java, "-cp", str(jar(generation.system)), "perfstudies.flight.Populate"]
    with serve("populating", [*program, "serve", "--config", str(config)], folder / "populate.log", POPULATE_TIMEOUT_S):
        """It is done when it is ready."""


def h2(folder: Path, image: Image) -> Database:
    """Copy the populated H2 database into a run's folder and return how it is reached.

    Parameters
    ----------
    folder : Path
        Where the copy goes; made if missing.
    image : Image
        What is copied.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(image.database, folder / f"{DATABASE}{image.generation.h2_suffix}")
    options = f";DB_CLOSE_DELAY=-1{image.generation.h2_options}"
    return Database(f"jdbc:h2:file:{folder.resolve() / DATABASE}{options}")


@contextmanager
def start(
    folder: Path,
    database: Database | mariadb.Database,
    settings: Mapping[str, str],
    java_options: Sequence[str] = (),
    stop_timeout_s: float = 60,
    generation: Generation = TODAY,
    prefix: Sequence[str] = (),
) -> Iterator[Service]:
    """Start the service with a folder of its own; stop it at the end.

    Parameters
    ----------
    folder : Path
        Where its configuration, logs and monitor files go; made if missing.
    database : Database
        Populated, and used by nobody else.
    settings : mapping
        Properties that differ from `DEFAULTS`.
    java_options : sequence of str
        Further options of the JVM; its own defaults hold otherwise, as in the study. An archive of loaded classes is
        not among them: with four made of one build a request to today's libraries took 38, 38, 57 and 82 ms, and 36
        without any, while those of 2009 did not differ.
    stop_timeout_s : float
        After which a server that does not end in order is killed.
    generation : Generation
        The libraries that it runs on; an H2 database must be of the same.
    prefix : sequence of str
        What the command begins with, to run it in a control group.

    Raises
    ------
    BadParameter
        If a setting is none of the service's.
    SystemFailed
        If the server does not start or stop, or dies; with the end of its console log.
    """
    config = _configure(folder, database, settings, generation)
    temporary = folder.resolve() / TEMPORARY
    temporary.mkdir(exist_ok=True)
    java = [*prefix, *jvm(), f"-Djava.io.tmpdir={temporary}", *generation.java_options, *java_options]
    command = [*java, "-jar", str(jar(generation.system)), "serve", "--config", str(config)]
    with serve("Flight Web Service", command, folder / CONSOLE_LOG, stop_timeout_s=stop_timeout_s) as process:
        yield Service(process, generation)


def _configure(
    folder: Path, database: Database | mariadb.Database, settings: Mapping[str, str], generation: Generation
) -> Path:
    for name in settings:
        require_one_of("setting", name, DEFAULTS)
    folder.mkdir(parents=True, exist_ok=True)
    properties = {
        **DEFAULTS,
        **settings,
        "port": "0",
        "log.file": str(folder.resolve() / FUNCTIONAL_LOG),
        "monitor.dir": str(folder.resolve() / MONITOR_FOLDER),
    }
    return _write(folder / "flight.properties", database, properties, generation)


def _write(
    path: Path, database: Database | mariadb.Database, properties: Mapping[str, str], generation: Generation
) -> Path:
    reached = {"url": generation.url(database), "user": database.user, "password": database.password}
    both = {**{f"database.{name}": value for name, value in reached.items()}, **properties}
    path.write_text("".join(f"{name}={value}\n" for name, value in both.items()), encoding="utf-8")
    return path.resolve()
