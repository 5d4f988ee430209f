"""Ratios that were planned beforehand, each of paired runs, with one level of error for all of them.

Where only some pairs of settings are a question, comparing all pairs (`perfstudies.stats.pairs`) wastes power. Each
planned pair keeps its own blocks and its own spread; Bonferroni's correction covers the family however the
pairs hang together, and gives intervals and p that agree.

Source: O. J. Dunn, "Multiple comparisons among means", J. American Statistical Association 56, 1961.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import special

from perfstudies.stats.intervals import mean_interval, paired, positive, standard_error

COLUMNS = ["ratio", "low", "high", "p", "blocks"]


def planned_ratios(pairs: Mapping[Any, tuple[ArrayLike, ArrayLike]], confidence: float = 0.95) -> pd.DataFrame:
    """Compare planned pairs of settings, numerator over denominator, on the log scale.

    Parameters
    ----------
    pairs : mapping
        For each pair its numerator and denominator: a value above 0 a block, in the same order of blocks and the
        same unit.
    confidence : float
        Of all intervals together.

    Returns
    -------
    DataFrame
        Indexed by the mapping's keys: ratio (geometric mean of the blocks' ratios), low, high, p (against a ratio of
        1, corrected), blocks. Bounds and p of a single block are missing. Ratios without any spread give a
        point, and p 0 or 1.

    Raises
    ------
    BadParameter
        If lengths differ, or a value is not finite and above 0.
    """
    count, rows = len(pairs), {}
    for key, (above, below) in pairs.items():
        logs = np.log(np.divide(*paired(positive(above, "numerator"), positive(below, "denominator"))))
        found = mean_interval(logs, 1 - (1 - confidence) / count)
        bounds = (float(np.exp(end)) for end in (found.estimate, found.low, found.high))
        rows[key] = (*bounds, min(1.0, count * _p(logs)) if len(logs) > 1 else np.nan, len(logs))
    return pd.DataFrame.from_dict(rows, orient="index", columns=COLUMNS).reindex(list(rows))


def _p(logs: np.ndarray) -> float:
    """Return the two-sided p of Student's t test against a mean of 0."""
    if np.ptp(logs) == 0:
        return float(logs[0] == 0)
    return float(2 * special.stdtr(logs.size - 1, -abs(logs.mean()) / standard_error(logs)))
