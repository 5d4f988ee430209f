"""Recordings of calls over a pool of connections made by hand, whose times and counts a test can say beforehand."""

import numpy as np
import pandas as pd

from made.runs import HOST
from perfstudies.runs.recording import Recording
from perfstudies.studies.esb import connections as declared

SYSTEM = {"java": "17", "libraries": ["axis2-kernel-1.7.9.jar"]}
SERVICE_MS, HELD_MS = 20.0, 24.0
POOLS = {"default": {"axis2": 2, "axis2-auto": 2, "zeep": 10, "zeep-growing": 20}}


def limit(setting) -> int:
    """Return how many calls a setting lets run at once."""
    if setting.get("client") == "zeep-growing":
        return 20
    connections = setting.get("connections", "2")
    return POOLS["default"][setting["client"]] if connections == "default" else int(connections)


def _made(experiment, blocks, calls_of, facts_of, spread):
    rng = np.random.default_rng(4)
    calls, samples, runs = [], [], []
    for block in range(blocks):
        for setting in experiment.settings():
            levels = {"run": "-".join([f"b{block:03d}", *setting.values()]), "block": block, **setting}
            made = calls_of(setting, rng.normal(1, spread))
            calls.append(made.assign(**levels))
            served = made["connected_us"].notna().sum()
            entered = made.loc[made["connected_us"].notna(), "connected_us"].astype(float)
            samples.append(
                pd.DataFrame({"entered_us": entered, "left_us": entered + 1000 * SERVICE_MS})
                .assign(service_ms=SERVICE_MS, **levels)
            )  # fmt: skip
            runs.append(
                {"threads": 20, "noisy": "", "load_s": 1.0, "calls_s": 2.0, "served": served}
                | facts_of(setting, made) | levels
            )  # fmt: skip
    frames = [pd.concat(samples, ignore_index=True), pd.concat(calls, ignore_index=True), pd.DataFrame(runs)]
    for factor in experiment.factors:
        frames = [one.assign(**{factor.name: pd.Categorical(one[factor.name], factor.levels)}) for one in frames]
    return Recording(*frames, (), (), (), (), HOST | SYSTEM)


def _calls(count, threads, total_ms, held_ms, outcome="ok", detail="") -> pd.DataFrame:
    number = np.arange(count)
    asked = 1000.0 * number
    total, held = np.broadcast_to(total_ms, count), np.broadcast_to(held_ms, count)
    frame = pd.DataFrame(
        {
            "number": number, "thread": number % threads, "asked_us": asked,
            "connected_us": asked + 1000 * (total - held), "ended_us": asked + 1000 * total,
            "outcome": outcome, "detail": detail, "total_ms": total, "waited_ms": total - held, "held_ms": held,
            "overtaken": number % 4 == 0,
        }
    )  # fmt: skip
    return frame


def clients(
    blocks: int = 10, spread: float = 0.02, experiment=declared.CLIENT_CONNECTIONS, calls: int = 60
) -> Recording:
    """Return a recording in which a call waits as a queue in front of the pool's connections makes it wait."""

    def of(setting, factor):
        total_ms = HELD_MS * max(1.0, 20 / limit(setting)) * factor
        outcome = "lost" if setting["client"] == "axis2-auto" else "ok"
        return _calls(calls, 20, total_ms, HELD_MS * factor, outcome)

    def facts(setting, made):
        return {"most_at_once": min(limit(setting), 20), "connections_in_pool": limit(setting)}

    return _made(experiment, blocks, of, facts, spread)


def releases(blocks: int = 10, spread: float = 0.02, experiment=declared.RELEASES) -> Recording:
    """Return a recording in which nothing but clean-up helps new clients, and automatic release loses answers.

    In Axis2 1.5 each call has a client of its own, so that none has to be given back.
    """

    def of(setting, factor):
        made = _calls(declared.CALLS_OF_A_CLIENT, 1, HELD_MS * factor, HELD_MS * factor)
        if setting["release"] == "auto":
            made = made.assign(outcome="lost", detail="read on closed stream")
        gone = setting["release"] in ("read", "none", "never") and setting["axis2.version"] != declared.BEFORE
        if gone and (setting["service.client"] == "new" or setting["release"] == "never"):
            late = made["number"] >= 2
            made.loc[late, ["outcome", "detail"]] = ["no connection", "timeout"]
            made.loc[late, ["connected_us", "waited_ms", "held_ms"]] = np.nan
        return made

    return _made(experiment, blocks, of, lambda setting, made: {"most_at_once": 1, "connections_in_pool": 2}, spread)
