"""The STEP study's Table 7 and Figure 15 with the uncertainty that its number of requests leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from perfstudies.published import published_table
from perfstudies.stats.interval import ends
from perfstudies.stats.proportions import Proportions, compare_proportions, proportion_interval
from perfstudies.studies.step.analysis.audit import MEDIUM
from perfstudies.studies.step.published import published_runs
from perfstudies.studies.step.workload.flight_load import study_load


def requests_of(users: int, runs: int, load: str = MEDIUM) -> float:
    """Return how many requests the study's load makes on average in so many runs of so many users."""
    made = study_load(load)
    return runs * users * made.sessions * (2 - 1 / made.max_group)


def expected_exceptions(error_probability: float, load: str = MEDIUM) -> float:
    """Return the share of requests that are reservations with a mistake, which end as application exceptions."""
    reservations = 1 - 1 / study_load(load).max_group
    return error_probability * reservations / (1 + reservations)


def failures(confidence: float) -> pd.DataFrame:
    """Return Table 7 with binomial intervals, in percent, and the requests behind it; a row a number of users."""
    table, samples = published_table("step", 7), published_runs()["samples"]
    rows: dict[Any, dict] = {}
    users: Any
    for users, printed in table.iterrows():
        runs = int(samples[MEDIUM if users == 1 else f"Users{users}"])
        sent = requests_of(users, runs)
        intervals = {
            column: 100 * proportion_interval(share / 100, sent, confidence) for column, share in printed.items()
        }
        rows[users] = {"Runs": runs, "Requests": round(sent), **intervals}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Users")


def exceptions_alike(found: pd.DataFrame) -> Proportions:
    """Test whether Table 7's exceptions are one share whatever the users; the trend is over doublings of users."""
    shares = ends(found["Exceptions (%)"])["estimate"] / 100
    return compare_proportions(shares, found["Requests"], np.log2(found.index.to_numpy(float)))
