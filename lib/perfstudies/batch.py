"""Run notebooks over a grid of parameters: ``python -m perfstudies.batch NOTEBOOK... --grid NAME V1 V2 ...``.

Each notebook runs at each combination of the grid's values; one with ``source = "live"`` has the machine alone, others
run side by side. What is finished is not run again, so the same command goes on after Ctrl-C. With ``--scheduler`` the
points are carried out by the workers of a Dask cluster. What travels there is code: name only a cluster that you trust
as you trust this machine.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tqdm import tqdm

from perfstudies.batches import combined, local, page
from perfstudies.batches.kept import FAILED, Kept
from perfstudies.batches.points import Point, points, read_grid
from perfstudies.batches.work import Job, Outcome
from perfstudies.errors import BadParameter, PerfstudiesError
from perfstudies.measure import INTERRUPTED
from perfstudies.report.execute import parse_value
from perfstudies.report.render import place


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a batch; return 0, 1 if a point failed, 2 for a wrong parameter, 130 if interrupted."""
    options = _parser().parse_args(arguments)
    try:
        given = {name: parse_value(value) for name, value in options.parameters}
        grid = {name: [parse_value(value) for value in values] for name, *values in options.grid}
        if options.grid_file:
            grid = read_grid(options.grid_file) | grid
        found = points(options.notebooks, given, grid)
        name = options.name or _name(options.notebooks)
        kept = Kept.of(name)
        status = run(found, kept, options.workers, options.scheduler)
        if options.record and status == 0:
            print(f"recorded in {kept.publish(name, [combined.CSV])}")
        return status
    except BadParameter as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except PerfstudiesError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. Finished points are kept; the same command goes on.", file=sys.stderr)
        return INTERRUPTED


def run(found: Sequence[Point], kept: Kept, workers: int | None = None, scheduler: str = "") -> int:
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
    int
        0, or 1 if a point failed; each is named with cell and exception.
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
    for point in failed:
        print(f"error: {point.words()}: {kept.record(point)['error']}", file=sys.stderr)
    return 1 if failed else 0


def _outcomes(jobs: Sequence[Job], workers: int | None, scheduler: str) -> Iterator[tuple[Job, Outcome]]:
    if not scheduler:
        return local.run(jobs, workers)
    from perfstudies.batches import cluster

    return cluster.run(jobs, scheduler)


def _name(notebooks: Sequence[Path]) -> str:
    """Name a batch by its only notebook; several need a name from whoever runs them."""
    if len(notebooks) != 1:
        raise BadParameter("a batch of several notebooks needs a name: add --name NAME")
    return "-".join(filter(None, place(notebooks[0])))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m perfstudies.batch", description=__doc__.split("\n\n")[0])
    parser.add_argument("notebooks", nargs="+", type=Path, metavar="NOTEBOOK")
    parser.add_argument(
        "-p", dest="parameters", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"),
        help="a parameter of all points; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--grid", nargs="+", action="append", default=[], metavar=("NAME", "VALUE"),
        help="a parameter that is varied, and its values; may be repeated, after the notebooks",
    )  # fmt: skip
    parser.add_argument("--grid-file", type=Path, help="a grid as JSON or TOML: lists of values by parameter")
    parser.add_argument("--name", help="what the batch is called (default: by its only notebook)")
    parser.add_argument("--workers", type=int, help="points side by side on this machine (default: its cores)")
    parser.add_argument("--scheduler", default="", help="run on a Dask cluster that you trust: tcp://host:port")
    parser.add_argument("--record", action="store_true", help="then store the table as one of the repository's")
    return parser


if __name__ == "__main__":
    sys.exit(main())
