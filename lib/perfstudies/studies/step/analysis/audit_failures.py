"""The STEP study's Table 7 and Figure 15 with the uncertainty that its number of requests leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.published import published_table
from perfstudies.report.comparisons import p_text
from perfstudies.report.figures import COLOURS, WIDTH_INCH, style
from perfstudies.report.tables import interval_text
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
    """Return Table 7 with the requests behind it and binomial intervals, in percent; a row a number of users."""
    table, samples = published_table("step", 7), published_runs()["samples"]
    rows: dict[Any, dict] = {}
    users: Any
    for users, printed in table.iterrows():
        runs = int(samples[MEDIUM if users == 1 else f"Users{users}"])
        sent = requests_of(users, runs)
        rows[users] = {"Runs": runs, "Requests": round(sent)}
        for column, share in printed.items():
            found = proportion_interval(share / 100, sent, confidence)
            rows[users] |= {column: share, f"{column} low": 100 * found.low, f"{column} high": 100 * found.high}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Users")


def failures_table(found: pd.DataFrame) -> pd.DataFrame:
    """Return `failures` as it is printed."""
    shown = found[["Runs", "Requests"]].copy()
    for column in ("Exceptions (%)", "Errors (%)"):
        ends = zip(found[column], found[f"{column} low"], found[f"{column} high"], strict=True)
        shown[column] = [interval_text(*each) for each in ends]
    return shown


def failures_figure(found: pd.DataFrame) -> Figure:
    """Draw Table 7 over the number of users, with the exceptions that the load's mistakes should give."""
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 3.3), layout="constrained")
        axes = figure.subplots()
        for at, (column, name) in enumerate({"Exceptions (%)": "exceptions", "Errors (%)": "errors"}.items()):
            ends = [found[column] - found[f"{column} low"], found[f"{column} high"] - found[column]]
            style_of: dict[str, Any] = {
                "fmt": "os"[at],
                "color": COLOURS[at],
                "ecolor": "0.1",
                "capsize": 4,
                "elinewidth": 1.1,
            }
            axes.errorbar(found.index, found[column], yerr=np.clip(ends, 0, None), label=name, **style_of)
        for probability, dash in ((0.25, "--"), (0.125, ":")):
            share = 100 * expected_exceptions(probability)
            label = f"exceptions expected at an error probability of {probability:g}"
            axes.axhline(share, color=COLOURS[0], ls=dash, lw=1.2, label=label)
        axes.set(xscale="log", xlabel="Concurrent users, logarithmic", ylabel="Share of requests (%)")
        axes.set_xticks(found.index, [str(users) for users in found.index])
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
        figure.legend(loc="outside upper center", ncols=2)
    return figure


def exceptions_alike(found: pd.DataFrame) -> Proportions:
    """Test whether Table 7's exceptions are one share whatever the users; the trend is over doublings of users."""
    return compare_proportions(found["Exceptions (%)"] / 100, found["Requests"], np.log2(found.index.to_numpy(float)))


def trend_text(alike: Proportions) -> str:
    """Say what the tests of equal exceptions find."""
    return (
        f"Exceptions: chi-squared of equal shares {alike.chi2:.1f}, p {p_text(alike.p_equal)}; "
        f"trend over doublings of users: z {alike.z:.2f}, p {p_text(alike.p_trend)}. "
        "Requests are the load's expected number in the tool chain's numbers of runs."
    )


def describe(found: pd.DataFrame) -> str:
    """Put Figure 15 into words: every number of users' exceptions and errors."""
    failed = zip(found.index, found["Exceptions (%)"], found["Errors (%)"], strict=True)
    parts = [f"{users} users {exceptions:.0f} and {errors:.0f} %" for users, exceptions, errors in failed]
    return (
        "Exceptions and errors over the number of users, with two lines for the exceptions that the load's "
        f"error probability lets expect: {', '.join(parts)}."
    )
