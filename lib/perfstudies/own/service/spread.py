"""The users of a run over the workers of a Dask cluster: each worker's process sends what its users have to.

A worker tells when its users are ready, and all begin when the last one is. Each worker counts times from its own
start, so that clocks need not agree. A password is read from the environment of the worker.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import distributed

from perfstudies.errors import SystemFailed
from perfstudies.own.service.users import READY_TIMEOUT_S, Job, Part, send
from perfstudies.sent import Sent

POLL_S = 0.2

Sender = Callable[[Job, Callable[[Sent], None]], list[Part]]


def alone(job: Job, add: Callable[[Sent], None]) -> list[Part]:
    """Send all of a job's requests from this process."""
    return [send(job, add)]


@contextmanager
def over(scheduler: str | None) -> Iterator[Sender]:
    """Yield what sends a job: this process, or the workers of a scheduler.

    Parameters
    ----------
    scheduler : str or None
        Its address, for example ``tcp://127.0.0.1:8786``.

    Raises
    ------
    SystemFailed
        If there is no scheduler at the address, or it has no worker.
    """
    if scheduler is None:
        yield alone
        return
    try:
        client = distributed.Client(scheduler, timeout=30, set_as_default=False)
    except (OSError, ValueError) as error:
        raise SystemFailed(f"there is no Dask scheduler at {scheduler}: {error}") from error
    with client:
        workers = sorted(client.scheduler_info(n_workers=-1)["workers"])
        if not workers:
            raise SystemFailed(f"the Dask scheduler at {scheduler} has no worker")
        yield lambda job, add: _spread(client, workers, job, add)


def divided(job: Job, parts: int) -> list[Job]:
    """Divide a job into at most so many, user by user; due requests are dealt out in turn."""
    parts = min(parts, len(job.users))
    return [replace(job, users=job.users[place::parts], due_ns=job.due_ns[place::parts]) for place in range(parts)]


def _spread(client: distributed.Client, workers: list[str], job: Job, add: Callable[[Sent], None]) -> list[Part]:
    name = f"perfstudies-{uuid.uuid4()}"
    ready, go = distributed.Queue(f"{name}-ready", client=client), distributed.Event(f"{name}-go", client=client)
    jobs = divided(job, len(workers))
    futures = [
        client.submit(_on_worker, one, name, workers=[worker], pure=False, retries=0)
        for one, worker in zip(jobs, workers, strict=False)
    ]
    try:
        waiting = len(jobs)
        while waiting and not any(future.done() for future in futures):
            waiting -= len(ready.get(timeout=POLL_S, batch=True)) if ready.qsize() else 0
        go.set()
        answers = client.gather(futures)
    except distributed.scheduler.KilledWorker as error:
        raise SystemFailed(f"a Dask worker died while its users sent: {error}") from error
    finally:
        go.set()
        client.cancel(futures)
    for _, sent in answers:
        for one in sent:
            add(one)
    return [part for part, _ in answers]


def _on_worker(job: Job, name: str) -> tuple[Part, list[Sent]]:
    """Send a job where a worker is told to."""
    ready, go = distributed.Queue(f"{name}-ready"), distributed.Event(f"{name}-go")

    def begin() -> None:
        ready.put(1)
        if not go.wait(READY_TIMEOUT_S):
            raise SystemFailed("the other workers' users were not ready in time")

    sent: list[Sent] = []
    part = send(job, sent.append, begin)
    return part, sent
