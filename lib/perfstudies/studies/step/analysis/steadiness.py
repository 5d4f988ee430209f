"""Which runs reach a steady state, by the client's clock, and whether they are in it when measuring begins."""

from __future__ import annotations

import pandas as pd

from perfstudies.paths import PROCESSED
from perfstudies.runs.checksums import code_checksum
from perfstudies.runs.kept import kept, key_of_frame
from perfstudies.runs.recording import Recording
from perfstudies.stats import warmup

COUNTED = ["Runs", "Steady", "Steady when measuring began"]
NOTE = (
    "Steady: change points cut a run's request times, warm-up included, into levels, once the effects of operation and "
    "length are taken out; the last level holds a third of the run and ten requests or more, and does not drift. What "
    "a setting itself changes as measuring begins starts a level there."
)

_KEPT = 40
"""Recordings whose steady runs are kept: looking for them takes seconds."""


def of_runs(recorded: Recording) -> pd.DataFrame:
    """Return the recording's runs with a 1 or 0 in each of the columns `COUNTED`: a sum over settings counts them.

    Requests are taken in the order in which they were sent, whoever sent them.
    """
    order = recorded.calls.groupby("run")["sent_ns"].rank(method="first").astype(int)
    calls = recorded.calls.assign(request=order)
    times = calls.rename(columns={"elapsed_ms": "request_ms", "bytes_out": "request_length"})
    times = times[["run", "request", "operation", "outcome", "request_length", "request_ms"]]
    key = key_of_frame(times, code_checksum(__name__))
    found = kept(PROCESSED / "step" / "steady", key, lambda: warmup.steady(times)[1], _KEPT)
    start = found.set_index("run")["start"]
    measured_from = calls[calls["measured"]].groupby("run")["request"].min()
    began = (start <= measured_from.reindex(start.index)).fillna(False)
    told = pd.DataFrame({"Runs": 1, "Steady": start.notna(), "Steady when measuring began": began}).astype(int)
    return recorded.runs.merge(told[COUNTED], left_on="run", right_index=True)
