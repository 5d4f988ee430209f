"""A lab to be killed: it measures runs of each study's experiments with a made server, and tells what it is doing.

Run alone, it forks a lab for each line of JSON on its standard input, so that imports are made once, and says
when that lab has ended. Each request is answered by a server process, and put on record as the study's client does.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from perfstudies.errors import PerfstudiesError
from perfstudies.exchange import Exchange, Journal
from perfstudies.files import temporary
from perfstudies.runs import lab, store
from perfstudies.runs.bench import Bench
from perfstudies.runs.plan import Plan
from perfstudies.sent import Recorder, Sent
from perfstudies.servers.process import serve
from perfstudies.studies.aaa import declared as aaa
from perfstudies.studies.aaa.logs import client as aaa_client
from perfstudies.studies.corba import declared as corba
from perfstudies.studies.corba.logs import orb
from perfstudies.studies.esb import reliable, reliable_read
from perfstudies.studies.step import declared as step
from perfstudies.studies.step.logs import client as step_client

RUNS, REQUESTS = 3, 4
RECORD = "client.csv"
SERVER = """
import sys
print("READY made", flush=True)
for line in sys.stdin:
    print("DONE", flush=True)
"""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a record, as the ESB and the CORBA study's clients write it; its columns are some of these."""

    number: int
    started_ns: int
    ended_ns: int
    connection: int
    detail: str
    attempt: int = 1
    outcome: str = "ok"

    @property
    def intended_ns(self) -> int:
        """When it was due."""
        return self.started_ns

    @property
    def sent_ns(self) -> int:
        """When it was sent."""
        return self.started_ns


@dataclass(frozen=True)
class Study:
    """A study's experiment, what opens its client's record, what makes a line of it, and what reads it."""

    experiment: object
    opened: Callable
    line: Callable
    read: Callable


def _line(number, begun, ended, who):
    return Line(number, begun, ended, who, str(who))


STUDIES = {
    "step": Study(
        step.TIME_BREAKDOWN, Recorder,
        lambda number, begun, ended, who: Sent(0, 0, number, "say", begun, begun, ended, "ok", "", who, 1),
        step_client.read,
    ),
    "aaa": Study(
        aaa.POOLS, Journal,
        lambda number, begun, ended, who: Exchange(0, number, begun, begun, ended, None, "ok", "", who),
        aaa_client.read,
    ),
    "esb": Study(
        reliable.FAULTY, lambda path: Recorder(path, tuple(reliable_read._CALLS)), _line, reliable_read._calls
    ),
    "corba": Study(corba.DISPATCHERS, lambda path: Recorder(path, tuple(orb._CLIENT)), _line, orb.read_client),
}  # fmt: skip


def plan(study: str, folder: Path) -> Plan:
    """Return the first runs of a study's experiment."""
    found = Plan.of(STUDIES[study].experiment, "smoke", 1, folder=folder)
    return found.only([run.name for run in found.runs[:RUNS]])


class MadeBench(Bench):
    """Sends requests to a made server that runs share; tells of each step."""

    def __init__(self, study, tell):
        super().__init__()
        self.study, self.tell, self.carried_out, self.server = STUDIES[study], tell, [], None

    def carry_out(self, planned, folder):
        self.carried_out.append(planned.name)
        self.tell(f"BEGIN {planned.name}")
        if self.begin_block(planned, folder):
            command = [sys.executable, "-S", "-c", SERVER]
            self.server = self.processes.enter_context(serve("made", command, self.home / "server.log"))
            self.tell(f"SERVER {self.server.pid}")
        with temporary("made"), self.study.opened(folder / RECORD) as recorder:
            for number in range(REQUESTS):
                begun = time.monotonic_ns()
                self.server.command("work", "DONE")
                recorder.add(self.study.line(number, begun, time.monotonic_ns(), os.getpid()))
                self.tell(f"REQUEST {number}")
        store.compress(folder / RECORD, folder / f"{RECORD}.gz")
        self.tell(f"PACKED {planned.name}")
        return {"load_s": 1.0}, (f"{RECORD}.gz",)


def measure(study: str, folder: Path, tell: Callable[[str], None]) -> tuple[list[store.Run], list[str]]:
    """Measure what is missing; return all runs, and the names of those that were carried out.

    A process that a killed lab was just starting holds its lock until it has become another program or is ended, too.
    """
    made = MadeBench(study, tell)
    try:
        return lab.measure(plan(study, folder), made, show_progress=False, wait=True), made.carried_out
    finally:
        made.close()


def _forked(job: dict) -> None:
    lab.host.describe = dict
    tempfile.tempdir = job["temporary"]

    def tell(what: str) -> None:
        os.write(1, f"{what}\n".encode())

    tell(f"LAB {os.getpid()}")
    try:
        measure(job["study"], Path(job["folder"]), tell)
    except PerfstudiesError as error:
        tell(f"ERROR {type(error).__name__}")


if __name__ == "__main__":
    for text in sys.stdin:
        child = os.fork()
        if child == 0:
            os.close(0)
            os.open(os.devnull, os.O_RDONLY)
            try:
                _forked(json.loads(text))
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        os.write(1, b"ENDED\n")
