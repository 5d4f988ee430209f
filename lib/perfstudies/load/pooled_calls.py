"""Threads that call through one requests session: zeep's calls, and when each was given a connection of the pool.

requests keeps ten connections to a host (``pool_maxsize``). Who finds none either waits for one (``pool_block``), or
opens a further one that is thrown away after its call, which is the default.

Run as a process: ``python -m perfstudies.load.pooled_calls``. It prints ``READY for calls`` and answers each line
``call FILE`` of its standard input, a plan as `PooledPlan.read` reads it, with ``CALLED connections``: how many it
opened. It ends when its standard input ends.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO, NoReturn

import requests
import zeep
import zeep.exceptions
from requests.adapters import DEFAULT_POOLSIZE, HTTPAdapter
from urllib3.connectionpool import HTTPConnectionPool

from perfstudies.errors import BadParameter, PerfstudiesError
from perfstudies.load.soap import connect, operation
from perfstudies.sent import Recorder

COLUMNS = ("number", "thread", "asked_ns", "connected_ns", "ended_ns", "outcome", "detail")
OK, SOAP_FAULT, NO_ANSWER, LOST = "ok", "soap fault", "no answer", "lost"
OPERATION = "echo"
DEFAULT = "default"
TIMEOUT_S = 60


@dataclass(frozen=True)
class PooledPlan:
    """What is to be called, and how.

    Attributes
    ----------
    wsdl : str
        Address of the service's description.
    calls, threads : int
        How many calls, and how many threads make them, each its next when its last has ended.
    connections : int
        That the pool keeps; 0 leaves requests' own default.
    waits : bool
        Whether a call waits for a connection of the pool when all are in use; otherwise it opens another.
    orders, padding : int
        Of each message: how many orders, and letters after them.
    record : Path
        The file to write, with the columns `COLUMNS`.
    """

    wsdl: str
    calls: int
    threads: int
    connections: int
    waits: bool
    orders: int
    padding: int
    record: Path

    @classmethod
    def read(cls, path: Path) -> PooledPlan:
        """Read a plan: lines ``name=value``.

        Raises
        ------
        BadParameter
            If one is missing or no number.
        """
        lines = path.read_text(encoding="utf-8").splitlines()
        told = dict(line.split("=", 1) for line in lines if "=" in line)
        try:
            connections = told["connections"]
            return cls(
                wsdl=f"{told['address']}?wsdl",
                calls=int(told["calls"]),
                threads=int(told["threads"]),
                connections=0 if connections == DEFAULT else int(connections),
                waits=told["pool.waits"] == "true",
                orders=int(told["orders"]),
                padding=int(told["padding"]),
                record=Path(told["record"]),
            )
        except (KeyError, ValueError) as error:
            raise BadParameter(f"{path} is no plan of calls: {error!r}") from error


_GIVEN = threading.local()
"""``at_ns``: when a thread was given the connection of its call; 0 if it was not."""


class _ObservedPool(HTTPConnectionPool):
    """The pool as it is, except that each thread can tell when it was given its last connection."""

    def _get_conn(self, timeout: float | None = None) -> Any:
        connection = super()._get_conn(timeout)
        _GIVEN.at_ns = time.monotonic_ns()
        return connection


class PooledAdapter(HTTPAdapter):
    """requests' way to the connections, with a pool that is observed."""

    def __init__(self, connections: int, waits: bool):
        super().__init__(pool_maxsize=connections or DEFAULT_POOLSIZE, pool_block=waits)

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        """Make the pools as requests does."""
        super().init_poolmanager(*arguments, **options)
        self.poolmanager.pool_classes_by_scheme = {"http": _ObservedPool}

    @property
    def opened(self) -> int:
        """How many connections were opened so far."""
        pools = self.poolmanager.pools
        return sum(pools[key].num_connections for key in pools.keys())  # noqa: SIM118, it is no mapping


class PooledCalls:
    """The calls of a plan; `make` is the run, and `opened` how many connections it opened."""

    def __init__(self, plan: PooledPlan):
        self.plan = plan
        self.adapter = PooledAdapter(plan.connections, plan.waits)
        client = connect(plan.wsdl, TIMEOUT_S)
        # What read the description does not count as a connection of the calls.
        client.transport.session.mount("http://", self.adapter)
        self._session = client.transport.session
        self.opened = 0
        self._call = operation(client, OPERATION)
        self._numbers = count()
        self._taking = threading.Lock()
        self._errors: list[BaseException] = []

    def make(self) -> None:
        """Make all calls.

        Raises
        ------
        BadParameter
            If a message does not fit the service's description.
        """
        with Recorder(self.plan.record, COLUMNS) as record:
            threads = [threading.Thread(target=self._run, args=(own, record)) for own in range(self.plan.threads)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.opened = self.adapter.opened
        self._session.close()
        if self._errors:
            raise self._errors[0]

    def _run(self, thread: int, record: Recorder) -> None:
        try:
            while (number := next(self._numbers)) < self.plan.calls and not self._errors:
                called = self._one(number, thread)
                with self._taking:
                    record.add(called)
        except BaseException as error:  # handed to the caller, which ends the run
            self._errors.append(error)

    def _one(self, number: int, thread: int) -> _Called:
        order = {"symbol": "IBM", "buyer": "buyer", "price": "82.5", "volume": number}
        padding = {"padding": "x" * self.plan.padding} if self.plan.padding else {}
        _GIVEN.at_ns = 0
        asked_ns = time.monotonic_ns()
        try:
            answer = self._call(order=[order] * self.plan.orders, **padding)
            ended_ns = time.monotonic_ns()
            detail = _problem(answer, number)
            outcome = NO_ANSWER if detail else OK
        except (zeep.exceptions.ValidationError, TypeError) as error:
            raise BadParameter(f"a message does not fit the service's description of {OPERATION}: {error}") from error
        except zeep.exceptions.Fault as error:
            ended_ns, outcome, detail = time.monotonic_ns(), SOAP_FAULT, error.message or "no text"
        except zeep.exceptions.Error as error:
            ended_ns, outcome, detail = time.monotonic_ns(), NO_ANSWER, str(error)
        except (requests.RequestException, OSError) as error:
            ended_ns, outcome, detail = time.monotonic_ns(), LOST, f"{type(error).__name__}: {error}"
        return _Called(number, thread, asked_ns, _GIVEN.at_ns, ended_ns, outcome, detail)


@dataclass(frozen=True, slots=True)
class _Called:
    number: int
    thread: int
    asked_ns: int
    connected_ns: int
    ended_ns: int
    outcome: str
    detail: str


def _problem(answer: object, number: int) -> str:
    """Return what is wrong with an answer, or nothing."""
    orders = getattr(answer, "order", None)
    if not orders:
        return "an answer without an order"
    return "" if orders[0].volume == number else f"the answer to call {orders[0].volume}"


def main() -> NoReturn:
    """Answer the lines of standard input."""
    print("READY for calls", flush=True)
    # Unbuffered, and in a thread of its own: a run must end with who asked for it.
    lines = open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)
    waiting: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_listen, args=(lines, waiting), daemon=True).start()
    while True:
        print(_answer(waiting.get()), flush=True)


def _answer(line: str) -> str:
    word, _, rest = line.partition(" ")
    if word != "call":
        return f"UNKNOWN {line}"
    try:
        calls = PooledCalls(PooledPlan.read(Path(rest)))
        calls.make()
    except (PerfstudiesError, OSError) as error:
        return f"FAILED {' '.join(str(error).split())}"
    return f"CALLED {calls.opened}"


def _listen(lines: BinaryIO, waiting: SimpleQueue[str]) -> None:
    for line in lines:
        waiting.put(line.decode().strip())
    os._exit(0)


if __name__ == "__main__":
    main()
