"""What reports on the CORBA study simulate, and how much of it in each profile."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from perfstudies.experiment import PROFILES
from perfstudies.simulated import Simulation, read
from perfstudies.studies.corba_fit import fit
from perfstudies.studies.corba_model import OURS, REQUESTS, Assumptions, assumptions_of, replications, variants

CODE = ("models/*.py", "studies/corba_model.py", "studies/corba_fit.py", "studies/corba_simulations.py")
APART = 100_000
"""Seeds of the fit are so far from those of the replications that judge it: they have no arrivals in common."""


@dataclass(frozen=True)
class Amount:
    """How much is simulated: replications for the fit and for its screening, of the fitted model, of its variants."""

    fitted: int
    screening: int
    replications: int
    of_variants: int
    requests: int = REQUESTS


AMOUNTS = dict(
    zip(
        PROFILES,
        (Amount(1, 1, 2, 2, 300), Amount(2, 1, 20, 5, 5000), Amount(8, 2, 100, 20), Amount(20, 4, 400, 100)),
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


FIT = Simulation("corba/fit", "What the study leaves open: which values fit four of its nine rows best?", _fit, CODE)
TABLE_1 = Simulation(
    "corba/table-1", "Table 1 by the fitted model, and by the same model with one mechanism left out", _table_1, CODE
)
SIMULATIONS = {one.key: one for one in (FIT, TABLE_1)}
"""By key; one that rests on another comes after it."""


def fitted(source: str, profile: str, seed: int) -> Assumptions:
    """Return the assumptions that fit best."""
    return assumptions_of(read(FIT, source, profile, seed).iloc[0])


def _seeds(seed: int, count: int, first: int = 0) -> list[int]:
    start = 2 * APART * seed + first
    return list(range(start, start + count))
