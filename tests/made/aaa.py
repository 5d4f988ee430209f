"""Recordings of the AAA study made by hand as frames, whose numbers a test can say beforehand."""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from made.runs import HOST
from perfstudies.experiment import Experiment
from perfstudies.runs.recording import Recording
from perfstudies.studies.aaa import declared as aaa

SYSTEM = {"java": "17", "libraries": ["glassfish-embedded-all-7.0.25.jar"]}
SCALE = 100.0
OWN_MS = 1.0
"""What the EJB container adds to the timer's wait."""
AROUND_MS = 10.0
"""What network and servlet add to EJB time."""
BEANS = 3

Series = Callable[[Mapping[str, str], int, int, np.ndarray, np.random.Generator], np.ndarray]


def flat(setting: Mapping[str, str], block: int, client: int, number: np.ndarray, rng) -> np.ndarray:
    """Return EJB times without any pattern: the unit, what the container adds, and some noise (ms)."""
    return 400 / SCALE + OWN_MS + rng.gamma(2.0, 0.05, len(number))


def made(
    experiment: Experiment,
    ejb_ms: Series = flat,
    around_ms: Series = lambda setting, block, client, number, rng: AROUND_MS + rng.gamma(2.0, 0.05, len(number)),
    blocks: int = 10,
    requests: int = 200,
    clients: int = 4,
    scale: float = SCALE,
    beans: Callable[[Mapping[str, str]], int] = lambda setting: BEANS,
    facts: Callable[[Mapping[str, str]], dict] = lambda setting: {},
    seed: int = 1,
) -> Recording:
    """Return a recording with every setting once a block; the first `beans` requests of a run make a bean each.

    What `ejb_ms` returns is for `SCALE`; another scale adds what its time unit is longer.
    """
    rng = np.random.default_rng(seed)
    samples, runs = [], []
    for block in range(blocks):
        for setting in experiment.settings():
            properties = experiment.properties(setting)
            gap_ms = float(properties.get("gap_ms", "2000")) / scale
            run = {"run": "-".join([f"b{block:03d}", *setting.values()]), "block": block, **setting}
            parts = []
            for client in range(clients):
                number = np.arange(requests)
                ejb = ejb_ms(setting, block, client, number, rng) + 400 / scale - 400 / SCALE
                total = ejb + around_ms(setting, block, client, number, rng)
                started = (number * gap_ms + client * gap_ms / clients) * 1000
                parts.append(
                    pd.DataFrame(
                        {
                            **run, "phase": "load", "client": client, "number": number, "intended_us": started,
                            "started_us": started, "ended_us": started + 1000 * total, "total_ms": total, "ejb_ms": ejb,
                            "outcome": "ok", "detail": "", "bytes_in": 900, "entered_us": started + 1000,
                            "servlet_ms": ejb + 1, "asm_ms": 400 / scale, "ejb_wait_ms": 0.1, "db_ms": 0.2,
                            "beans_busy": 1, "threads_busy": 1, "status": "ok",
                        }
                    )
                )  # fmt: skip
            frame = pd.concat(parts, ignore_index=True)
            order = frame["entered_us"].rank(method="first").astype(int) - 1
            count = beans(setting)
            samples.append(frame.assign(created=order < count, bean=order.to_numpy() % max(count, 1)))
            runs.append(
                run
                | {
                    "noisy": "", "time_scale": scale, "unit_ms": 400 / scale, "ttl_ms": 60000 / scale,
                    "network": "access lines", "requests_sent": clients * requests, "load_s": requests * gap_ms / 1000,
                    "beans_created": count, "beans_destroyed": 0, "beans_busy_max": 2, "threads_busy_max": 3,
                    "gc_count": 4, "gc_ms": 20.0, "cpu_server_s": 1.0, "cpu_client_s": 1.0,
                    "server_answered": clients * requests, "server_faults": 0,
                }
                | ({} if "gap_ms" in setting else {"gap_ms": gap_ms})
                | facts(setting)
            )  # fmt: skip
    frames = [pd.concat(samples, ignore_index=True), pd.DataFrame(runs)]
    for factor in experiment.factors:
        frames = [one.assign(**{factor.name: pd.Categorical(one[factor.name], factor.levels)}) for one in frames]
    calls = frames[0].drop(columns=["entered_us", "servlet_ms", "asm_ms", "ejb_wait_ms", "db_ms", "bean", "created"])
    return Recording(frames[0], calls, frames[1], (), (), (), (), HOST | SYSTEM)


def standard(**more) -> Recording:
    """Return `made` of the pools experiment at the study's standard setting alone."""
    return made(aaa.POOLS.select(http_threads=["100"], ejb_max=["32"]), **more)
