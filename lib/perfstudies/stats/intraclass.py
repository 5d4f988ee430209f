"""Whether values of one group resemble each other more than values of different groups.

Source: P. E. Shrout and J. L. Fleiss, "Intraclass correlations: uses in assessing rater reliability", Psychological
Bulletin 86, 1979: ICC(1,1), from the one-way analysis of variance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from perfstudies.errors import BadParameter


@dataclass(frozen=True)
class IntraclassCorrelation:
    """An intraclass correlation.

    Attributes
    ----------
    correlation : float
        1 if the values of a group are equal; 0 if groups say nothing about values, and somewhat below by chance.
        Missing if no group has two values, or there are fewer than two groups.
    p : float
        Of the F test that groups have equal means.
    """

    correlation: float
    p: float


def intraclass_correlation(values: ArrayLike, groups: ArrayLike) -> IntraclassCorrelation:
    """Return the intraclass correlation of values by group; groups may have different sizes.

    Parameters
    ----------
    values : array_like, shape (n,)
        Any unit.
    groups : array_like, shape (n,)
        To which group each belongs.

    Raises
    ------
    BadParameter
        If lengths differ.
    """
    values, groups = np.asarray(values, float), np.asarray(groups)
    if values.shape != groups.shape:
        raise BadParameter(f"{values.size} values cannot be of {groups.size} groups' members")
    parts = [part.to_numpy() for _, part in pd.Series(values).groupby(groups)]
    n, count = values.size, len(parts)
    if count < 2 or n == count:
        return IntraclassCorrelation(np.nan, np.nan)
    between = sum(part.size * (part.mean() - values.mean()) ** 2 for part in parts) / (count - 1)
    within = sum(((part - part.mean()) ** 2).sum() for part in parts) / (n - count)
    size = (n - sum(part.size**2 for part in parts) / n) / (count - 1)  # of groups, where they differ
    if between + within == 0:
        return IntraclassCorrelation(np.nan, np.nan)
    p = float(stats.f.sf(between / within, count - 1, n - count)) if within else 0.0
    return IntraclassCorrelation(float((between - within) / (between + (size - 1) * within)), p)
