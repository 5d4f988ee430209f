"""What the model says of the study's own load: made of declared arrivals, so that it can be told before any is sent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from perfstudies.experiment import Experiment
from perfstudies.models.pool_simulation import simulate_workload
from perfstudies.models.pool_workload import at_times
from perfstudies.models.schedulers import Scheduler
from perfstudies.runs.plan import Plan
from perfstudies.studies.corba import live
from perfstudies.studies.corba.bench import load_of
from perfstudies.studies.corba.declared import STUDY_LOAD, WAKING, WATCHED_LOAD
from perfstudies.studies.corba.model import DISPATCHER_MS, RECEIVER_MS

SCHEDULERS = {
    STUDY_LOAD.name: {"Slices end at ticks": live.AT_TICKS, "Slices end at once": live.PRESENT},
    WATCHED_LOAD.name: {"Slices end at once": live.PRESENT},
    WAKING.name: {"Slices end at ticks": live.AT_TICKS},
}
"""With which schedulers each experiment is told in advance. The first is the one that counts: with the broker's own
little work the model whose slices end at ticks was nearer for the target that seldom looks at its processor time."""


def with_work(needs: live.Demands, receiver_ms: float, dispatcher_ms: float) -> live.Demands:
    """Return the demands of a broker whose receiver and target are given work of their own.

    The receiver's is spent before the hand-over: what it does afterwards stays as it was.

    Parameters
    ----------
    needs : Demands
        Of the broker, with a target of any work.
    receiver_ms, dispatcher_ms : float
        What a request costs both threads in the end, ms.
    """
    second_ms = needs.receiver_ms * (1 - needs.first_share)
    return replace(needs, receiver_ms=receiver_ms, dispatcher_ms=dispatcher_ms, first_share=1 - second_ms / receiver_ms)


def of_study(needs: live.Demands) -> live.Demands:
    """Return a broker's demands with the work of the study's receiver and dispatcher."""
    return with_work(needs, RECEIVER_MS, DISPATCHER_MS)


def forecast(
    needs: live.Demands, experiment: Experiment, profile: str, seed: int, scheduler: Scheduler
) -> pd.DataFrame:
    """Return a row a planned run: what it sets, ``block``, the columns of Table 1 and ``response_ms`` (ms)."""
    rows = []
    for run in Plan.of(experiment, profile, seed).runs:
        pool = live.server(int(run.properties["dispatchers"]), needs, scheduler)
        pool = replace(pool, wake_order=f"{run.properties.get('wakes', 'last')} idle")
        arrival_ms = np.array(load_of(run).due_ns) / 1e6 + needs.entry_ms
        means = simulate_workload(pool, at_times(pool, arrival_ms)).means()
        waited = {name: means[name] + needs.entry_ms for name in ("receiver_queue_ms", "response_ms")}
        rows.append({**run.setting, "block": run.block} | means | waited)
    return pd.DataFrame(rows)


def table(needs: live.Demands, profile: str, seed: int) -> pd.DataFrame:
    """Return `forecast` of all experiments under the study's load, with each of their `SCHEDULERS`."""
    return pd.concat(
        [
            forecast(of_study(needs), experiment, profile, seed, scheduler).assign(
                experiment=experiment.name, scheduler=name
            )
            for experiment in (STUDY_LOAD, WATCHED_LOAD, WAKING)
            for name, scheduler in SCHEDULERS[experiment.name].items()
        ],
        ignore_index=True,
    )


def told_of(all_told: pd.DataFrame, experiment: Experiment, runs: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return what `table` says of an experiment's runs, by scheduler, in the columns of `live.measured`."""
    chosen = all_told["experiment"] == experiment.name
    for name in ("dispatchers", "block"):
        chosen &= all_told[name].isin(runs[name])
    told = all_told[chosen]
    return {name: told[told["scheduler"] == name][[*runs.columns]] for name in SCHEDULERS[experiment.name]}
