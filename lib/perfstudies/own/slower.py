"""Whether new runs are slower than old ones by more than a margin: a verdict that a pipeline can act on.

Two one-sided tests at 5 % of the logarithm of a ratio of mean times against the margin: paired where the old and the
new runs have the same names, otherwise Welch's. The new runs are no slower if one shows the ratio below the margin,
and slower if the other shows it above; if neither does, the runs do not decide. A run is the unit, so that one run of
each side decides nothing, however many requests it has.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from perfstudies.errors import BadParameter
from perfstudies.own.aggregate import Observed
from perfstudies.own.report.observed_runs import Analysed, analyse, mean_of
from perfstudies.stats.equivalence import LEVEL, equivalence
from perfstudies.stats.interval import Interval
from perfstudies.stats.power import runs_to_decide

OLD, NEW = "old", "new"
NO_SLOWER, SLOWER, UNDECIDED = "no slower", "slower", "undecided"
POWER = 0.9
"""With which so many runs as are said to decide would do so."""


@dataclass(frozen=True)
class Judged:
    """The verdict on new runs, and what it rests on.

    Attributes
    ----------
    verdict : {"no slower", "slower", "undecided"}
    ratio : Interval
        Mean time of the new runs over that of the old (geometric means), with its 90 % interval.
    margin_ratio : float
        The largest ratio that is still no slower.
    equivalent : bool
        Whether the ratio was shown to lie within the margin either way.
    runs_needed : float
        Runs of each side that would decide at `POWER`, were ratio and spread as they are; missing if none can be told.
    sides : DataFrame
        A row ``old`` and a row ``new``: ``runs`` (compared), ``requests``, ``errors``, ``mean_ms`` (an interval).
    paired : bool
        Whether runs were compared pair by pair.
    sentence : str
        Which part of the runs was compared.
    observed : Observed
        What was read, and what of it was set aside.
    """

    verdict: str
    ratio: Interval
    margin_ratio: float
    equivalent: bool
    runs_needed: float
    sides: pd.DataFrame
    paired: bool
    sentence: str
    observed: Observed


def judge(observed: Observed, margin_ratio: float = 1.05) -> Judged:
    """Judge the setting ``new`` against the setting ``old``.

    Raises
    ------
    BadParameter
        If the margin is not above 1, or a side has no request that was answered without error.
    """
    analysed = analyse(observed)
    for side in (OLD, NEW):
        if side not in analysed.settings:
            raise BadParameter(
                f"no request of the {side} runs was answered without error: there are no times to compare"
            )
        if not (analysed.compared.loc[analysed.compared["setting"] == side, "used_ms"] > 0).all():
            raise BadParameter(f"a run of the {side} ones has a mean of 0 ms: its clock is too coarse to compare times")
    above, below = analysed.times(NEW, OLD)
    found = equivalence(above, below, margin_ratio, paired=analysed.blocked)
    return Judged(
        verdict=_verdict(found.p_high),
        ratio=found.ratio,
        margin_ratio=found.margin_ratio,
        equivalent=found.equivalent,
        runs_needed=_runs_needed(above, below, analysed.blocked, found.ratio, margin_ratio),
        sides=_sides(analysed),
        paired=analysed.blocked,
        sentence=analysed.sentence,
        observed=observed,
    )


def _verdict(p_above: float) -> str:
    """Return the verdict for the p of the ratio being at the margin or above it; it is missing for a single run."""
    if p_above <= LEVEL:
        return NO_SLOWER
    return SLOWER if p_above >= 1 - LEVEL else UNDECIDED


def _runs_needed(above: pd.Series, below: pd.Series, paired: bool, ratio: Interval, margin_ratio: float) -> float:
    if ratio.n < 2:
        return np.nan
    logs = [np.log(above.to_numpy()), np.log(below.to_numpy())]
    parts = [logs[0] - logs[1]] if paired else logs
    error = np.sqrt(sum(part.var(ddof=1) for part in parts) / ratio.n)
    return runs_to_decide(np.log(ratio.estimate), float(error), ratio.n, 0, margin_ratio, "log", LEVEL, POWER)


def _sides(analysed: Analysed) -> pd.DataFrame:
    rows = {}
    for side in (OLD, NEW):
        of_side = analysed.observed.runs[analysed.observed.runs["setting"] == side]
        rows[side] = {
            "runs": int((analysed.compared["setting"] == side).sum()),
            "requests": int(of_side["requests"].sum()),
            "errors": int(of_side["errors"].sum()),
            "mean_ms": mean_of(analysed, side),
        }
    return pd.DataFrame.from_dict(rows, orient="index")
