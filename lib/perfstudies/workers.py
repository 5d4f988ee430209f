"""A Dask scheduler and its workers: how to connect, and how to notice that one of them is gone.

A scheduler that is lost, or a task whose only worker is, would be waited for without an end.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress

import distributed
from distributed import Client, Future
from distributed.core import Status

from perfstudies.errors import SystemFailed

CONNECT_S, CLOSE_S = 20, 10
POLL_S = 0.1
"""After which to look again whether everybody is still there."""
LOST = "the Dask scheduler was lost"


@contextmanager
def connected(scheduler: str) -> Iterator[Client]:
    """Connect to a scheduler for the length of a block.

    Parameters
    ----------
    scheduler : str
        Its address, ``tcp://host:port``, or ``tls://host:port`` with the certificates that Dask's configuration names.

    Raises
    ------
    SystemFailed
        If none answers, or it has no worker.
    """
    try:
        client = Client(scheduler, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        raise SystemFailed(f"no Dask scheduler answers at {scheduler}: {error}") from error
    try:
        if not present(client):
            raise SystemFailed(f"the scheduler at {scheduler} has no worker; start one by: dask worker {scheduler}")
        yield client
    finally:
        with suppress(OSError):
            client.close(timeout=CLOSE_S if client.status == "running" else 0.1)


def present(client: Client) -> list[str]:
    """Return the addresses of the workers that are there, in order.

    Raises
    ------
    SystemFailed
        If the scheduler is not there any more.
    """
    with refusing_loss():
        # Asked itself: `client.scheduler_info` may answer with what the client's own look in between found, no worker.
        found = client.sync(client.scheduler.identity, n_workers=-1) if client.status == "running" else {}
    # A client that has noticed the loss meanwhile answers with what it knew, or with nothing.
    if client.status == "running" and "workers" in found:
        return sorted(found["workers"])
    raise SystemFailed(LOST)


def ended(futures: Collection[Future]) -> set[Future]:
    """Wait for a moment, and return which have ended.

    Raises
    ------
    SystemFailed
        If the scheduler is not there any more.
    """
    time.sleep(POLL_S)
    if any(future.cancelled() for future in futures):
        raise SystemFailed(LOST)
    return {future for future in futures if future.done()}


def alone(worker: distributed.Worker) -> bool:
    """Return whether a worker has lost its scheduler; it begins to close at once then."""
    return worker.status in (Status.closing, Status.closed)


@contextmanager
def refusing_loss() -> Iterator[None]:
    """Say what it means when a scheduler does not answer any more.

    Raises
    ------
    SystemFailed
        In the place of what Dask raises.
    """
    try:
        yield
    except (OSError, distributed.CancelledError) as error:
        raise SystemFailed(f"{LOST}: {error}") from error
