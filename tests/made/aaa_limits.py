"""Recordings of overload and of closed loads made by hand, whose numbers a test can say beforehand."""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from made.runs import HOST
from perfstudies.experiment import Experiment
from perfstudies.runs.recording import Recording

SYSTEM = {"java": "17", "libraries": ["glassfish-embedded-all-7.0.25.jar"]}
UNIT_MS, TTL_MS, SCALE = 10.0, 1500.0, 40.0
SERVER = ("entered_us", "servlet_ms", "asm_ms", "ejb_wait_ms", "db_ms", "bean", "beans_busy", "threads_busy", "status")


def requests(count: int, **columns) -> pd.DataFrame:
    """Return requests that are answered after 12 ms and in the servlet for 11; `columns` replace what they name."""
    frame = pd.DataFrame(
        {
            "phase": "load", "client": 0, "number": np.arange(count), "intended_us": 0.0, "started_us": 0.0,
            "outcome": "ok", "detail": "", "bytes_in": 900, "ejb_ms": 10.5, "total_ms": 12.0, "servlet_ms": 11.0,
            "asm_ms": 10.0, "ejb_wait_ms": 0.1, "db_ms": 0.2, "bean": 0, "created": False, "beans_busy": 1,
            "threads_busy": 1, "status": "ok",
        }
    )  # fmt: skip
    frame = frame.assign(**columns)
    frame["ended_us"] = columns.get("ended_us", frame["started_us"] + 1000 * frame["total_ms"])
    frame["entered_us"] = columns.get("entered_us", frame["started_us"] + 500)
    frame["total_ms"] = (frame["ended_us"] - frame["started_us"]) / 1000
    frame["response_ms"] = (frame["ended_us"] - frame["intended_us"]) / 1000
    return frame


def unseen(frame: pd.DataFrame, chosen: pd.Series) -> pd.DataFrame:
    """Return requests of which the chosen ones never reached the server."""
    frame = frame.copy()
    frame.loc[chosen, ["ejb_ms", *(name for name in SERVER if name != "status")]] = np.nan
    frame.loc[chosen, "status"] = ""
    return frame


def recording(
    experiment: Experiment,
    run: Callable[[Mapping[str, str], int], pd.DataFrame],
    blocks: int = 6,
    facts: Callable[[Mapping[str, str], pd.DataFrame], dict] = lambda setting, frame: {},
) -> Recording:
    """Return a recording with every setting once a block; `run` makes a setting's requests in a block."""
    samples, runs = [], []
    for block in range(blocks):
        for setting in experiment.settings():
            frame = run(setting, block)
            row = {"run": "-".join([f"b{block:03d}", *setting.values()]), "block": block, **setting}
            samples.append(frame.assign(**row))
            own = {
                "noisy": "", "time_scale": SCALE, "gap_ms": 50.0, "unit_ms": UNIT_MS, "ttl_ms": TTL_MS,
                "network": "loopback", "requests_sent": len(frame), "load_s": 10.0, "beans_created": 3,
                "beans_destroyed": 0, "beans_busy_max": 2, "threads_busy_max": 3, "gc_count": 1, "gc_ms": 2.0,
                "cpu_server_s": 5.0, "cpu_client_s": 4.0, "server_answered": int((frame["outcome"] == "ok").sum()),
                "server_faults": int((frame["outcome"] == "soap fault").sum()),
            }  # fmt: skip
            runs.append(row | own | facts(setting, frame))
    frames = [pd.concat(samples, ignore_index=True), pd.DataFrame(runs)]
    for factor in experiment.factors:
        frames = [one.assign(**{factor.name: pd.Categorical(one[factor.name], factor.levels)}) for one in frames]
    calls = frames[0].drop(columns=[*SERVER, "created"])
    return Recording(frames[0], calls, frames[1], (), (), (), (), HOST | SYSTEM)


def closed(
    experiment: Experiment,
    total_ms: Callable[[Mapping[str, str]], float],
    connections: Callable[[Mapping[str, str]], int] = lambda setting: 8,
    more: Callable[[Mapping[str, str]], dict] = lambda setting: {},
    facts: Callable[[Mapping[str, str], pd.DataFrame], dict] = lambda setting, frame: {},
    blocks: int = 6,
    rounds: int = 10,
) -> Recording:
    """Return a recording of closed load: on each connection `rounds` requests, one after the other, all equally long.

    A run's times vary by a few percent with its block.
    """
    rng = np.random.default_rng(1)

    def run(setting: Mapping[str, str], block: int) -> pd.DataFrame:
        took_ms, count = total_ms(setting) * rng.normal(1, 0.01), connections(setting)
        started = np.repeat(np.arange(rounds), count) * took_ms * 1000
        columns = {"ejb_ms": 0.8 * took_ms, "db_ms": 0.1 * took_ms, "threads_busy": count, **more(setting)}
        return requests(
            rounds * count, started_us=started, intended_us=started, total_ms=took_ms, servlet_ms=0.9 * took_ms,
            **columns,
        )  # fmt: skip

    return recording(experiment, run, blocks, facts)
