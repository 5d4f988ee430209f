"""Total and EJB time of answered requests by request number, and what of them is a run's start."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from perfstudies.runs.recording import Recording
from perfstudies.stats.warmup import steady_state
from perfstudies.studies.aaa import declared as aaa
from perfstudies.studies.aaa.starts import START_REQUESTS

EJB, TOTAL = "ejb_ms", "total_ms"
MEASURES = {TOTAL: "Total time", EJB: "EJB time"}
WIDEST = 10
"""A moving average takes in at most this part of a run: of a tenth of it ten windows lie side by side."""


def answered(recorded: Recording) -> pd.DataFrame:
    """Return the samples that were answered in the order of each client's requests.

    Adds ``machine``, the name of the client's machine in the study.
    """
    samples = recorded.samples
    kept = samples[(samples["outcome"] == "ok") & samples[EJB].notna()].sort_values(["run", "client", "number"])
    present = sorted(kept["client"].astype(int).unique())
    names = [machine(client) for client in present]
    return kept.assign(machine=pd.Categorical([machine(int(one)) for one in kept["client"]], names))


def machine(client: int) -> str:
    """Return what the study calls the machine of a client."""
    return aaa.MACHINES[client] if client < len(aaa.MACHINES) else f"Client {client + 1}"


def wide(samples: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return one measure in ms by request number (rows), a column a run and client; missing where none was answered."""
    found = samples.pivot(index="number", columns=["run", "client"], values=measure)
    return found.reindex(range(found.index.min(), found.index.max() + 1)) if len(found) else found


def fitting(window: int, samples: pd.DataFrame) -> int:
    """Return a moving average's window that fits into these runs: as asked for, or a tenth of a shorter run."""
    requests = samples.groupby(["run", "client"], observed=True).size().min()
    return int(max(2, min(window, requests // WIDEST)))


def series(samples: pd.DataFrame, measure: str) -> dict[tuple[str, int], np.ndarray]:
    """Return one measure in ms in order of request numbers, by run and client.

    It begins and ends with an answered request; between them those that were not answered are missing.
    """
    found = {}
    key: Any
    for key, values in wide(samples, measure).items():
        found[key] = values.loc[values.first_valid_index() : values.last_valid_index()].to_numpy()
    return found


def warm_up(samples: pd.DataFrame) -> pd.DataFrame:
    """Find where each run's steady state starts, in the mean over its clients of EJB time and of total time.

    Returns
    -------
    DataFrame
        A row a run: run, block, requests (of a client), start (request number, the later one of both times; missing if
        there is none), changes (levels that change, of both), reason.
    """
    rows = []
    for (run, block), part in samples.groupby(["run", "block"], observed=True):
        by_number = part.groupby("number")[[TOTAL, EJB]].mean().sort_index()
        same, none = np.zeros(len(by_number)), np.repeat("request", len(by_number))
        found = [steady_state(by_number[measure], none, same) for measure in MEASURES]
        reasons = [
            f"{name}: {one.reason}" for name, one in zip(MEASURES.values(), found, strict=True) if one.start is None
        ]
        starts = [one.start for one in found if one.start is not None]
        start = None if reasons else int(by_number.index[max(starts)])
        changes = sum(len(one.changes) for one in found)
        rows.append((run, block, len(by_number), start, changes, "; ".join(reasons)))
    table = pd.DataFrame(rows, columns=["run", "block", "requests", "start", "changes", "reason"])
    return table.astype({"start": "Int64"})


def start(samples: pd.DataFrame) -> int:
    """Return how many first requests of each client are the start: as planned, or a ninth of shorter runs."""
    if samples.empty:
        return 0
    # Of the longest: one run of which hardly anything was answered is not to bring back the start of all others.
    return int(min(START_REQUESTS, (samples["number"].max() + 1) // 9))


def after_start(samples: pd.DataFrame) -> pd.DataFrame:
    """Leave out what is the `start` of each client."""
    return samples[samples["number"] >= start(samples)]
