"""SOAP servers of other makes: Apache CXF, Metro and Apache Axis, each with one service in several styles.

The Java side is in ``systems/common/foreign-soap``. They stand for somebody's own service: tests measure them, and so
does the comparison that comes recorded with the repository (`perfstudies.own.service.example`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from perfstudies.errors import require_one_of
from perfstudies.servers.java import jvm, libraries
from perfstudies.servers.process import Process, serve

NAME = "foreign-soap"
STACKS = ("axis", "cxf", "metro")
USER, PASSWORD = "tester", "open sesame"
"""Who may use the endpoints that ask: of servers that listen on loopback while a test or a recording runs."""


@dataclass(frozen=True)
class Server:
    """A running stack: its process, and the address below which its endpoints are."""

    process: Process
    address: str

    def wsdl(self, path: str) -> str:
        """Return the address of an endpoint's description."""
        return f"{self.address}/{path}?wsdl"


@contextmanager
def start(stack: str, folder: Path) -> Iterator[Server]:
    """Start a stack on a free port of the loopback interface; stop it at the end of the block.

    Parameters
    ----------
    stack : str
        One of `STACKS`.
    folder : Path
        Where its settings, its log and its temporary files go; made if missing.

    Raises
    ------
    BadParameter
        For another stack.
    MissingTool
        If Java is missing, or the system has not been built.
    SystemFailed
        If it does not start, dies, or does not stop.
    """
    require_one_of("stack", stack, STACKS)
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / f"{NAME}.properties"
    settings.write_text(f"stack={stack}\n", encoding="utf-8")
    command = [*jvm(), f"-Djava.io.tmpdir={folder}", "-jar", str(libraries(NAME)[f"{NAME}.jar"])]
    with serve(stack, [*command, "serve", "--config", str(settings)], folder / "console.log") as process:
        yield Server(process, process.address)
