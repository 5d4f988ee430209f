"""Recordings of loads at high rates made by hand, whose every number a test can say beforehand."""

import pandas as pd

from made.runs import HOST
from perfstudies.experiment import Experiment
from perfstudies.runs.recording import Recording
from perfstudies.studies.esb.logs.rate_intervals import BIN_S

SYSTEM = {"java": "17", "libraries": ["synapse-core-3.0.1.jar"]}
USED_US = {
    "client_user_us": 10.0, "client_system_us": 20.0, "engine_user_us": 100.0, "engine_system_us": 50.0,
    "backend_user_us": 40.0, "backend_system_us": 30.0,
}  # fmt: skip


def recording(experiment: Experiment, runs: list[dict], samples=(), skipped=()) -> Recording:
    """Put runs into a recording; a run's ``outcomes`` are the messages that failed, by outcome."""
    calls = [
        {name: run[name] for name in ("run", "block", *(factor.name for factor in experiment.factors))}
        | {"outcome": outcome, "messages": count}
        for run in runs
        for outcome, count in {"ok": run["ok"], **run["outcomes"]}.items()
        if count
    ]
    rows = [{name: value for name, value in run.items() if name != "outcomes"} for run in runs]
    levels = ["run", "block", *(factor.name for factor in experiment.factors)]
    frames = [pd.DataFrame(samples, columns=None if samples else [*levels, "time_s", "ok", "failed"])]
    frames += [pd.DataFrame(calls), pd.DataFrame(rows).assign(noisy="")]
    for factor in experiment.factors:
        frames = [frame.assign(**{factor.name: pd.Categorical(frame[factor.name], factor.levels)}) for frame in frames]
    return Recording(*frames, (), (), (), tuple(skipped), HOST | SYSTEM)


def run(block: int, setting: dict[str, str], per_s: float, seconds: float = 6, failed=None, **facts) -> dict:
    """Return a run's row: its rate, what failed by outcome, and times of 1 ms unless told."""
    failed = failed or {}
    ok = round(per_s * seconds)
    times = {
        f"{measure}_{name}_ms": 1.0 for measure in ("response", "service") for name in ("p50", "p90", "p99", "p999")
    }
    return {
        "run": f"b{block}-{'-'.join(setting.values())}", "block": block, **setting, "sent": ok + sum(failed.values()),
        "ok": ok, "served": ok, "failed": sum(failed.values()), "outcomes": failed,
        "steady_from_s": 1.0, "steady_s": seconds - 1,
        "per_s": float(per_s), "seconds": seconds, "rate_per_s": 0.0, "capacity_per_s": 0.0,
        "stalled_at_s": float("nan"),
        "message_length": int(setting.get("message_bytes", 780)), "position": 0, **USED_US, **times,
    } | facts  # fmt: skip


def bins(of: dict, answers: list[float], tails_ms: list[float]) -> list[dict]:
    """Return a run's bins with so many answers and such tails."""
    levels = {name: of[name] for name in ("run", "block", "route", "arrivals")}
    return [
        levels | {"bin": at, "time_s": at * BIN_S, "ok": ok, "failed": 0, "bytes": ok, "response_p99_ms": tail}
        for at, (ok, tail) in enumerate(zip(answers, tails_ms, strict=True))
    ]
