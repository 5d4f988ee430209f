"""The clients with a pool of connections, as processes: Axis2 (``systems/esb/axis2-client``), and zeep over requests.

Both wait for plans, which are files of properties, and answer each when its calls have been made. The Axis2 client runs
on the libraries of one of `perfstudies.studies.esb.connections.VERSIONS`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from perfstudies.errors import BadParameter, MissingTool, SystemFailed, require_one_of
from perfstudies.paths import SYSTEMS
from perfstudies.servers.java import jvm, libraries
from perfstudies.servers.process import Process, serve
from perfstudies.studies.esb.connections import AXIS2, TODAY, VERSIONS, ZEEP

MODULE = "esb-axis2-client"
MAIN = "perfstudies.esb.axis2client.Main"
OWN = (MODULE, "launch")
"""How the names of jars begin that the client needs whichever version it runs on."""
CONSOLE_LOG = "console.log"
NOT_TOLD = {AXIS2: ("pool.waits",), ZEEP: ("release", "service.client", "pool.timeout_ms")}
"""Properties of the other client."""


@dataclass(frozen=True)
class Called:
    """What a client tells after its calls.

    Attributes
    ----------
    pooled : int
        Connections in the pool that all calls share, at the end; all that zeep opened in it.
    opened : int or None
        Connections that Axis2 opened for the calls.
    """

    pooled: int
    opened: int | None


@contextmanager
def start(client: str, folder: Path, version: str = TODAY) -> Iterator[Process]:
    """Start a client that waits for plans; stop it at the end.

    Parameters
    ----------
    client : {"axis2", "zeep"}
        Which one.
    folder : Path
        Where its files go; made if missing.
    version : str
        One of `perfstudies.studies.esb.connections.VERSIONS`; of no meaning to zeep.

    Raises
    ------
    BadParameter
        If there is no such client or version.
    MissingTool
        If Java is missing, or the client has not been built.
    SystemFailed
        If it does not start or stop, or dies; with the end of its log.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if client == AXIS2:
        config = folder.resolve() / "client.properties"
        config.write_text("", encoding="utf-8")
        temporary = f"-Djava.io.tmpdir={folder.resolve()}"
        classes = os.pathsep.join(map(str, java_libraries(version).values()))
        command = [*jvm(), temporary, "-cp", classes, MAIN, "serve", "--config", str(config)]
    elif client == ZEEP:
        command = [sys.executable, "-m", "perfstudies.load.pooled_calls"]
    else:
        raise BadParameter.choice("client", client, (AXIS2, ZEEP))
    with serve(f"{client} client", command, folder / CONSOLE_LOG) as process:
        if client == AXIS2 and process.address != (kernel := f"axis2-kernel-{version}.jar"):
            raise SystemFailed(f"the Axis2 client runs on {process.address} instead of {kernel}")
        yield process


def call(process: Process, client: str, plan: Mapping[str, str], folder: Path, timeout_s: float) -> Called:
    """Have a client make the calls of a plan, and return what it tells of its connections.

    Parameters
    ----------
    process : Process
        Of `start`.
    client : {"axis2", "zeep"}
        Which one it is.
    plan : mapping
        Properties of the calls: ``address``, ``calls``, ``threads``, ``record`` (the file to write) and those that
        `perfstudies.studies.esb.connections` describes. The other client's are left out.
    folder : Path
        Where the plan's file goes.
    timeout_s : float
        How long the calls may take.

    Raises
    ------
    SystemFailed
        If it dies, takes too long, or says that it could not make them.
    """
    path = folder.resolve() / "plan.properties"
    told = {name: value for name, value in plan.items() if name not in NOT_TOLD[client]}
    path.write_text("".join(f"{name}={value}\n" for name, value in told.items()), encoding="utf-8")
    answer = process.ask(f"call {path}", timeout_s)
    path.unlink()
    said, *connections = answer.split()
    if said != "CALLED":
        raise SystemFailed(f"the {client} client did not make its calls: {answer}")
    pooled, *opened = map(int, connections)
    return Called(pooled, opened[0] if opened else None)


def java_libraries(version: str = TODAY) -> dict[str, Path]:
    """Return the jars that the Axis2 client runs on, by file name.

    Raises
    ------
    BadParameter
        If there is no such version.
    MissingTool
        If the client, or that version's libraries, are not built.
    """
    require_one_of("axis2.version", version, VERSIONS)
    found = libraries(MODULE)
    if version == TODAY:
        return found
    folder = SYSTEMS / "esb" / f"axis2-{version}" / "target" / "lib"
    of_version = {path.name: path for path in sorted(folder.glob("*.jar"))}
    if not of_version:
        raise MissingTool(f"Axis2 {version} is not there: run `make systems` to build the systems under test.")
    return {name: path for name, path in found.items() if name.startswith(OWN)} | of_version
