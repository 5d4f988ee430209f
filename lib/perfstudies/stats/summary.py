"""Per-run statistics, as the STEP study's Analyzer computed them, and the quantiles of its margins of error.

The study (section 3.9) summarises a run's records in one row and then gives each mean a margin of error at 90, 95 and
99 %. It used the normal quantiles whatever the number of runs, which is too narrow for few runs.

Source: R. Jain, *The Art of Computer Systems Performance Analysis*, Wiley 1991, section 13.2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from perfstudies.errors import BadParameter

#: Confidence level in percent -> the normal quantile, rounded as the study rounded it.
STUDY_QUANTILES = {90: 1.64, 95: 1.96, 99: 2.58}


def per_run(samples: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Summarise every run's requests, column by column.

    Parameters
    ----------
    samples : DataFrame
        One row per request, with a column ``run``.
    columns : sequence of str
        Numeric columns of `samples`; their units are kept.

    Returns
    -------
    DataFrame
        One row per run and column: run, column, n (requests that have a value), mean, sd, q1, median, q3. The sd of a
        single request is missing.

    Raises
    ------
    BadParameter
        If a column is missing.
    """
    missing = [column for column in ("run", *columns) if column not in samples.columns]
    if missing:
        raise BadParameter(f"no column {', '.join(missing)}; there are {', '.join(map(str, samples))}")
    groups = samples.groupby("run", observed=True, dropna=False)
    frames = []
    for column in columns:
        values = groups[column]
        quartiles = values.quantile(np.array([0.25, 0.5, 0.75])).unstack()
        quartiles.columns = ["q1", "median", "q3"]
        frame = values.agg(n="count", mean="mean", sd="std").join(quartiles).reset_index()
        frame.insert(1, "column", column)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)
