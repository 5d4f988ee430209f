"""Per-run and overall statistics, as the STEP study's Analyzer computed them, with Student's margins beside.

The study (section 3.9) summarises a run's records in one row and then gives each mean a margin of
error at 90, 95 and 99 %. It used the normal quantiles whatever the number of runs, which is too
narrow for few runs; here Student's t stands beside them.

Source: R. Jain, *The Art of Computer Systems Performance Analysis*, Wiley 1991, section 13.2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from perfstudies.errors import BadParameter

#: Confidence level in percent -> the normal quantile, rounded as the study rounded it.
STUDY_QUANTILES = {90: 1.64, 95: 1.96, 99: 2.58}


def per_run(samples: pd.DataFrame, columns: Sequence[str], by: Sequence[str] = ("run",)) -> pd.DataFrame:
    """Summarise every run's requests, column by column.

    Parameters
    ----------
    samples : DataFrame
        One row per request.
    columns : sequence of str
        Numeric columns of `samples`; their units are kept.
    by : sequence of str
        ``"run"`` and the columns that are constant within a run: its block, its levels.

    Returns
    -------
    DataFrame
        One row per run and column: `by`, column, n (requests that have a value), mean, sd, q1, median,
        q3. The sd of a single request is missing.

    Raises
    ------
    BadParameter
        If a column is missing, or if a run has more than one value of a column in `by`.
    """
    by, columns = list(by), list(columns)
    _require(samples, [*by, *columns])
    groups = samples.groupby(by, observed=True, dropna=False)
    frames = []
    for column in columns:
        values = groups[column]
        quartiles = values.quantile(np.array([0.25, 0.5, 0.75])).unstack()
        quartiles.columns = ["q1", "median", "q3"]
        frame = values.agg(n="count", mean="mean", sd="std").join(quartiles).reset_index()
        frame.insert(len(by), "column", column)
        frames.append(frame)
    table = pd.concat(frames, ignore_index=True)
    if "run" in by and table.duplicated(["run", "column"]).any():
        run = table.loc[table.duplicated(["run", "column"]), "run"].iloc[0]
        raise BadParameter(f"run {run!r} has several values of {', '.join(by)}: a run has one of each")
    return table


def across_runs(per_run_frame: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """Average the runs' means, with margins of error at 90, 95 and 99 %.

    Parameters
    ----------
    per_run_frame : DataFrame
        What `per_run` returned.
    by : sequence of str
        The levels that make a setting; empty for all runs together.

    Returns
    -------
    DataFrame
        One row per setting and column: `by`, column, runs, mean (of the run means), sd (between run
        means), t_90, t_95, t_99 (Student-t margins), normal_90, normal_95, normal_99 (margins as the
        study computed them). All margins are half widths in the column's unit. A single run has no sd
        and no margins: they are missing.

    Raises
    ------
    BadParameter
        If a column of `by` is missing.
    """
    keys = [*by, "column"]
    _require(per_run_frame, [*keys, "mean"])
    means = per_run_frame.groupby(keys, observed=True)["mean"]
    table = means.agg(runs="count", mean="mean", sd="std").reset_index()
    several = table["runs"] > 1
    error = (table["sd"] / np.sqrt(table["runs"])).where(several)
    freedom = (table["runs"] - 1).where(several)
    for level in STUDY_QUANTILES:
        table[f"t_{level}"] = stats.t.ppf(0.5 + level / 200, freedom) * error
    for level, quantile in STUDY_QUANTILES.items():
        table[f"normal_{level}"] = quantile * error
    return table


def _require(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise BadParameter(f"no column {', '.join(missing)}; there are {', '.join(map(str, frame))}")
