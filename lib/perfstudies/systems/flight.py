"""The Flight Web Service: populated, started with settings, stopped.

The Java side is in ``systems/flight``; settings are its properties. Those that an experiment leaves out
keep the defaults below, which are the study's own: Layer monitor with Hibernate wrapped, log level info
to a file and the console, each line with the place it was written at.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
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

    def set_log_level(self, level: str) -> None:
        """Change the level of the functional log from now on."""
        self.process.command(f"level {level}", f"LEVEL {level}")


@dataclass(frozen=True)
class Image:
    """What every run starts from, so that each one's database is fresh and the same.

    Attributes
    ----------
    database : Path
        The populated database; a run copies it.
    classes : Path or None
        The JVM's archive of loaded classes, which makes each start cheaper; None starts without.
    """

    database: Path
    classes: Path | None = None


def populate(folder: Path, data: FlightData) -> Image:
    """Make a database with the domain data in a folder.

    Raises
    ------
    SystemFailed
        If the service could not do it; with the end of what it said.
    """
    write(data, folder)
    command = [
        java(),
        "-XX:TieredStopAtLevel=1",
        "-jar",
        str(jar("flight")),
        "populate",
        "--database",
        str(folder / DATABASE),
        "--data",
        str(folder),
    ]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise SystemFailed(f"populating {folder} failed with status {done.returncode}:\n{done.stderr[-2000:]}")
    return Image(folder / f"{DATABASE}.mv.db")


@contextmanager
def start(
    folder: Path, image: Image, settings: Mapping[str, str], java_options: Sequence[str] = ()
) -> Iterator[Service]:
    """Start the service in a folder of its own on a copy of a populated database; stop it at the end.

    Parameters
    ----------
    folder : Path
        Where its configuration, database, logs and monitor files go; made if missing.
    image : Image
        What `populate` returned.
    settings : mapping
        Properties that differ from `DEFAULTS`.
    java_options : sequence of str
        Further options of the JVM; its own defaults hold otherwise, as in the study.

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
    shutil.copyfile(image.database, folder / f"{DATABASE}.mv.db")
    properties = (
        DEFAULTS
        | dict(settings)
        | {
            "port": "0",
            "database.url": f"jdbc:h2:file:{folder.resolve() / DATABASE};DB_CLOSE_DELAY=-1",
            "log.file": str(folder.resolve() / FUNCTIONAL_LOG),
            "monitor.dir": str(folder.resolve() / MONITOR_FOLDER),
        }
    )
    config = folder / "flight.properties"
    config.write_text("".join(f"{name}={value}\n" for name, value in properties.items()), encoding="utf-8")
    classes = [f"-XX:SharedArchiveFile={image.classes}"] if image.classes else []
    command = [java(), *classes, *java_options, "-jar", str(jar("flight")), "serve", "--config", str(config)]
    with serve("Flight Web Service", command, folder / CONSOLE_LOG) as process:
        yield Service(process)
