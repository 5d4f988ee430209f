"""Renders reports, those of a study as soon as it is measured.

Recorded runs are there already: all notebooks are rendered side by side, of the outputs that they store where these are
what executing them would give. Live ones need their experiments measured.
These come in the order of the studies' declarations, so that those on one bench share what it keeps running. After a
study's last one measuring pauses while its reports are rendered on all processors, and the index lists each at once.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from tqdm import tqdm

from perfstudies import paths
from perfstudies.cli import measure
from perfstudies.errors import BadParameter, PerfstudiesError
from perfstudies.experiment import Experiment
from perfstudies.files import write_atomically
from perfstudies.notebooks import pool
from perfstudies.notebooks.execute import parameters_of
from perfstudies.notebooks.grid import Point, points
from perfstudies.notebooks.needs import needs
from perfstudies.notebooks.work import Job, Outcome
from perfstudies.runs import store
from perfstudies.site import index
from perfstudies.studies import EXPERIMENTS


class Reports:
    """The reports that are still to be rendered, and what was wrong with those that could not be."""

    def __init__(self, found: Sequence[Point], workers: int | None = None, stored: bool = False):
        self.left = list(found)
        self._stored = stored
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
        jobs = [Job.of(one, one.notebook.stem, one in alone, self._stored) for one in ready]
        for job, outcome in pool.run(jobs, self._workers):
            self._keep(job, outcome)
            if list_each:
                self.list()
            self._bar.update()

    def give_up(self, key: str, points: Sequence[Point]) -> None:
        """Leave out the reports of an experiment that could not be measured."""
        self.left = [point for point in self.left if point not in points]
        self.problems += [f"{point.notebook}: no finished run of some setting in {key}; see above" for point in points]

    def list(self) -> None:
        """Write the index of the reports that are there."""
        try:
            count = index.write(paths.PROCESSED / "notebooks", out := paths.ROOT / "reports" / "index.html")
            print(f"listed {count} report{'' if count == 1 else 's'} in {out}")
        except PerfstudiesError as error:
            self.problems.append(f"the index could not be written: {error}")

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
            how = "of its stored outputs" if outcome.stored else f"in {outcome.took_s:.0f} s"
            tqdm.write(f"rendered {report} {how}", file=sys.stderr)


def live(reports: Reports, profile: str) -> None:
    """Measure what reports need, and render those that are complete whenever a study's last experiment has ended.

    Parameters
    ----------
    reports : Reports
        With points of source ``live``.
    profile : str
        How much to measure.
    """
    needed = {point: needs(point.notebook) for point in reports.left}
    pending = {key for one in needed.values() for key in one.measured if profile in EXPERIMENTS[key].sizes}
    # Whose failed or skipped runs a notebook would try again.
    unsettled: set[str] = set()

    def asks(point: Point, study: str) -> bool:
        return point.study == study or any(key.split("/")[0] == study for key in needed[point].all)

    def render(ready: Sequence[Point]) -> None:
        unknown = [one for one in ready if one.measures and not needed[one].declared]
        alone = unknown + [one for one in ready if needed[one].measured & unsettled]
        reports.render(ready, alone, list_each=True)

    def ended(one: Experiment, runs: Sequence[store.Run] | None) -> None:
        pending.discard(one.key)
        if runs is None:
            reports.give_up(one.key, [point for point in reports.left if one.key in needed[point].measured])
        elif any(run.manifest["status"] != store.FINISHED for run in runs):
            unsettled.add(one.key)
        if one.study not in {key.split("/")[0] for key in pending}:
            render([point for point in reports.left if asks(point, one.study) and not needed[point].all & pending])

    if pending:
        in_order = [one for key, one in EXPERIMENTS.items() if key in pending]
        try:
            measure.measure(in_order, profile, ended=ended, wait=True)
        except PerfstudiesError as error:
            reports.problems.append(str(error))
            for key in sorted(pending):
                reports.give_up(key, [point for point in reports.left if key in needed[point].measured])
    # Those across the studies read what the studies' own gave.
    render([point for point in reports.left if point.study])
    render(reports.left)


def reports(
    notebooks: Sequence[Path], source: str, profile: str, workers: int | None = None, execute: bool = False
) -> list[str]:
    """Render notebooks to reports, and list them in the index.

    Parameters
    ----------
    notebooks : sequence of Path
        Which; none: the index alone is written.
    source, profile : str
        Whose runs, and how much of them.
    workers : int, optional
        How many are rendered at the same time; all cores without it.
    execute : bool
        Whether every notebook is executed, though what it stores be the same.

    Returns
    -------
    list of str
        What was wrong with those that could not be made.

    Raises
    ------
    BadParameter
        If source or profile are unknown.
    """
    wanted = {"source": source, "profile": profile}
    found, broken = [], []
    for path in notebooks:
        try:
            found.append(_point(path, wanted))
        except BadParameter as error:
            if error.__cause__ is None:  # not of the file: what it was asked for
                raise
            broken.append(str(error))
    made = Reports(found, workers, source != "live" and not execute)
    made.problems += broken
    made.list()
    try:
        if source == "live":
            live(made, profile)
        else:
            made.render(made.left)
    finally:
        made.close()
        made.list()
    return list(dict.fromkeys(made.problems))


def _point(notebook: Path, wanted: Mapping[str, str]) -> Point:
    """Return a notebook's point.

    One without a profile has nothing of the studies' to measure: it shows somebody's own service, logs or batches, and
    its report those that are recorded.
    """
    known = parameters_of(notebook) if notebook.is_file() else wanted
    return points([notebook], wanted if wanted.keys() <= known.keys() else {}, {})[0]
