"""Which factor of a two-level design matters most: effects with intervals, and their shares of all variation.

As the columns of a two-level design are orthogonal, each effect is the difference of two means, of all runs at its
high and all at its low level, and the sums of squares of effects, blocks and residual add up to the total. Jain's
allocation of variation is each one's share of it.

Sources: R. Jain, *The Art of Computer Systems Performance Analysis*, Wiley 1991, chapters 17 to 19; R. V. Lenth, "Quick
and easy analysis of unreplicated factorials", Technometrics 31, 1989. The intervals of shares are those of
`perfstudies.stats.effects`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import special

from perfstudies.errors import BadParameter
from perfstudies.stats.effects import effect_interval
from perfstudies.stats.factorial import Design, columns
from perfstudies.stats.intervals import finite, positive


@dataclass(frozen=True)
class Contrasts:
    """The effects of a two-level design.

    Attributes
    ----------
    effects : DataFrame
        A row an effect, the largest first: effect, aliases (what it is confounded with), size (high less low level; the
        ratio of high to low if `log`), low, high, p, share (of all variation, between 0 and 1), omega_sq (partial),
        omega_sq_low, omega_sq_high. Without replication p and what rests on the residual is missing, and low and high
        are Lenth's.
    block_share, residual_share : float
        What is left of all variation, by blocks and by nothing known.
    """

    effects: pd.DataFrame
    block_share: float
    residual_share: float


def contrasts(
    run_means: pd.DataFrame,
    response: str,
    design: Design,
    block: str | None = None,
    log: bool = False,
    confidence: float = 0.95,
) -> Contrasts:
    """Estimate all effects of a two-level design.

    Parameters
    ----------
    run_means : DataFrame
        A row a run, with a column a factor, of -1 and 1. Every setting as often as every other, and as often in every
        block.
    response : str
        The column analysed, any unit; above 0 if `log`.
    design : Design
    block : str, optional
        The column of the block, whose means are taken out.
    log : bool
        Analyse logarithms: effects multiply, and are ratios.
    confidence : float
        Of each effect's interval. Those of omega squared have ``2 * confidence - 1``, as in `perfstudies.stats.anova`.

    Returns
    -------
    Contrasts

    Raises
    ------
    BadParameter
        If a column is missing, a value not finite (or not above 0 with `log`), the runs are not those of the design, or
        nothing varies.
    """
    missing = {*design.factors, response, *([block] if block else [])} - {*run_means.columns}
    if missing:
        raise BadParameter(f"no column {', '.join(sorted(missing))}; there are {', '.join(map(str, run_means))}")
    values = positive(run_means[response], response) if log else finite(run_means[response], response)
    y = np.log(values) if log else values
    times = _balance(run_means, design, block)
    sign = columns(design, run_means)
    centred = y - y.mean()
    total = float(centred @ centred)
    if total == 0:
        raise BadParameter(f"{response}: no run differs, so there is no variation to allocate")
    runs = y.size
    size = 2 * (sign.to_numpy().T @ centred) / runs
    squares = runs * size**2 / 4
    blocks = 0.0
    freedom = runs - 1 - size.size
    if block:
        groups = pd.Series(centred).groupby(run_means[block].to_numpy())
        blocks = float((groups.mean() ** 2 * groups.count()).sum())
        freedom -= groups.ngroups - 1
    residual = max(0.0, total - squares.sum() - blocks)
    if times == 1 or freedom <= 0:
        error, df = lenth(size)
        spread, effect_df = np.full(size.size, np.nan), np.nan
    else:
        error, df = float(2 * np.sqrt(residual / freedom / runs)), float(freedom)
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = squares / (residual / freedom)
        effect_df = freedom
    margin = special.stdtrit(df, (1 + confidence) / 2) * error
    table = pd.DataFrame(
        {
            "effect": list(design.aliases),
            "aliases": [" = ".join(aliases[1:]) for aliases in design.aliases.values()],
            "size": size,
            "low": size - margin,
            "high": size + margin,
            "p": special.fdtrc(1, effect_df, spread),
            "share": squares / total,
        }
    )
    surplus = np.maximum(spread - 1, 0.0)
    with np.errstate(invalid="ignore"):
        table["omega_sq"] = np.where(np.isinf(surplus), 1.0, surplus / (surplus + runs))
    bounds = [
        (np.nan, np.nan) if np.isnan(f) else effect_interval(f, 1, effect_df, runs, 2 * confidence - 1) for f in spread
    ]
    table[["omega_sq_low", "omega_sq_high"]] = np.array(bounds)
    if log:
        table[["size", "low", "high"]] = np.exp(table[["size", "low", "high"]])
    table = table.sort_values("share", ascending=False, kind="stable", ignore_index=True)
    return Contrasts(table, blocks / total, float(residual / total))


def lenth(sizes: ArrayLike) -> tuple[float, float]:
    """Return Lenth's pseudo standard error of effects, most of which are noise, and its degrees of freedom.

    Parameters
    ----------
    sizes : array_like, shape (effects,)
        In the response's unit.
    """
    absolute = np.abs(finite(sizes, "effects"))
    first = 1.5 * np.median(absolute)
    small = absolute[absolute < 2.5 * first]
    return float(1.5 * np.median(small)) if small.size else float(first), absolute.size / 3


def _balance(run_means: pd.DataFrame, design: Design, block: str | None) -> int:
    """Return how often each setting was run, or say that the runs are not those of the design."""
    factors = list(design.factors)
    levels = run_means[factors].to_numpy()
    if not np.isin(levels, (-1, 1)).all():
        raise BadParameter("levels of a two-level design are coded -1 (low) and 1 (high)")
    counts = run_means.groupby([*([block] if block else []), *factors], observed=True).size()
    wanted = len(design.runs) * (run_means[block].nunique() if block else 1)
    known = set(map(tuple, design.runs.to_numpy()))
    if len(counts) != wanted or counts.nunique() != 1 or not set(map(tuple, levels)) <= known:
        raise BadParameter("every setting of the design has to be run equally often, in every block")
    return len(run_means) // len(design.runs)
