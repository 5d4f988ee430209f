"""One run of calls over a pool of connections, from its raw logs to samples and calls."""

from __future__ import annotations

from perfstudies.runs.run_logs import RunLogs
from perfstudies.runs.store import Run
from perfstudies.studies.esb.logs import pooled


def read(run: Run) -> RunLogs:
    """Read a run's logs; errors as of every reader, see `perfstudies.runs.run_logs`.

    Returns
    -------
    RunLogs
        ``calls``, by number: thread, asked_us, connected_us (missing if it was given no connection), ended_us, outcome,
        detail, ``total_ms`` (from the asking), ``waited_ms`` (until it was given a connection; missing if it was not),
        ``held_ms`` (after that), ``overtaken`` (whether a call that was asked later was given a connection earlier).
        ``samples``: a row a call as the service saw it: entered_us, left_us, ``service_ms``. ``facts``:
        ``most_at_once`` (calls in the service), ``connections_in_pool`` (of an Axis2 pool at the end; all that
        zeep opened), ``opened`` (connections, where the run has that), ``load_s``, ``threads``, ``calls_s`` (from the
        first asking to the last end).
    """
    calls = pooled.read_kept(run.file(pooled.CLIENT_RECORD), pooled.CLIENT_COLUMNS).sort_values("number")
    calls = calls.assign(
        total_ms=(calls["ended_us"] - calls["asked_us"]) / 1000,
        waited_ms=(calls["connected_us"] - calls["asked_us"]) / 1000,
        held_ms=(calls["ended_us"] - calls["connected_us"]) / 1000,
        overtaken=pooled.overtaken(calls),
    )
    samples = pooled.read_kept(run.file(pooled.SERVER_RECORD), pooled.SERVER_COLUMNS)
    samples = samples.assign(service_ms=(samples["left_us"] - samples["entered_us"]) / 1000)
    facts = {
        "most_at_once": pooled.most_at_once(samples["entered_us"], samples["left_us"]),
        "connections_in_pool": run.manifest["connections"],
        **({"opened": run.manifest["opened"]} if "opened" in run.manifest else {}),
        "load_s": run.manifest["load_s"],
        "threads": run.manifest["workload"]["threads"],
        "calls_s": (calls["ended_us"].max() - calls["asked_us"].min()) / 1e6,
    }
    return RunLogs(samples, calls.reset_index(drop=True), facts)
