"""The Flight Web Service: populated, started with settings, stopped.

The Java side is in ``systems/flight``; settings are its properties. Those that an experiment leaves out
keep the defaults below, which are the study's own: Layer monitor with Hibernate wrapped, log level info
to a file and the console, each line with the place it was written at.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from perfstudies.errors import BadParameter, SystemFailed
from perfstudies.systems.java import jar, java
from perfstudies.systems.process import Process, serve
from perfstudies.workloads.flight_data import FlightData, write

DEFAULTS = {
    "log.level": "info",
    "log.console": "true",
    "log.location": "true",
    "monitor": "layer",
    "monitor.wrap": "true",
    "monitor.collections": "false",
}
FUNCTIONAL_LOG = "functional.log"
CONSOLE_LOG = "console.log"
MONITOR_FOLDER = "monitor"
DATABASE = "flight"


@dataclass(frozen=True)
class Service:
    """A running Flight Web Service."""

    process: Process

    @property
    def endpoint(self) -> str:
        """Address that requests go to."""
        return self.process.address

    @property
    def wsdl(self) -> str:
        """Address of its description."""
        return f"{self.endpoint}?wsdl"


def populate(folder: Path, data: FlightData) -> Path:
    """Make a database with the domain data in a folder and return its file.

    A run starts from a copy of this file, so that the database is fresh and the same for every run.
    """
    write(data, folder)
    command = [java(), "-jar", str(jar("flight")), "populate", "--database", str(folder / DATABASE), "--data", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise SystemFailed(f"populating {folder} failed with status {done.returncode}:\n{done.stderr[-2000:]}")
    return folder / f"{DATABASE}.mv.db"


@contextmanager
def start(folder: Path, database: Path, settings: Mapping[str, str]) -> Iterator[Service]:
    """Start the service in a folder of its own on a copy of a populated database; stop it at the end.

    Parameters
    ----------
    folder : Path
        Where its configuration, database, logs and monitor files go; made if missing.
    database : Path
        What `populate` returned.
    settings : mapping
        Properties that differ from `DEFAULTS`.

    Raises
    ------
    BadParameter
        If a setting is none of the service's.
    SystemFailed
        If the server does not start or stop, or dies; with the end of its console log.
    """
    for name in settings:
        if name not in DEFAULTS:
            raise BadParameter.choice("setting", name, DEFAULTS)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(database, folder / f"{DATABASE}.mv.db")
    properties = DEFAULTS | dict(settings) | {
        "port": "0",
        "database.url": f"jdbc:h2:file:{folder.resolve() / DATABASE}",
        "log.file": str(folder.resolve() / FUNCTIONAL_LOG),
        "monitor.dir": str(folder.resolve() / MONITOR_FOLDER),
    }
    config = folder / "flight.properties"
    config.write_text("".join(f"{name}={value}\n" for name, value in properties.items()), encoding="utf-8")
    command = [java(), "-jar", str(jar("flight")), "serve", "--config", str(config)]
    with serve("Flight Web Service", command, folder / CONSOLE_LOG) as process:
        yield Service(process)
