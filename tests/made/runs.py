"""Recorded runs made by hand, whose every number a test can say beforehand."""

from pathlib import Path

from perfstudies.runs import store
from perfstudies.runs.store import Run
from perfstudies.sent import Recorder, Sent

HOST = {
    "experiment": "step/made",  # a recording says so beside its host; a manifest does not
    "cpu": "made",
    "cores": 2,
    "memory_bytes": 2**30,
    "system": "none",
    "machine": "none",
    "python": "3",
    "packages": {},
}


def record(request: int, times_ms: dict[str, float], operation="searchFlights", thread=1) -> str:
    """Return a record of a merged monitor log, a line a layer with its time."""
    context = {
        "filter": f"arrived_ns={request}",
        "soap": f"name={operation},request_logical_length=100,response_logical_length=200,outcome=ok",
    }
    return "".join(
        f"thread[{thread}] tag[{tag}] accTime[{round(ms * 1e6)}ns] context[{context.get(tag, '')}]\n"
        for tag, ms in sorted(times_ms.items())
    ) + "\n"  # fmt: skip


def make(folder: Path, name: str, block: int, setting: dict, records: list[str], warm_up: int = 0, **log_bytes) -> Run:
    """Write a finished run of one-request sessions into a folder."""
    run = folder / name
    run.mkdir(parents=True)
    (run / "monitor.log").write_text("".join(records))
    store.compress(run / "monitor.log", run / "monitor.log.gz")
    with Recorder(run / "client.csv") as calls:
        for request in range(len(records)):
            calls.add(Sent(0, request, request, "searchFlights", request, request, request + 1, "ok", "", 10, 20))
    store.compress(run / "client.csv", run / "client.csv.gz")
    sizes = {"functional_log_bytes": 0, "measured_log_bytes": 0, "console_log_bytes": 0} | log_bytes
    manifest = {
        "run": name, "block": block, "setting": setting, "status": store.FINISHED, "host": HOST,
        "system": {"java": "17", "libraries": ["h2-2.5.jar"], "database": "H2 2.5"}, "noise": {"reasons": []},
        "log_bytes": sizes, "workload": {"warm_up_sessions": warm_up}, "truncated_records": [],
    }  # fmt: skip
    store.write_manifest(run, manifest, ("monitor.log.gz", "client.csv.gz"))
    return Run(run, store.read_manifest(run))
