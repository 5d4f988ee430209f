"""The lab: carries out the runs of a plan, with progress, and goes on where it was interrupted."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from tqdm import tqdm

from perfstudies.errors import BadLog, BadRecording, MissingTool, PerfstudiesError
from perfstudies.files import FULL
from perfstudies.runs import declarations, host, lock, store
from perfstudies.runs.bench import Facts
from perfstudies.runs.plan import Plan, PlannedRun
from perfstudies.runs.store import Run

SET_ASIDE = "set-aside"
MIN_FREE_BYTES = 2 * 1024**3
ATTEMPTS = 2
"""How often a run is measured in one call whose logs cannot be read."""
QUIET_ATTEMPTS = 3
"""How often a run is measured at most, when noisy runs are measured again."""

Procedure = Callable[[PlannedRun, Path], Facts]
"""What carries out one run in its folder: a `Bench`, say."""


def measure(
    plan: Plan,
    procedure: Procedure,
    show_progress: bool = True,
    wait: bool = False,
    read: Callable[[Run], object] | None = None,
    quiet: bool = False,
) -> list[Run]:
    """Carry out the runs of a plan that are not finished yet and return all, in the order of the plan.

    Parameters
    ----------
    plan : Plan
        What to measure.
    procedure : callable
        Carries out one run.
    show_progress : bool
        Whether a progress bar with the expected time to finish goes to standard error.
    wait : bool
        Whether to wait for the end of another measurement or a batch on this machine.
    read : callable, optional
        Reads a run's logs right after it has ended. One that cannot be read is measured again at once, and recorded as
        failed if that did not help.
    quiet : bool
        Whether a run that was noisy is measured again at once, twice at most; what it left is set aside.

    Returns
    -------
    list of Run
        Finished, failed and skipped ones.

    Raises
    ------
    PerfstudiesError
        If the disk is full, or another measurement is under way and `wait` is false. A run that fails for
        another reason is recorded as failed, with the reason, and the next one begins; failed and interrupted
        runs are measured again by the next call, and what they left is kept under ``set-aside``. A run for
        which this machine lacks a tool or a right is recorded as skipped.
    """
    if plan.missing:
        # Looked at again when nobody else measures: who was waited for may have measured the same.
        with lock.measuring(wait), tqdm(plan.missing, unit="run", disable=not show_progress, file=sys.stderr) as bar:
            for run in bar:
                bar.set_description(f"{run.experiment.key} {' '.join(run.setting.values())}")
                with _room(plan.folder / run.name):
                    _measure_until_good(run, plan.folder, procedure, read, quiet)
    return plan.ended


def _measure_until_good(
    run: PlannedRun, parent: Path, procedure: Procedure, read: Callable[[Run], object] | None, quiet: bool
) -> None:
    """Carry out one run, again if its logs cannot be read, or if it was noisy and is to be quiet."""
    unreadable = 0
    for attempt in range(1, QUIET_ATTEMPTS + 1):
        _carry_out(run, parent, procedure, attempt)
        if read is not None and not _readable(parent / run.name, read):
            unreadable += 1
            if unreadable == ATTEMPTS:
                return
        elif not (quiet and _noisy(parent / run.name)):
            return


def _noisy(folder: Path) -> bool:
    """Return whether a run finished and counts as noisy; why is said."""
    manifest = store.read_manifest(folder)
    reasons = (manifest or {}).get("noise", {}).get("reasons", [])
    if reasons:
        tqdm.write(f"{folder.name} was noisy: {'; '.join(reasons)}", file=sys.stderr)
    return bool(reasons)


def _readable(folder: Path, read: Callable[[Run], object]) -> bool:
    """Read a run's logs if it finished; one that cannot be read is recorded as failed."""
    manifest = store.read_manifest(folder)
    assert manifest is not None
    if manifest["status"] != store.FINISHED:
        return True
    try:
        read(Run(folder, manifest))
    except (BadLog, BadRecording) as error:
        reason = {"status": store.FAILED, "error": f"its logs cannot be read: {error}"}
        store.write_manifest(folder, manifest | reason, tuple(manifest["files"]))
        tqdm.write(f"{folder.name} failed: {reason['error']}", file=sys.stderr)
        return False
    return True


def _carry_out(run: PlannedRun, parent: Path, procedure: Procedure, attempt: int) -> None:
    folder = parent / run.name
    _set_aside(folder)
    folder.mkdir(parents=True)
    free = shutil.disk_usage(folder).free
    if free < MIN_FREE_BYTES:
        raise _disk_full(folder, f"only {free / 1024**3:.1f} GiB are free")
    started, start_s = datetime.now(UTC), time.monotonic()
    files: tuple[str, ...] = ()
    try:
        facts, files = procedure(run, folder)
        status = {"status": store.FINISHED, **facts}
    except MissingTool as error:
        status = {"status": store.SKIPPED, "error": str(error)}
    except PerfstudiesError as error:
        if any(os.strerror(one) in str(error) for one in FULL):  # as one of its processes said before it ended
            raise _disk_full(folder, str(error)) from error
        status = {"status": store.FAILED, "error": str(error)}
        tqdm.write(f"{run.name} failed: {error}", file=sys.stderr)
    manifest = {
        "study": run.experiment.study,
        "experiment": run.experiment.name,
        "run": run.name,
        "profile": run.profile,
        "seed": run.seed,
        "block": run.block,
        "position": run.position,
        "setting": run.setting,
        "properties": run.properties,
        declarations.KEY: declarations.checksums(run.experiment, run.profile),
        "started": started.isoformat(timespec="seconds"),
        "took_s": round(time.monotonic() - start_s, 3),
        "host": host.describe(),
        "hosts": host.parties(),
        **({"attempt": attempt} if attempt > 1 else {}),
        **status,
    }
    store.write_manifest(folder, manifest, files)


@contextmanager
def _room(folder: Path) -> Iterator[None]:
    """Say what to do if the disk of a folder becomes full, whatever is being written."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise _disk_full(folder, str(error)) from error
        raise


def _disk_full(folder: Path, problem: str) -> PerfstudiesError:
    return PerfstudiesError(
        f"the disk of {folder} is full ({problem}). Make room and give the same command again: "
        "finished runs are kept, and it goes on with the one that is missing."
    )


def adopt(parent: Path, name: str, files: Mapping[str, bytes]) -> None:
    """Store a run that another machine carried out, as if it had been carried out here.

    Parameters
    ----------
    parent : Path
        The experiment's folder of runs.
    name : str
        The run's.
    files : mapping of str to bytes
        Its manifest and raw logs, by name.

    Raises
    ------
    BadRecording
        If a file is missing, has a name that is a path, or differs from its checksum. Nothing is stored then.
    PerfstudiesError
        If the disk is full. Nothing is stored then either.
    """
    partial = parent / f".{name}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    try:
        with _room(partial):
            partial.mkdir(parents=True)
            for file, content in files.items():
                if Path(file).name != file:
                    raise BadRecording(f"{name}: a run's file cannot be called {file!r}")
                (partial / file).write_bytes(content)
            manifest = store.read_manifest(partial)
            if manifest is None or manifest["run"] != name:
                raise BadRecording(f"{name}: what came is not this run")
            for file in manifest["files"]:
                Run(partial, manifest).file(file)
            _set_aside(parent / name)
            partial.rename(parent / name)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _set_aside(folder: Path) -> None:
    """Move what a failed or interrupted attempt left out of the way; nothing is deleted."""
    if not folder.exists():
        return
    try:
        manifest = store.read_manifest(folder)
    except BadRecording as error:
        manifest = None
        tqdm.write(f"{error}. It is set aside, and the run measured again.", file=sys.stderr)
    if manifest is not None and manifest["status"] == store.SKIPPED:
        shutil.rmtree(folder)  # it never began
        return
    aside = folder.parent / SET_ASIDE
    aside.mkdir(exist_ok=True)
    attempt = 1
    while (aside / f"{folder.name}-{attempt}").exists():
        attempt += 1
    folder.rename(aside / f"{folder.name}-{attempt}")
