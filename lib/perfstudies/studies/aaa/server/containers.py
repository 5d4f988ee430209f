"""The Generic AAA server in one of its two containers, and the service equipment that it controls.

The Java side is in ``systems/aaa``: ``server`` is the application, ``glassfish`` and ``openejb`` deploy it; settings
are its properties. Those that an experiment leaves out keep the defaults of the Java side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from perfstudies.errors import require_one_of
from perfstudies.servers.java import build_checksum, jvm, libraries
from perfstudies.servers.process import Deployed, Process, serve

CONTAINERS = {"glassfish": "aaa-glassfish", "openejb": "aaa-openejb"}
SETTINGS = (
    "database.connections", "database.idle_s", "database.password", "database.url", "database.user",
    "ejb.access_timeout_ms", "ejb.create_ms", "ejb.idle_s", "ejb.max", "ejb.resize", "ejb.steady", "ejb.strict",
    "equipment", "equipment.timeout_ms", "http.acceptors", "http.connections", "http.queue", "http.request_timeout_s",
    "http.threads", "http.timeout_s", "message.log", "party", "policy.cache", "port", "repository",
    "roaming.provider", "session.store", "ticket.key", "ticket.lifetime_ms", "timer.random", "timer.seed",
    "timer.unit_ms",
)  # fmt: skip
SERVER_LOG = "server.csv"
SESSION_LOG = "session.log"
CONSOLE_LOG = "console.log"
START_TIMEOUT_S = 120


@dataclass(frozen=True)
class Server(Deployed):
    """A running container with one deployment of the application at a time; its own files are in `home`."""

    home: Path

    def deploy(self, folder: Path, settings: Mapping[str, str]) -> None:
        """Replace the deployment by a fresh one with a folder and settings of its own; as `start`."""
        self.deploy_by(_configure(folder, self.home, settings), START_TIMEOUT_S)

    def close(self) -> None:
        """End the deployment and leave the process running: its record is complete then."""
        self.process.command("close", "CLOSED", timeout_s=START_TIMEOUT_S)


def build() -> str:
    """Return a checksum of the system under test, in both containers."""
    return "".join(build_checksum(system, ("aaa", "launch"))[:32] for system in CONTAINERS.values())


def jars(container: str) -> list[Path]:
    """Return the jars that a container and the application run on."""
    return list(libraries(CONTAINERS[container]).values())


@contextmanager
def start(
    container: str, folder: Path, settings: Mapping[str, str], prefix: Sequence[str] = (), cpus: int | None = None
) -> Iterator[Server]:
    """Start a server with a folder of its own; stop it at the end.

    Parameters
    ----------
    container : {"glassfish", "openejb"}
        Which one.
    folder : Path
        Where its configuration, logs and temporary files go; made if missing.
    settings : mapping
        Properties that differ from the defaults of the Java side.
    prefix : sequence of str
        What the command begins with, to run it in a network namespace.
    cpus : int, optional
        How many processors it may use; all by default.

    Raises
    ------
    BadParameter
        If a setting is none of the server's, or there is no such container.
    SystemFailed
        If the server does not start or stop, or dies; with the end of its console log.
    """
    require_one_of("container", container, CONTAINERS)
    config = _configure(folder, folder, settings)
    jar = libraries(CONTAINERS[container])[f"{CONTAINERS[container]}.jar"]
    pinned = ["taskset", "--cpu-list", f"0-{cpus - 1}"] if cpus else []
    command = [*prefix, *pinned, *jvm(), f"-Djava.io.tmpdir={folder.resolve()}", "-jar", str(jar)]
    name = f"AAA server in {container}"
    with serve(name, [*command, "serve", "--config", str(config)], folder / CONSOLE_LOG, START_TIMEOUT_S) as process:
        yield Server(process, folder)


@contextmanager
def equipment(folder: Path, aaa_server: str, settings: Mapping[str, str]) -> Iterator[Process]:
    """Start the service equipment that an AAA server at an address controls; stop it at the end.

    Parameters
    ----------
    folder : Path
        Where its files go; made if missing.
    aaa_server : str
        Whom it asks in the pull sequence.
    settings : mapping
        Its further properties.
    """
    properties = {"work.dir": str(folder.resolve()), "aaa.server": aaa_server, **settings}
    config = _write(folder, "equipment.properties", properties)
    main = "perfstudies.aaa.equipment.Main"
    command = [*jvm(), "-cp", ":".join(map(str, jars("glassfish"))), main, "serve", "--config", str(config)]
    with serve("service equipment", command, folder / CONSOLE_LOG) as process:
        yield process


def _configure(folder: Path, home: Path, settings: Mapping[str, str]) -> Path:
    for name in settings:
        require_one_of("setting", name, SETTINGS)
    place = folder.resolve()
    properties = {
        "work.dir": str(home.resolve()),
        "database.url": f"jdbc:h2:file:{place / 'policies'}",
        **settings,
        "server.log": str(place / SERVER_LOG),
        "session.log": str(place / SESSION_LOG),
    }
    return _write(folder, "aaa.properties", properties)


def _write(folder: Path, name: str, properties: Mapping[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder.resolve() / name
    path.write_text("".join(f"{key}={value}\n" for key, value in properties.items()), encoding="utf-8")
    return path
