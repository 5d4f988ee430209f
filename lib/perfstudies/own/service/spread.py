"""The users of a run over the workers of a Dask cluster: each worker's process sends what its users have to.

A worker tells when its users are ready, and all begin when the last one is. Each worker counts times from its own
start, so that clocks need not agree. A password is read from the environment of the worker.

While they send, workers tell twice a second what they have sent, so that little is lost with one that dies; the others
are halted then, and the run has failed. No worker sends its users' requests a second time, though Dask would let it.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from operator import attrgetter

import distributed

from perfstudies.errors import SystemFailed
from perfstudies.own.service.users import READY_TIMEOUT_S, Job, Part, send
from perfstudies.sent import COLUMNS, Sent
from perfstudies.workers import LOST, alone, connected, ended, present, refusing_loss

TELL_S = 0.5
HALTED = "halted: another worker of this run was lost or failed"
_VALUES = attrgetter(*COLUMNS)

Sender = Callable[[Job, Callable[[Sent], None]], list[Part]]


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
        yield lambda job, add: [send(job, add)]
        return
    with connected(scheduler) as client:
        yield lambda job, add: _spread(client, job, add)


def divided(job: Job, parts: int) -> list[Job]:
    """Divide a job into at most so many, user by user; due requests are dealt out in turn."""
    parts = min(parts, len(job.users))
    return [replace(job, users=job.users[place::parts], due_ns=job.due_ns[place::parts]) for place in range(parts)]


def _spread(client: distributed.Client, job: Job, add: Callable[[Sent], None]) -> list[Part]:
    name, workers = f"perfstudies-{uuid.uuid4()}", present(client)
    with refusing_loss():
        ready, came = (distributed.Queue(f"{name}-{what}", client=client) for what in ("ready", "sent"))
        go, halt = (distributed.Event(f"{name}-{what}", client=client) for what in ("go", "halt"))
        jobs = divided(job, len(workers))
        futures = [
            client.submit(_on_worker, one, name, worker, workers=[worker], pure=False, retries=0)
            for one, worker in zip(jobs, workers, strict=False)
        ]
    sending = dict(zip(futures, workers, strict=False))
    begun, lost, failed = set[str](), set[str](), None
    try:
        while pending := [future for future, worker in sending.items() if not future.done() and worker not in lost]:
            if (lost or failed) and not begun.intersection(sending[future] for future in pending):
                break  # those that have not begun will not send
            ended(pending)
            with refusing_loss():
                lost |= {sending[future] for future in pending} - set(present(client))
                failed = failed or next((future for future in futures if future.status == "error"), None)
                begun.update(_taken(ready))
                if lost or failed:
                    halt.set()
                if lost or failed or len(begun) == len(futures):
                    go.set()
                _record(came, add)
        with refusing_loss():
            _record(came, add)
        if lost:
            raise SystemFailed(f"the Dask worker at {', '.join(sorted(lost))} was lost while its users sent")
        if failed is not None:
            failed.result()
        return client.gather(futures)
    except distributed.scheduler.KilledWorker as error:
        raise SystemFailed(f"a Dask worker died while its users sent: {error}") from error
    finally:
        if client.status == "running":
            with suppress(OSError):
                halt.set()
                go.set()
                client.cancel(futures)
                ready.close()
                came.close()


def _taken(queue: distributed.Queue) -> list:
    return list(queue.get(batch=True)) if queue.qsize() else []


def _record(came: distributed.Queue, add: Callable[[Sent], None]) -> None:
    for told in _taken(came):
        for one in told:
            add(Sent(*one))


def _on_worker(job: Job, name: str, own: str) -> Part:
    """Send a job where a worker, whose own address it is told, is told to."""
    begun = distributed.Event(f"{name}-{own}-begun")
    if begun.is_set():
        raise SystemFailed("a Dask worker was lost while its users sent, and came back: they do not send twice")
    begun.set()
    ready = distributed.Queue(f"{name}-ready")
    go, halt = (distributed.Event(f"{name}-{what}") for what in ("go", "halt"))

    def begin() -> None:
        ready.put(own)
        ready.close()
        if not go.wait(READY_TIMEOUT_S):
            raise SystemFailed("the other workers' users were not ready in time")
        if halt.is_set():
            raise SystemFailed(HALTED)

    with _Telling(name, halt) as telling:
        return send(job, telling.add, begin)


class _Telling:
    """Tells what was sent; refuses more when the run is halted, or nobody can be told.

    A worker that has lost its scheduler begins to close at once; to tell anything would take it half a minute.
    """

    def __init__(self, name: str, halt: distributed.Event):
        self._worker, self._halt = distributed.get_worker(), halt
        self._came = distributed.Queue(f"{name}-sent")
        self._sent: list[Sent] = []
        self._lock, self._over = threading.Lock(), threading.Event()
        self._problem = ""
        self._thread = threading.Thread(target=self._body, name="telling")

    def __enter__(self) -> _Telling:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._tell()  # what ended after the thread did, too
        self._came.close()

    def add(self, sent: Sent) -> None:
        """Have a request told of."""
        with self._lock:
            self._sent.append(sent)
        if self._problem or alone(self._worker):
            raise SystemFailed(self._problem or LOST)

    def _body(self) -> None:
        while not self._problem and not self._over.wait(TELL_S):
            self._tell()

    def _tell(self) -> None:
        if alone(self._worker):
            return
        with self._lock:
            told, self._sent = self._sent, []
        try:
            if told:
                self._came.put([_VALUES(one) for one in told])
            if self._halt.is_set():
                self._problem = HALTED
        except Exception as error:
            self._problem = f"{LOST}: {error}"
