"""Recordings of the ESB study's loads made by hand, whose every number a test can say beforehand."""

import pandas as pd

from made.runs import HOST
from perfstudies.runs.recording import Recording
from perfstudies.studies.esb.analysis.cpu import PARTS

SYSTEM = {"java": "17", "libraries": ["axis2-kernel-1.8.2.jar"]}
BINS = 4
QUANTILES = ("p50", "p90", "p99", "p999")


def run_row(number, block, setting, per_s, **more) -> dict:
    """Return a run's facts; its block shifts the rate by whole per cents, so that intervals have a width."""
    rate = per_s * (1 + block / 100)
    return {
        "run": f"r{number}", "block": block, **setting, "noisy": "", "sent": 1000, "ok": 1000, "failed": 0,
        "served": 1000,
        "steady_from_s": 1.0, "steady_s": 10.0, "not_steady": "", "per_s": rate, "idle": 5.0, "in_kernel": 30.0,
        "ready": 4.0, "ready_growth": 1.0, "load_average": 3.0, "rate_per_s": 0.0, "capacity_per_s": 0.0,
        "stalled_at_s": float("nan"),
        "open_files_complaints": 0, "answers_afterwards": True, "position": number, "seconds": 12.0,
        "warm_up_windows": 3, "warm_up_first_per_s": 100.0, "warm_up_last_per_s": 250.0,
        **{f"{clock}_{name}_ms": 1000 / rate for clock in ("response", "service") for name in QUANTILES},
        **dict.fromkeys(PARTS, 10.0), "engine_waited_us": 1.0,
    } | more  # fmt: skip


def recording(experiment, rows, failures=None) -> Recording:
    """Put runs into a recording of an experiment, with even bins, and the outcomes that their counts say.

    Parameters
    ----------
    failures : mapping of str to str, optional
        How messages of a run failed, by run.
    """
    runs = pd.DataFrame(rows)
    levels = {factor.name: pd.Categorical(runs[factor.name], factor.levels) for factor in experiment.factors}
    runs = runs.assign(**levels)
    names = ["run", "block", *levels]
    calls, bins = [], []
    for row in runs.to_dict("records"):
        key = {name: row[name] for name in names}
        calls.append({**key, "outcome": "ok", "messages": row["ok"]})
        if row["failed"]:
            calls.append({**key, "outcome": (failures or {}).get(row["run"], "reset"), "messages": row["failed"]})
        bins += [{**key, "bin": at, "time_s": at * 0.5, "ok": row["per_s"] / 2, "failed": 0} for at in range(BINS)]
    frames = [pd.DataFrame(part) for part in (bins, calls)]
    frames = [
        frame.assign(**{name: pd.Categorical(frame[name], codes.categories) for name, codes in levels.items()})
        for frame in frames
    ]
    return Recording(frames[0], frames[1], runs, (), (), (), (), HOST | SYSTEM)


def lists(rates, blocks=4, experiment=None, **more) -> Recording:
    """Make a block's runs of ways and clients at given rates.

    Parameters
    ----------
    rates : mapping of str to mapping of int to float
        Messages a second by way and number of clients.
    """
    from perfstudies.studies.esb import declared as esb

    rows = []
    for block in range(blocks):
        for route, at in rates.items():
            for clients, per_s in at.items():
                setting = {"route": route, "connections": str(clients)}
                rows.append(run_row(len(rows), block, setting, per_s, **more.get(route.replace("-", "_"), {})))
    return recording(experiment or esb.THROUGHPUT, rows)
