"""Is there a peak when the AAA server starts, and is it the making of beans? The study's reading of its Figure 9."""

from __future__ import annotations

import numpy as np
import pandas as pd

from perfstudies.runs.recording import Recording
from perfstudies.studies.aaa.analysis.pools import peaks
from perfstudies.studies.aaa.analysis.times import EJB
from perfstudies.studies.aaa.declared import BEAN_START
from perfstudies.studies.aaa.findings_patterns import FIRST_REQUESTS

START = BEAN_START.factors[0]


def run_table(recorded: Recording, samples: pd.DataFrame) -> pd.DataFrame:
    """Return a row a run with what its start was like.

    Parameters
    ----------
    recorded : Recording
        Of `perfstudies.studies.aaa.declared.BEAN_START`.
    samples : DataFrame
        Its answered requests.

    Returns
    -------
    DataFrame
        run, block, start; ``peak`` (median EJB time of a client's first 30 requests over that of its later ones),
        ``first_ms`` and ``later_ms`` (these medians), ``made`` (beans in the whole run, by the server's count),
        ``made_first`` (for a client's first 30 requests), ``last_made`` (a client's request number of the last that
        made one, from 1).
    """
    first = samples["number"] < FIRST_REQUESTS
    reached = recorded.samples  # a bean is made for a request that gives up too
    made = reached[reached["created"] == 1]
    facts = {
        "peak": peaks(samples),
        "first_ms": samples[first].groupby("run", observed=True)[EJB].median(),
        "later_ms": samples[~first].groupby("run", observed=True)[EJB].median(),
        "made_first": made[made["number"] < FIRST_REQUESTS].groupby("run", observed=True).size(),
        "last_made": made.groupby("run", observed=True)["number"].max() + 1,
    }
    found = recorded.runs[["run", "block", START.name, "beans_created"]].rename(columns={"beans_created": "made"})
    found = found.assign(**{name: found["run"].map(values).astype(float) for name, values in facts.items()})
    return found.assign(made_first=found["made_first"].fillna(0))


def slowdowns(samples: pd.DataFrame) -> pd.DataFrame:
    """Pair each request that made a bean with its neighbours: its client's requests before and after that made none.

    Returns
    -------
    DataFrame
        A row a request that made a bean: run, block, start, client, number, ``slower_ms`` (its EJB time less the
        neighbours' mean). Requests without such a neighbour are left out.
    """
    keys = ["run", "client", "number"]
    plain = samples.loc[samples["created"] != 1, [*keys, EJB]]
    made = samples.loc[samples["created"] == 1, [*keys, "block", START.name, EJB]]
    sides = []
    for step in (-1, 1):
        beside = plain.assign(number=plain["number"] - step).rename(columns={EJB: f"side{step}"})
        sides.append(made[keys].merge(beside, on=keys, how="left")[f"side{step}"].to_numpy())
    pairs = np.array(sides)
    known = (~np.isnan(pairs)).sum(axis=0)
    near = np.where(known > 0, np.nansum(pairs, axis=0) / known.clip(1), np.nan)
    found = made.assign(slower_ms=made[EJB] - near).dropna(subset=["slower_ms"])
    return found[["run", "block", START.name, "client", "number", "slower_ms"]].reset_index(drop=True)
