"""Jobs on a Dask cluster: ``--scheduler tcp://host:port``, or ``tls://host:port``.

Every worker has the lab and its recorded data, at one version. Points that do not measure go to any worker. What
measures goes to one worker a machine at a time, and there waits for the machine's lock (`perfstudies.runs.lock`), so
that two workers on one machine never measure side by side. Results come back as bytes; nothing is left on the workers.

A cluster runs whatever its scheduler is sent, as the user who started its workers, and Dask's messages are pickles: who
can reach it can run code on all its machines, and on the one that asks. Use only one that you trust, on a network that
you trust.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from distributed import Client, Future, get_worker

from perfstudies import workers
from perfstudies.errors import PerfstudiesError
from perfstudies.files import temporary
from perfstudies.notebooks.execute import ENVIRONMENT
from perfstudies.notebooks.grid import data_checksum, library_checksum
from perfstudies.notebooks.work import Job, Outcome

COMES_BACK_S = 30.0
_RUNNING: dict[Any, str] = {}
"""On a worker: the processes of its jobs, each with the client that asked for it and can have it ended."""


def run(jobs: Sequence[Job], scheduler: str) -> Iterator[tuple[Job, Outcome]]:
    """Carry out a batch's jobs on a cluster: first those that do not measure, then those that do.

    Parameters
    ----------
    jobs : sequence of Job
        Carried out, and yielded with their outcomes, as by `perfstudies.notebooks.pool.run`.
    scheduler : str
        The scheduler's address.

    Raises
    ------
    PerfstudiesError
        If there is no such scheduler, it has no worker or is lost, or a worker has another version of the lab.
    """
    with connected(scheduler) as client:
        for measures in (False, True):
            chosen = [job for job in jobs if job.measures is measures]
            orders = [asdict(replace(job, text=Path(job.notebook).read_text(encoding="utf-8"))) for job in chosen]
            for at, answer in carry_out(client, "point", orders, alone=measures):
                if "error" in answer and "html" not in answer:
                    yield chosen[at], Outcome("", "", f"{chosen[at].notebook}: {answer['error']}", 0.0, "")
                else:
                    yield chosen[at], Outcome(**answer)


@contextmanager
def connected(scheduler: str) -> Iterator[Client]:
    """Connect to a cluster whose workers have this lab; end what they still do at the end of the block."""
    with workers.connected(scheduler) as client:
        try:
            _check(client)
            yield client
        finally:
            if client.status == "running":  # where the scheduler is lost, its workers end by themselves
                with suppress(OSError):
                    client.run(_end, client.id, on_error="ignore")


def carry_out(
    client: Client, kind: str, orders: Sequence[Mapping[str, object]], alone: bool
) -> Iterator[tuple[int, dict]]:
    """Have orders carried out.

    Parameters
    ----------
    client : distributed.Client
        From `connected`.
    kind : {"point", "block"}
        What they are, of `perfstudies.notebooks.remote`.
    orders : sequence of mapping
        Plain data.
    alone : bool
        Whether a machine does only one at a time.

    Yields
    ------
    number, answer : int, dict
        An order's place and what it gave, as they end; ``error`` says what went wrong.

    Raises
    ------
    SystemFailed
        If the scheduler is lost.
    """
    waiting = deque(enumerate(orders))
    running: dict[Future, _Place] = {}
    machines: dict[str, str] = {}
    known: list[str] = []
    deserted_s = 0.0
    while waiting or running:
        there = workers.present(client)
        deserted_s = 0.0 if there else deserted_s or time.monotonic()
        if there != known:
            with workers.refusing_loss():
                _check(client)
                machines, known = _machines(client), there
        for future in [one for one, place in running.items() if not one.done() and _lost(place, there, deserted_s)]:
            place = running.pop(future)
            client.cancel([future])
            yield place.number, {"error": f"the worker {place.worker or 'that was left'} was lost while it did this"}
        while waiting and _deserted(deserted_s):
            yield waiting.popleft()[0], {"error": "no worker is left"}
        for machine, worker in _free(machines, running) if alone else [("", "")] * len(waiting):
            if waiting:
                number, order = waiting.popleft()
                future = client.submit(_on_worker, kind, order, client.id, workers=worker or None, pure=False)
                running[future] = _Place(number, machine, worker)
        for future in workers.ended(running):
            place, error = running.pop(future), future.exception()
            answer = future.result() if error is None else {"error": f"the cluster gave up: {error!r}"}
            yield place.number, answer


@dataclass(frozen=True)
class _Place:
    """Where an order is carried out; by any worker where machine and worker are empty."""

    number: int
    machine: str
    worker: str


def _free(machines: Mapping[str, str], running: Mapping[Future, _Place]) -> list[tuple[str, str]]:
    """Return the machines that do nothing, each with a worker."""
    busy = {place.machine for place in running.values()}
    return [(machine, worker) for machine, worker in machines.items() if machine not in busy]


def _machines(client: Client) -> dict[str, str]:
    """Return one worker's address for each machine, by the machine's name."""
    found = client.run(platform.node, on_error="ignore")
    return {name: address for address, name in sorted(found.items(), reverse=True)}


def _lost(place: _Place, there: Sequence[str], deserted_s: float) -> bool:
    """Return whether nobody carries this out any more: its own worker is gone, or all are and do not come back."""
    return place.worker not in there if place.worker else _deserted(deserted_s)


def _deserted(since_s: float) -> bool:
    """Return whether there has been no worker for long: one that died may be started again."""
    return since_s > 0 and time.monotonic() - since_s > COMES_BACK_S


def _check(client: Client) -> None:
    for address, version in client.run(_version, on_error="return").items():
        if isinstance(version, Exception):
            raise PerfstudiesError(f"the worker at {address} has no lab that answers: {version!r}")
        if version != _version():
            raise PerfstudiesError(f"the worker at {address} has another version of the lab or of its recorded data")


def _version() -> tuple[str, str]:
    return library_checksum(), data_checksum()


def _on_worker(kind: str, order: Mapping[str, object], client: str) -> dict:
    """Carry out an order in a process of its own: a notebook's kernel is forked, which threads would not survive."""
    worker = get_worker()
    with temporary("order") as folder:
        answer = folder / "answer.json"
        environment = os.environ | (ENVIRONMENT if kind == "point" else {})
        # Its standard input stays open as long as this worker lives.
        process: Any = subprocess.Popen(
            [sys.executable, "-m", "perfstudies.notebooks.remote"], stdin=subprocess.PIPE, env=environment
        )
        _RUNNING[process] = client
        try:
            process.stdin.write(json.dumps({"kind": kind, "order": order, "answer": str(answer)}).encode() + b"\n")
            process.stdin.flush()
            while (status := _status(process)) is None:
                if workers.alone(worker):
                    process.stdin.close()
                    status = process.wait()
                    break
        except BrokenPipeError:
            status = process.wait()
        finally:
            _RUNNING.pop(process, None)
            process.stdin.close()
        if not answer.is_file():
            return {"error": f"the process on {platform.node()} ended with status {status}"}
        return json.loads(answer.read_text(encoding="utf-8"))


def _status(process: subprocess.Popen) -> int | None:
    """Return with which status a process ended, or None if it does not for a while."""
    try:
        return process.wait(workers.POLL_S)
    except subprocess.TimeoutExpired:
        return None


def _end(client: str) -> None:
    """On a worker: let the processes of a client's jobs end."""
    for process, asked in list(_RUNNING.items()):
        if asked == client:
            process.stdin.close()
