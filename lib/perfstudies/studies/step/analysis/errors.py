"""The STEP study's Table 7 and Figure 15 from calls: which requests fail when users work at the same time."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.errors import BadRecording
from perfstudies.report.comparisons import p_text
from perfstudies.report.figures import COLOURS, WIDTH_INCH, style
from perfstudies.report.settings import margin
from perfstudies.report.tables import interval_text
from perfstudies.stats.clusters import clustered_share, odds_trend
from perfstudies.stats.intervals import Interval, mean_interval
from perfstudies.stats.proportions import compare_proportions
from perfstudies.studies.step.analysis.users import ERRORS, IN_STUDY, LEVEL, published
from perfstudies.studies.step.declared import CONCURRENT_USERS
from perfstudies.studies.step.workload import flight_data, flight_load

SAME_POINTS = 2.0
"""Shares that differ by no more count as the same: the study's own five differ by 1.62 points, and it calls them so."""
_CLASS = re.compile(r"\b(?:[a-z][\w$]*\.)+[A-Z][\w$]*")


def table_7(runs: pd.DataFrame) -> pd.DataFrame:
    """Return Table 7 as measured: shares of requests in percent with 95 % intervals over runs."""
    return _failures(runs, {"Exceptions (%)": "exceptions", "Errors (%)": "errors"}, "clustered")


def binomial_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the same shares with binomial intervals, the requests behind them, and the design effects."""
    columns = {"Exceptions (%)": "exceptions", "Errors (%)": "errors"}
    table = _failures(runs, columns, "binomial")
    for name, column in columns.items():
        effects = [
            clustered_share(part[column], part["requests"]).design_effect
            for _, part in runs.groupby(LEVEL, observed=True)
        ]
        table[f"Design effect, {name.split()[0].lower()}"] = effects
    counts = runs.groupby(LEVEL, observed=True)["requests"]
    table.insert(0, "Runs", counts.size().to_numpy())
    table.insert(1, "Requests", counts.sum().to_numpy())
    return table


def _failures(runs: pd.DataFrame, columns: dict[str, str], kind: str) -> pd.DataFrame:
    rows = {}
    for users, part in runs.groupby(LEVEL, observed=True):
        found = {
            name: getattr(clustered_share(part[column], part["requests"]), kind) for name, column in columns.items()
        }
        rows[users] = {
            name: interval_text(100 * one.estimate, 100 * one.low, 100 * one.high) for name, one in found.items()
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Users")


def failure_points(runs: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Return what Figure 15 draws, in percent: a row a number of users; intervals over runs, and the published."""
    rows = {}
    printed = published(table)
    for users, part in runs.groupby(LEVEL, observed=True):
        row: dict = {}
        for name, column in (("exceptions", "exceptions"), ("errors", "errors")):
            one = clustered_share(part[column], part["requests"]).clustered
            row |= {
                f"published {name}": printed[f"{name.capitalize()} (%)"].get(users, np.nan), name: 100 * one.estimate,
                f"{name} low": 100 * one.low, f"{name} high": 100 * one.high,
            }  # fmt: skip
        rows[users] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Users")


def failures_figure(drawn: pd.DataFrame) -> Figure:
    """Draw Figure 15: exceptions and errors over the number of users, published hollow and measured filled."""
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 3.7), layout="constrained")
        axes = figure.subplots()
        at = drawn.index.astype(float)
        for place, name in enumerate(("exceptions", "errors")):
            look: dict[str, Any] = {"marker": "os"[place], "color": COLOURS[place], "lw": 1.2, "ms": 6}
            axes.plot(at, drawn[f"published {name}"], mfc="white", ls="--", label=f"{name}, published", **look)
            ends = np.clip([drawn[name] - drawn[f"{name} low"], drawn[f"{name} high"] - drawn[name]], 0, None)
            axes.errorbar(at, drawn[name], yerr=ends, ecolor="0.2", capsize=3, label=f"{name}, measured", **look)
        axes.set(xscale="log", xlabel="Concurrent users, logarithmic", ylabel="Share of requests (%)")
        axes.set_xticks(at, [str(users) for users in drawn.index])
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
        figure.legend(loc="outside upper center", ncols=2)
    return figure


def describe_failures(drawn: pd.DataFrame) -> str:
    """Put Figure 15 into words: the measured shares at each number of users."""
    parts = [f"{users}: {row['exceptions']:.1f} and {row['errors']:.1f} %" for users, row in drawn.iterrows()]
    return f"Shares of application exceptions and of errors over concurrent users, measured: {', '.join(parts)}."


def trend_text(runs: pd.DataFrame) -> str:
    """Say how the odds of an error change with each doubling of the study's users, by two tests."""
    part = runs[runs[LEVEL].isin(IN_STUDY)]
    doublings = np.log2(part[LEVEL].astype(float))
    fit = odds_trend(part["errors"], part["requests"], doublings, part["block"])
    if np.isnan(fit.p):
        return "No trend of the odds of an error over doublings of users can be fitted to these runs."
    sums = part.groupby(LEVEL, observed=True)[["errors", "requests"]].sum()
    levels = np.log2(sums.index.astype(float))
    armitage = compare_proportions(sums["errors"] / sums["requests"], sums["requests"], levels)
    return (
        "From 1 to 16 users each doubling multiplies the odds of an error by "
        f"{interval_text(fit.odds.estimate, fit.odds.low, fit.odds.high)} (logistic regression, standard errors by "
        f"block, 95 % interval; p {p_text(fit.p)}). The test of Cochran and Armitage, which takes requests as "
        f"independent, gives z = {armitage.z:.1f}, p {p_text(armitage.p_trend)}."
    )


def mistakes(calls: pd.DataFrame, load: str = CONCURRENT_USERS.load) -> pd.Series:
    """Say of each call whether its request carried a mistake that ends as an application exception.

    The requests are drawn again from their seeds, which give the same ones.

    Raises
    ------
    BadRecording
        If the calls are not those of the load.
    """
    made, data = flight_load.study_load(load), flight_data.generate()
    found = pd.Series(False, index=calls.index)
    block: Any
    user: Any
    for (block, user), part in calls.groupby(["block", "user"], observed=True):
        drawn = flight_load.sessions(made, data, made.seed(int(block), int(user)), int(part["session"].max()) + 1)
        requests = {one.request: one for one in drawn}
        sent = [one for number in part["request"] if (one := requests.get(number))]
        if [one.operation for one in sent] != part["operation"].to_list():
            raise BadRecording(f"block {block}, user {user}: the calls are not those that the load {load} makes")
        wrong = [one.arguments.get("flightNumber", "").endswith(flight_load.MISTAKE) for one in sent]
        found[part.index] = np.array(wrong, dtype=bool)
    return found


def with_mistakes(runs: pd.DataFrame, calls: pd.DataFrame) -> pd.DataFrame:
    """Return the runs with the study's numbers of users, with ``mistake_share`` and ``surplus``, in percent.

    ``surplus`` is the share of application exceptions less that of the requests that carry a mistake: users draw their
    own mistakes, so the share itself differs from run to run by chance.
    """
    part = runs[runs[LEVEL].isin(IN_STUDY)]
    sent = calls[calls["run"].isin(part["run"])]
    share = 100 * mistakes(sent).groupby(sent["run"]).mean()
    injected = part["run"].map(share)
    return part.assign(mistake_share=injected, surplus=part["exception_share"] - injected)


def exceptions_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return application exceptions beside the mistakes in the requests, and whether they differ as with one user.

    Shares are means over runs; the difference to one user is taken within blocks, with a 90 % interval: it lies within
    the margin exactly when two one-sided tests at 5 % say so.
    """
    surplus = runs.pivot(index="block", columns=LEVEL, values="surplus")
    rows = {}
    for users, part in runs.groupby(LEVEL, observed=True):
        row: dict[str, Any] = {
            "Exceptions (%)": margin(part["exception_share"]),
            "Requests with a mistake (%)": margin(part["mistake_share"]),
            "Difference (points)": margin(part["surplus"]),
        }  # fmt: skip
        if "1" in surplus and users != "1":
            against = (surplus[users] - surplus["1"]).dropna()
            one = mean_interval(against, 0.9) if len(against) else Interval(np.nan, np.nan, np.nan, 0.9, 0)
            row["Against one user (points)"] = interval_text(one.estimate, one.low, one.high)
            row["Shown the same"] = bool(-SAME_POINTS < one.low and one.high < SAME_POINTS)
        rows[users] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Users")


def error_class(detail: str) -> str:
    """Return the exception that a fault names, without its package, or the fault's text."""
    named = _CLASS.search(detail)
    return named[0].rpartition(".")[2] if named else detail or "no text"


def errors_table(calls: pd.DataFrame, factor: str = LEVEL) -> pd.DataFrame:
    """Return how many measured requests ended with which error; a row a level, a column an exception."""
    bad = calls[calls["outcome"].isin(ERRORS)]
    kinds = bad["detail"].map(error_class).rename("kind")
    counts = bad.groupby([bad[factor], kinds], observed=True).size().unstack(fill_value=0)
    present = [level for level in calls[factor].cat.categories if (calls[factor] == level).any()]
    counts = counts.reindex(present, fill_value=0)
    counts.insert(0, "Errors", counts.sum(axis=1))
    return counts.rename_axis(columns=None)


def by_session(calls: pd.DataFrame) -> pd.DataFrame:
    """Return the share of requests that end with an error by measured session, in percent, with 95 % intervals.

    Users begin together, with a search each, so their first reservations meet; later they drift apart. If errors fall
    from session to session, longer runs have fewer.
    """
    first = calls.groupby("run", observed=True)["session"].transform("min")
    number = (calls["session"] - first + 1).rename("number")
    bad = calls["outcome"].isin(ERRORS)
    counts = bad.groupby([calls[LEVEL], number, calls["run"]], observed=True).agg(["sum", "size"])
    rows: dict[Any, dict[str, str]] = {}
    for (users, session), part in counts.groupby(level=[0, 1], observed=True):
        one = clustered_share(part["sum"], part["size"]).clustered
        text = interval_text(100 * one.estimate, 100 * one.low, 100 * one.high, 1)
        rows.setdefault(users, {})[f"Session {session}"] = text
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Users")
