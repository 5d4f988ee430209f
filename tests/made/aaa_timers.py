"""Recordings of the AAA study's timers as a server without chance would make them: first come first served."""

import numpy as np
import pandas as pd

from made.aaa import SYSTEM
from made.runs import HOST
from perfstudies.experiment import Experiment
from perfstudies.report.settings import named
from perfstudies.runs.recording import Recording
from perfstudies.studies.aaa.analysis.timers import ANSWERED, EJB, HTTP, name_of
from perfstudies.studies.aaa.analysis.timers_pool import Demand, served

OWN_MS = 2.0
"""What network, servlet and container add to each request; half of it before the bean."""


def made(experiment: Experiment, starts: int, scale: float = 100, blocks: int = 3, own_ms: float = OWN_MS) -> Recording:
    """Return a recording with the column ``setting``; each block's own time is a tenth of the first's longer."""
    samples, runs = [], []
    for block in range(blocks):
        for setting in experiment.settings():
            given = experiment.properties(setting)
            run = {"run": "-".join([f"b{block:03d}", *setting.values()]), "block": block, **setting}
            unit_ms, gap_ms, ttl_ms = (float(given[name]) / scale for name in ("timer.unit_ms", "gap_ms", "ttl_ms"))
            strict = given["container"] == "openejb"
            demand = Demand(
                int(given["clients"]), starts, gap_ms, int(given["timer"]) * unit_ms,
                int(given["ejb.max"]) if strict else np.inf, int(given["http.threads"]),
                float(given["ejb.access_timeout_ms"]) / scale if strict else np.inf, ttl_ms,
            )  # fmt: skip
            samples.append(_samples(run, demand, own_ms * (1 + block / 10)))
            used = samples[-1]["bean"].max() + 1
            used = 0 if pd.isna(used) else int(used)
            kept = min(used, int(given["ejb.max"]))
            facts = {"gap_ms": gap_ms, "ttl_ms": ttl_ms, "unit_ms": unit_ms, "time_scale": scale}
            runs.append(
                {name: value for name, value in facts.items() if name not in setting}
                | run
                | {
                    "noisy": "", "network": "loopback", "requests_sent": len(samples[-1]), "load_s": 1.0,
                    "beans_created": used, "beans_destroyed": used - kept, "beans_busy_max": used,
                    "threads_busy_max": used, "server_answered": 0, "server_faults": 0,
                }
            )  # fmt: skip
    frames = [pd.concat(samples, ignore_index=True), pd.DataFrame(runs)]
    for factor in experiment.factors:
        frames = [one.assign(**{factor.name: pd.Categorical(one[factor.name], factor.levels)}) for one in frames]
    seen, all_facts = frames
    calls = seen[[*runs[0].keys() & set(seen), "client", "number", "started_us", "ended_us", "outcome", "detail"]]
    calls = calls.assign(bytes_in=1)
    return named(Recording(seen, calls, all_facts, (), (), (), (), HOST | SYSTEM), experiment, name_of(experiment))


def _samples(run: dict, demand: Demand, own_ms: float) -> pd.DataFrame:
    found = served(demand)
    started = 1000 * found["start_ms"]
    has = found["bean_ms"].notna()
    left = 1000 * (found["left_ms"] + own_ms)
    ended = left.where(found["layer"] != HTTP, started + 1000 * demand.ttl_ms)
    wait = (found["bean_ms"].fillna(found["left_ms"]) - found["start_ms"]).clip(lower=0)
    beans = _numbers(found)
    return pd.DataFrame(
        {
            **run, "phase": "load", "client": found["client"], "number": found["number"], "intended_us": started,
            "started_us": started, "ended_us": ended, "total_ms": (ended - started) / 1000,
            "ejb_ms": (found["left_ms"] - found["start_ms"]).where(found["layer"] == ANSWERED),
            "outcome": found["layer"].map({ANSWERED: "ok", EJB: "soap fault", HTTP: "timed out"}),
            "detail": np.where(found["layer"] == EJB, "NoBean", ""), "bytes_in": 1,
            "entered_us": started + 500 * own_ms,
            "servlet_ms": found["left_ms"] - found["start_ms"] + own_ms / 4,
            "asm_ms": np.where(has, demand.hold_ms, np.nan),
            "ejb_wait_ms": wait, "db_ms": 0.0, "bean": beans, "created": False, "beans_busy": _busy(found),
            "threads_busy": 1.0, "status": np.where(has, "ok", "NoBean"),
        }
    )  # fmt: skip


def _busy(found: pd.DataFrame) -> list[float]:
    """Count the beans in use as each request gets its own, itself included."""
    return [
        ((found["bean_ms"][: place + 1] <= at) & (found["left_ms"][: place + 1] > at)).sum() if has else np.nan
        for place, (at, has) in enumerate(zip(found["bean_ms"], found["bean_ms"].notna(), strict=True))
    ]


def _numbers(found: pd.DataFrame) -> list[float]:
    """Number the beans: the first free one serves, or a new one is made."""
    free_at, numbers = [], []
    for row in found.itertuples():
        if np.isnan(row.bean_ms):
            numbers.append(np.nan)
            continue
        bean = next((n for n, end in enumerate(free_at) if end <= row.bean_ms), len(free_at))
        free_at[bean:] = [row.left_ms] if bean == len(free_at) else [row.left_ms, *free_at[bean + 1 :]]
        numbers.append(float(bean))
    return numbers
