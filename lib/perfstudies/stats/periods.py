"""Do runs of one setting agree on a period?

A single run that shows a period shows little: one in twenty does without one. Over runs two questions are asked. How
many runs show a period, and are that more than chance alone explains? And do their periods lie closer together than
the highest peaks of noise would: each run's own surrogates say where its noise shows them.

Sources: E. B. Wilson, J. American Statistical Association 22, 1927 (the share); B. Phipson and G. K. Smyth,
"Permutation p-values should never be zero", Statistical Applications in Genetics and Molecular Biology 9, 2010. The
tests of a single run are those of `perfstudies.stats.periodicity`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from perfstudies.errors import BadParameter
from perfstudies.stats.interval import Interval
from perfstudies.stats.intervals import estimates
from perfstudies.stats.periodicity import periodicity
from perfstudies.stats.proportions import proportion_interval

LEVEL = 0.05
DRAWS = 9999
#: Logarithms of equal factors differ by less.
ROUNDING = 1e-9


@dataclass(frozen=True)
class CommonPeriod:
    """What several runs say together.

    Attributes
    ----------
    runs : DataFrame
        A row a run: run, requests, p_white (Fisher's g), p_red (against red noise), periodic (whether p_red is
        significant), period, low, high (requests), harmonics, strength, acf_period.
    periodic : Interval
        The share of runs that show a period, with Wilson's interval.
    p_periodic : float
        That so many or more would without any period, each at the level: binomial, one-sided.
    period : Interval
        The geometric mean of the periods of those runs, in requests, with Student's t on their logarithms; all is
        missing if there is none.
    spread : float
        The median factor between two runs' periods, all runs taken; 1 if they agree. Missing for a single run.
    p_agreement : float
        That the periods of noise lie as close together: one-sided. Missing for a single run.
    """

    runs: pd.DataFrame
    periodic: Interval
    p_periodic: float
    period: Interval
    spread: float
    p_agreement: float


def common_period(series: Mapping[Any, ArrayLike], seed: int = 0) -> CommonPeriod:
    """Test every run for a period, and what the runs have in common.

    Parameters
    ----------
    series : mapping
        For each run its response times, as `perfstudies.stats.periodicity.periodicity` takes them.
    seed : int
        Each run has surrogates of its own; the same seed gives the same result.

    Returns
    -------
    CommonPeriod

    Raises
    ------
    BadParameter
        If there is no run; otherwise as `periodicity`.
    """
    if not series:
        raise BadParameter("there is no run in which to look for a period")
    seeds = own_seeds(seed, len(series) + 1)
    rows, noise = [], []
    for (run, values), own in zip(series.items(), seeds, strict=False):
        found = periodicity(values, seed=own)
        noise.append(found.noise_periods)
        span = found.period
        p_red = found.red.p
        rows.append(
            (run, span.n, found.white.p, p_red, p_red <= LEVEL, span.estimate, span.low, span.high)
            + (found.harmonics, found.strength, found.acf_period)
        )
    columns = ["run", "requests", "p_white", "p_red", "periodic", "period", "low", "high"]
    table = pd.DataFrame(rows, columns=[*columns, "harmonics", "strength", "acf_period"])
    hits = int(table["periodic"].sum())
    spread, p_agreement = agreement(table["period"], noise, np.random.default_rng(seeds[-1]))
    return CommonPeriod(
        table,
        proportion_interval(hits / len(table), len(table)),
        float(stats.binom.sf(hits - 1, len(table), LEVEL)),
        estimates(np.log(table.loc[table["periodic"], "period"])).exp(),
        spread,
        p_agreement,
    )


def own_seeds(seed: int, count: int) -> list[int]:
    """Return a seed for each of several runs; that of a run is the same however many there are."""
    return [int(one.generate_state(1)[0]) for one in np.random.SeedSequence(seed).spawn(count)]


def agreement(periods: ArrayLike, noise: list[np.ndarray], rng: np.random.Generator) -> tuple[float, float]:
    """Test whether runs' periods lie closer together than those which noise shows.

    Parameters
    ----------
    periods : array_like, shape (runs,)
        In requests.
    noise : list of ndarray
        For each run periods that its noise shows; one of each is drawn at a time.
    rng : Generator

    Returns
    -------
    spread, p : float
        The median factor between two runs' periods, and the share of draws (the runs themselves counted as one) that
        are as close together. Missing for a single run.
    """
    logs = np.log(np.asarray(periods, dtype=float))
    if logs.size < 2:
        return np.nan, np.nan
    drawn = np.column_stack([np.log(rng.choice(own, DRAWS)) for own in noise])
    first, second = np.triu_indices(logs.size, 1)
    spread = np.median(np.abs(logs[first] - logs[second]))
    # In slices, as every pair of runs of every draw at once takes much memory.
    chance = [np.median(np.abs(part[:, first] - part[:, second]), axis=1) for part in np.array_split(drawn, 20)]
    as_close = np.concatenate(chance) <= spread + ROUNDING
    return float(np.exp(spread)), float((1 + as_close.sum()) / (DRAWS + 1))
