"""The STEP study's Table 3 and Figure 9 from samples: where the time goes in searches, reservations and faults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from perfstudies.experiment import Finding
from perfstudies.published import published_table
from perfstudies.report.settings import margin
from perfstudies.report.tables import interval_text
from perfstudies.sent import OK
from perfstudies.stats.intervals import mean_interval, ratio_interval
from perfstudies.studies.step.analysis.breakdown import run_shares, run_slices
from perfstudies.studies.step.findings import TYPE_FINDINGS
from perfstudies.studies.step.logs.slices import SLICE_LABELS, SLICES

ALL, SEARCHES, RESERVATIONS, FAULTS = "All", "Searches", "Reservations", "Faults"
SEARCH = "searchFlights"
TIMES = {"request_ms": "Whole request", **SLICE_LABELS}
PARTS = {"request_ms": "Whole request", "rest_ms": "Web, Web Service and Service", "engine_ms": "Hibernate Engine",
         "writes_ms": "Hibernate Writes", "reads_ms": "Hibernate Reads"}  # fmt: skip
#: A line through fewer successes of a run says nothing about how time grows with the group.
SUCCESSES = 3


def kinds(samples: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the requests of each row of Table 3; searches and reservations are those that succeeded.

    The study says that searches are read-only and reservations read-write, and that nothing was written for faults: so
    they are in neither.
    """
    fault, search = samples["outcome"] != OK, samples["operation"] == SEARCH
    return {
        ALL: samples,
        SEARCHES: samples[search & ~fault],
        RESERVATIONS: samples[~search & ~fault],
        FAULTS: samples[fault],
    }


def headings() -> dict[str, str]:
    """Return how Table 3 heads each slice."""
    return dict(zip(SLICES, published_table("step", 3).columns, strict=True))


def table_3(samples: pd.DataFrame) -> pd.DataFrame:
    """Return Table 3 as measured: each slice's share of the time with its 95 % margin, columns as published.

    A run counts in the rows of which it has requests.
    """
    rows = {
        kind: {heading: margin(run_shares(part)[column]) for column, heading in headings().items()}
        for kind, part in kinds(samples).items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Request")


def times_table(samples: pd.DataFrame) -> pd.DataFrame:
    """Return each kind's requests, mean lengths and mean times in ms with 95 % margins over runs."""
    rows = {}
    for kind, part in kinds(samples).items():
        means = run_slices(part).assign(request_ms=part.groupby("run", observed=True)["request_ms"].mean())
        length = part.groupby("run", observed=True)["request_length"].mean()
        rows[kind] = {"Requests": len(part), "Runs": part["run"].nunique(), "Length (characters)": margin(length, 0)}
        rows[kind] |= {label: margin(means[column], 1) for column, label in TIMES.items()}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Request")


def bars(samples: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the published and the measured mean shares of Table 3, for stacked bars; missing where there are none."""
    published = published_table("step", 3).set_axis(list(SLICE_LABELS.values()), axis=1)
    means = {kind: run_shares(part).mean() for kind, part in kinds(samples).items()}
    measured = pd.DataFrame.from_dict(means, orient="index").reindex(columns=list(SLICES))
    return published, measured.rename(columns=SLICE_LABELS).reindex(published.index)


def describe(published: pd.DataFrame, measured: pd.DataFrame) -> str:
    """Put Figure 9 into words: Service and Hibernate's engine, published and measured."""
    parts = [
        f"{kind}: Service {published.loc[kind, 'Service']:.0f} and {measured.loc[kind, 'Service']:.0f} %, "
        f"engine {published.loc[kind, 'Hibernate Engine']:.0f} and {measured.loc[kind, 'Hibernate Engine']:.0f} %"
        for kind in published.index
    ]
    return f"Two stacked bars a kind of request, published above measured. {'; '.join(parts)}."


def writes_table(samples: pd.DataFrame) -> pd.DataFrame:
    """Count, for each kind, the requests with any time in the writes slice."""
    rows = {
        kind: {"Requests": len(part), "With writes": int((part["writes_ms"] != 0).sum())}
        for kind, part in kinds(samples).items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Request")


def expected(samples: pd.DataFrame) -> pd.DataFrame:
    """Return what failed reservations took, and what successful ones of the same group size take, in each run.

    The size of a reservation is drawn whatever its outcome, but a run has few faults and theirs may be larger or
    smaller groups than the successes'. So each run's successes are fitted by a line over the request's length, which
    grows with the group, and the line is read where the faults are. Runs without a fault, or with fewer than three
    successes or successes of one length, are left out.

    Returns
    -------
    DataFrame
        A row a run; columns are a MultiIndex of ``fault`` and ``success`` over the whole request and its slices
        (ms), with ``rest_ms`` for the three slices outside Hibernate.
    """
    parts = samples.assign(rest_ms=samples[["web_ms", "web_service_ms", "service_ms"]].sum(axis=1))
    reservations = parts[parts["operation"] != SEARCH]
    rows: dict = {}
    for run, part in reservations.groupby("run", observed=True):
        fault = part["outcome"] != OK
        succeeded, failed = part[~fault], part[fault]
        if failed.empty or len(succeeded) < SUCCESSES or succeeded["request_length"].nunique() < 2:
            continue
        for column in (*PARTS, *SLICES[:3]):
            line = np.polyfit(succeeded["request_length"], succeeded[column], 1)
            rows.setdefault(run, {})["fault", column] = failed[column].mean()
            rows[run]["success", column] = np.polyval(line, failed["request_length"]).mean()
    frame = pd.DataFrame.from_dict(rows, orient="index")
    columns: Any = frame.columns
    frame.columns = pd.MultiIndex.from_tuples(columns) if rows else pd.MultiIndex.from_arrays([[], []])
    return frame


def saved_table(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return what a fault saves of each part of a reservation of its size, in ms and as a part of the whole saving.

    Parameters
    ----------
    pairs : DataFrame
        From `expected`.
    """
    saved = pairs["success"] - pairs["fault"]
    rows = {}
    for column, label in PARTS.items():
        found = mean_interval(saved[column])
        part = 100 * saved[column].mean() / saved["request_ms"].mean()
        rows[label] = {
            "Success (ms)": margin(pairs["success", column], 1),
            "Fault (ms)": margin(pairs["fault", column], 1),
            "Saved (ms)": interval_text(found.estimate, found.low, found.high, 1),
            "Part of what is saved (%)": part,
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Slice")


def savings(samples: pd.DataFrame) -> pd.Series:
    """Return the time of failed over successful reservations of the same size, a value a run."""
    pairs = expected(samples)
    if pairs.empty:
        return pd.Series(dtype=float)
    # A run whose line says that such a request takes no time has no ratio.
    pairs = pairs[pairs["success", "request_ms"] > 0]
    return pairs["fault", "request_ms"] / pairs["success", "request_ms"]


def ratios_table(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the time of faults over that of reservations, as they are and of the same size, with 95 % intervals."""
    parts = kinds(samples)
    fault, success = (parts[kind].groupby("run", observed=True)["request_ms"].mean() for kind in (FAULTS, RESERVATIONS))
    fault, success = fault.align(success, join="inner")
    comparable = savings(samples)
    found = {
        "As they are": ratio_interval(fault, success) if len(fault) else None,
        "Of the same group size": ratio_interval(comparable, np.ones(len(comparable))) if len(comparable) else None,
    }
    rows = {
        name: {"Faults / reservations": interval_text(one.estimate, one.low, one.high, 3), "Runs": one.n}
        if one
        else {"Faults / reservations": None, "Runs": 0}
        for name, one in found.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Compared")


def engine_table(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the engine's time of each kind in ms and as a ratio to that of reservations in the same run."""
    engine = {kind: run_slices(part)["engine_ms"] for kind, part in kinds(samples).items() if kind != ALL}
    rows = {}
    for kind, times in engine.items():
        above, below = times.align(engine[RESERVATIONS], join="inner")
        ratio = _ratio(above, below)
        rows[kind] = {
            "Engine (ms)": margin(times, 1),
            "Ratio to reservations": None if kind == RESERVATIONS else ratio,
            "Commits": "no, rolled back" if kind == FAULTS else "yes",
            "Writes": "yes" if kind == RESERVATIONS else "no",
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Request")


def _ratio(above: pd.Series, below: pd.Series) -> str | None:
    if above.empty or (above <= 0).any() or (below <= 0).any():
        return None
    found = ratio_interval(above, below)
    return interval_text(found.estimate, found.low, found.high, 3)


def base(samples: pd.DataFrame) -> str:
    """Say on how many requests and runs a table rests, kind by kind."""
    counts = ", ".join(f"{len(part):,} {kind.lower()}" for kind, part in kinds(samples).items() if kind != ALL)
    return f"{len(samples):,} requests of {samples['run'].nunique()} runs ({counts}); the run is the unit."


def cases(samples: pd.DataFrame) -> Iterable[tuple[Finding, pd.Series, str]]:
    """Pair each finding on Table 3 with its statistic's values, one a run, and the scale it is tested on.

    A run without a request of a kind has no value for the findings on it.
    """
    parts = kinds(samples)
    written = {
        kind: (parts[kind]["writes_ms"] != 0).groupby(parts[kind]["run"], observed=True).sum()
        for kind in (SEARCHES, FAULTS)
    }
    engine = pd.DataFrame({kind: run_shares(parts[kind])["engine_ms"] for kind in (SEARCHES, RESERVATIONS, FAULTS)})
    engine = engine.dropna()
    order = np.minimum(engine[SEARCHES] / engine[FAULTS], engine[RESERVATIONS] / engine[SEARCHES])
    statistics: Mapping[str, tuple[Any, str]] = {
        "S8-searches": (written[SEARCHES], "identity"),
        "S8-faults": (written[FAULTS], "identity"),
        "S9": (savings(samples), "log"),
        "S9-engine": (engine[FAULTS] / engine[RESERVATIONS], "log"),
        "S9-order": (order, "log"),
    }
    for finding in TYPE_FINDINGS:
        yield finding, *statistics[finding.id]
