"""Objects in several adapters: what each takes of the processor and how long its requests take, live and by the model.

Source: M. Harkema, B. M. M. Gijsen and R. D. van der Mei, "Performance of Middleware Based Architectures: A
Quantitative Approach", section 2, whose requests are for an object at an adapter, over a connection.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from perfstudies.models.pool_simulation import simulate_workload
from perfstudies.models.pool_workload import Workload, servant_pieces
from perfstudies.models.schedulers import Scheduler
from perfstudies.models.thread_pool import Flow, Poa, Servant, ThreadPool
from perfstudies.runs.recording import Recording
from perfstudies.studies.corba import live
from perfstudies.studies.corba.declared import ADAPTERS, OBJECT_DEMANDS_MS, OBJECT_WEIGHTS, OBJECTS

FACTOR = ADAPTERS.factors[0].name
NAMES = tuple(dict.fromkeys(OBJECTS))
"""Of the adapters, in order."""
KEYS = [FACTOR, "block", "object"]


def server(needs: live.Demands, scheduler: Scheduler, single: str, target_ms: float) -> ThreadPool:
    """Return the model of the server of `perfstudies.studies.corba.declared.ADAPTERS`.

    Parameters
    ----------
    needs : Demands
        Of the broker, with a target of `target_ms`: what a dispatcher needs beside it is the same for every object.
    scheduler : Scheduler
    single : str
        The adapter that takes one request at a time; any other text for none.
    target_ms : float
        Processor time of the target with which the demands were measured, ms.
    """
    beside_ms = needs.dispatcher_ms - target_ms
    rates = 1000 / float(ADAPTERS.fixed["gap_ms"]) * np.array(OBJECT_WEIGHTS) / sum(OBJECT_WEIGHTS)
    return replace(
        live.server(int(ADAPTERS.fixed["dispatchers"]), needs, scheduler),
        flows=tuple(Flow(float(rate), number, number) for number, rate in enumerate(rates)),
        servants=tuple(
            Servant(demand + beside_ms, poa=NAMES.index(of))
            for demand, of in zip(OBJECT_DEMANDS_MS, OBJECTS, strict=True)
        ),
        poas=tuple(Poa(threads=1 if name == single else None) for name in NAMES),
        connections=len(OBJECTS),
    )


def measured(recorded: Recording) -> pd.DataFrame:
    """Return a row a run and object: `KEYS`, ``share`` of the processor (%) and mean ``response_ms``.

    The share is the processor time in the object itself. The response time is from sending to the reply.
    """
    way = ["receiver_queue_ms", "hand_over_ms", "dispatcher_queue_ms", "dispatcher_ms"]
    samples = recorded.samples.assign(
        response_ms=recorded.samples[way].sum(axis="columns"), object=recorded.samples["connection"]
    )
    by_object = samples.groupby(KEYS, observed=True)
    load_ms = 1000 * recorded.runs.set_index(KEYS[:2])["load_s"]
    found = by_object.agg(share=("cpu_ms", "sum"), response_ms=("response_ms", "mean"))
    found["share"] = 100 * found["share"] / load_ms.reindex(found.reset_index("object").index).to_numpy()
    return found.reset_index()


def predicted(recorded: Recording, needs: live.Demands, scheduler: Scheduler, target_ms: float) -> pd.DataFrame:
    """Return what the model says of each run at the run's own arrivals, in the columns of `measured`.

    What it says of the share is what the declared rates and demands make of it.
    """
    rows = []
    for (single, block), samples in recorded.samples.groupby(KEYS[:2], observed=True):
        pool = server(needs, scheduler, str(single), target_ms)
        samples = samples.sort_values("sent_ns")
        which = samples["connection"].to_numpy(dtype=np.int64)
        arrival_ms = samples["sent_ns"].to_numpy() / 1e6 + needs.entry_ms
        trace = simulate_workload(pool, Workload(arrival_ms, which, which, servant_pieces(pool)[which]))
        response_ms = pd.Series(trace.replied_ms - trace.arrival_ms + needs.entry_ms).groupby(which).mean()
        for flow, demand_ms in zip(pool.flows, OBJECT_DEMANDS_MS, strict=True):
            told = {"share": flow.rate_per_s * demand_ms / 10, "response_ms": response_ms.get(flow.servant, np.nan)}
            rows.append({FACTOR: single, "block": block, "object": flow.servant} | told)
    return pd.DataFrame(rows)[[*KEYS, "share", "response_ms"]]
