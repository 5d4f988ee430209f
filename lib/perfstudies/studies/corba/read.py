"""One run of the CORBA study, from its raw logs to samples and calls."""

from __future__ import annotations

from perfstudies.runs.run_logs import RunLogs
from perfstudies.runs.store import Run
from perfstudies.studies.corba.declared import CLIENT_RECORD, SERVER_RECORD
from perfstudies.studies.corba.logs import orb

THREADS = ("receiver", "controller", "dispatcher")


def read(run: Run) -> RunLogs:
    """Read a run's logs; errors as of every reader, see `perfstudies.runs.run_logs`.

    Returns
    -------
    RunLogs
        ``calls``: the columns of `perfstudies.studies.corba.logs.orb.read_client`, its times counted from the run's
        start. ``samples``: the same and those of `perfstudies.studies.corba.logs.orb.samples`. ``facts``: what the load
        was, the server's and the client's CPU time, and of the server the CPU time of a request in each kind of thread
        (``receiver_cpu_ms`` and so on), ``dispatchers_seen``, ``gc_count`` and ``gc_ms``.
    """
    manifest, server_path = run.manifest, run.file(SERVER_RECORD)
    workload, counted = manifest["workload"], manifest["statistics"]
    calls = orb.read_client(run.file(CLIENT_RECORD))
    samples = orb.samples(calls, orb.read_server(server_path), server_path)
    start_ns = workload["start_ns"]
    calls, samples = (
        frame.assign(**{name: frame[name] - start_ns for name in ("intended_ns", "sent_ns", "ended_ns")})
        for frame in (calls, samples)
    )
    facts = {
        **{name: workload[name] for name in ("requests", "gap_ms", "demand_ms", "connections", "warm_up_requests")},
        "receiver_demand_ms": workload.get("receiver_demand_ms", 0.0),  # younger than some runs
        **{f"{kind}_cpu_ms": counted[f"{kind}_cpu_us"] / 1000 / workload["requests"] for kind in THREADS},
        **{name: counted[name] for name in ("dispatchers_seen", "gc_count", "gc_ms")},
        "network": manifest["network"]["kind"],
        "load_s": manifest["load_s"],
        "cpu_server_s": manifest["cpu_server_s"],
        "cpu_client_s": manifest["cpu_client_s"],
    }
    return RunLogs(samples, calls, facts)
