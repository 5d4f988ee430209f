"""Whether messages go wrong because the server has two of them at once: the cause of what was seen, tested."""

from __future__ import annotations

import pandas as pd

from perfstudies.recording import Recording
from perfstudies.report.comparisons import p_text
from perfstudies.report.tables import interval_text
from perfstudies.stats.proportions import exact_p, proportion_interval
from perfstudies.studies.esb_reliable import RACE

FACTOR = RACE.factors[0]


def race_table(recorded: Recording) -> pd.DataFrame:
    """Return how many runs have a wrong message, by whether the server had several requests at a time.

    A message that its client still holds and has given up is not lost; those are counted apart.
    """
    rows = {}
    for level, part in recorded.runs.groupby(FACTOR.name, observed=True):
        bad = int(_bad(part).sum())
        share = proportion_interval(bad / len(part), len(part))
        rows[FACTOR.label(level)] = {
            "Messages": int(part["sent"].sum()),
            "Kills": sum(len(one) for one in part["kills"]),
            "Lost": int(_lost(part).sum()),
            "Applied more than once": int(part["duplicated"].sum()),
            "Given up, still with the client": int(part["unacknowledged"].fillna(0).sum()),
            "Runs with any": f"{bad} of {len(part)}",
            "Share of runs (%)": interval_text(*(100 * end for end in (share.estimate, share.low, share.high)), 0),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Requests reach the server")


def race_text(recorded: Recording) -> str:
    """Say whether the share of runs with a wrong message differs."""
    ways = recorded.runs.groupby(FACTOR.name, observed=True)
    groups = [(int(_bad(part).sum()), len(part)) for _, part in ways]
    if len(groups) < 2:
        return "Only one way was measured; there is nothing to compare."
    p = p_text(exact_p(*groups))
    return f"Fisher's exact test that both ways have one share of runs with a wrong message: p {p if '<' in p else f'= {p}'}."


def _lost(runs: pd.DataFrame) -> pd.Series:
    return (runs["lost"] - runs["unacknowledged"].fillna(0)).clip(lower=0).astype(int)


def _bad(runs: pd.DataFrame) -> pd.Series:
    return (_lost(runs) > 0) | (runs["duplicated"] > 0)
