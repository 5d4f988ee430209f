"""Do EJB times repeat themselves after a number of requests, as the AAA study saw? Tests before smoothing."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from perfstudies.errors import BadParameter
from perfstudies.report.comparisons import p_text
from perfstudies.report.tables import interval_text
from perfstudies.stats.intervals import Interval
from perfstudies.stats.periodicity import periodicity
from perfstudies.stats.periods import LEVEL, CommonPeriod, common_period
from perfstudies.stats.proportions import proportion_interval
from perfstudies.stats.spectra import spectrum
from perfstudies.studies.aaa.analysis.times import EJB, machine, series
from perfstudies.studies.aaa.findings_patterns import BORDERS, PATTERNS

CYCLES = 4
"""A named period is looked for in series that hold it so many times."""
TOO_SHORT = "too few requests"


def by_client(samples: pd.DataFrame, measure: str = EJB) -> dict[int, CommonPeriod]:
    """Look for a period in every run of each client; empty where runs are too short to hold one."""
    by_key = series(samples, measure)
    found = {}
    for client in sorted({client for _, client in by_key}):
        runs = {run: values for (run, of), values in by_key.items() if of == client}
        try:
            found[int(client)] = common_period(runs, seed=int(client))
        except BadParameter:
            continue
    return found


def _length(period: Interval) -> str:
    """Write a mean period with its interval, which two runs do not give."""
    if period.n > 2:
        return interval_text(period.estimate, period.low, period.high, 0)
    return f"{period.estimate:.0f}" if period.n else "none"


def over_runs_table(found: Mapping[int, CommonPeriod]) -> pd.DataFrame:
    """Return what the runs say together, a row a machine.

    Columns: runs with a period at 5 % against independent noise and against noise with the same memory, the share of
    the latter with its 95 % interval and p, their periods' geometric mean, and whether periods agree over runs.
    """
    rows = {}
    for client, common in found.items():
        runs, period = common.runs, common.period
        rows[machine(client)] = {
            "Runs": len(runs),
            "Period, against white noise": int((runs["p_white"] <= LEVEL).sum()),
            "Period, against red noise": int(runs["periodic"].sum()),
            "Share (%)": _percent(common.periodic),
            "p, more than by chance": p_text(common.p_periodic),
            "Length (requests)": _length(period),
            "Typical ratio of two runs' periods": common.spread,
            "p, closer than by chance": p_text(common.p_agreement),
        }
    return _or_too_short(rows, "Machine")


def per_run_table(found: Mapping[int, CommonPeriod]) -> pd.DataFrame:
    """Return each run's best period with its 95 % interval and p against red noise: a row a run, a column a machine."""
    columns = {}
    for client, common in found.items():
        columns[machine(client)] = {
            row["run"]: f"{interval_text(row['period'], row['low'], row['high'], 1)}, p {p_text(row['p_red'])}"
            for row in common.runs.to_dict("records")
        }
    return _or_too_short(pd.DataFrame(columns).T.to_dict("index"), "Run", turned=True)


def named(samples: pd.DataFrame, name: str, measure: str = EJB) -> pd.DataFrame:
    """Test every client's series for the period that the study names.

    Parameters
    ----------
    samples : DataFrame
        Without warm-up.
    name : str
        Of `perfstudies.studies.aaa.findings_patterns.PATTERNS`.
    measure : str

    Returns
    -------
    DataFrame
        A row a series: run, block, client, period (requests), p (against red noise), p_fundamental (see `fundamental`),
        periodic (both at 5 %). Series that hold the period fewer than `CYCLES` times are left out.
    """
    low, high = BORDERS[name]
    blocks = samples.drop_duplicates("run").set_index("run")["block"]
    rows: list = []
    for (run, client), values in series(samples, measure).items():
        if len(values) < CYCLES * PATTERNS[name]:
            continue
        try:
            found = periodicity(values, low, high, seed=len(rows))
        except BadParameter:
            continue
        own = fundamental(values, low, high)
        hit = max(found.red.p, own) <= LEVEL
        rows.append((run, blocks[run], client, found.period.estimate, found.red.p, own, hit))
    return pd.DataFrame(rows, columns=["run", "block", "client", "period", "p", "p_fundamental", "periodic"])


def fundamental(values: ArrayLike, low: float, high: float) -> float:
    """Return p that red noise has as much power at any period from `low` to `high` itself, without its harmonics.

    What repeats every 100 requests repeats every 200 too; but it has no power at 200.
    """
    found = spectrum(values)
    ratio = (found["power"] / found["red"])[found["period"].between(low, high)]
    return float(-np.expm1(len(ratio) * np.log1p(-np.exp(-ratio.max())))) if len(ratio) else 1.0


def any_period(samples: pd.DataFrame, measure: str = EJB) -> pd.Series:
    """Return the share of a run's clients whose series has any period (%), by block."""
    found = by_client(samples, measure)
    if not found:
        return pd.Series(dtype=float)
    tests = pd.concat([common.runs[["run", "periodic"]] for common in found.values()])
    return _share_by_block(tests.assign(block=tests["run"].map(_blocks(samples))))


def named_share(tests: pd.DataFrame) -> pd.Series:
    """Return the share of a run's clients that have the named period (%), by block."""
    return _share_by_block(tests) if len(tests) else pd.Series(dtype=float)


def named_table(tests: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return how many series have the period that the study names; `tests` maps names to what `named` found."""
    rows = {}
    for name, found in tests.items():
        low, high = BORDERS[name]
        label = f"about {PATTERNS[name]} ({low:.0f} to {high:.0f}) requests"
        hits, count = int(found["periodic"].sum()), len(found)
        rows[label] = {
            "Series": count,
            "With the period": hits,
            "Share (%)": _share_text(hits, count),
            "By chance (%)": f"{100 * LEVEL:.0f}",
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Period looked for")


def settings_table(samples: pd.DataFrame, by: str, tests: Mapping[str, tuple[str, pd.DataFrame]]) -> pd.DataFrame:
    """Return how many series of each setting have a period: any, and the one that the study reports of it.

    Parameters
    ----------
    samples : DataFrame
        Without warm-up.
    by : str
        The column that tells settings apart.
    tests : mapping of str to (str, DataFrame)
        From a setting to the name of the study's pattern there, and what `named` found.
    """
    rows = {}
    for setting, part in samples.groupby(by, observed=True):
        found = by_client(part)
        any_hits = sum(int(common.runs["periodic"].sum()) for common in found.values())
        count = sum(len(common.runs) for common in found.values())
        rows[setting] = {"Series": count, "Any period (%)": _share_text(any_hits, count)}
        if str(setting) in tests:
            name, known = tests[str(setting)]
            rows[setting] |= {
                "The study's period": f"about {PATTERNS[name]}",
                "Series with it (%)": _share_text(int(known["periodic"].sum()), len(known)),
            }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Setting")


def cases(samples: pd.DataFrame, tests: pd.DataFrame) -> dict[str, tuple[pd.Series, str]]:
    """Return the values of the findings on the pattern at the standard setting by id, each with its test's scale."""
    return {
        "A2-pattern": (any_period(samples), "identity"),
        "A2-period": (named_share(tests), "identity"),
    }


def _share_text(hits: int, count: int) -> str:
    if not count:
        return TOO_SHORT
    return _percent(proportion_interval(hits / count, count))


def _blocks(samples: pd.DataFrame) -> pd.Series:
    return samples.drop_duplicates("run").set_index("run")["block"]


def _share_by_block(tests: pd.DataFrame) -> pd.Series:
    return 100 * tests.groupby("block")["periodic"].mean()


def _percent(share: Interval) -> str:
    return interval_text(100 * share.estimate, 100 * share.low, 100 * share.high, 0)


def _or_too_short(rows: dict, name: str, turned: bool = False) -> pd.DataFrame:
    if not rows:
        return pd.DataFrame({"Period": [TOO_SHORT]}, index=pd.Index(["All"], name=name))
    frame = pd.DataFrame.from_dict(rows, orient="index")
    return (frame.T if turned else frame).rename_axis(name)
