"""Records the comparison that comes with the repository.

It replaces the recorded runs when all new ones have finished. Nothing else should run on the machine meanwhile.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from perfstudies.errors import SystemFailed
from perfstudies.own.service import example
from perfstudies.own.service.measuring import STUDY
from perfstudies.paths import RAW
from perfstudies.runs import store
from perfstudies.runs.pack import pack_folder

LOAD = {"requests": 500}
RUNS, SEED = 10, 1


def record() -> Path:
    """Measure the comparison and return where its runs are now."""
    folder = RAW / "reference" / STUDY / example.NAME
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    runs = example.measured(partial, LOAD, RUNS, SEED)
    if failed := [run for run in runs if run.manifest["status"] != store.FINISHED]:
        raise SystemFailed(f"{len(failed)} of {len(runs)} runs failed; the first: {failed[0].manifest['error']}")
    packed = pack_folder(folder, runs)
    shutil.rmtree(partial)
    return packed
