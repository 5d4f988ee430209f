"""What of a response comes from the libraries, and what from the database: both crossed in every block.

Source: R. Jain, *The Art of Computer Systems Performance Analysis*, Wiley 1991, chapter 18 (two factors at two levels,
replicated); the effects are those of `perfstudies.stats.contrasts`.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from perfstudies.report import tables
from perfstudies.report.tables import Table
from perfstudies.stats.contrasts import contrasts
from perfstudies.stats.factorial import fractional
from perfstudies.stats.interval import Interval
from perfstudies.studies.step.factors import GENERATIONS, STORES

CAUSES = {"generation": "Today's libraries", "database": "H2", "generation x database": "Both together"}
"""How the effects are called: of today's libraries over those of 2009, of H2 over MariaDB, and what H2 does more with
today's libraries than with those of 2009, halved as an interaction is."""


def split(runs: pd.DataFrame, log: bool = False) -> pd.DataFrame:
    """Return the effects of libraries and database on each response.

    Parameters
    ----------
    runs : DataFrame
        A row a run, indexed by ``generation``, ``database`` and ``block``; a column a response, in any unit. Blocks
        that lack a combination, or a response of one, are left out.
    log : bool
        Whether effects multiply: they are then ratios, of responses above 0.

    Returns
    -------
    DataFrame
        A row a response. For each of `CAUSES` the columns ``effect`` (an interval) and ``ω²`` (the part of the variance
        within blocks that it explains, partial). Empty if two blocks or more do not have all four combinations.
    """
    crossed: Any = runs.unstack(["generation", "database"])
    wanted = [
        (response, generation, database)
        for response in runs.columns
        for generation in GENERATIONS.levels
        for database in STORES.levels
    ]
    complete = crossed.reindex(columns=pd.MultiIndex.from_tuples(wanted, names=crossed.columns.names)).dropna()
    if len(complete) < 2:
        return pd.DataFrame()
    rows = complete.stack(["generation", "database"], future_stack=True).reset_index()
    for factor in (GENERATIONS, STORES):
        first, second = factor.levels
        rows[factor.name] = rows[factor.name].astype(str).map({first: -1, second: 1})
    design = fractional([GENERATIONS.name, STORES.name], {})
    found: dict[Any, dict[tuple[str, str], Any]] = {}
    for response in runs.columns:
        effects = contrasts(rows, str(response), design, "block", log).effects.set_index("effect")
        found[response] = {}
        for effect, cause in CAUSES.items():
            size, low, high = (float(effects[column][effect]) for column in ("size", "low", "high"))
            found[response][cause, "effect"] = Interval(size, low, high, 0.95, len(complete))
            found[response][cause, "ω²"] = effects["omega_sq"][effect]
    return pd.DataFrame(found).T


def table(effects: pd.DataFrame, caption: str, note: str = "") -> Table:
    """Show effects of `split`, with how many blocks they rest on; the index's name heads the responses."""
    blocks = effects.iloc[0][next(iter(CAUSES.values())), "effect"].n
    shown = {(cause, column): ".2f" for cause in CAUSES.values() for column in ("effect", "ω²")}
    also = (
        "ω²: the part of the variance within blocks that an effect explains (partial). An effect is the mean over both "
        "levels of the other cause: where both together have a large one, it is not the same at each."
    )
    return tables.table(
        effects,
        caption,
        formats=shown,
        note=f"{blocks} blocks have all four combinations; 95 % intervals. {also} {note}",
    )
