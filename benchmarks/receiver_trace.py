"""Who has the processor while a receiver of the live broker is at work: by the kernel's tracepoints.

With one dispatcher, a receiver that needs 0.05 ms of the processor takes some 0.7 ms by the clock, which no model here
tells. The kernel notes every change of the processor from thread to thread; the server's record says when each receiver
was at work. Needs Linux, root and perf.

``python benchmarks/receiver_trace.py [REQUESTS] [EVERY]``, 3,000 if not given; of the six settings each, or every so
manieth.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from perfstudies.errors import MissingTool
from perfstudies.experiment import Experiment, Size
from perfstudies.runs.plan import Plan, PlannedRun
from perfstudies.studies.corba.bench import load_of
from perfstudies.studies.corba.declared import LOOKS, STUDY_LOAD
from perfstudies.studies.corba.logs.orb import read_server
from perfstudies.studies.corba.server import orb

REQUESTS = 3000
THREADS = {"ServerMessage": "receiver", "RequestControl": "controller", "RequestProcess": "dispatcher"}
"""The kernel keeps fifteen letters of a thread's name."""
SWITCH = re.compile(
    r"(?P<at>\d+\.\d+): .*prev_comm=(?P<out>.*?) prev_pid=\d+ prev_prio=-?\d+ prev_state=(?P<state>\S+) ==> "
    r"next_comm=(?P<to>.*?) next_pid=(?P<pid>\d+)"
)


def kind(name: str) -> str:
    """Return which of the broker's threads a name is; ``idle``, or another thread's own name."""
    return next((one for prefix, one in THREADS.items() if name.startswith(prefix)), name.split("/")[0].strip())


def traced(planned: PlannedRun, folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Carry out a run and return its server's record, and when the processor changed from which thread to which."""
    server_cpu, client_cpu = orb.processors()
    load, told = load_of(planned), planned.properties
    behaviour = orb.Behaviour(told["looks"], round(1000 * float(told.get("receiver_demand_ms", "0"))))
    data = folder / "perf.data"
    with (
        orb.start(folder / "server", int(told["dispatchers"]), len(load.due_ns), server_cpu, behaviour) as server,
        orb.client(folder / "client", server, load, client_cpu) as client,
    ):
        events = ["-e", "sched:sched_switch", "-k", "CLOCK_MONOTONIC", "-C", str(server_cpu), "-o", str(data)]
        recording = subprocess.Popen(["perf", "record", "-q", *events], stderr=subprocess.PIPE)
        while not (data.exists() and data.stat().st_size):
            if recording.poll() is not None:
                raise MissingTool(f"perf does not record: {recording.communicate()[1].decode().strip()[-300:]}")
            time.sleep(0.01)
        try:
            client.send()
        finally:
            recording.terminate()
            recording.communicate()
        server.close()
    text = subprocess.run(
        ["perf", "script", "-i", str(data), "--ns", "-F", "time,event,trace"], capture_output=True, text=True
    ).stdout
    found = [match.groupdict() for match in map(SWITCH.search, text.splitlines()) if match]
    switches = pd.DataFrame(found).assign(at_ns=lambda one: (1e9 * one["at"].astype(float)).astype("int64"))
    switches[["out", "to"]] = switches[["out", "to"]].map(kind)
    return read_server(folder / "server" / orb.SERVER_RECORD), switches


def shares(record: pd.DataFrame, switches: pd.DataFrame) -> pd.DataFrame:
    """Return for each request how long each kind of thread had the processor while its receiver was at work (ms).

    ``preempted`` and ``blocked`` count how often the receiver lost it meanwhile: ready to go on, or waiting.
    """
    at, to = switches["at_ns"].to_numpy(), switches["to"].to_numpy()
    rows = []
    for start, lasted in zip(record["received_ns"], record["receiver_end_ns"], strict=True):
        end = start + lasted
        first, last = np.searchsorted(at, [start, end], side="right")
        bounds = np.concatenate([[start], at[first:last], [end]])
        who = to[max(first - 1, 0) : last]
        row = pd.Series(np.diff(bounds)[: len(who)] / 1e6).groupby(who).sum().to_dict()
        lost = switches.iloc[first:last].query("out == 'receiver'")["state"]
        preempted = int(lost.str.startswith("R").sum())
        rows.append(row | {"preempted": preempted, "blocked": len(lost) - preempted, "receiver takes": lasted / 1e6})
    return pd.DataFrame(rows).fillna(0.0)


def main() -> None:
    """Trace a run a setting, and print who had the processor."""
    requests = int(sys.argv[1]) if len(sys.argv) > 1 else REQUESTS
    if shutil.which("perf") is None:
        print("Nothing was traced: perf is not there (the package linux-perf)")
        return
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    kinds = (("own", LOOKS, "constant"), ("own", LOOKS, "few"), ("study's", STUDY_LOAD, "few"))
    found = {}
    for (name, experiment, looks), dispatchers in [*product(kinds, ("1", "25"))][::every]:
        planned = _planned(experiment, dispatchers, looks, requests)
        try:
            with tempfile.TemporaryDirectory() as folder:
                record, switches = traced(planned, Path(folder))
        except MissingTool as error:
            print(f"Nothing was traced: {error}")
            return
        # Those of the start, while perf may not record yet, are left out.
        known = record[record["received_ns"] > switches["at_ns"].min()]
        found[name, looks, dispatchers] = shares(known, switches).mean()
    table = pd.DataFrame(found).T.rename_axis(["Receiver's work", "Clock read", "Dispatchers"])
    most = ["receiver takes", "receiver", "dispatcher", "controller", "preempted", "blocked"]
    other = table.drop(columns=most, errors="ignore").sum(axis="columns").rename("others")
    print("While a receiver is at work with a request: ms of the processor by thread, and how often it lost it (means)")
    print(table.reindex(columns=most).fillna(0.0).join(other).round(3).to_string())


def _planned(experiment: Experiment, dispatchers: str, looks: str, requests: int) -> PlannedRun:
    """Return a run of an experiment at a setting, of so many requests."""
    sizes = {**experiment.sizes, "standard": Size(blocks=1, requests=requests)}
    runs = Plan.of(replace(experiment.select(dispatchers=[dispatchers]), sizes=sizes), "standard", 1).runs
    return next(run for run in runs if run.properties["looks"] == looks)


if __name__ == "__main__":
    main()
