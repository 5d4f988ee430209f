"""How a run of the CORBA study goes: a server and a client of its own, on a processor each, then the records of both.

Each run has fresh processes, whose compiler has seen the broker's code before the run begins. All settings of a block
have the same arrivals.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from statistics import fmean

from perfstudies.errors import SystemFailed
from perfstudies.runs import store
from perfstudies.runs.bench import Bench, Facts
from perfstudies.runs.host import NoiseMeter
from perfstudies.runs.plan import PlannedRun
from perfstudies.servers import usage
from perfstudies.servers.java import java_version
from perfstudies.studies.corba.declared import CLIENT_RECORD, SERVER_RECORD, WAYS_TO_LOOK, WAYS_TO_WAKE
from perfstudies.studies.corba.server import orb

build = orb.build

WARM_UP_REQUESTS = {"smoke": 100, "quick": 2000, "standard": 3000, "full": 3000}
"""Requests before those that count, by profile."""
WARM_UP_DEMAND_US, WARM_UP_THREADS = 100, 4
STATES = ("dispatchers_seen",)
"""What the server tells as it is now; its other numbers only grow."""


class BrokerBench(Bench):
    """Starts a server and a client for each run; its `progress` is told nothing: no disk shall disturb the client."""

    def carry_out(self, planned: PlannedRun, folder: Path) -> Facts:
        """Carry out one run; a request that was not answered is a `SystemFailed`."""
        server_cpu, client_cpu = orb.processors()
        load = load_of(planned)
        work = folder / "work"
        pool = int(planned.properties["dispatchers"])
        requests = len(load.due_ns)
        told = planned.properties
        behaviour = orb.Behaviour(
            told.get("looks", WAYS_TO_LOOK[0]),
            round(float(told.get("receiver_demand_ms", "0")) * 1000),
            told.get("wakes", WAYS_TO_WAKE[0]),
            told.get("objects", orb.ROOT).split(","),
            told.get("single", "").split(","),
        )
        with (
            orb.start(work / "server", pool, requests, server_cpu, behaviour) as server,
            orb.client(work / "client", server, load, client_cpu) as client,
        ):
            pids = [one.process.pid for one in (server, client)]
            before, used_s = server.statistics(), [usage.cpu_s(pid) for pid in pids]
            meter = NoiseMeter(*pids)
            start_ns, answered = client.send()
            noise = meter.read()
            cpu_server_s, cpu_client_s = (usage.cpu_s(pid) - s for pid, s in zip(pids, used_s, strict=True))
            counted = {name: to if name in STATES else to - before[name] for name, to in server.statistics().items()}
            if answered < requests:
                raise SystemFailed(f"{requests - answered} of {requests} requests were not answered")
            server.close()
        store.compress(work / "client" / orb.CLIENT_RECORD, folder / CLIENT_RECORD)
        store.compress(work / "server" / orb.SERVER_RECORD, folder / SERVER_RECORD)
        shutil.rmtree(work)
        return {
            "workload": {
                "load": planned.experiment.load,
                "amount": planned.experiment.size(planned.profile).amount_of(planned.setting),
                "requests": requests,
                "gap_ms": float(planned.properties["gap_ms"]),
                "demand_ms": fmean(load.demands_us[one % len(load.demands_us)] for one in load.connection) / 1000,
                "receiver_demand_ms": behaviour.receiver_us / 1000,
                "connections": load.connections,
                "seeds": [planned.block],
                "warm_up_requests": load.warm_up_requests,
                "start_ns": start_ns,
            },
            "system": {
                "name": planned.experiment.system,
                "java": java_version(),
                "libraries": orb.java_libraries(),
                "build": build(),
            },
            "processors": {"server": server_cpu, "client": client_cpu},
            "network": {"kind": "loopback"},
            "load_s": round(noise.took_s, 3),
            "cpu_server_s": round(cpu_server_s, 3),
            "cpu_client_s": round(cpu_client_s, 3),
            "noise": noise.facts(),
            "statistics": counted,
        }, (CLIENT_RECORD, SERVER_RECORD)


bench = BrokerBench.opened


def load_of(planned: PlannedRun) -> orb.Load:
    """Return what a planned run's client sends: drawn by its block, the same for all settings."""
    means = planned.properties
    requests, connections = planned.experiment.size(planned.profile).requests, int(means["connections"])
    weights = [float(weight) for weight in means.get("weights", "1").split(",")]
    # Two draws: the same requests are due at the same times over any number of connections.
    gaps, choices = random.Random(f"arrivals/{planned.block}"), random.Random(f"connections/{planned.block}")
    due_ns, at_ms = [], 0.0
    for _ in range(requests):
        at_ms += gaps.expovariate(1 / float(means["gap_ms"]))
        due_ns.append(round(at_ms * 1e6))
    return orb.Load(
        due_ns=due_ns,
        connection=choices.choices(range(connections), weights, k=requests)
        if len(weights) > 1
        else [choices.randrange(connections) for _ in range(requests)],
        connections=connections,
        demands_us=[round(float(demand) * 1000) for demand in means["demand_ms"].split(",")],
        warm_up_requests=WARM_UP_REQUESTS[planned.profile],
        warm_up_demand_us=WARM_UP_DEMAND_US,
        warm_up_threads=WARM_UP_THREADS,
    )
