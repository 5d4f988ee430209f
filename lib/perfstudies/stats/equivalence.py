"""Equivalence of settings: "no difference" shown, not assumed from a large p.

Two one-sided tests (TOST) on the logarithm of the ratio, against a margin that is a ratio itself: a
margin of 1.05 means "between 1/1.05 and 1.05", which does not depend on which setting is on top.

Source: D. J. Schuirmann, "A comparison of the two one-sided tests procedure and the power approach",
J. Pharmacokinetics and Biopharmaceutics 15, 1987; all pairs: R. L. Berger, "Multiparameter hypothesis
testing and acceptance sampling", Technometrics 24, 1982.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from perfstudies.errors import BadParameter
from perfstudies.stats.interval import Interval
from perfstudies.stats.intervals import ROUNDING, positive
from perfstudies.stats.intervals import paired as same_length

LEVEL = 0.05


@dataclass(frozen=True)
class Equivalence:
    """The result of one equivalence test.

    Attributes
    ----------
    ratio : Interval
        Numerator over denominator with its 90 % interval: the settings are equivalent exactly when
        it lies inside the margin, but for values without any spread, whose number decides.
    margin_ratio : float
        The margin, above 1.
    p_low, p_high, p : float
        Of the test against the lower margin, the upper one, and the larger of both. Missing for a
        single run.
    equivalent : bool
        Whether p is at most 5 %.
    """

    ratio: Interval
    margin_ratio: float
    p_low: float
    p_high: float
    p: float
    equivalent: bool


@dataclass(frozen=True)
class AllEquivalent:
    """The result over all pairs of levels: the pairs (a frame), the largest p, and the answer."""

    pairs: pd.DataFrame
    p: float
    equivalent: bool


def equivalence(numerator: ArrayLike, denominator: ArrayLike, margin_ratio: float, paired: bool = True) -> Equivalence:
    """Test whether two settings cost the same within a margin.

    Parameters
    ----------
    numerator, denominator : array_like
        One value above 0 per run, same unit. If `paired`, in the same order of blocks.
    margin_ratio : float
        The largest ratio that still counts as no difference, above 1.
    paired : bool
        Whether the runs are paired by block; if not, Welch's form for unequal variances is used.

    Returns
    -------
    Equivalence

    Raises
    ------
    BadParameter
        If the margin is not above 1, a value is not above 0, or paired lengths differ.
    """
    if not (np.isfinite(margin_ratio) and margin_ratio > 1):
        raise BadParameter(f"margin_ratio = {margin_ratio!r} must be a finite ratio above 1, such as 1.05")
    above, below = np.log(positive(numerator, "numerator")), np.log(positive(denominator, "denominator"))
    margin = float(np.log(margin_ratio))
    if paired:
        difference = np.subtract(*same_length(above, below))
        n, estimate, spread = difference.size, difference.mean(), np.ptp(difference)
    else:
        n, estimate = min(above.size, below.size), above.mean() - below.mean()
        spread = max(np.ptp(above), np.ptp(below))
    if n < 2:
        p_low = p_high = low = high = np.nan
    elif spread <= ROUNDING:
        agree = 0.5**n  # without spread only the number of runs speaks, as in a sign test
        p_low, p_high = (1 - agree if beyond else agree for beyond in (estimate < -margin, estimate > margin))
        low = high = estimate
    elif paired:
        both = DescrStatsW(difference)
        _, (_, p_low, _), (_, p_high, _) = both.ttost_mean(-margin, margin)
        low, high = both.tconfint_mean(alpha=2 * LEVEL)
    else:
        both = CompareMeans(DescrStatsW(above), DescrStatsW(below))
        _, ((_, p_low, _), (_, p_high, _)) = both.ttost_ind(-margin, margin, usevar="unequal")
        low, high = both.tconfint_diff(alpha=2 * LEVEL, usevar="unequal")
    p = float(np.maximum(p_low, p_high))
    ratio = Interval(float(estimate), float(low), float(high), 1 - 2 * LEVEL, n).exp()
    return Equivalence(ratio, float(margin_ratio), float(p_low), float(p_high), p, p <= LEVEL)


def all_equivalent(
    run_means: pd.DataFrame, response: str, level_column: str, levels: Sequence[str], margin_ratio: float, block: str
) -> AllEquivalent:
    """Test whether all of several levels cost the same within a margin.

    Every pair is tested at the full 5 %, without correction: the claim is an intersection (this pair
    and that pair and ...), its null hypothesis a union, and rejecting a union only when each part is
    rejected already keeps the error of the whole at 5 %. Correcting would only lose power.

    Parameters
    ----------
    run_means : DataFrame
        One row per run.
    response, level_column : str
        The column of values above 0, and that of the level.
    levels : sequence of str
        Two levels or more, in the order in which pairs are named.
    margin_ratio : float
        As in `equivalence`.
    block : str
        The column that pairs the runs. Blocks that lack a run of one of the pair's two levels are left
        out of that pair.

    Returns
    -------
    AllEquivalent
        `pairs` has the columns first, second, ratio (second over first), low, high (90 %), p, runs,
        equivalent.

    Raises
    ------
    BadParameter
        If there are fewer than two levels, a level has no runs, or a block has two runs of a level.
    """
    if len(set(levels)) < 2 or len(set(levels)) < len(levels):
        raise BadParameter(f"levels = {list(levels)!r}: name two or more different ones")
    values = {level: _runs(run_means, response, level_column, level, block) for level in levels}
    rows = []
    for first, second in combinations(levels, 2):
        above, below = values[second].align(values[first], join="inner")
        if above.empty:
            raise BadParameter(f"no {block} has a run of both {first!r} and {second!r}")
        one = equivalence(above, below, margin_ratio)
        ratio = one.ratio
        rows.append((first, second, ratio.estimate, ratio.low, ratio.high, one.p, ratio.n, one.equivalent))
    columns = ["first", "second", "ratio", "low", "high", "p", "runs", "equivalent"]
    pairs = pd.DataFrame(rows, columns=columns)
    return AllEquivalent(pairs, float(pairs["p"].max(skipna=False)), bool(pairs["equivalent"].all()))


def _runs(frame: pd.DataFrame, response: str, level_column: str, level: str, block: str) -> pd.Series:
    chosen = frame[frame[level_column] == level]
    if chosen.empty:
        raise BadParameter(f"{level_column}: no run at level {level!r}")
    series = chosen.set_index(block)[response]
    if series.index.has_duplicates:
        repeated = series.index[series.index.duplicated()][0]
        raise BadParameter(f"{block} {repeated!r} has more than one run at level {level!r}")
    return series
