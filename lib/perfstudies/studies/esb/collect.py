"""What a run of the ESB study's loads leaves: its reduced log, the whole one of some, complaints on a console."""

from __future__ import annotations

import shutil
from pathlib import Path

from perfstudies.runs import store
from perfstudies.runs.plan import PlannedRun
from perfstudies.studies.esb.base import INTERVALS, RAW_KEPT, RAW_LOG
from perfstudies.studies.esb.logs import rate as rate_log
from perfstudies.studies.esb.logs import rate_intervals


def collect(planned: PlannedRun, folder: Path) -> tuple[str, ...]:
    """Reduce a run's log; keep it whole if the run is its experiment's first. Return the names of the files to list."""
    raw = folder / RAW_LOG
    rate_intervals.write_intervals(rate_log.reduce(raw), folder / INTERVALS)
    if planned.block or planned.position:
        return (INTERVALS,)
    whole = folder / "whole.bin"
    shutil.copyfile(raw, whole)
    store.compress(whole, folder / RAW_KEPT)
    return (INTERVALS, RAW_KEPT)


def open_files_complaints(log: Path) -> dict[str, object]:
    """Return how many lines of a console log complain of too many open files, and the first of them."""
    count, first = 0, ""
    with open(log, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if "too many open files" in line.lower():
                count, first = count + 1, first or line.strip()[:200]
    return {"lines": count, "first": first}
