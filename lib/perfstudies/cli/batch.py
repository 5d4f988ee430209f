"""Runs notebooks over a grid of parameters.

Each notebook runs at each combination of the grid's values; one with ``source = "live"`` has the machine alone, others
run side by side. What is finished is not run again. With a scheduler the points are carried out by the workers of a
Dask cluster. What travels there is code: name only a cluster that you trust as you trust this machine.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tqdm import tqdm

from perfstudies.errors import BadParameter
from perfstudies.files import place
from perfstudies.notebooks import combined, page, pool
from perfstudies.notebooks.grid import Point, points
from perfstudies.notebooks.kept import FAILED, Kept
from perfstudies.notebooks.work import Job, Outcome


def batch(
    notebooks: Sequence[Path],
    given: Mapping[str, object],
    grid: Mapping[str, Sequence[object]],
    name: str = "",
    workers: int | None = None,
    scheduler: str = "",
    record: bool = False,
) -> list[str]:
    """Run a batch.

    Parameters
    ----------
    notebooks : sequence of Path
        Each runs at each point of the grid.
    given, grid : mapping
        Parameters of all points, and the values of those that are varied.
    name : str
        What the batch is called; without it, it is called by its only notebook.
    workers, scheduler
        As `run`.
    record : bool
        Whether to store the table as one of the repository's if all points have finished.

    Returns
    -------
    list of str
        The points that failed, each with cell and exception.

    Raises
    ------
    BadParameter
        If a notebook does not know a parameter or its value; nothing has run then.
    """
    found = points(notebooks, given, grid)
    name = name or _name(notebooks)
    kept = Kept.of(name)
    failed = run(found, kept, workers, scheduler)
    if record and not failed:
        print(f"recorded in {kept.publish(name, [combined.CSV])}")
    return failed


def run(found: Sequence[Point], kept: Kept, workers: int | None = None, scheduler: str = "") -> list[str]:
    """Run a batch's points that are not finished, keep what they give, and combine the results.

    Parameters
    ----------
    found : sequence of Point
        The whole batch.
    kept : Kept
        Where it is kept.
    workers : int, optional
        How many points that do not measure run at the same time on this machine; all cores without it.
    scheduler : str
        The address of a Dask cluster's scheduler, to run them there.

    Returns
    -------
    list of str
        The points that failed, each with cell and exception.
    """
    by_key = {point.key: point for point in found}
    missing = [point for point in found if not kept.finished(point)]
    jobs = [Job.of(point) for point in missing]
    try:
        with tqdm(total=len(found), initial=len(found) - len(missing), unit="point", file=sys.stderr) as bar:
            for job, outcome in _outcomes(jobs, workers, scheduler):
                point = by_key[job.key]
                kept.keep(point, outcome)
                if outcome.error:
                    tqdm.write(f"failed: {point.words()}", file=sys.stderr)
                bar.update()
    finally:
        kept.write_contents(found)
        table = combined.combine(kept, found)
        page.write(kept, found, len(table))
    failed = [point for point in found if kept.record(point).get("status") == FAILED]
    print(f"{len(found) - len(failed)} of {len(found)} points, {len(table)} results: {kept.folder / combined.CSV}")
    return [f"{point.words()}: {kept.record(point)['error']}" for point in failed]


def _outcomes(jobs: Sequence[Job], workers: int | None, scheduler: str) -> Iterator[tuple[Job, Outcome]]:
    if not scheduler:
        return pool.run(jobs, workers)
    from perfstudies.notebooks import cluster

    return cluster.run(jobs, scheduler)


def _name(notebooks: Sequence[Path]) -> str:
    """Name a batch by its only notebook; several need a name from whoever runs them."""
    if len(notebooks) != 1:
        raise BadParameter("a batch of several notebooks needs a name: add --name NAME")
    return "-".join(filter(None, place(notebooks[0])))
