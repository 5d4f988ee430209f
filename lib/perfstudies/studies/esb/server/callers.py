"""The clients with a pool of connections, as processes: Axis2 (``systems/esb/axis2-client``), and zeep over requests.

Both wait for plans, which are files of properties, and answer each when its calls have been made.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from perfstudies.errors import BadParameter, SystemFailed
from perfstudies.servers.java import jar, jvm, libraries
from perfstudies.servers.process import Process, serve

AXIS2, ZEEP = "axis2", "zeep"
MODULE = "esb-axis2-client"
CONSOLE_LOG = "console.log"
NOT_TOLD = {AXIS2: ("pool.waits",), ZEEP: ("release", "service.client", "pool.timeout_ms")}
"""Properties of the other client."""


@contextmanager
def start(client: str, folder: Path) -> Iterator[Process]:
    """Start a client that waits for plans; stop it at the end.

    Parameters
    ----------
    client : {"axis2", "zeep"}
        Which one.
    folder : Path
        Where its files go; made if missing.

    Raises
    ------
    BadParameter
        If there is no such client.
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
        command = [*jvm(), temporary, "-jar", str(jar(MODULE)), "serve", "--config", str(config)]
    elif client == ZEEP:
        command = [sys.executable, "-m", "perfstudies.load.pooled_calls"]
    else:
        raise BadParameter.choice("client", client, (AXIS2, ZEEP))
    with serve(f"{client} client", command, folder / CONSOLE_LOG) as process:
        yield process


def call(process: Process, client: str, plan: Mapping[str, str], folder: Path, timeout_s: float) -> int:
    """Have a client make the calls of a plan, and return how many connections its pool came to.

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
    said, _, connections = answer.partition(" ")
    if said != "CALLED":
        raise SystemFailed(f"the {client} client did not make its calls: {answer}")
    return int(connections)


def java_libraries() -> list[str]:
    """Return the file names of the jars that the Axis2 client runs on."""
    return list(libraries(MODULE))
