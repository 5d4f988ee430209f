"""Whether messages go wrong because a server acknowledges them before it has stored them: the cause, tested."""

from __future__ import annotations

import pandas as pd

from perfstudies.report.comparisons import p_text
from perfstudies.report.tables import interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.proportions import exact_p, proportion_interval
from perfstudies.studies.esb.reliable import RACE

PAUSE, AT_ONCE = RACE.factors


def race_table(recorded: Recording) -> pd.DataFrame:
    """Return how many runs have a wrong message, by how soon messages are stored and whether two come at once.

    A message that its client still holds and has given up is not lost; those are counted apart.
    """
    rows = {}
    for (pause, at_once), part in recorded.runs.groupby([PAUSE.name, AT_ONCE.name], observed=True):
        bad = int(_bad(part).sum())
        share = proportion_interval(bad / len(part), len(part))
        rows[PAUSE.label(pause), AT_ONCE.label(at_once)] = {
            "Messages": int(part["sent"].sum()),
            "Kills": sum(len(one) for one in part["kills"]),
            "Lost": int(_lost(part).sum()),
            "Applied more than once": int(part["duplicated"].sum()),
            "Given up, still with the client": int(part["unacknowledged"].fillna(0).sum()),
            "Runs with any": f"{bad} of {len(part)}",
            "Share of runs (%)": interval_text(100 * share.estimate, 100 * share.low, 100 * share.high, 0),
        }
    table = pd.DataFrame.from_dict(rows, orient="index")
    table.index = pd.MultiIndex.from_tuples(rows, names=["Messages are stored", "Requests reach the server"])
    return table


def race_text(recorded: Recording) -> str:
    """Say for each pause whether the share of runs with a wrong message differs."""
    said = []
    for pause, part in recorded.runs.groupby(PAUSE.name, observed=True):
        groups = [(int(_bad(own).sum()), len(own)) for _, own in part.groupby(AT_ONCE.name, observed=True)]
        if len(groups) == 2:
            p = p_text(exact_p(*groups))
            said.append(f"{PAUSE.label(pause)} p {p if '<' in p else f'= {p}'}")
    if not said:
        return "Only one way was measured; there is nothing to compare."
    return f"Fisher's exact test that both ways have one share of runs with a wrong message: stored {', '.join(said)}."


def _lost(runs: pd.DataFrame) -> pd.Series:
    return (runs["lost"] - runs["unacknowledged"].fillna(0)).clip(lower=0).astype(int)


def _bad(runs: pd.DataFrame) -> pd.Series:
    return (_lost(runs) > 0) | (runs["duplicated"] > 0)
