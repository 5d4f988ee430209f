"""What reports on the CORBA study simulate, and how much of it in each profile."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from perfstudies import data
from perfstudies.experiment import PROFILES
from perfstudies.runs.simulated import Simulation, read
from perfstudies.studies.corba import forecast, live, prediction
from perfstudies.studies.corba.declared import DISPATCHERS, RATES
from perfstudies.studies.corba.fit import fit
from perfstudies.studies.corba.live import PRESENT, Demands, demands
from perfstudies.studies.corba.model import OURS, REQUESTS, Assumptions, assumptions_of, replications, variants

CODE = ("models/*.py", "studies/corba/model.py", "studies/corba/fit.py", "studies/corba/simulations.py")
GROWTH_CODE = ("models/*.py", "studies/corba/live.py", "studies/corba/prediction.py", "studies/corba/simulations.py")
FORECAST_CODE = (
    "models/*.py", "studies/corba/live.py", "studies/corba/declared.py", "studies/corba/bench.py",
    "studies/corba/forecast.py",
)  # fmt: skip
APART = 100_000
"""Seeds of the fit are so far from those of the replications that judge it: they have no arrivals in common."""


@dataclass(frozen=True)
class Amount:
    """How much is simulated: replications of the fit, its screening, the fitted model, its variants, and growth."""

    fitted: int
    screening: int
    replications: int
    of_variants: int
    of_growth: int
    requests: int = REQUESTS


AMOUNTS = dict(
    zip(
        PROFILES,
        (
            Amount(1, 1, 2, 2, 2, 300),
            Amount(4, 1, 20, 10, 10, 5000),
            Amount(24, 6, 100, 100, 50),
            Amount(100, 24, 400, 400, 200),
        ),
        strict=True,
    )
)


def _fit(source: str, profile: str, seed: int) -> pd.DataFrame:
    amount = AMOUNTS[profile]
    seeds = _seeds(seed, amount.fitted, APART)
    return fit(seeds, amount.requests, screening=amount.screening, show_progress=True)


def _table_1(source: str, profile: str, seed: int) -> pd.DataFrame:
    amount, assumed = AMOUNTS[profile], fitted(source, profile, seed)
    found = []
    for name, (assumptions, scheduler) in variants(assumed).items():
        seeds = _seeds(seed, amount.replications if name == OURS else amount.of_variants)
        runs = replications(assumptions, seeds, requests=amount.requests, scheduler=scheduler)
        found.append(runs.assign(model=name))
    return pd.concat(found, ignore_index=True)


def _growth(source: str, profile: str, seed: int) -> pd.DataFrame:
    amount, needs = AMOUNTS[profile], growth_demands(source, profile, seed)
    return prediction.growth(needs, PRESENT, _seeds(seed, amount.of_growth), amount.requests)


def _forecast(source: str, profile: str, seed: int) -> pd.DataFrame:
    return forecast.table(forecast_demands(source, profile, seed), profile, seed)


FIT = Simulation("corba/fit", "What the study leaves open: which values fit four of its nine rows best?", _fit, CODE)
TABLE_1 = Simulation(
    "corba/table-1", "Table 1 by the fitted model, and by the same model with one mechanism left out", _table_1, CODE
)
GROWTH = Simulation(
    "corba/growth", "Response times from nearly idle to nearly saturated, on this machine and on others", _growth,
    GROWTH_CODE, lambda source, profile, seed: repr(growth_demands(source, profile, seed)),
)  # fmt: skip
FORECAST = Simulation(
    "corba/forecast", "Table 1 under the study's load on the live broker, before it is measured", _forecast,
    FORECAST_CODE, lambda source, profile, seed: repr(forecast_demands(source, profile, seed)),
)  # fmt: skip
SIMULATIONS = {one.key: one for one in (FIT, TABLE_1, GROWTH, FORECAST)}
"""By key; one that rests on another comes after it."""


def fitted(source: str, profile: str, seed: int) -> Assumptions:
    """Return the assumptions that fit best."""
    return assumptions_of(read(FIT, source, profile, seed).iloc[0])


def growth_demands(source: str, profile: str, seed: int) -> Demands:
    """Return the demands that growth is predicted from: those of the live broker at the calibrated rates."""
    recorded = data.load(RATES, source, profile, seed)
    return demands(recorded, prediction.CALIBRATED, "rate")


def forecast_demands(source: str, profile: str, seed: int) -> Demands:
    """Return the demands that the study's load is told in advance from: the broker's own, with its little work."""
    return live.demands(data.load(DISPATCHERS, source, profile, seed))


def _seeds(seed: int, count: int, first: int = 0) -> list[int]:
    start = 2 * APART * seed + first
    return list(range(start, start + count))
