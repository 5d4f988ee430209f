"""Points on this machine: each in a process of its own, several side by side unless they measure.

The processes are forked from one that has imported what they need, and so are their kernels: what takes each of them
seconds is done once. All of them end with the process that asked for them.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing import connection, forkserver
from typing import Any

from perfstudies.errors import BadParameter
from perfstudies.notebooks.execute import ENVIRONMENT, LIBRARY
from perfstudies.notebooks.warm_kernel import Fork
from perfstudies.notebooks.work import Job, Outcome, carry_out

PRELOADED = (
    "perfstudies.notebooks.work",
    "ipykernel.kernelapp",
    "ipykernel.ipkernel",
    "perfstudies.runs.lab",
    "perfstudies.runs.recording",
    "perfstudies.report.tables",
    "perfstudies.report.figures",
    "perfstudies.stats.verdicts",
    "perfstudies.stats.anova",
)
"""What all or most notebooks and their rendering import; none of it starts a thread."""

STOP_S = 20.0
"""How long an interrupted point may take to end by itself: a kernel that measures stops its servers."""


def cores() -> int:
    """Return how many processes this one may run at the same time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(jobs: Sequence[Job], workers: int | None = None) -> Iterator[tuple[Job, Outcome]]:
    """Carry out jobs: first those that do not measure, side by side, then one after the other those that do.

    Parameters
    ----------
    jobs : sequence of Job
        In the order in which they begin.
    workers : int, optional
        How many run at the same time; all cores without it.

    Yields
    ------
    job, outcome : Job, Outcome
        As they end. Whoever stops listening, by an exception or otherwise, ends all that still run.

    Raises
    ------
    BadParameter
        If there is to be no worker.
    """
    if workers is not None and workers < 1:
        raise BadParameter(f"workers = {workers} is not allowed; use 1 or more")
    yield from _side_by_side([job for job in jobs if not job.measures], workers or cores())
    yield from _side_by_side([job for job in jobs if job.measures], 1)


def _side_by_side(jobs: Sequence[Job], workers: int) -> Iterator[tuple[Job, Outcome]]:
    context = _warm()
    waiting = deque(jobs)
    running: dict[Any, tuple] = {}
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                receiver, sender = context.Pipe(duplex=False)
                job = waiting.popleft()
                process = context.Process(target=_work, args=(job, sender), daemon=True)
                process.start()
                sender.close()
                running[receiver] = process, job
            ended: list[Any] = connection.wait(list(running))
            for receiver in ended:
                process, job = running[receiver]
                try:
                    outcome = receiver.recv()
                except EOFError:
                    process.join()
                    problem = f"{job.notebook}: the process that executed it ended with status {process.exitcode}"
                    outcome = Outcome("", "", problem, 0.0, "")
                del running[receiver]
                process.join()
                yield job, outcome
    finally:
        _stop([process for process, _ in running.values()])


def _warm() -> Any:
    """Return what makes processes, forked from one that is ready and has the environment of kernels."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(PRELOADED))
    path = os.pathsep.join([str(LIBRARY), *filter(None, [os.environ.get("PYTHONPATH")])])
    with _environment(ENVIRONMENT | {"PYTHONPATH": path}):
        forkserver.ensure_running()
    return context


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _work(job: Job, sender: connection.Connection) -> None:
    """Be the process of a job: fork its kernel before there is any thread, and interrupt it when asked to end."""
    # Ctrl-C reaches all processes of a terminal; whoever runs the batch decides what ends, and when.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    kernel = Fork()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: kernel.interrupt())
    try:
        sender.send(carry_out(job, kernel.manager()))
    finally:
        sender.close()


def _end_with_parent() -> None:
    """Kill this process, and with it its kernel, when whoever runs the batch has ended without a word."""
    parent: Any = multiprocessing.parent_process()
    connection.wait([parent.sentinel])
    os.kill(os.getpid(), signal.SIGKILL)


def _stop(processes: Sequence[multiprocessing.process.BaseProcess]) -> None:
    """Interrupt what runs, again and again for what was between two cells, and kill what does not end."""
    deadline_s = time.monotonic() + STOP_S
    left = [process for process in processes if process.is_alive()]
    while left and time.monotonic() < deadline_s:
        for process in left:
            process.terminate()
        connection.wait([process.sentinel for process in left], timeout=1.0)
        left = [process for process in left if process.is_alive()]
    for process in left:
        process.kill()
    for process in processes:
        process.join()
