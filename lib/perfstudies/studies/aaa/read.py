"""One run of the AAA study, from its raw logs to samples and calls."""

from __future__ import annotations

import pandas as pd

from perfstudies.runs.run_logs import RunLogs
from perfstudies.runs.store import Run
from perfstudies.studies.aaa.collect import CLIENT_RECORD, MESSAGES, SERVER_RECORD
from perfstudies.studies.aaa.loads import NOT_RECORDED, PHASE_STEP
from perfstudies.studies.aaa.logs import client as aaa_client
from perfstudies.studies.aaa.logs import messages
from perfstudies.studies.aaa.logs import server as aaa_server

COUNTERS = (
    "beans_created", "beans_destroyed", "beans_alive", "beans_busy_max", "threads_busy_max", "gc_count", "gc_ms",
    "heap_used_bytes",
)  # fmt: skip
USED = ("gap_ms", "ttl_ms", "unit_ms", "time_scale", "warm_up_requests")


def read(run: Run) -> RunLogs:
    """Read a run's logs; errors as of every reader, see `perfstudies.runs.run_logs`.

    Returns
    -------
    RunLogs
        ``calls``: the columns of `perfstudies.studies.aaa.logs.client.read`, with ``phase`` (its name), ``client``
        counted from 0 in each phase, and ``response_ms`` (from when it was due to its end). ``samples``: the same and
        those of `perfstudies.studies.aaa.logs.server.samples`, with ``entered_us`` (into the servlet, as the client's
        times count).
        ``facts``: the counters of the server (`COUNTERS`), what times were really used (`USED`), ``network``,
        ``load_s``, ``cpu_server_s`` and ``cpu_client_s``, ``requests_sent``, ``server_answered`` and ``server_faults``.
        A run of a sequence has the parties' message logs instead of a server's record: the samples then have the
        columns of `perfstudies.studies.aaa.logs.messages.per_request`, and the facts the numbers of messages and what
        came of tickets that had to be refused.
    """
    manifest = run.manifest
    workload = manifest["workload"]
    path = run.file(CLIENT_RECORD)
    sent, cut = aaa_client.read(path)
    truncated = [f"{run.name}/{path.name}"] * cut
    samples = None
    if run.log(SERVER_RECORD):
        path = run.file(SERVER_RECORD)
        server, cut = aaa_server.read(path)
        truncated += [f"{run.name}/{path.name}"] * cut
        server = server[server["client"] != NOT_RECORDED]
        entered = server[["client", "number", "entered_us"]].dropna()
        samples = aaa_server.samples(sent, server, path).merge(entered, how="left", on=["client", "number"])
        starts_us = [phase["start_ns"] / 1000 for phase in workload["phases"]]
        samples["entered_us"] -= pd.Series(starts_us).reindex(samples["client"] // PHASE_STEP).to_numpy()
        samples = _in_phases(samples, manifest)
    calls = _in_phases(sent, manifest)
    warnings: tuple[str, ...] = ()
    counted: dict[str, float] = {}
    if run.log(MESSAGES):
        path = run.file(MESSAGES)
        told, left = messages.read([path])
        truncated += [f"{run.name}/{path.name}"] * len(left)
        start_us = workload["phases"][0]["start_ns"] / 1000
        samples = calls.join(messages.per_request(told, calls, start_us), on="number")
        counted = messages.counts(told, calls, start_us)
        warnings = tuple(f"{run.name}/{path.name}: {problem}" for problem in messages.unmatched(told))
    counters = manifest.get("statistics", {})
    network = manifest["network"]
    facts = {
        **{name: counters.get(name) for name in COUNTERS},
        **{name: workload[name] for name in USED if name in workload},
        "network": network["kind"],
        "load_s": manifest["load_s"],
        "cpu_server_s": manifest.get("cpu_server_s"),
        "cpu_client_s": manifest.get("cpu_clients_s"),
        "requests_sent": len(calls),
        "server_answered": counters.get("requests", 0) - counters.get("faults", 0),
        "server_faults": counters.get("faults", 0),
        **counted,
        **manifest.get("tickets", {}),
    }
    return RunLogs(samples, calls, facts, warnings, tuple(truncated))


def _in_phases(frame: pd.DataFrame, manifest: dict) -> pd.DataFrame:
    names = [phase["name"] for phase in manifest["workload"]["phases"]]
    return frame.assign(
        phase=pd.Series(names).reindex(frame["client"] // PHASE_STEP).to_numpy(),
        client=frame["client"] % PHASE_STEP,
        response_ms=(frame["ended_us"] - frame["intended_us"]) / 1000,
    )
