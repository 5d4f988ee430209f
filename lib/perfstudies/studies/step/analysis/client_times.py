"""What the client waited for each request, beside what the server's monitor says of it: one clock for all monitors."""

from __future__ import annotations

import pandas as pd

from perfstudies.runs.recording import Recording


def with_client_times(recorded: Recording) -> pd.DataFrame:
    """Return the samples with ``client_ms``: how long the client waited for each request.

    Requests of one user arrive in the order in which they were sent. Runs in which a call never reached the server,
    so that the two sides differ in number, have no client times.
    """
    calls = recorded.calls.sort_values(["run", "sent_ns"])
    numbered = calls.assign(request=calls.groupby("run").cumcount())
    sent, seen = numbered.groupby("run").size(), recorded.samples.groupby("run").size()
    complete = sent.index[sent == seen.reindex(sent.index)]
    waited = numbered[numbered["run"].isin(complete)].set_index(["run", "request"])["elapsed_ms"].rename("client_ms")
    return recorded.samples.join(waited, on=["run", "request"])
