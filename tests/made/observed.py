"""Observed systems made for tests: log-normal times, runs that differ, and a warm-up if asked for."""

import numpy as np
import polars as pl

from perfstudies.own import aggregate

REQUESTS = 120


def made(settings, runs=5, seed=1, between=0.03, within=0.3, warm_up=0, errors=0, requests=REQUESTS, paired=True):
    """Return what was observed of settings.

    Parameters
    ----------
    settings : mapping of str to float
        Each setting's median time in ms.
    runs : int
        Of each.
    seed : int
    between, within : float
        Standard deviations of the logarithm, of runs and of requests.
    warm_up : int
        How many requests at a run's start take four times as long.
    errors : int
        How many requests of a run fail.
    requests : int
        Of a run.
    paired : bool
        Whether runs have the same names at every setting.
    """
    rng, rows = np.random.default_rng(seed), []
    for place, (setting, median_ms) in enumerate(settings.items()):
        for run in range(runs):
            level = np.log(median_ms) + rng.normal(0, between)
            times = np.exp(level + rng.normal(0, within, requests))
            times[:warm_up] *= 4
            rows.append(
                pl.DataFrame(
                    {
                        "setting": setting,
                        "run": f"run {run}" if paired else f"{setting} {run}",
                        "start_s": 1e9 + 1000 * (run * len(settings) + place) + np.arange(requests) * 0.05,
                        "elapsed_ms": times,
                        "ok": np.arange(requests) >= errors,
                        "operation": "order",
                    }
                )
            )
    return aggregate.collect([one.lazy() for one in rows], sources=("made",))
