"""What the STEP study's printed tables imply but do not print: times of kinds of requests, of settings, of lengths.

Each function states its assumption. What follows from it is our inference, neither printed nor measured.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from perfstudies.published import published_table
from perfstudies.stats.mixture import weights
from perfstudies.studies.step.analysis.audit import MEDIUM, WEB, WS
from perfstudies.studies.step.analysis.audit_failures import requests_of
from perfstudies.studies.step.workload.flight_load import study_load

PRINTED_TO = 0.005
"""Shares are printed in percent with two decimals."""

LENGTHS = {3215: "SizeSmall", 5190: "SizeMedium", 28348: "SizeLarge", 142145: "SizeXLarge", 222281: "SizeXXLarge"}
"""Which load made which row of Table 4: both in increasing order, and 5190 is the default load's."""


def whole_time_ms() -> float:
    """Return the mean request time at the default setting: the sum of Table 1's slices."""
    return float(published_table("step", 1)["Time (ms)"].sum())


def kinds_of_requests() -> pd.DataFrame:
    """Return each request kind's part of all time, and its mean time, as Table 3 implies them.

    Assumes that every request is either a search, a reservation or a fault, as Table 3 has them, that one request in
    two minus empty groups is a search, and that faults are Table 7's exceptions at one user.

    Returns
    -------
    DataFrame
        A row a kind: ``time_low``, ``time_high`` (percent of all time), ``requests`` (percent of requests),
        ``ms_low``, ``ms_high`` (a request). Bounds are those of rounding, not of runs.
    """
    table = published_table("step", 3)
    found = 100 * weights(table.T["All"], table.drop(index="All"), PRINTED_TO)
    searches = 100 / (2 - 1 / study_load(MEDIUM).max_group)
    faults = published_table("step", 7)["Exceptions (%)"][1]
    requests = pd.Series({"Searches": searches, "Reservations": 100 - searches - faults, "Faults": faults})
    times = found.mul(whole_time_ms()).div(requests, axis=0)
    return pd.DataFrame(
        {
            "time_low": found["low"],
            "time_high": found["high"],
            "requests": requests,
            "ms_low": times["low"],
            "ms_high": times["high"],
        }
    ).rename_axis("Request")


def by_web_layers(number: int, base: str | int) -> pd.DataFrame:
    """Return the time of each setting relative to the base, had the two web layers taken the same time in all.

    The web layers do not touch the database, nor Hibernate's objects. If they took the same milliseconds in every
    setting, a smaller share of theirs means a longer request.

    Parameters
    ----------
    number : int
        The table of shares: 2 or 5.
    base : str or int
        The row, or its place, that the default setting has.
    """
    table = published_table("step", number)
    names = table.index
    if number == 5:
        databases = [name for name in names if name.endswith("DB")]
        names = pd.Index(
            [name if name in databases else f"{databases[at // 3]}, {name}" for at, name in enumerate(names)]
        )
    shares = table.set_axis(names)[[WEB, WS]]
    both, service = shares.sum(axis=1), shares[WS]
    ratio = both[base] / both
    return pd.DataFrame(  # type: ignore[call-overload]
        {
            "Web and WS (%)": both,
            "Relative time": ratio,
            "Relative time, by WS alone": service[base] / service,
            "Time (ms)": ratio * whole_time_ms(),
        }
    ).rename_axis(table.index.name)


def by_length() -> pd.DataFrame:
    """Return what "above linear" growth of XML handling would mean for Table 4's request times.

    If the Web Service slice's time grows at least in proportion to the length, from the default setting on, then its
    printed share gives the least time of the whole request. The characters that a further passenger adds should be
    the same from row to row if every request were counted.

    Returns
    -------
    DataFrame
        A row a length: ``load``, ``passengers`` (mean group), ``added`` (characters per further passenger, since the
        row before), ``share`` (of the Web Service slice, percent), ``least_ms``, ``hours`` (thirty runs of it).
    """
    table = published_table("step", 4)
    base_ms = whole_time_ms() * table[WS][5190] / 100
    rows: dict[int, dict[str, Any]] = {}
    before = None
    for length, name in LENGTHS.items():
        groups = (study_load(name).max_group - 1) / 2
        least_ms = base_ms * length / 5190 / (table[WS][length] / 100)
        rows[length] = {"load": name, "passengers": groups, "added": None, "share": table[WS][length]}
        rows[length]["least_ms"] = least_ms
        rows[length]["hours"] = least_ms * requests_of(1, 30, name) / 3.6e6
        if before is not None:
            rows[length]["added"] = (length - before) / (groups - rows[before]["passengers"])
        before = length
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(table.index.name)  # type: ignore[call-overload]


def missing_length(found: pd.DataFrame) -> float:
    """Return by what fraction the last length falls short of a straight line through the two rows before."""
    last, before = found.iloc[-1], found.iloc[-2]
    straight = found.index[-2] + before["added"] * (last["passengers"] - before["passengers"])
    return float(1 - found.index[-1] / straight)


def characters_a_passenger(found: pd.DataFrame) -> float:
    """Return how many characters a passenger adds to a reservation, from SizeMedium to SizeLarge.

    The printed lengths are averages over all requests, of which searches know no passengers.
    """
    reservations = requests_of(1, 1) / study_load(MEDIUM).sessions - 1
    return float(found["added"][28348] * (1 + reservations) / reservations)
