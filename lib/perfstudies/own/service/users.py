"""The users of a run, or some of them, in threads of this process: requests, each with its record.

What goes wrong with a request is an outcome. A run is given up when nothing but transport errors comes any more: then
the server is dead, or is none.
"""

from __future__ import annotations

import platform
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from perfstudies import sent as record
from perfstudies.own.service import plain
from perfstudies.own.service.calls import SoapAsker
from perfstudies.own.service.declaration import Load, Target
from perfstudies.own.service.description import Description, caller
from perfstudies.own.service.http_calls import HttpAsker
from perfstudies.own.service.http_declaration import HttpTarget
from perfstudies.permit import Permit
from perfstudies.sent import Sent

GIVE_UP = 5
"""After so many transport errors in a row, of all users of a process, the server counts as dead."""
READY_TIMEOUT_S = 120

Asker = SoapAsker | HttpAsker
"""Sends a user's requests, over connections of its own."""


@dataclass(frozen=True)
class Job:
    """What users of one process send.

    Attributes
    ----------
    target : Target or HttpTarget
        With arguments.
    description : Description or None
        Of a SOAP target.
    permit : Permit
    load : Load
        Of the whole run.
    users : tuple of int
        Which of the load's users these are.
    due_ns : tuple of (int, int)
        Of open arrivals, the number of each request and when it is due after the run's start; empty for closed users.
    spacing_s : float
        That each user leaves at least between the beginnings of two requests; of open arrivals all of them together.
    """

    target: Target | HttpTarget
    description: Description | None
    permit: Permit
    load: Load
    users: tuple[int, ...]
    due_ns: tuple[tuple[int, int], ...] = ()
    spacing_s: float = 0.0

    def requests_of(self, user: int) -> int:
        """Return how many of the run's requests a closed user sends."""
        each, more = divmod(self.load.requests, self.load.users)
        return each + (user < more)


@dataclass(frozen=True)
class Part:
    """What came of a job.

    Attributes
    ----------
    host : str
        Who sent.
    served : tuple of str
        The addresses of the hosts that answered.
    start_s : float
        When it began, s since the epoch. The times on record count from then.
    took_s : float
        Until its last answer.
    failure : str
        Why the run has failed, or empty.
    cut : str
        Why fewer requests were sent than asked for, or empty.
    """

    host: str
    served: tuple[str, ...]
    start_s: float
    took_s: float
    failure: str
    cut: str


@dataclass
class _Run:
    """What the threads of a process share."""

    job: Job
    add: Callable[[Sent], None]
    stop: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    start_ns: int = 0
    next_ns: int = 0
    errors_in_a_row: int = 0
    failure: str = ""
    cut: str = ""
    raised: BaseException | None = None

    def ended(self, sent: Sent) -> None:
        """Put a request on record; give up if the server is gone."""
        with self.lock:
            self.add(sent)
            lost = sent.outcome == record.TRANSPORT_ERROR
            self.errors_in_a_row = self.errors_in_a_row + 1 if lost else 0
            if self.errors_in_a_row >= GIVE_UP:
                self.failure = self.failure or (
                    f"the server does not answer any more: the last {GIVE_UP} requests failed ({sent.detail})"
                )
                self.stop.set()

    def out_of_time(self, at_ns: int) -> bool:
        """Whether the run's limit of time is over at a time after its start."""
        limit_s = self.job.load.limit_s
        if at_ns < limit_s * 1e9:
            return False
        self.cut = f"its limit of {limit_s:g} s was over"
        return True

    def wait_until(self, due_ns: int) -> bool:
        """Wait for a time after the run's start, if it lies within the limit; return whether it is to be used."""
        if self.out_of_time(due_ns):
            return False
        left_s = (self.start_ns + due_ns - time.monotonic_ns()) / 1e9
        stopped = self.stop.wait(left_s) if left_s > 0 else self.stop.is_set()
        return not stopped and not self.out_of_time(time.monotonic_ns() - self.start_ns)


def send(job: Job, add: Callable[[Sent], None], begin: Callable[[], None] = lambda: None) -> Part:
    """Send a job's requests.

    Parameters
    ----------
    job : Job
    add : callable
        Is given each request when it has ended, one at a time; its times are counted from the start.
    begin : callable
        Is called when all users are ready; the start is when it returns.

    Raises
    ------
    BadParameter
        If the arguments do not fit the description, or an address is not permitted.
    SystemFailed
        If the description is none.
    """
    askers = [_asker(job) for _ in job.users]
    run = _Run(job, add)
    work = iter(job.due_ns) if job.due_ns else None
    threads = [
        threading.Thread(target=_body, args=(run, user, one, work), name=f"user-{user}")
        for user, one in zip(job.users, askers, strict=True)
    ]
    begin()
    start_s, run.start_ns = time.time(), time.monotonic_ns()
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        # Ctrl-C arrives here: the users end after the request they are in.
        run.stop.set()
        for thread in threads:
            if thread.ident is not None:
                thread.join()
        for one in askers:
            one.close()
    if run.raised is not None:
        raise run.raised
    served = tuple(sorted(set().union(*(one.peers for one in askers))))
    took_s = (time.monotonic_ns() - run.start_ns) / 1e9
    return Part(platform.node(), served, start_s, took_s, run.failure, run.cut)


def _asker(job: Job) -> Asker:
    target, load = job.target, job.load
    if isinstance(target, HttpTarget):
        return HttpAsker(target, job.permit, load.timeout_s, load.reply_bytes, by_number=bool(job.due_ns))
    assert job.description is not None, "a SOAP target is called by its description"
    one = caller(target, job.description, job.permit, load.timeout_s, load.reply_bytes)
    password = plain.secret("password_variable", target.password_variable) if target.password_variable else ""
    return SoapAsker(one, target.arguments, plain.quotable(target.user, password) if password else ())


def _body(run: _Run, user: int, one: Asker, work: Iterator[tuple[int, int]] | None) -> None:
    try:
        if work is None:
            _closed(run, user, one)
        else:
            _open(run, user, one, work)
    except BaseException as error:  # handed to the caller's thread
        run.raised = run.raised or error
        run.stop.set()


def _closed(run: _Run, user: int, one: Asker) -> None:
    job, due_ns = run.job, 0
    for number in range(job.requests_of(user)):
        if not run.wait_until(due_ns):
            return
        sent = one.ask(user, number, due_ns, run.start_ns)
        run.ended(sent)
        due_ns = max(sent.ended_ns + int(job.load.think_s * 1e9), sent.sent_ns + int(job.spacing_s * 1e9))


def _open(run: _Run, user: int, one: Asker, work: Iterator[tuple[int, int]]) -> None:
    spacing_ns = int(run.job.spacing_s * 1e9 / len(run.job.users))
    while True:
        with run.lock:
            number, due_ns = next(work, (None, 0))
            # Those that are late do not follow each other faster than the bound of the rate.
            at_ns = max(due_ns, run.next_ns)
            run.next_ns = at_ns + spacing_ns
        if number is None or not run.wait_until(at_ns):
            return
        run.ended(one.ask(user, number, due_ns, run.start_ns))
