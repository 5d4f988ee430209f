"""How much recorded runs of one setting differ here, and what differences they could therefore find."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from perfstudies.report.tables import interval_text
from perfstudies.stats.intervals import Interval, ratio_interval
from perfstudies.stats.power import detectable_ratio
from perfstudies.studies.step.analysis.audit import ENGINE, READS, SERVICE, TIME, WEB, WRITES, WS
from perfstudies.studies.step.analysis.breakdown import run_shares
from perfstudies.studies.step.logs.slices import SLICES

SLICE_COLUMNS = dict(zip(SLICES, (WEB, WS, SERVICE, ENGINE, WRITES, READS), strict=True))


def own_variation(samples: pd.DataFrame) -> pd.Series:
    """Return how much runs of one setting vary here: coefficients of variation in percent, by quantity."""
    times = samples.groupby("run", observed=True)["request_ms"].mean().rename(TIME)
    runs = run_shares(samples).rename(columns=SLICE_COLUMNS).join(times)
    return 100 * runs.std() / runs.mean()


def own_power(experiments: Mapping[str, tuple[pd.DataFrame, str]], power: float, confidence: float) -> pd.DataFrame:
    """Return what our recorded runs could tell apart: the smallest difference found with the given probability.

    Parameters
    ----------
    experiments : mapping
        From an experiment's title to its samples and the factor whose levels are compared; its first
        level is the base of the pairs within a block.
    power, confidence : float
        Between 0 and 1.
    """
    rows = {}
    for title, (samples, factor) in experiments.items():
        measured = samples[samples["measured"]]
        times = measured.groupby(["block", factor], observed=True)["request_ms"].mean().unstack()
        logs = times.apply(np.log)
        between = float(np.sqrt(logs.var().mean()))
        within = float(np.sqrt(logs.sub(logs.iloc[:, 0], axis=0).iloc[:, 1:].var().mean()))
        runs = len(times.dropna())
        rows[title] = {
            "Runs a level": runs,
            "CV between runs": 100 * float((times.std() / times.mean()).mean()),
            "SD of ratios in a block": 100 * within,
            "10 runs": 100 * (detectable_ratio(between, 10, power=power, confidence=confidence) - 1),
            "30 runs": 100 * (detectable_ratio(between, 30, power=power, confidence=confidence) - 1),
            "our blocks": 100 * (detectable_ratio(within, runs, True, power, confidence) - 1),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Experiment")


def whole_over_steady(whole: pd.DataFrame, settled: pd.DataFrame, confidence: float) -> Interval:
    """Return the mean request time of whole runs over that of their steady parts, paired by run."""
    parts = settled.groupby("run", observed=True)["request_ms"].mean()
    runs = whole.groupby("run", observed=True)["request_ms"].mean().loc[parts.index]
    return ratio_interval(runs, parts, confidence)


def steady_text(ratio: Interval, confidence: float) -> str:
    """Say what the start of a run adds to its mean, for the study kept every request."""
    return (
        "Unpaired for 10 and 30 runs of each setting; paired for our blocks. Spreads hold that of the load, for every "
        "block has other seeds. From the first request on, a request takes "
        f"{interval_text(ratio.estimate, ratio.low, ratio.high)} "
        f"times what it takes in the steady part of the same run ({ratio.n} runs, {100 * confidence:.0f} %)."
    )
