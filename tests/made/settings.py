"""Recordings made by hand for analyses of crossed settings: every setting once a block, all requests of equal times."""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from perfstudies.experiment import Experiment
from perfstudies.runs.recording import Recording
from perfstudies.studies.step.logs.slices import SLICES

SHARES = (0.0098, 0.0494, 0.7007, 0.1413, 0.0535, 0.0453)
WARM_UP, MEASURED = 2, 3
WARM_UP_MS = 9999.0
CLIENT_MS = 50.0


def recording(
    experiment: Experiment,
    time_ms: Callable[[Mapping[str, str]], float | None],
    blocks: int = 12,
    spread: float = 0.005,
    requests: Callable[[Mapping[str, str]], int] = lambda setting: MEASURED,
    shares: Callable[[Mapping[str, str]], tuple] = lambda setting: SHARES,
    facts: Callable[[Mapping[str, str]], dict] = lambda setting: {},
    skipped: tuple[str, ...] = (),
) -> Recording:
    """Return a recording; request number n of those measured takes n times the setting's time, None leaves it out.

    The client waits `CLIENT_MS` longer than the server's monitor sees. Sizes of logs are 0 unless `facts` says.
    """
    rng = np.random.default_rng(1)
    samples, calls, runs = [], [], []
    for block in range(blocks):
        for place, setting in enumerate(experiment.settings(), start=1):
            if (ms := time_ms(setting)) is None:
                continue
            run = {"run": "-".join([str(block), *setting.values()]), "block": block, **setting}
            run_ms = ms * rng.normal(1, spread)
            for request in range(WARM_UP + requests(setting)):
                measured = request >= WARM_UP
                request_ms = run_ms * (request - WARM_UP + 1) if measured else WARM_UP_MS
                slices = dict(zip(SLICES, (share * request_ms for share in shares(setting)), strict=True))
                samples.append(run | {"request": request, "measured": measured, "request_ms": request_ms} | slices)
                call = {
                    "sent_ns": 10**6 * request,
                    "outcome": "ok",
                    "elapsed_ms": request_ms + CLIENT_MS,
                    "measured": measured,
                }
                calls.append(run | call)
            sizes = dict.fromkeys(("functional_log_bytes", "measured_log_bytes", "console_log_bytes"), 0)
            runs.append(run | {"noisy": "", "deployment": place} | sizes | facts(setting))

    def frame(rows):
        levels = {f.name: f.levels for f in experiment.factors}
        made = pd.DataFrame(rows)
        return made.assign(**{name: pd.Categorical(made[name], of) for name, of in levels.items()})

    host = {"cpu": "made", "cores": 2, "memory_bytes": 2**30, "system": "none", "machine": "none", "python": "3"}
    host |= {"experiment": experiment.key, "packages": {}, "java": "17", "libraries": ["h2-2.5.jar"]}
    return Recording(frame(samples), frame(calls), frame(runs), (), (), (), skipped, host)
