"""One point carried out: its notebook executed, its report made, and all of it handed back as text."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat

from perfstudies.errors import PerfstudiesError
from perfstudies.files import temporary
from perfstudies.notebooks.execute import NotebookFailed, OwnKernel, execute
from perfstudies.notebooks.grid import Point
from perfstudies.notebooks.stored import current
from perfstudies.runs import lock
from perfstudies.site.page import page_html


@dataclass(frozen=True)
class Job:
    """A point as it travels to whoever carries it out.

    Attributes
    ----------
    key : str
        The point's.
    study, name : str
        Where its report will be: ``<study>/<name>.html``.
    notebook : str
        The notebook's path.
    given : mapping
        The parameters that are not left at the notebook's own values.
    measures : bool
        Whether it has the machine alone.
    text : str
        The notebook itself, where the path may not be there: on another machine.
    stored : bool
        Whether the outputs that it stores will do, if they are what executing it would give.
    """

    key: str
    study: str
    name: str
    notebook: str
    given: Mapping[str, object]
    measures: bool
    text: str = ""
    stored: bool = False

    @classmethod
    def of(cls, point: Point, name: str = "", measures: bool | None = None, stored: bool = False) -> Job:
        """Return a point's job; its report may have another name, and who knows better may say whether it measures."""
        return cls(
            point.key,
            point.study,
            name or point.name,
            str(point.notebook.resolve()),
            point.given,
            point.measures if measures is None else measures,
            stored=stored,
        )


@dataclass(frozen=True)
class Outcome:
    """What became of a point.

    Attributes
    ----------
    executed : str
        The executed notebook; where it failed, with the cells so far and the traceback. Empty if there is none.
    html : str
        Its report.
    error : str
        What went wrong, with cell and exception; empty if nothing did.
    took_s : float
        How long it took.
    machine : str
        Where it ran.
    stored : bool
        Whether it was not executed, as what it stores is the same.
    """

    executed: str
    html: str
    error: str
    took_s: float
    machine: str
    stored: bool = False


def carry_out(job: Job, kernel: type[OwnKernel] = OwnKernel) -> Outcome:
    """Execute a job's notebook and make its report, under the machine's lock.

    Parameters
    ----------
    job : Job
        What to do. If it measures, it waits until it has the machine alone, otherwise until nothing is measured.
    kernel : type
        The manager that starts its kernel.

    Returns
    -------
    Outcome
        Also of a notebook or a page that failed; the lab's own mistakes are raised.
    """
    with _lock(job.measures), _notebook(job) as path:
        started_s = time.monotonic()
        executed, html, error, found = "", "", "", None
        try:
            found = current(path, job.given) if job.stored else None
            ran = found or execute(path, job.given, kernel)
            executed = nbformat.writes(ran) + "\n"
            html = page_html(ran, job.study, job.name)
        except NotebookFailed as failed:
            executed, error = nbformat.writes(failed.notebook) + "\n", str(failed)
        except PerfstudiesError as failed:
            error = str(failed)
        took_s = round(time.monotonic() - started_s, 1)
        return Outcome(executed, html, error, took_s, platform.node(), stored=found is not None)


@contextmanager
def _lock(measures: bool) -> Iterator[None]:
    with lock.measuring(wait=True) if measures else lock.sharing():
        if measures:
            os.environ[lock.HELD] = "1"
        try:
            yield
        finally:
            os.environ.pop(lock.HELD, None)


@contextmanager
def _notebook(job: Job) -> Iterator[Path]:
    if not job.text:
        yield Path(job.notebook)
        return
    with temporary("job") as folder:
        path = folder / Path(job.notebook).name
        path.write_text(job.text, encoding="utf-8")
        yield path
