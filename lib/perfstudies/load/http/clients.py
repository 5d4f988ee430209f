"""The clients of a run as processes: started, begun together, watched, and ended whatever happens."""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path

from perfstudies.errors import SystemFailed
from perfstudies.files import temporary
from perfstudies.load.http.client_process import SENT
from perfstudies.load.http.client_program import started, tell
from perfstudies.load.http.limits import require_open_files
from perfstudies.load.http.plan import BURST, STUDY, Plan
from perfstudies.servers.process import Process

LEAD_S = 0.2  # until all have read when to begin
READY_TIMEOUT_S = 120
POLL_S = 0.25
STOP_S = 30  # how long clients of a dead server may take to say so


def run_clients(
    plans: Sequence[Plan],
    prefix: Sequence[str] = (),
    alive: Callable[[], bool] = lambda: True,
    progress: Callable[[int], None] | None = None,
    kept: Process | None = None,
) -> int:
    """Run clients that begin together, and wait until they have sent all.

    Parameters
    ----------
    plans : sequence of Plan
        One a client.
    prefix : sequence of str
        A command that runs another one; for a network namespace.
    alive : callable
        Whether the server's process still runs.
    progress : callable or None
        Told now and then how many requests have ended.
    kept : Process or None
        One of `kept_client` that sends the only plan, at once; by default clients are started, and ended, for the
        plans. After an error it is of no use any more.

    Returns
    -------
    int
        When they began: nanoseconds of the monotonic clock. The times on record count from it.

    Raises
    ------
    BadParameter
        If a plan needs more than this machine allows.
    SystemFailed
        If the server died or a client failed or ended early, with the end of what it said. What had ended is on record.
    """
    for plan in plans:
        require_open_files(plan.connections, f"client {plan.client} with {plan.connections} connections")
    at_once = sum(plan.connections for plan in plans)
    if any(plan.arrivals == BURST for plan in plans):
        require_open_files(at_once, f"the server of {at_once} connections")
    with temporary("clients") as folder, ExitStack() as running:
        clients = [kept] if kept else [running.enter_context(_client(plan, prefix, folder)) for plan in plans]
        for client, plan in zip(clients, plans, strict=True):
            path = folder / f"plan-{plan.client}.json"
            plan.write(path)
            tell(client, f"PLAN {path}")
        for client, plan in zip(clients, plans, strict=True):
            client.wait_ready(READY_TIMEOUT_S + (plan.open_s if plan.arrivals == BURST else 0))
        start_ns = time.monotonic_ns() + (0 if kept else int(LEAD_S * 1e9))
        for client in clients:
            tell(client, f"GO {start_ns}")
        _wait(clients, alive, _Progress([plan.record for plan in plans], progress))
    return start_ns


@contextmanager
def kept_client(prefix: Sequence[str] = ()) -> Iterator[Process]:
    """Start a client that `run_clients` gives one plan after another, of any arrivals but the study's; end it then."""
    with (
        temporary("client") as folder,
        started("a client", "perfstudies.load.http.arrivals", folder / "client.log", prefix) as client,
    ):
        yield client


def _client(plan: Plan, prefix: Sequence[str], folder: Path) -> AbstractContextManager[Process]:
    module = f"perfstudies.load.http.{'study_client' if plan.arrivals == STUDY else 'arrivals'}"
    return started(f"client {plan.client}", module, folder / f"client-{plan.client}.log", prefix)


def _wait(clients: Sequence[Process], alive: Callable[[], bool], progress: _Progress) -> None:
    running, died = list(clients), False
    give_up = float("inf")
    failed: list[Process] = []
    while running:
        # A client says when it has sent all; the output of one that ends before that ends, too.
        ended, _, _ = select.select([client.popen.stdout for client in running], [], [], POLL_S)
        progress.tell()
        for client in [one for one in running if one.popen.stdout in ended]:
            running.remove(client)
            with suppress(SystemFailed):
                if client.line(STOP_S, "did not say that all was sent") == SENT:
                    continue
            failed.append(client)
        if not (died or failed) and alive():
            continue
        died = died or not alive()
        if give_up == float("inf"):
            give_up = time.monotonic() + STOP_S
            for client in running:
                tell(client, "STOP")
        if time.monotonic() > give_up:
            break
    if failed and not died:
        raise failed[0].failure("did not send all that it had to")
    if died:
        said = "; ".join(str(client.failure("ended early")) for client in failed)
        raise SystemFailed(f"the server died while clients sent to it. {said}".strip())


class _Progress:
    """Counts the lines of record files as they grow."""

    def __init__(self, records: Iterable[Path], report: Callable[[int], None] | None):
        self._report, self._read = report, dict.fromkeys(records, 0)
        self._count, self._told = -len(self._read), 0  # their headings are no requests

    def tell(self) -> None:
        if self._report is None:
            return
        for path, read in self._read.items():
            if path.exists():
                with open(path, "rb") as file:
                    file.seek(read)
                    added = file.read()
                self._count += added.count(b"\n")
                self._read[path] = read + len(added)
        if self._count > self._told:
            self._told = self._count
            self._report(self._count)
