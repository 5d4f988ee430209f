"""The back end of the ESB study, an echo service in Axis2, and the engines that messages pass through on the way to it.

The Java sides are ``backend``, ``synapse``, ``synapse-2.1`` and ``camel`` in ``systems/esb``; settings are their
properties, and those that an experiment leaves out keep the defaults there. HAProxy is no engine: it bounds what a hop
costs at least, and passes requests through to whatever path they name.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from perfstudies.errors import BadParameter, MissingTool, require_one_of
from perfstudies.permit import LOOPBACK
from perfstudies.servers import haproxy
from perfstudies.servers.java import build_checksum, jar, jvm
from perfstudies.servers.java import libraries as jars
from perfstudies.servers.process import Process, serve

BACKEND = "esb-backend"
BACKEND_SETTINGS = ("call.log", "delay_ms", "port", "threads.core", "threads.max")
OLD_SYNAPSE = "synapse-2.1"
"""That of the study's day, which has the proxy that passes messages through, and no other."""
JAVA_ENGINES = {"synapse": "esb-synapse", OLD_SYNAPSE: "esb-synapse-2.1", "camel": "esb-camel"}
JAVA_SETTINGS = {
    "synapse": ("port", "threads", "transport"),
    OLD_SYNAPSE: ("port", "threads", "transport"),
    "camel": ("port", "streaming", "threads"),
}
JVM_OPTIONS = {JAVA_ENGINES[OLD_SYNAPSE]: ("--limit-modules", "java.se")}
"""Synapse 2.1 needs a class that Java no longer has; what stands in for it is in a package of a module that is left
out."""
BOUNDS = {"haproxy-http": "http", "haproxy-tcp": "tcp"}
ENGINES = (*JAVA_ENGINES, *BOUNDS)
PROXIES = {
    "direct": "DirectProxy",
    "cbr-body": "CBRProxy",
    "cbr-soap-header": "CBRSOAPHeaderProxy",
    "cbr-transport-header": "CBRTransportHeaderProxy",
    "xslt": "XSLTProxy",
    "secure": "SecureProxy",
}
HEAP = "-Xmx1g"
"""A bounded heap, the same for each party: all run on one machine, and the JVM's default, a quarter of its memory,
would make what a party may use depend on the machine."""
CONSOLE_LOG = haproxy.CONSOLE_LOG
START_TIMEOUT_S = 120


@dataclass(frozen=True)
class Service:
    """A running back end: its process, and the address that requests go to."""

    process: Process
    endpoint: str

    @property
    def wsdl(self) -> str:
        """Address of its description."""
        return f"{self.endpoint}?wsdl"

    @property
    def pid(self) -> int:
        """The process's number."""
        return self.process.pid

    def served(self) -> int:
        """Return how many calls it has served since it was last asked."""
        return int(self.process.told("served", "SERVED"))


@dataclass(frozen=True)
class Engine:
    """A running engine.

    Attributes
    ----------
    name : str
        One of `ENGINES`.
    process : Process
        Its process.
    base : str
        Where it listens.
    backend : str
        Address of the service that it passes requests on to.
    """

    name: str
    process: Process
    base: str
    backend: str

    @property
    def pid(self) -> int:
        """The process's number."""
        return self.process.pid

    def address(self, proxy: str = "direct") -> str:
        """Return the address of one of its proxies; a `BadParameter` if it has none of that name."""
        known = PROXIES if self.name in JAVA_ENGINES and self.name != OLD_SYNAPSE else ("direct",)
        require_one_of(f"proxy of {self.name}", proxy, known)
        path = urlsplit(self.backend).path if self.name in BOUNDS else f"/services/{PROXIES[proxy]}"
        return f"{self.base}{path}"


def build() -> str:
    """Return a checksum of what is built here: the back end and the engines in Java."""
    parts = [build_checksum(module, ("esb", "launch")) for module in (BACKEND, *JAVA_ENGINES.values())]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def libraries(engine: str = "none") -> list[str]:
    """Return what a way to the back end runs on: the names of jars, and HAProxy's version.

    Parameters
    ----------
    engine : str
        One of `ENGINES`, or ``none`` for the back end alone.
    """
    require_one_of("engine", engine, (*ENGINES, "none"))
    if engine in BOUNDS:
        return [*jars(BACKEND), f"haproxy-{haproxy.version()}"]
    return sorted({*jars(BACKEND), *(jars(JAVA_ENGINES[engine]) if engine in JAVA_ENGINES else ())})


@contextmanager
def backend(
    folder: Path, settings: Mapping[str, str] | None = None, open_files: int | None = None
) -> Iterator[Service]:
    """Start the back end with a folder of its own; stop it at the end.

    Parameters
    ----------
    folder : Path
        Where its configuration, log and temporary files go; made if missing.
    settings : mapping, optional
        Properties that differ from the defaults of the Java side (`BACKEND_SETTINGS`).
    open_files : int, optional
        Its limit of open files; the machine's own by default.

    Raises
    ------
    BadParameter
        If a setting is none of the back end's.
    MissingTool
        If it has not been built, or something that starts it is missing.
    SystemFailed
        If it does not start or stop, or dies; with the end of its console log.
    """
    with _java(BACKEND, folder, settings or {}, BACKEND_SETTINGS, {}, _limits(open_files)) as process:
        yield Service(process, process.address)


@contextmanager
def engine(
    name: str,
    folder: Path,
    backend_address: str,
    settings: Mapping[str, str] | None = None,
    open_files: int | None = None,
) -> Iterator[Engine]:
    """Start an engine in front of the back end; stop it at the end.

    Parameters
    ----------
    name : str
        One of `ENGINES`.
    folder, settings, open_files
        As of `backend`; settings are the engine's own. HAProxy sets its limit of open files itself.
    backend_address : str
        Where it passes requests on to: the back end's endpoint.

    Raises
    ------
    BadParameter
        If there is no such engine or setting, or the back end is not on loopback.
    MissingTool, SystemFailed
        As of `backend`, or if it is not installed.
    """
    require_one_of("engine", name, ENGINES)
    LOOPBACK.require(backend_address)
    if name in BOUNDS:
        if open_files is not None:
            raise BadParameter(f"{name} takes no limit of open files: HAProxy sets its own, as its maxconn needs it")
        started = haproxy.start(BOUNDS[name], folder, backend_address, settings)
    else:
        own = {"backend": backend_address, "work.dir": str(folder.resolve())}
        known = JAVA_SETTINGS[name]
        started = _java(JAVA_ENGINES[name], folder, settings or {}, known, own, _limits(open_files))
    with started as process:
        yield Engine(name, process, process.address, backend_address)


@contextmanager
def _java(
    module: str,
    folder: Path,
    settings: Mapping[str, str],
    known: Sequence[str],
    own: Mapping[str, str],
    limits: Sequence[str],
) -> Iterator[Process]:
    for name in settings:
        require_one_of(f"setting of {module}", name, known)
    program = jar(module)
    folder.mkdir(parents=True, exist_ok=True)
    place = folder.resolve()
    config = place / f"{module}.properties"
    properties = {**settings, **own}
    config.write_text("".join(f"{key}={value}\n" for key, value in properties.items()), encoding="utf-8")
    options = [*JVM_OPTIONS.get(module, ()), HEAP, f"-Djava.io.tmpdir={place}"]
    command = [*limits, *jvm(), *options, "-jar", str(program), "serve"]
    with serve(module, [*command, "--config", str(config)], place / CONSOLE_LOG, START_TIMEOUT_S) as process:
        yield process


def _limits(open_files: int | None) -> list[str]:
    """Return what a command begins with so that its process keeps to a number of open files."""
    if open_files is None:
        return []
    if shutil.which("prlimit") is None:
        raise MissingTool("prlimit is not there: install the package util-linux (its name on Debian and Ubuntu)")
    return ["prlimit", f"--nofile={open_files}:{open_files}"]
