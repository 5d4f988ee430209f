"""HAProxy between clients and a server: as a reverse proxy that reads HTTP, or as a relay of bytes.

Everything is HAProxy's default but for what `CONFIGURATION` says. It listens on a socket that is made here, so that
its port is free and known, and so that connections wait from then on: the first request through it is answered as
soon as it can be.
"""

from __future__ import annotations

import http.client
import platform
import re
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from perfstudies.errors import BadParameter, MissingTool, SystemFailed, require_one_of
from perfstudies.permit import LOOPBACK
from perfstudies.servers import programs
from perfstudies.servers.process import Process, supervised

MODES = ("http", "tcp")
SETTINGS = ("maxconn", "port", "threads")
MAX_CONNECTIONS = "4000"  # the study's largest number of clients, and room
WAITING = 4096  # connections that nobody has accepted yet
CONFIG = "haproxy.cfg"
CONSOLE_LOG = "console.log"
PROGRAMS = ("haproxy", "setpriv")
TIMEOUT_S = 30  # until it is ready, and until it has stopped

# Connections are kept over pauses between loads, and however many of the open files they take: HAProxy would close
# those to the service that are idle at the moment once a fifth of all were in use. None of these times ends a request
# before its client gives up.
CONFIGURATION = """\
global
    maxconn {maxconn}
{threads}{pool}
defaults
    mode {mode}
    backlog {waiting}
    timeout connect 10s
    timeout client 10m
    timeout server 10m
{reuse}
listen relay
    bind fd@{socket}
    server backend {host}:{port}
"""
THREADS = "    nbthread {threads}\n"
POOL = "    tune.pool-low-fd-ratio 100\n    tune.pool-high-fd-ratio 100\n"
REUSE = "    timeout http-keep-alive 10m\n    http-reuse always\n"


def unavailable() -> str:
    """Return why HAProxy cannot be started here and what to do about it; empty if it can."""
    if platform.system() != "Linux":
        return "runs through HAProxy need Linux: it is made to end with the lab by setpriv."
    if missing := programs.lacking(PROGRAMS):
        return (
            f"runs through HAProxy need {missing}: install the packages haproxy and util-linux (names of Debian and "
            "Ubuntu), or call `make setup` as root there."
        )
    return ""


@cache  # the same program each time
def version() -> str:
    """Return what HAProxy says its version is; `MissingTool` if it is not installed."""
    if problem := unavailable():
        raise MissingTool(problem)
    said = subprocess.run([programs.path_of("haproxy"), "-v"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"version (\S+)", said)
    return found[1] if found else said.splitlines()[0]


class _Server(Process):
    """HAProxy's process: ready when a request through it is answered, stopped by a signal."""

    def __init__(self, popen: subprocess.Popen, log: Path, address: str, path: str):
        super().__init__("HAProxy", popen, log)
        self.address, self._path = address, path

    def wait_ready(self, timeout_s: float) -> None:
        server = urlsplit(self.address)
        connection = http.client.HTTPConnection(str(server.hostname), server.port, timeout=timeout_s)
        try:
            connection.request("GET", self._path, headers={"Connection": "close"})
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            raise self.failure(f"did not pass on a first request: {error!r}") from error
        finally:
            connection.close()
        if status != http.client.OK:
            raise self.failure(f"answered a first request with status {status}")

    def stop(self, timeout_s: float) -> None:
        self.popen.terminate()
        try:
            self.wait_stopped(timeout_s)
        except SystemFailed:
            # It may end by the signal itself.
            if self.popen.poll() != -signal.SIGTERM:
                raise

    def close(self) -> None:
        """There are no pipes to it."""


@contextmanager
def start(mode: str, folder: Path, backend: str, settings: Mapping[str, str] | None = None) -> Iterator[Process]:
    """Start HAProxy in front of a service and stop it at the end.

    It ends with the thread that calls this, whatever ends that.

    Parameters
    ----------
    mode : {"http", "tcp"}
        Whether it reads requests or relays bytes.
    folder : Path
        Where its configuration and its log go; made if missing.
    backend : str
        Address of the service. It must answer a GET of its description, the same with ``?wsdl`` at the end.
    settings : mapping, optional
        ``threads`` (HAProxy's own number by default), ``maxconn`` (most connections at a time) and ``port``.

    Yields
    ------
    Process
        With the address to send to instead of the service's, without a path.

    Raises
    ------
    BadParameter
        If there is no such mode or setting, or the service is not on loopback.
    MissingTool
        If HAProxy is not installed.
    SystemFailed
        If it does not start, dies, or does not stop; with the end of its log.
    """
    settings = settings or {}
    require_one_of("mode", mode, MODES)
    for name, value in settings.items():
        require_one_of("setting", name, SETTINGS)
        if not re.fullmatch(r"[0-9]+", value):
            raise BadParameter(f"HAProxy's {name} = {value!r}: must be a whole number")
    LOOPBACK.require(backend)
    if problem := unavailable():
        raise MissingTool(problem)
    folder.mkdir(parents=True, exist_ok=True)
    log, config = folder / CONSOLE_LOG, folder.resolve() / CONFIG
    with socket.create_server(("127.0.0.1", int(settings.get("port", "0"))), backlog=WAITING) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        config.write_text(configuration(mode, backend, settings, listening.fileno()), encoding="utf-8")
        # The kernel stops it when the lab is killed.
        command = [programs.path_of("setpriv"), "--pdeathsig", "TERM"]
        command += [programs.path_of("haproxy"), "-db", "-f", str(config)]
        with open(log, "wb") as said:
            popen = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True,
                pass_fds=[listening.fileno()],
            )  # fmt: skip
    with supervised(_Server(popen, log, address, f"{urlsplit(backend).path}?wsdl"), TIMEOUT_S, TIMEOUT_S) as process:
        yield process


def configuration(mode: str, backend: str, settings: Mapping[str, str], socket_number: int) -> str:
    """Return HAProxy's configuration for a mode, in front of a service, on a listening socket that it inherits."""
    service = urlsplit(backend)
    return CONFIGURATION.format(
        mode=mode,
        maxconn=settings.get("maxconn", MAX_CONNECTIONS),
        threads=THREADS.format(threads=settings["threads"]) if "threads" in settings else "",
        waiting=WAITING,
        pool=POOL if mode == "http" else "",
        reuse=REUSE if mode == "http" else "",
        socket=socket_number,
        host=service.hostname,
        port=service.port,
    )
