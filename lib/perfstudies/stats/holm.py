"""Ratios of all pairs of settings, each with its own spread, and one level of error for all by Holm's procedure.

Each rests on the runs of its two settings alone, which may be paired by block.

Sources: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian J. Statistics 6, 1979; B. L.
Welch, "The generalization of Student's problem", Biometrika 34, 1947, where runs are not paired.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from perfstudies.stats.intervals import ROUNDING, positive

COLUMNS = ["first", "second", "ratio", "low", "high", "p", "p_holm", "runs"]


def holm_ratios(
    run_means: pd.DataFrame, response: str, setting: str, levels: Sequence[str], block: str | None = None
) -> pd.DataFrame:
    """Compare all pairs of settings on the log scale.

    Parameters
    ----------
    run_means : DataFrame
        A row a run.
    response : str
        The column of values above 0, in any unit.
    setting : str
        The column of levels.
    levels : sequence of str
        Which of them, in the order in which pairs are named.
    block : str, optional
        The column that pairs runs; a block that lacks one of two settings is left out of that pair.

    Returns
    -------
    DataFrame
        A row a pair: first, second, ratio (geometric means, second over first), low, high (95 %, not corrected for the
        number of pairs), p (against 1, not corrected), p_holm (corrected), runs (of the setting with fewer, or pairs).
        Bounds and p are missing where there are fewer than two runs; without any spread p is that of a sign test.

    Raises
    ------
    BadParameter
        If a value is not finite and above 0.
    """
    logs = run_means.assign(value=np.log(positive(run_means[response], response)))
    rows = []
    for first, second in combinations(levels, 2):
        below, above = (logs[logs[setting] == level] for level in (first, second))
        if block is not None:
            pairs = above.set_index(block)["value"].sub(below.set_index(block)["value"]).dropna()
            found = _against_zero(pairs.to_numpy())
        else:
            found = _difference(above["value"].to_numpy(), below["value"].to_numpy())
        rows.append((first, second, *np.exp(found[:3]), found[3], np.nan, found[4]))
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.assign(p_holm=holm(table["p"]))


def holm(p: ArrayLike) -> np.ndarray:
    """Return p values corrected by Holm's procedure along the last axis; those that are missing stay so.

    All rows at once, which statsmodels does not do; and it collects garbage at each call, which takes reports seconds.
    """
    p = np.asarray(p, dtype=float)
    order = np.argsort(p, axis=-1)  # what is missing comes last
    factors = np.count_nonzero(~np.isnan(p), axis=-1, keepdims=True) - np.arange(p.shape[-1])
    raised = np.maximum.accumulate(np.take_along_axis(p, order, axis=-1) * factors, axis=-1)
    corrected = np.empty_like(p)
    np.put_along_axis(corrected, order, np.minimum(raised, 1), axis=-1)
    return corrected


def _against_zero(values: np.ndarray) -> tuple[float, float, float, float, int]:
    if values.size < 2:
        return (values.mean() if values.size else np.nan), np.nan, np.nan, np.nan, values.size
    if np.ptp(values) <= ROUNDING:
        return *values[[0, 0, 0]], 0.5 ** (values.size - 1) if abs(values[0]) > ROUNDING else 1.0, values.size
    test = stats.ttest_1samp(values, 0)
    ends = test.confidence_interval(0.95)
    return values.mean(), float(ends.low), float(ends.high), float(test.pvalue), values.size


def _difference(above: np.ndarray, below: np.ndarray) -> tuple[float, float, float, float, int]:
    least = min(above.size, below.size)
    difference = above.mean() - below.mean() if least else np.nan
    if least < 2:
        return difference, np.nan, np.nan, np.nan, least
    if max(np.ptp(above), np.ptp(below)) <= ROUNDING:
        p = 0.5 ** (least - 1) if abs(difference) > ROUNDING else 1.0
        return difference, difference, difference, p, least
    test = stats.ttest_ind(above, below, equal_var=False)
    ends = test.confidence_interval(0.95)
    return difference, ends.low, ends.high, float(test.pvalue), least
