"""What the CORBA study leaves open, fitted to the measured values of four of the nine rows of its Table 1.

No value of another row enters. Every combination of the choices is tried with few replications first; the best ones are
fitted again with all.

Source of the search: J. A. Nelder and R. Mead, "A simplex method for function minimization", Computer Journal 7, 1965,
in scipy.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from tqdm import tqdm

from perfstudies.studies.corba.model import FITTED, REQUESTS, Assumptions, means, published, replications

CONTINUOUS = {"first_share": (0.5, 1.0), "switch_ms": (0.0, 0.1)}
"""Bounds between which these are searched for."""
ENTRY_MS = (0.0, 1.0)
"""Bounds of the way in. It shifts one column and nothing else, so that the best one is known at once."""
CHOICES = {
    "least_lead": (1, 2),
    "newest_first": (True, False),
    "signals": ("one", "all"),
    "wake_order": ("longest idle", "last idle"),
}
OPEN = {
    "least_lead": "A woken thread interrupts if it leads by (ticks)",
    "newest_first": "Of equals, who woke last runs first",
    "signals": "A request wakes dispatchers",
    "wake_order": "Woken first",
    "first_share": "Receiver's work before the hand-over (share)",
    "switch_ms": "A switch costs (ms)",
    "entry_ms": "Way to the receiver (ms)",
}
"""What is open, in words."""
KEPT = 3
GRID = (11, 5)
"""Points of the grid along each of the continuous ones."""
MOST_STEPS = 60


def fit(
    seeds: Sequence[int],
    requests: int = REQUESTS,
    choices: dict[str, tuple] | None = None,
    target: pd.DataFrame | None = None,
    screening: int = 1,
    start: Assumptions | None = None,
    show_progress: bool = False,
) -> pd.DataFrame:
    """Fit by least squares over the cells of the rows `FITTED`.

    Parameters
    ----------
    seeds : sequence of int
        Of the replications.
    requests : int
        In each run.
    choices : dict, optional
        Values to try by name; `CHOICES` if not given, and {} for those of `start` only.
    target : DataFrame, optional
        Another table than the measured one, for tests.
    screening : int
        With how many of the seeds every combination is tried.
    start : Assumptions
        Where the search begins.
    show_progress : bool
        Whether a progress bar goes to standard error.

    Returns
    -------
    DataFrame
        A row a combination of the choices: the names of `Assumptions`, ``rms_ms`` (root of the mean squared difference
        over the fitted cells) and ``replications`` (that this rests on). The best of those fitted with all seeds is
        first; those fitted with fewer follow.
    """
    goal = (published() if target is None else target).loc[list(FITTED)]
    tried = CHOICES if choices is None else choices
    combinations = [
        replace(start or Assumptions(), **dict(zip(tried, values, strict=True))) for values in product(*tried.values())
    ]
    kept = min(KEPT, len(combinations))
    with tqdm(total=len(combinations) + kept, unit="fit", leave=False, disable=not show_progress) as bar:

        def searched(base: Assumptions, some: Sequence[int]) -> tuple[float, Assumptions]:
            found = _search(base, some, requests, goal)
            bar.update()
            return found

        screened = sorted((searched(base, seeds[:screening]) for base in combinations), key=lambda one: one[0])
        finals = sorted((searched(base, seeds) for _, base in screened[:kept]), key=lambda one: one[0])
    rows = [(one, len(seeds)) for one in finals] + [(one, screening) for one in screened[kept:]]
    return pd.DataFrame(
        [{**vars(found), "rms_ms": error**0.5, "replications": count} for (error, found), count in rows]
    )


def _search(base: Assumptions, seeds: Sequence[int], requests: int, goal: pd.DataFrame) -> tuple[float, Assumptions]:
    """Return the least mean square in ms^2 and where it is.

    The search begins at the best point of a grid: the error has more than one hollow.
    """

    def error(values: Iterable[float]) -> float:
        return _solved(base, values, seeds, requests, goal)[0]

    grid = [np.linspace(*bounds, points) for bounds, points in zip(CONTINUOUS.values(), GRID, strict=True)]
    found = minimize(
        error,
        min(product(*grid), key=error),
        method="Nelder-Mead",
        bounds=list(CONTINUOUS.values()),
        options={"xatol": 1e-3, "fatol": 1e-5, "maxfev": MOST_STEPS},
    )
    return _solved(base, found.x, seeds, requests, goal)


def _solved(
    base: Assumptions, values: Iterable[float], seeds: Sequence[int], requests: int, goal: pd.DataFrame
) -> tuple[float, Assumptions]:
    """Return the mean square at some values of the continuous parameters, with the best way in."""
    named: dict[str, Any] = {name: float(value) for name, value in zip(CONTINUOUS, values, strict=True)}
    tried = replace(base, **named, entry_ms=0.0)
    gaps = goal - means(replications(tried, seeds, FITTED, requests))
    entry_ms = float(np.clip(gaps["receiver_queue_ms"].mean(), *ENTRY_MS))
    gaps["receiver_queue_ms"] -= entry_ms
    return float((gaps**2).to_numpy().mean()), replace(tried, entry_ms=entry_ms)
