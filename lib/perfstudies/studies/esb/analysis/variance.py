"""Whether way and concurrency matter to messages a second, and how each way takes to more clients."""

from __future__ import annotations

import numpy as np
import pandas as pd

from perfstudies.report.comparisons import anova_table, checks
from perfstudies.report.tables import MISSING, Table, interval_text, table
from perfstudies.runs.recording import Recording
from perfstudies.stats.anova import anova
from perfstudies.stats.growth import over_units
from perfstudies.stats.intervals import ratio_interval
from perfstudies.studies.esb.analysis.lists import CONNECTIONS, ROUTE, growth, wide
from perfstudies.studies.esb.base import ROUTE_LABELS

NAMES = {ROUTE: "Way", CONNECTIONS: "Clients", "block": "Block", "residual": "Residual"}


def variance_table(recorded: Recording, response: str, caption: str) -> Table:
    """Show the two-way analysis of variance of a response's logarithm, the block as a term; or why there is none."""
    runs = recorded.runs
    varied = [name for name in (ROUTE, CONNECTIONS) if runs[name].nunique() > 1]
    counts = runs.groupby(varied, observed=True).size() if varied else pd.Series(dtype=int)
    whole = bool(varied) and len(counts) == np.prod([runs[name].nunique() for name in varied])
    if not whole or runs["block"].nunique() < 2:
        levels = pd.DataFrame({"Levels": runs[[ROUTE, CONNECTIONS]].nunique()}).rename(index=NAMES)
        note = "No analysis of variance: it takes two blocks of every combination of levels."
        return table(levels.rename_axis("Source"), caption, note=note)
    result = anova(runs, response, varied, block="block", log=True, compare=False)
    shown = anova_table(result)
    names = [" × ".join(NAMES.get(part, part) for part in source.split(" x ")) for source in shown.index]
    return table(shown.set_axis(pd.Index(names, name="Source")), caption, note=checks(result))


def trends_table(recorded: Recording) -> pd.DataFrame:
    """Return each way's messages a second at most over fewest clients, and their exponent over the clients."""
    rows = {}
    for route in recorded.runs[ROUTE].cat.categories:
        found = wide(recorded.runs, route)
        if found.shape[1] < 2:
            continue
        few, most = found.columns.min(), found.columns.max()
        both = found[[few, most]].dropna()
        ratio = ratio_interval(both[most], both[few])
        slope = over_units(growth(recorded.runs, route))
        rows[ROUTE_LABELS[route]] = {
            f"{most:,} over {few:,} clients": interval_text(ratio.estimate, ratio.low, ratio.high),
            "Exponent": interval_text(slope.estimate, slope.low, slope.high, 3),
        }
    if not rows:
        return pd.DataFrame({"Exponent": MISSING}, index=pd.Index(["One level was measured"], name="Way"))
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Way")
