"""The parties of the AAA study's sequences (its section 2.1): two AAA servers and the service equipment, as processes.

The user's home organization has an AAA server, the provider of the service another, and the provider's equipment
grants bandwidth. They need each other's addresses, so their ports are chosen beforehand.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from perfstudies.errors import SystemFailed
from perfstudies.exchange import OK
from perfstudies.runs import store
from perfstudies.runs.bench import Bench, Facts, Progress
from perfstudies.runs.host import NoiseMeter
from perfstudies.runs.plan import PlannedRun
from perfstudies.servers.java import java
from perfstudies.servers.process import Process
from perfstudies.studies.aaa import facts
from perfstudies.studies.aaa.client.sequences import SEQUENCES, run_sequence
from perfstudies.studies.aaa.collect import CLIENT_RECORD, MESSAGES
from perfstudies.studies.aaa.logs import messages
from perfstudies.studies.aaa.server import containers
from perfstudies.studies.aaa.server.containers import Server
from perfstudies.studies.aaa.settings import RunSettings

build = containers.build

WARM_UP_REQUESTS = {"smoke": 5, "quick": 50, "standard": 300, "full": 300}
"""Requests of each sequence that the parties have answered before the first run, by profile."""
LOGGED_WITHIN_S = 10
PORTS = range(10_000, 32_000)
"""Where ports of the parties are: below those that Linux gives to who asks for any."""


@dataclass(frozen=True)
class Parties:
    """The running parties: the user's AAA server, the provider's, and the equipment."""

    home: Server
    provider: Server
    equipment: Process
    folder: Path

    @property
    def logs(self) -> list[Path]:
        """The message log of each."""
        return [self.folder / f"{name}.messages.csv" for name in ("aaa", "provider", "equipment")]

    @property
    def pids(self) -> list[int]:
        """Their processes."""
        return [self.home.process.pid, self.provider.process.pid, self.equipment.pid]


@contextmanager
def start(folder: Path, settings: Mapping[str, str]) -> Iterator[Parties]:
    """Start all parties with a folder of their own; stop them at the end.

    Parameters
    ----------
    folder : Path
        Where their files go; made if missing.
    settings : mapping
        Properties of both AAA servers.

    Raises
    ------
    SystemFailed
        If one does not start or stop, or dies.
    """
    folder.mkdir(parents=True, exist_ok=True)
    private, public = folder / "ticket.key", folder / "ticket.public"
    jars = ":".join(str(path) for path in containers.jars("glassfish"))
    keys = ["perfstudies.aaa.Keys", "--private", str(private), "--public", str(public)]
    subprocess.run([java(), "-cp", jars, *keys], check=True, capture_output=True, stdin=subprocess.DEVNULL)
    ports = _free_ports(3)
    home, provider = (f"http://127.0.0.1:{port}/AAA/server" for port in ports[:2])
    both = {**settings, "equipment": f"http://127.0.0.1:{ports[2]}/equipment", "ticket.key": str(private.resolve())}

    def log(name: str) -> dict[str, str]:
        return {"message.log": str(folder.resolve() / f"{name}.messages.csv")}

    with ExitStack() as started:
        at_home = {**both, "port": str(ports[0]), "party": "aaa", "roaming.provider": provider, **log("aaa")}
        at_provider = {**both, "port": str(ports[1]), "party": "provider", **log("provider")}
        first = started.enter_context(containers.start("glassfish", folder / "aaa", at_home))
        second = started.enter_context(containers.start("glassfish", folder / "provider", at_provider))
        own = {"port": str(ports[2]), "ticket.public": str(public.resolve()), **log("equipment")}
        third = started.enter_context(containers.equipment(folder / "equipment", home, own))
        yield Parties(first, second, third, folder)


def _free_ports(count: int) -> list[int]:
    """Return ports that nobody listens at now.

    They are not those that the system gives to who asks for any: until all parties have started, it might give them
    away. Where to look first is the process's own.
    """
    found: list[int] = []
    for offset in range(len(PORTS)):
        port = PORTS[(os.getpid() * count + offset) % len(PORTS)]
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            found.append(port)
        if len(found) == count:
            return found
    raise SystemFailed(f"there are no {count} free ports from {PORTS.start} to {PORTS.stop - 1}")


class PartiesBench(Bench):
    """Keeps the parties for the runs of a block, after they have gone through every sequence."""

    _parties: Parties

    def carry_out(self, planned: PlannedRun, folder: Path) -> Facts:
        """Carry out one run."""
        settings = RunSettings.of(planned)
        if self.begin_block(planned, folder):
            self._parties = self.processes.enter_context(start(self.home, settings.server))
            for kind in planned.experiment.factors[0].levels:
                warm_up = self.home / f"warm-up-{kind}.csv"
                _go(kind, self._parties, WARM_UP_REQUESTS[planned.profile], warm_up, settings)
        return _run(planned, settings, self._parties, folder, self.progress)


bench = PartiesBench.opened


def _go(
    kind: str, parties: Parties, requests: int, record: Path, settings: RunSettings, progress: Progress | None = None
) -> dict:
    equipment = f"{parties.equipment.address}?wsdl"
    return run_sequence(kind, parties.home.wsdl, equipment, requests, record, settings.ttl_ms / 1000, progress)


def _run(
    planned: PlannedRun, settings: RunSettings, parties: Parties, folder: Path, progress: Progress | None
) -> tuple[dict, tuple[str, ...]]:
    record = folder / "client.csv"
    parties.home.statistics()
    meter = NoiseMeter(*parties.pids)
    told = _go(settings.sequence, parties, settings.requests, record, settings, progress)
    noise = meter.read()
    start_ns = told.pop("start_ns")
    exchanged = _logged(parties, pd.read_csv(record), start_ns / 1000, len(SEQUENCES[settings.sequence]))
    exchanged.to_csv(folder / "messages.csv", index=False, lineterminator="\n")
    store.compress(record, folder / CLIENT_RECORD)
    store.compress(folder / "messages.csv", folder / MESSAGES)
    return {
        "workload": facts.workload(planned, settings, settings.requests, [{"name": "load", "start_ns": start_ns}])
        | {"clients": 1, "warm_up_requests": WARM_UP_REQUESTS[planned.profile]},
        "system": facts.system(planned, settings),
        "load_s": round(noise.took_s, 3),
        "network": {"kind": "loopback"},
        "tickets": told,
        "statistics": parties.home.statistics(),
        "noise": noise.facts(),
    }, (CLIENT_RECORD, MESSAGES)


def _logged(parties: Parties, calls: pd.DataFrame, start_us: float, exchanges: int) -> pd.DataFrame:
    """Return the run's messages, once every party has written all of its own.

    A request that was answered took so many exchanges of the user, one that went wrong at least one.

    Raises
    ------
    SystemFailed
        If that takes too long.
    """
    deadline = time.monotonic() + LOGGED_WITHIN_S
    expected = (exchanges - 1) * int((calls["outcome"] == OK).sum()) + len(calls)
    while True:
        # A log that is being written may end within a line.
        whole = [path for path in parties.logs if path.exists() and path.stat().st_size]
        told = messages.of_requests(messages.read(whole)[0], calls, start_us)
        told = told[list(messages.COLUMNS)]
        asked = ((told["peer"] == messages.USER) & (told["direction"] == messages.RECEIVED)).sum()
        answered = ((told["peer"] == messages.USER) & (told["direction"] == messages.SENT)).sum()
        problems = messages.unmatched(told)
        if asked == answered >= expected and not problems:
            return told
        if time.monotonic() > deadline:
            raise SystemFailed(
                f"the parties' message logs do not agree: {asked} messages from the user, {answered} to it, at "
                f"least {expected} expected; " + "; ".join(problems)
            )
        time.sleep(0.05)  # they write a few times a second
