"""Recordings on reliable messaging made by hand, of which a test can say beforehand what was lost and applied twice."""

import numpy as np
import pandas as pd

from made.runs import HOST
from perfstudies.runs.recording import Recording
from perfstudies.studies.esb.reliable import FAULTY

SYSTEM = {"java": "17", "libraries": ["cxf-rt-ws-rm-4.0.5.jar", "h2-2.5.jar"]}
WRONG = {
    ("plain", "cut-before"): {"lost": (3, 5)},
    ("plain", "server-restart"): {"lost": (7,)},
    ("plain-retry", "cut-after"): {"duplicated": (2, 4)},
    ("reliable", "server-restart"): {"lost": (7, 8, 9)},
    ("reliable-stored", "server-restart"): {"duplicated": (7,)},
    ("reliable-stored", "client-restart"): {"lost": (6,)},
}
"""Numbers of the messages that are wrong in every run of a setting."""
KILLS = {
    "server-restart": [{"side": "server", "place": "committed", "number": 7}],
    "client-restart": [{"side": "client", "place": "committed", "number": 6}],
}


def faults(blocks: int = 10, messages: int = 10, wrong=WRONG, experiment=FAULTY) -> Recording:
    """Return a recording in which these messages, and only these, are wrong."""
    samples, calls, runs = [], [], []
    for block in range(blocks):
        for setting in experiment.settings():
            run = {"run": "-".join([f"b{block:03d}", *setting.values()]), "block": block, **setting}
            bad = wrong.get((setting["delivery"], setting["fault"]), {})
            number = np.arange(1, messages + 1)
            lost, twice = (np.isin(number, bad.get(kind, ())) for kind in ("lost", "duplicated"))
            samples.append(
                pd.DataFrame(
                    {
                        **run, "number": number, "committed": 1, "applied": np.where(lost, 0, np.where(twice, 2, 1)),
                        "lost": lost, "duplicated": twice, "invented": False,
                    }
                )
            )  # fmt: skip
            calls.append(
                pd.DataFrame(
                    {
                        **run, "number": number, "attempt": 1, "started_ms": 10.0 * number, "call_ms": 2.0,
                        "outcome": "ok", "detail": "",
                    }
                )
            )  # fmt: skip
            runs.append(
                run
                | {
                    "noisy": "", "sent": messages, "committed": messages, "lost": int(lost.sum()),
                    "duplicated": int(twice.sum()), "invented": 0, "wrong": int((lost | twice).sum()),
                    "requests": messages, "cuts": 2 if "cut" in setting["fault"] else 0,
                    "kills": KILLS.get(setting["fault"], []), "unacknowledged": 0, "undelivered": 0,
                }
            )  # fmt: skip
    return _recording(experiment, samples, calls, runs)


def _recording(experiment, samples, calls, runs) -> Recording:
    frames = [pd.concat(samples, ignore_index=True), pd.concat(calls, ignore_index=True), pd.DataFrame(runs)]
    for factor in experiment.factors:
        frames = [one.assign(**{factor.name: pd.Categorical(one[factor.name], factor.levels)}) for one in frames]
    return Recording(*frames, (), (), (), (), HOST | SYSTEM)
