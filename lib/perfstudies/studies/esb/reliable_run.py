"""One run on reliable messaging: messages from one database to another, while a proxy cuts and processes are killed.

Both databases are read when both sides have ended in order, so what is counted is what was committed, and nothing that
a process only believes.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import ExitStack
from pathlib import Path

from perfstudies.errors import SystemFailed
from perfstudies.runs import store
from perfstudies.runs.host import NoiseMeter
from perfstudies.runs.plan import PlannedRun
from perfstudies.servers import usage
from perfstudies.servers.java import java_version, libraries
from perfstudies.studies.esb.reliable import CALLS, COUNTED, FAULTY, KILLS, PASSED, WARM_UP_MESSAGES
from perfstudies.studies.esb.reliable_kills import NEVER, kills
from perfstudies.studies.esb.server import reliable as system
from perfstudies.studies.esb.server.cutting_proxy import AFTER, BEFORE, EITHER, NONE, Cuts, CuttingProxy, cutting
from perfstudies.studies.esb.server.reliable import Party

JAVA_DELIVERY = {"plain-retry": "plain", "reliable-stored": "stored"}
CUTS = {"cut-before": BEFORE, "cut-after": AFTER, "everything": EITHER, "server-everything": EITHER}
KILLED = {
    "server-restart": ("server",),
    "client-restart": ("client",),
    "everything": ("server", "client"),
    "server-everything": ("server",),
}
QUIET_S, PATIENCE_S, POLL_S = 0.25, 10.0, 0.01
"""A server is done if nothing waits in its store and it has applied nothing for `QUIET_S`; one in whose store something
waits is given up after `PATIENCE_S` (2 when recorded) without change, and so is of what a client hears nothing more."""
SEND_TIMEOUT_S = 600


class Exchange:
    """One run: its two sides, of which each may be replaced when it has been killed.

    Parameters
    ----------
    planned : PlannedRun
        What to carry out.
    folder : Path
        Where the raw logs go.
    take, give : callable
        Where processes come from, and go to when they are nothing any more.
    messages : int, optional
        How many are sent, if not as many as the run's size says.
    """

    def __init__(
        self,
        planned: PlannedRun,
        folder: Path,
        take: Callable[[], Party],
        give: Callable[[Party], None],
        messages: int = 0,
    ):
        self._planned, self._folder, self._take, self._give = planned, folder, take, give
        self._work = folder / "work"
        self._means = planned.properties
        self._messages = messages or planned.experiment.size(planned.profile).requests
        delivery = self._means["delivery"]
        self._delivery = JAVA_DELIVERY.get(delivery, delivery)
        self._fault = self._means.get("fault", "none")
        places = self._means.get("kill_at", "").split()
        self._kills = {
            side: kills(side, self._kill_count(), self._messages, planned.block, planned.seed, places)
            for side in KILLED.get(self._fault, ())
        }
        self._killed: list[dict] = []
        self._parties: dict[str, Party] = {}
        self._proxy: CuttingProxy | None = None
        self._meter: NoiseMeter | None = None
        self._address = ""

    def go(self) -> tuple[dict, tuple[str, ...]]:
        """Carry it out; return what the manifest says of it, and the names of its raw logs."""
        self._work.mkdir()
        with ExitStack() as opened:
            address = self._open("server")
            if self._planned.experiment.procedure == FAULTY.procedure:
                one_at_a_time = self._means.get("at_once") == "one"
                self._proxy = opened.enter_context(cutting(_port(address), self._cuts(), one_at_a_time))
            self._open("client")
            self._meter = meter = NoiseMeter(*(party.process.pid for party in self._parties.values()))
            before, started_s = self._cpu_s(), time.monotonic()
            with ThreadPoolExecutor(1) as asking:
                self._client(asking, f"send {self._messages}", "SENT")
                sent_s = time.monotonic() - started_s
                left = self._acknowledged(asking)
            waiting = self._settled()
            after, settled_s, noise = self._cpu_s(), time.monotonic() - started_s, meter.read()
        for party in reversed(self._parties.values()):
            party.close()
        party.count(self._work)
        for party in self._parties.values():
            self._give(party)
        return {
            "workload": {
                "load": self._planned.experiment.load,
                "amount": self._planned.experiment.size(self._planned.profile).amount_of(self._planned.setting),
                "messages": self._messages,
                "kills": self._killed,
                "warm_up_messages": WARM_UP_MESSAGES[self._planned.profile] if not self._proxy else 0,
            },
            "system": {
                "name": self._planned.experiment.system,
                "java": java_version(),
                "libraries": list(libraries(system.NAME)),
                "build": system.build(),
            },
            "load_s": round(settled_s, 3),
            "sent_s": round(sent_s, 4),
            # Of killed processes the CPU time is not known.
            **({} if self._kills else {f"cpu_{side}_s": round(after[side] - before[side], 4) for side in after}),
            "unacknowledged": left,
            "undelivered": waiting,
            "noise": noise.facts(),
        }, self._collect()

    def _kill_count(self) -> int:
        return KILLS[self._planned.experiment.name][self._planned.profile]

    def _cuts(self) -> Cuts:
        return Cuts(
            CUTS.get(self._fault, NONE),
            int(self._means["cut_burst"]),
            int(self._means["cut_period"]),
            f"{self._planned.seed}/{self._planned.block}",
        )

    def _open(self, side: str) -> str:
        """Make a process that side and return its address; a killed one's successor goes on with its databases."""
        while True:
            left = self._kills.get(side, [])
            settings = {
                "role": side,
                "work.dir": str(self._work.resolve()),
                "delivery": self._delivery,
                "again_ms": self._means["again_ms"],
                "store.pause_ms": self._means.get("store_pause_ms", "0"),
                **(left[0] if left else NEVER).settings,
            }
            if side == "client":
                settings |= {
                    "server": self._server_address(),
                    "retry": str(self._means["delivery"] == "plain-retry").lower(),
                    "record": str((self._work / "calls.csv").resolve()),
                    "gap_ms": self._means["gap_ms"],
                    "text.length": self._means["text_length"],
                }
            party = self._parties[side] = self._take()
            if self._meter:
                self._meter.add(party.process.pid)
            try:
                address = party.open(settings)
            except SystemFailed:
                # What it has to go on with may be the message at which it is to be killed.
                if not party.halted:
                    raise
                self._note(side)
                continue
            if side == "server":
                self._address = address
                if self._proxy:
                    self._proxy.target = _port(address)
            return address

    def _server_address(self) -> str:
        port = self._proxy.port if self._proxy else _port(self._address)
        return f"http://127.0.0.1:{port}/{self._address.rsplit('/', 1)[-1]}"

    def _note(self, side: str) -> None:
        kill = self._kills[side].pop(0)
        self._killed.append({"side": side, "place": kill.place, "number": kill.number})

    def _acknowledged(self, asking: ThreadPoolExecutor) -> int:
        """Wait until the client knows that all has arrived; return of how many messages it does not."""
        while True:
            before = len(self._killed)
            left = self._client(asking, f"settle {round(PATIENCE_S * 1000)}", "SETTLED")
            # Who waits for a server that is being restarted has not been patient yet.
            if not left or len(self._killed) == before:
                return left

    def _client(self, asking: ThreadPoolExecutor, line: str, answer: str) -> int:
        """Have the client do something to its end, whoever is killed meanwhile."""
        told: Future | None = None
        while True:
            told = told or asking.submit(self._parties["client"].number, line, answer, SEND_TIMEOUT_S)
            wait_for([told], timeout=POLL_S)
            self._revive_server()
            if not told.done():
                continue
            failed = told.exception()
            if failed is None:
                return told.result()[0]
            if not self._parties["client"].halted:
                raise failed
            self._note("client")
            self._open("client")
            if not line.startswith("send"):
                # What its successor had to do first was not done when it was asked.
                asking.submit(self._parties["client"].number, f"send {self._messages}", "SENT").result()
            told = None

    def _revive_server(self) -> None:
        if self._parties["server"].halted:
            self._note("server")
            self._open("server")

    def _settled(self) -> int:
        """Wait until the server has nothing left to do; return how many messages it has but does not apply."""
        last, since = None, time.monotonic()
        while True:
            self._revive_server()
            try:
                now = self._parties["server"].number("count", "COUNT")
            except SystemFailed:
                if not self._parties["server"].halted:
                    raise
                continue
            if now != last:
                last, since = now, time.monotonic()
            _, waiting = now
            if time.monotonic() - since > (PATIENCE_S if waiting else QUIET_S):
                return waiting
            time.sleep(POLL_S)

    def _cpu_s(self) -> dict[str, float]:
        return {side: usage.cpu_s(party.process.pid) for side, party in self._parties.items()}

    def _collect(self) -> tuple[str, ...]:
        passed = self._work / "requests.csv"
        with open(passed, "w", encoding="utf-8", newline="\n") as out:
            out.write("ordinal,at_ns,action,cut\n")
            for one in self._proxy.passed if self._proxy else ():
                out.write(f"{one.ordinal},{one.at_ns},{one.action},{one.cut}\n")
        for name in (CALLS, COUNTED, PASSED):
            store.compress(self._work / name.removesuffix(".xz"), self._folder / name)
        shutil.rmtree(self._work)
        return CALLS, COUNTED, PASSED


def _port(address: str) -> int:
    return int(address.rsplit(":", 1)[1].partition("/")[0])
