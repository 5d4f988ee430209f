"""What the STEP study's published tool chain says of its runs."""

from __future__ import annotations

import pandas as pd

from perfstudies.paths import PUBLISHED


def published_runs() -> pd.DataFrame:
    """Return the runs that the study's published tool chain lists, a row a run file, indexed by ``run``.

    Columns: ``load`` (name of the workload), ``monitor_log_format``, ``samples`` (how often it was
    repeated) and ``users`` (concurrent ones).
    """
    return pd.read_csv(PUBLISHED / "step" / "runs.csv", index_col="run", comment="#")
