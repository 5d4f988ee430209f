"""Render reports, each as soon as it is ready: ``python -m perfstudies.reports NOTEBOOK... --source live``.

Recorded runs are there already: all notebooks are rendered side by side. Live ones need their experiments measured.
These come in the order of the studies' declarations, so that those on one bench share what it keeps running. After
each, measuring pauses while the reports that have become complete are rendered, and the index lists them at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from tqdm import tqdm

from perfstudies import measure, paths, store
from perfstudies.batches import local
from perfstudies.batches.needs import needs
from perfstudies.batches.points import Point, points
from perfstudies.batches.work import Job, Outcome
from perfstudies.errors import BadParameter, PerfstudiesError
from perfstudies.experiment import PROFILES, SOURCES, Experiment
from perfstudies.report import index
from perfstudies.report.execute import parameters_of
from perfstudies.report.render import write_atomically
from perfstudies.studies import EXPERIMENTS


class Reports:
    """The reports that are still to be rendered, and what was wrong with those that could not be."""

    def __init__(self, found: Sequence[Point], workers: int | None = None):
        self.left = list(found)
        self.problems: list[str] = []
        self._workers = workers
        self._bar = tqdm(total=len(self.left), unit="report", file=sys.stderr)

    def render(self, ready: Sequence[Point], alone: Collection[Point] = (), list_each: bool = False) -> None:
        """Render some of those that are left.

        Parameters
        ----------
        ready : sequence of Point
            Which; they run side by side.
        alone : collection of Point
            Those of them that may measure.
        list_each : bool
            Whether the index is written after each of them.
        """
        self.left = [point for point in self.left if point not in ready]
        jobs = [Job.of(one, one.notebook.stem, one in alone) for one in ready]
        for job, outcome in local.run(jobs, self._workers):
            self._keep(job, outcome)
            if list_each:
                self.list()
            self._bar.update()

    def give_up(self, key: str, points: Sequence[Point]) -> None:
        """Leave out the reports of an experiment that could not be measured."""
        self.left = [point for point in self.left if point not in points]
        self.problems += [f"{point.notebook}: no finished run of some setting in {key}" for point in points]

    def list(self) -> None:
        """Write the index of the reports that are there."""
        if index.main(["--out", str(paths.ROOT / "reports" / "index.html")]):
            self.problems.append("the index could not be written; see above")

    def close(self) -> None:
        """Leave the progress bar as it is."""
        self._bar.close()

    def _keep(self, job: Job, outcome: Outcome) -> None:
        executed = paths.PROCESSED / "notebooks" / job.study / f"{job.name}.ipynb"
        failed = executed.with_name(f"{executed.stem}.failed.ipynb")
        report = paths.ROOT / "reports" / job.study / f"{job.name}.html"
        failed.unlink(missing_ok=True)
        if outcome.error:
            report.unlink(missing_ok=True)
            if outcome.executed:
                write_atomically(failed, outcome.executed)
            self.problems.append(outcome.error)
            tqdm.write(f"failed: {outcome.error}", file=sys.stderr)
        else:
            write_atomically(executed, outcome.executed)
            write_atomically(report, outcome.html)
            tqdm.write(f"rendered {report} in {outcome.took_s:.0f} s", file=sys.stderr)


def live(reports: Reports, profile: str) -> None:
    """Measure what reports need, and render each when the last of its experiments has ended.

    Parameters
    ----------
    reports : Reports
        With points of source ``live``.
    profile : str
        How much to measure.
    """
    needed = {point: needs(point.notebook) for point in reports.left}
    pending = {key for one in needed.values() for key in one.measured}
    # Whose failed or skipped runs a notebook would try again.
    unsettled: set[str] = set()

    def render(ready: Sequence[Point]) -> None:
        # What one of no study asks for is not always known.
        alone = [one for one in ready if needed[one].measured & unsettled or (one.measures and not one.study)]
        reports.render(ready, alone, list_each=True)

    def ended(one: Experiment, runs: Sequence[store.Run] | None) -> None:
        pending.discard(one.key)
        asking = [point for point in reports.left if one.key in needed[point].all]
        if runs is None:
            reports.give_up(one.key, [point for point in asking if one.key in needed[point].measured])
        elif any(run.manifest["status"] != store.FINISHED for run in runs):
            unsettled.add(one.key)
        render([point for point in asking if point in reports.left and not needed[point].all & pending])

    if pending:
        in_order = [one for key, one in EXPERIMENTS.items() if key in pending]
        measure.measure(in_order, profile, ended=ended, wait=True)
    # Those across the studies read what the studies' own gave.
    render([point for point in reports.left if point.study])
    render(reports.left)


def main(arguments: Sequence[str] | None = None) -> int:
    """Render reports; return 0, 1 if one could not be made, 2 for a wrong parameter, 130 if interrupted."""
    parser = argparse.ArgumentParser(prog="python -m perfstudies.reports", description=__doc__.split("\n\n")[0])
    parser.add_argument("notebooks", nargs="*", type=Path, metavar="NOTEBOOK", help="none: write the index alone")
    parser.add_argument("--source", default="reference", help=f"one of {', '.join(SOURCES)} (default: reference)")
    parser.add_argument("--profile", default="quick", help=f"one of {', '.join(PROFILES)} (default: quick)")
    parser.add_argument("--workers", type=int, help="how many are rendered at the same time (default: all cores)")
    options = parser.parse_args(arguments)
    try:
        found = [_point(path, {"source": options.source, "profile": options.profile}) for path in options.notebooks]
        reports = Reports(found, options.workers)
        reports.list()
        try:
            if options.source == "live":
                live(reports, options.profile)
            else:
                reports.render(reports.left)
        finally:
            reports.close()
            reports.list()
    except BadParameter as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except PerfstudiesError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. Finished runs and reports are kept; the same command goes on.", file=sys.stderr)
        return measure.INTERRUPTED
    for problem in dict.fromkeys(reports.problems):
        print(f"error: {problem}", file=sys.stderr)
    return 1 if reports.problems else 0


def _point(notebook: Path, wanted: Mapping[str, str]) -> Point:
    """Return a notebook's point.

    One without a profile has nothing of the studies' to measure: it shows somebody's own service, logs or batches, and
    its report those that are recorded.
    """
    known = parameters_of(notebook) if notebook.is_file() else wanted
    return points([notebook], wanted if wanted.keys() <= known.keys() else {}, {})[0]


if __name__ == "__main__":
    sys.exit(main())
