"""Calls over a client's pool of connections: a run's times by three clocks, what came of its calls, and a queue's time.

Times are means over all calls of a run: the mean, unlike other statistics, does not depend on which of the waiting
calls is served next, as long as all count.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from perfstudies.exchange import OK
from perfstudies.runs.recording import Recording

CLOCKS = {"total_ms": "From the asking", "held_ms": "With a connection", "service_ms": "In the service"}
"""The columns of `run_times`, and whose clock each is."""


def run_times(recorded: Recording, factors: Sequence[str]) -> pd.DataFrame:
    """Return a row a run: its levels, the means of `CLOCKS` and of ``waited_ms``, and three further columns.

    These are ``p95_ms``, from the asking, ``overtaken`` (the share of calls) and ``count`` (of calls). A time with a
    connection is missing if no call was given one.
    """
    keys = ["run", "block", *factors]
    calls = recorded.calls.astype({"waited_ms": float, "held_ms": float})
    found = calls.groupby(keys, observed=True).agg(
        total_ms=("total_ms", "mean"), waited_ms=("waited_ms", "mean"), held_ms=("held_ms", "mean"),
        p95_ms=("total_ms", lambda values: values.quantile(0.95)), overtaken=("overtaken", "mean"),
        count=("number", "size"),
    )  # fmt: skip
    return found.join(recorded.samples.groupby("run")["service_ms"].mean(), on="run").reset_index()


def given_back(recorded: Recording, factors: Sequence[str]) -> pd.DataFrame:
    """Return a row a run: its levels, ``count`` (of calls), ``given`` (connections), ``answered`` and a ``detail``."""
    keys = ["run", "block", *factors]
    calls = recorded.calls
    calls = calls.assign(given=calls["connected_us"].notna(), answered=calls["outcome"] == OK)
    by_run = calls.groupby(keys, observed=True)
    found = by_run[["given", "answered"]].sum().assign(count=by_run.size())
    wrong = calls[~calls["answered"]].assign(detail=lambda rows: rows["outcome"] + ": " + rows["detail"])
    first = wrong.groupby(keys, observed=True)["detail"].first()
    return found.join(first).fillna({"detail": ""}).reset_index()


def queueing(threads: int, calls: int, connections: int) -> float:
    """Return the mean time of a run's calls, over that of a lone call, if the threads' connections are never idle.

    While there are calls left to make each thread has one under way, then fewer and fewer. The mean is what the number
    of calls under way adds up to, whoever is served first (J. D. C. Little, "A proof for the queuing formula L = λW",
    Operations Research 9, 1961).
    """
    if threads <= connections:
        return 1.0
    rounds, last = threads / connections, min(threads, calls)
    return ((calls - last) * rounds + last * (last / connections + 1) / 2) / calls
