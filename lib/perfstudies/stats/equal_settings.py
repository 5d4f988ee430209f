"""A/A: how often is a difference found where there is none?

Two runs at one setting differ by chance alone. Pairs of such runs are treated as an experiment treats its blocks:
which of the two is called the first setting's was decided by chance, so that all assignments were equally likely, and
the rate of false verdicts is their share over all assignments. That is the randomization distribution of the verdict.

Sources: R. A. Fisher, "The design of experiments", 1935, section 21 (assignments as the reference set); R. Kohavi, R.
Longbotham, D. Sommerfield and R. M. Henne, "Controlled experiments on the web", Data Mining and Knowledge Discovery 18,
2009, section 4.2 (the A/A test).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from perfstudies.errors import BadParameter
from perfstudies.stats.holm import holm
from perfstudies.stats.regions import region_test
from perfstudies.stats.verdicts import INCONCLUSIVE, NOT_REPRODUCED, REPRODUCED

MOST_PAIRS = 10
"""Of an experiment: each further one doubles the assignments."""


def assignments(differences: ArrayLike) -> np.ndarray:
    """Return what an experiment's differences would have been under every assignment of its pairs.

    Parameters
    ----------
    differences : array_like, shape (pairs,)
        Of each pair, the first less the second.

    Returns
    -------
    ndarray, shape (2 ** pairs, pairs)
        The first row is the given one.

    Raises
    ------
    BadParameter
        If there are fewer than two pairs, or more than `MOST_PAIRS`.
    """
    array = np.asarray(differences, dtype=float)
    if array.ndim != 1 or not 2 <= array.size <= MOST_PAIRS:
        raise BadParameter(f"differences of shape {array.shape}: one experiment has 2 to {MOST_PAIRS} pairs")
    return array * np.array(list(product((1, -1), repeat=array.size)))


def p_values(log_ratios: ArrayLike, low: float = 1.0, high: float = 1.0) -> np.ndarray:
    """Test a region under every assignment.

    Parameters
    ----------
    log_ratios : array_like, shape (pairs,)
        Logarithms of ratios within pairs of equal settings.
    low, high : float
        The region of the ratio that is claimed; it holds the true ratio, which is 1.

    Returns
    -------
    ndarray, shape (2 ** pairs, 2)
        P values of being inside and of being outside, each alone.
    """
    return _p_values(tuple(assignments(log_ratios)[0].tolist()), low, high)


@lru_cache(maxsize=1000)
def _p_values(log_ratios: tuple[float, ...], low: float, high: float) -> np.ndarray:
    """Do so once for each experiment and region: tables of one report ask again and again."""
    tests = (region_test(np.exp(row), low, high, "log") for row in assignments(log_ratios))
    found = np.array([(test.p_inside, test.p_outside) for test in tests])
    found.setflags(write=False)
    return found


def verdict_rates(experiments: ArrayLike, low: float = 1.0, high: float = 1.0, level: float = 0.05) -> pd.DataFrame:
    """Return how often each experiment of equal settings would have come to each verdict.

    Parameters
    ----------
    experiments : array_like, shape (experiments, pairs)
        Logarithms of ratios of equal settings.
    low, high : float
        The region that is claimed.
    level : float
        Of a single finding.

    Returns
    -------
    DataFrame
        A row an experiment, a column an outcome, as shares of its assignments. With a region that holds 1, ``not
        reproduced`` is false.
    """
    rows = []
    for log_ratios in np.atleast_2d(np.asarray(experiments, dtype=float)):
        p_inside, p_outside = p_values(log_ratios, low, high).T
        inside, outside = p_inside <= level, (p_inside > level) & (p_outside <= level)
        rows.append({REPRODUCED: inside.mean(), NOT_REPRODUCED: outside.mean()})
    return pd.DataFrame(rows).assign(**{INCONCLUSIVE: lambda shares: 1 - shares.sum(axis=1)})


def family_rate(
    experiments: ArrayLike, size: int, draws: int, seed: int, low: float = 1.0, high: float = 1.0, level: float = 0.05
) -> np.ndarray:
    """Say of families of findings on equal settings whether Holm's correction let a false verdict through.

    Parameters
    ----------
    experiments : array_like, shape (experiments, pairs)
        Logarithms of ratios of equal settings.
    size : int
        Findings in a family: experiments that are drawn without putting back, each under an assignment by chance.
    draws : int
        How many families.
    seed : int
        Of the draws.
    low, high, level : float
        As of `verdict_rates`; the level is that of a whole family.

    Returns
    -------
    ndarray of bool, shape (draws,)
        Whether at least one finding of the family came out as not reproduced.

    Raises
    ------
    BadParameter
        If a family is larger than the number of experiments.
    """
    tested = np.array([p_values(one, low, high) for one in np.atleast_2d(np.asarray(experiments, dtype=float))])
    if not 1 <= size <= len(tested):
        raise BadParameter(f"size = {size}: a family has 1 to {len(tested)} of the experiments")
    random = np.random.default_rng(seed)
    # An order of all experiments a draw, of which the first are taken: drawn without putting back.
    chosen = random.permuted(np.tile(np.arange(len(tested)), (draws, 1)), axis=1)[:, :size]
    pairs = tested[chosen, random.integers(tested.shape[1], size=chosen.shape)]
    p_inside, p_outside = np.moveaxis(holm(pairs.reshape(draws, -1)).reshape(pairs.shape), -1, 0)
    return ((p_inside > level) & (p_outside <= level)).any(axis=1)


def pooled_p(first: ArrayLike, second: ArrayLike) -> float:
    """Return the p value that two runs of equal settings have if each request counts as independent (Welch's test).

    It is what comparing two load tests request by request comes to, and what this lab does not do.
    """
    return float(stats.ttest_ind(np.asarray(first, float), np.asarray(second, float), equal_var=False).pvalue)
