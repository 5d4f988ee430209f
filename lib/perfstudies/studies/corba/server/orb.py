"""The object request broker of the CORBA study: a server whose one object uses the CPU, and the client that calls it.

The Java side is in ``systems/corba/orb``, the broker is JacORB. Server and client are processes on a processor each, as
the study had a machine for each; they talk over the loopback interface. Both keep their records in memory and write
them when all is over. Their times are nanoseconds of the monotonic clock, which all processes of a machine share.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from perfstudies.errors import BadParameter, MissingTool
from perfstudies.servers.java import build_checksum, jar, jvm, libraries
from perfstudies.servers.process import Process, serve
from perfstudies.studies.corba.declared import WAYS_TO_LOOK, WAYS_TO_WAKE

SYSTEM = "orb"
SERVER_RECORD, CLIENT_RECORD = "server.csv", "client.csv"
QUEUE_MAX = 1_000_000
"""More requests than can ever wait: the study's model has an infinite queue."""
READY_TIMEOUT_S = 120
SLACK_S = 60
ROOT = "root"
LEAD_S = 0.2  # until the client has read when to begin


@dataclass(frozen=True)
class Load:
    """What a client sends.

    Attributes
    ----------
    due_ns : sequence of int
        When each request is due, counted from the start; never before the one before it.
    connection : sequence of int
        Over which connection each goes, counted from 0.
    connections : int
        How many there are; each has a receiver thread in the server.
    demands_us : sequence of int
        CPU time that a request asks for, by its connection; connections take them in turn.
    warm_up_requests, warm_up_demand_us, warm_up_threads : int
        Requests before all others, which are not recorded: so many threads send one after the other.
    threads : int
        Bound of requests under way. One that is due meanwhile is sent late, and its record says so.
    timeout_s : float
        After which a request without an answer has failed.
    """

    due_ns: Sequence[int]
    connection: Sequence[int]
    connections: int
    demands_us: Sequence[int]
    warm_up_requests: int = 0
    warm_up_demand_us: int = 0
    warm_up_threads: int = 1
    threads: int = 256
    timeout_s: float = 60

    def __post_init__(self) -> None:
        if len(self.due_ns) != len(self.connection):
            raise BadParameter(f"{len(self.due_ns)} requests are due, but {len(self.connection)} have a connection")
        if not self.due_ns:
            raise BadParameter("a load needs at least one request")

    @property
    def duration_s(self) -> float:
        """When the last request is due."""
        return self.due_ns[-1] / 1e9


@dataclass(frozen=True)
class Behaviour:
    """How a server's threads and objects behave.

    Attributes
    ----------
    looks : {"constant", "few"}
        How often the target object looks at its thread's processor time, to know when it has used what is asked for:
        each look is a call into the kernel, which may then let another thread run.
    receiver_us : int
        Processor time that a request costs its receiver before the hand-over, beside what the broker needs (µs).
    wakes : {"last", "longest"}
        Which idle dispatcher a request wakes: the one that was idle last, as JacORB does, or that has been so longest.
    objects : sequence of str
        Of each object the name of its adapter; ``root`` is the one that every broker has. Connections take objects in
        turn, and all adapters share the pool.
    single : sequence of str
        Adapters that take one request at a time. Each has a thread of its own.
    """

    looks: str = WAYS_TO_LOOK[0]
    receiver_us: int = 0
    wakes: str = WAYS_TO_WAKE[0]
    objects: Sequence[str] = (ROOT,)
    single: Sequence[str] = ()


class Target(Protocol):
    """What a client has to know of a server."""

    @property
    def reference(self) -> str:
        """The objects' references, with commas between them."""


@dataclass(frozen=True)
class Server:
    """A running server."""

    process: Process

    @property
    def reference(self) -> str:
        """The objects' references, by which clients find them, with commas between them."""
        return self.process.address

    def statistics(self) -> dict[str, int]:
        """Return what the server has counted since it was started: CPU times of its threads, collections of garbage."""
        return json.loads(self.process.told("statistics", "STATISTICS", SLACK_S))

    def close(self) -> None:
        """End the broker, and leave the process running: its record is written then."""
        self.process.command("close", "CLOSED", SLACK_S)


@dataclass(frozen=True)
class Client:
    """A client that is connected and has warmed up the server."""

    process: Process
    load: Load

    def send(self) -> tuple[int, int]:
        """Send the load; return when it began, in nanoseconds of the monotonic clock, and how many were answered.

        Raises
        ------
        SystemFailed
            If the client dies, or does not end in time.
        """
        start_ns = time.monotonic_ns() + int(LEAD_S * 1e9)
        timeout_s = LEAD_S + self.load.duration_s + self.load.timeout_s + SLACK_S
        return start_ns, json.loads(self.process.told(f"GO {start_ns}", "DONE", timeout_s))["answered"]


def build() -> str:
    """Return a checksum of the system under test; `MissingTool` if Java is missing or it has not been built."""
    return build_checksum(SYSTEM, (SYSTEM, "launch"))


def java_libraries() -> list[str]:
    """Return the file names of the jars that server and client run on."""
    return list(libraries(SYSTEM))


def processors() -> tuple[int, int]:
    """Return the numbers of two processors, one for the server and one for the client.

    Raises
    ------
    MissingTool
        If this machine has only one, or cannot keep a process on one.
    """
    if not (hasattr(os, "sched_getaffinity") and shutil.which("taskset")):
        raise MissingTool("a process cannot be kept on one processor here: that takes Linux and taskset (util-linux)")
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) < 2:
        raise MissingTool("server and client need a processor each, but this machine has only one for them")
    return usable[-1], usable[0]


@contextmanager
def start(
    folder: Path, dispatchers: int, requests: int, cpu: int | None = None, behaviour: Behaviour = Behaviour()
) -> Iterator[Server]:
    """Start a server with a folder of its own; stop it at the end.

    Parameters
    ----------
    folder : Path
        Where its configuration, record and console log go; made if missing.
    dispatchers : int
        Threads of its pool, from the start to the end.
    requests : int
        How many it is to record: those with numbers below this.
    cpu : int, optional
        The one processor that it may use; any by default.
    behaviour : Behaviour
        What else it is told.

    Raises
    ------
    SystemFailed
        If it does not start or stop, or dies; with the end of its console log.
    """
    properties = {
        "dispatchers": dispatchers, "queue.max": QUEUE_MAX, "requests": requests,
        "record": (folder / SERVER_RECORD).resolve(), "looks": behaviour.looks,
        "receiver.demand_us": behaviour.receiver_us, "wakes": behaviour.wakes,
        "objects": ",".join(behaviour.objects), "single": ",".join(behaviour.single),
    }  # fmt: skip
    with _program("CORBA server", "server", folder, properties, cpu) as process:
        yield Server(process)


@contextmanager
def client(folder: Path, server: Target, load: Load, cpu: int | None = None) -> Iterator[Client]:
    """Start a client, which connects and warms the server up; stop it at the end. Arguments and errors as `start`."""
    folder.mkdir(parents=True, exist_ok=True)
    arrivals = folder / "arrivals.csv"
    rows = (f"{due},{connection}\n" for due, connection in zip(load.due_ns, load.connection, strict=True))
    arrivals.write_text("".join(["due_ns,connection\n", *rows]), encoding="ascii")
    properties = {
        "server": server.reference, "connections": load.connections, "threads": load.threads,
        "arrivals": arrivals.resolve(), "record": (folder / CLIENT_RECORD).resolve(),
        "demand_us": ",".join(map(str, load.demands_us)),
        "timeout_ms": round(load.timeout_s * 1000), "warm_up.requests": load.warm_up_requests,
        "warm_up.demand_us": load.warm_up_demand_us, "warm_up.threads": load.warm_up_threads,
    }  # fmt: skip
    with _program("CORBA client", "client", folder, properties, cpu) as process:
        yield Client(process, load)


@contextmanager
def _program(
    name: str, role: str, folder: Path, properties: Mapping[str, object], cpu: int | None
) -> Iterator[Process]:
    folder.mkdir(parents=True, exist_ok=True)
    config = folder.resolve() / f"{role}.properties"
    config.write_text("".join(f"{key}={value}\n" for key, value in properties.items()), encoding="utf-8")
    pinned = [] if cpu is None else ["taskset", "--cpu-list", str(cpu)]
    program = [*pinned, *jvm(), "-cp", str(jar(SYSTEM)), f"perfstudies.orb.{role}.Main"]
    with serve(name, [*program, "serve", "--config", str(config)], folder / f"{role}.log", READY_TIMEOUT_S) as process:
        yield process
