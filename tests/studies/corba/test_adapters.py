"""Objects in several adapters: runs that the model made are found again, and an adapter may take one at a time."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from perfstudies.models.pool_simulation import simulate
from perfstudies.runs.recording import Recording
from perfstudies.studies.corba import adapters, live
from perfstudies.studies.corba.declared import OBJECT_DEMANDS_MS

NEEDS = live.Demands(0.2, 0.05, 5.3, 0.75, 0.1, 0.01)
TARGET_MS = 5.0


def _recording(blocks=2, requests=1500):
    """Return runs as the server's record would have them, if the server were the model."""
    samples, runs = [], []
    for single in ("none", "back"):
        pool = adapters.server(NEEDS, live.AT_TICKS, single, TARGET_MS)
        for block in range(blocks):
            trace = simulate(pool, block, requests)
            frame = pd.DataFrame(trace.columns()).assign(
                run=f"{single}-{block}", block=block, single=single, connection=trace.connection,
                hand_over_ms=trace.handed_over_ms - trace.received_ms,
                cpu_ms=np.array(OBJECT_DEMANDS_MS)[trace.servant],
                sent_ns=((trace.arrival_ms - NEEDS.entry_ms) * 1e6).round().astype("int64"),
            )  # fmt: skip
            frame["receiver_queue_ms"] += NEEDS.entry_ms
            samples.append(frame)
            runs.append({"run": f"{single}-{block}", "block": block, "single": single, "load_s": trace.ended_ms / 1e3})
    return Recording(pd.concat(samples, ignore_index=True), pd.DataFrame(), pd.DataFrame(runs), (), (), (), (), {})


@pytest.fixture(scope="module")
def recorded():
    return _recording()


def test_the_model_finds_its_own_runs_again(recorded):
    keys = adapters.KEYS
    measured = adapters.measured(recorded).set_index(keys)
    predicted = adapters.predicted(recorded, NEEDS, live.AT_TICKS, TARGET_MS).set_index(keys)
    assert len(measured) == len(predicted) == 2 * 2 * 3
    # The time until a dispatcher is free again counts from its own start, not from the reply: the same here.
    assert (measured["response_ms"] - predicted["response_ms"]).abs().max() < 0.05
    # Of the processor each object takes its rate times its demand, but for the chance of arrivals.
    shares = measured["share"].groupby("object").mean()
    assert shares.tolist() == pytest.approx([15, 20, 15], rel=0.1)
    assert predicted["share"].groupby("object").first().tolist() == pytest.approx([15, 20, 15])


@pytest.mark.parametrize("single", ["none", "back"])
def test_an_adapter_takes_one_request_at_a_time_if_it_is_told_to(single):
    trace = simulate(adapters.server(NEEDS, live.AT_TICKS, single, TARGET_MS), 1, 1500)
    own = np.argsort(trace.served_from_ms[trace.servant == 2])
    begin, end = (times[trace.servant == 2][own] for times in (trace.served_from_ms, trace.served_ms))
    assert (begin[1:] >= end[:-1]).all() == (single == "back")


def test_demands_beside_the_target_are_the_same_for_all_objects():
    pool = adapters.server(replace(NEEDS, dispatcher_ms=5.4), live.AT_TICKS, "none", TARGET_MS)
    assert [one.cpu_ms for one in pool.servants] == pytest.approx([3.4, 8.4, 6.4])
    assert [one.poa for one in pool.servants] == [0, 0, 1]
