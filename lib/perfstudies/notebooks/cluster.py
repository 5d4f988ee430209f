"""Jobs on a Dask cluster: ``--scheduler tcp://host:port``.

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
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from distributed import Client, Future, as_completed

from perfstudies.errors import PerfstudiesError
from perfstudies.files import temporary
from perfstudies.notebooks.execute import ENVIRONMENT
from perfstudies.notebooks.grid import data_checksum, library_checksum
from perfstudies.notebooks.work import Job, Outcome

CONNECT_S = 20
_RUNNING: set[Any] = set()
"""On a worker: the processes of its jobs, so that whoever asked for them can have them ended."""


def run(jobs: Sequence[Job], scheduler: str) -> Iterator[tuple[Job, Outcome]]:
    """Carry out a batch's jobs on a cluster: first those that do not measure, then those that do.

    Parameters
    ----------
    jobs : sequence of Job
        In the order in which they begin.
    scheduler : str
        The scheduler's address.

    Yields
    ------
    job, outcome : Job, Outcome
        As they end. Whoever stops listening ends all that still run.

    Raises
    ------
    PerfstudiesError
        If there is no such scheduler, it has no worker, or one has another version of the lab or of its data.
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
    try:
        client = Client(scheduler, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise PerfstudiesError(f"no scheduler answers at {scheduler}: {error}") from error
    try:
        _check(client, scheduler)
        yield client
    finally:
        try:
            client.run(_end, on_error="ignore")
        finally:
            client.close()


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
    """
    # A place a machine, or as many as there are orders: then the scheduler spreads them over its workers.
    free = deque(_machines(client).values() if alone else [None] * len(orders))
    waiting = deque(enumerate(orders))
    running: dict[Future, tuple[int, str | None]] = {}
    ended = as_completed(loop=client.loop)

    def start() -> None:
        while waiting and free:
            number, order = waiting.popleft()
            worker = free.popleft()
            future = client.submit(_on_worker, kind, order, workers=worker, pure=False)
            running[future] = number, worker
            ended.add(future)

    start()
    for future in ended:
        number, worker = running.pop(future)
        error = future.exception()
        answer = {"error": f"the cluster gave up: {error!r}"} if error is not None else future.result()
        free.append(worker)
        start()
        yield number, answer


def _machines(client: Client) -> dict[str, str]:
    """Return one worker's address for each machine, by the machine's name."""
    return {name: address for address, name in sorted(client.run(platform.node).items(), reverse=True)}


def _check(client: Client, scheduler: str) -> None:
    found = client.run(_version)
    if not found:
        raise PerfstudiesError(f"the scheduler at {scheduler} has no worker; start one by: dask worker {scheduler}")
    for address, version in found.items():
        if version != _version():
            raise PerfstudiesError(f"the worker at {address} has another version of the lab or of its recorded data")


def _version() -> tuple[str, str]:
    return library_checksum(), data_checksum()


def _on_worker(kind: str, order: Mapping[str, object]) -> dict:
    """Carry out an order in a process of its own: a notebook's kernel is forked, which threads would not survive."""
    with temporary("order") as folder:
        answer = folder / "answer.json"
        environment = os.environ | (ENVIRONMENT if kind == "point" else {})
        # Its standard input stays open as long as this worker lives.
        process: Any = subprocess.Popen(
            [sys.executable, "-m", "perfstudies.notebooks.remote"], stdin=subprocess.PIPE, env=environment
        )
        _RUNNING.add(process)
        try:
            process.stdin.write(json.dumps({"kind": kind, "order": order, "answer": str(answer)}).encode() + b"\n")
            process.stdin.flush()
            status = process.wait()
        except BrokenPipeError:
            status = process.wait()
        finally:
            _RUNNING.discard(process)
            process.stdin.close()
        if not answer.is_file():
            return {"error": f"the process on {platform.node()} ended with status {status}"}
        return json.loads(answer.read_text(encoding="utf-8"))


def _end() -> None:
    """On a worker: let the processes of its jobs end."""
    for process in list(_RUNNING):
        process.stdin.close()
