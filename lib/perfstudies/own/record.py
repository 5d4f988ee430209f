"""Record the comparison that comes with the repository: ``python -m perfstudies.own.record``.

It replaces the recorded runs when all new ones have finished. Nothing else should run on the machine meanwhile.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from perfstudies import store
from perfstudies.errors import PerfstudiesError, SystemFailed
from perfstudies.own import example
from perfstudies.own.measuring import STUDY
from perfstudies.paths import RAW

LOAD = {"requests": 500}
RUNS, SEED = 10, 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Record; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m perfstudies.own.record", description=__doc__.split("\n\n")[0])
    parser.parse_args(arguments)
    try:
        print(f"recorded {_record(RAW / 'reference' / STUDY / example.NAME)}")
    except PerfstudiesError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _record(folder: Path) -> Path:
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    runs = example.measured(partial, LOAD, RUNS, SEED)
    if failed := [run for run in runs if run.manifest["status"] != store.FINISHED]:
        raise SystemFailed(f"{len(failed)} of {len(runs)} runs failed; the first: {failed[0].manifest['error']}")
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)
    return folder


if __name__ == "__main__":
    sys.exit(main())
