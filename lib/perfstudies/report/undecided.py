"""What runs do not decide: how many would, and how long they take on the machine that was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from perfstudies.report.tables import Table, table
from perfstudies.stats.power import runs_to_decide
from perfstudies.stats.verdicts import INCONCLUSIVE, Verdict, share_left

POWER = 0.9
NONE = "none"


def undecided(judged: Sequence[Verdict], runs: pd.DataFrame, others: Mapping[str, pd.DataFrame] | None = None) -> Table:
    """Show how many runs would decide each inconclusive finding, were its mean and spread as they were measured.

    Each test has its share of the level (`perfstudies.stats.verdicts.share_left`).

    Parameters
    ----------
    judged : sequence of Verdict
        All findings that are corrected for each other.
    runs : DataFrame
        Of the recording that they rest on (`perfstudies.runs.recording.Recording.runs`).
    others : mapping of str to DataFrame
        The same of findings that rest on another recording, by their ids.
    """
    share = share_left([one.outcome for one in judged])
    rows: dict[str, tuple[str, float, float, float]] = {}
    for one in (one for one in judged if one.outcome == INCONCLUSIVE):
        region = one.finding.low, one.finding.high
        needed = runs_to_decide(one.mean, one.error, one.runs, *region, one.scale, share, POWER)
        hours = needed * _block_s((others or {}).get(one.finding.id, runs)) / 3600
        rows[one.finding.id] = (one.finding.claim, one.runs, needed, hours)
    columns = ["Claim", "Runs", "Runs to decide", "Hours here"]
    rows = rows or {NONE: ("every finding is decided", np.nan, np.nan, np.nan)}
    shown = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    return table(
        shown.rename_axis("Finding"),
        "What these runs do not decide, and what would",
        formats={"Runs": ".0f", "Runs to decide": ",.0f", "Hours here": ",.1f"},
        note=f"One-sided t test of the nearest border at power {POWER}. Hours: of whole blocks, with every setting. A "
        "dash: not measured, without spread, or counted in runs in which something happened.",
    )


def _block_s(runs: pd.DataFrame) -> float:
    """Return how long a block of runs took, in seconds; missing if the runs do not tell."""
    if "took_s" not in runs:
        return np.nan
    return float(runs.groupby("block")["took_s"].sum().mean())
