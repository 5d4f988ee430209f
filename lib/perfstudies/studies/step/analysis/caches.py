"""The STEP study's Table 5 and Figure 13 from samples: what caches bring, near the database and far from it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from perfstudies.experiment import Finding
from perfstudies.published import published_table
from perfstudies.report.settings import SETTING, in_blocks, margin, named, or_none, ratio_columns, times
from perfstudies.runs.recording import Recording
from perfstudies.stats.planned import planned_ratios
from perfstudies.studies.step.analysis.audit_implied import by_web_layers
from perfstudies.studies.step.analysis.breakdown import WEB, run_shares
from perfstudies.studies.step.declared import CACHES, CACHES_AND_NETWORKS, DATABASES
from perfstudies.studies.step.findings import CACHE_FINDINGS
from perfstudies.studies.step.logs.slices import SLICE_LABELS, SLICES

DATABASE, CACHE = DATABASES.name, CACHES.name
FACTORS = {DATABASE: "Database", CACHE: "Cache"}
NONE = CACHES.levels[0]
BASE = {DATABASE: "local", CACHE: NONE}


def row_name(setting: dict[str, str]) -> str:
    """Return how Table 5 calls a setting; it names a cache below its database, here they stand in one."""
    database = DATABASES.label(setting[DATABASE])
    return database if setting[CACHE] == NONE else f"{database}, w {CACHES.label(setting[CACHE])}"


def configured(recorded: Recording) -> Recording:
    """Return the recording with the column ``setting``: the rows of Table 5, those on H2 before them."""
    return named(recorded, CACHES_AND_NETWORKS, row_name)


def published_5() -> pd.DataFrame:
    """Return Table 5 as printed, each row named with its database."""
    table = published_table("step", 5)
    names = [row_name(one) for one in CACHES_AND_NETWORKS.select(database=DATABASES.levels[1:]).settings()]
    return table.set_axis(pd.Index(names, name=table.index.name))


def shares(samples: pd.DataFrame) -> pd.DataFrame:
    """Return each run's shares of its measured requests' time in percent: ``run``, ``block``, levels, six slices."""
    measured = samples[samples["measured"]]
    runs = measured.drop_duplicates("run")[["run", "block", DATABASE, CACHE, SETTING]]
    return runs.join(run_shares(measured), on="run")


def table_5(samples: pd.DataFrame) -> pd.DataFrame:
    """Return Table 5 as measured: each slice's share in percent with its 95 % margin, columns as published."""
    headings = dict(zip(SLICES, published_5(), strict=True))
    rows = {
        setting: {heading: margin(part[column]) for column, heading in headings.items()}
        for setting, part in shares(samples).groupby(SETTING, observed=True)
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def bars(samples: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the published and the measured mean shares of Table 5's rows; missing where not measured."""
    published = published_5()
    means = shares(samples).groupby(SETTING, observed=True)[list(SLICES)].mean()
    return published.set_axis([SLICE_LABELS[column] for column in SLICES], axis=1), means.rename(
        columns=SLICE_LABELS
    ).reindex(published.index)


def describe(published: pd.DataFrame, measured: pd.DataFrame) -> str:
    """Put Figure 13 into words: the share of Service in each row, published and measured."""
    parts = [
        f"{name} {published['Service'][str(name)]:.0f} and " + ("not measured" if pd.isna(share) else f"{share:.0f} %")
        for name, share in measured["Service"].items()
    ]
    return (
        f"Two stacked bars of six slices a configuration, published above measured. Service takes {', '.join(parts)}."
    )


def base(recorded: Recording) -> str:
    """Say on how many runs and requests the tables rest, and what could not be measured."""
    per_run = recorded.samples.groupby("run")["measured"].agg(["sum", "count"])
    warm_up = int((per_run["count"] - per_run["sum"]).max())
    said = (
        f"{len(recorded.runs)} runs in {recorded.runs['block'].nunique()} blocks; the run is the unit. "
        f"Measured requests in a run: {_span(per_run['sum'])}, after {warm_up or 'none'} of warm-up."
    )
    missing = [name for name in map(row_name, CACHES_AND_NETWORKS.settings()) if name not in {*recorded.runs[SETTING]}]
    if missing:
        said += f" Not measured: {'; '.join(missing)}."
    if recorded.skipped:
        said += f" Why runs were skipped: {'; '.join(recorded.skipped)}."
    return said


def _span(counts: pd.Series) -> str:
    low, high = int(counts.min()), int(counts.max())
    return str(low) if low == high else f"{low} to {high}"


def time_series(means: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return for each cache the mean request time by database with its 95 % interval, for a figure of points."""
    return {
        CACHES.label(cache): times(part, DATABASE).rename(index=DATABASES.label).rename_axis(FACTORS[DATABASE])
        for cache, part in means.groupby(CACHE, observed=True)
    }


def describe_times(series: dict[str, pd.DataFrame]) -> str:
    """Put the figure of request times into words."""
    parts = [
        f"{name} " + ", ".join(f"{database} {row.estimate:,.0f} ms" for database, row in frame.iterrows())
        for name, frame in series.items()
    ]
    return f"Mean request time by database, a point a cache, on a logarithmic axis: {'; '.join(parts)}."


def _present(samples: pd.DataFrame) -> set[tuple[str, str]]:
    return {*samples[[DATABASE, CACHE]].drop_duplicates().itertuples(index=False, name=None)}


def _pair(frame: pd.DataFrame, above: dict, below: dict, response: str = "request_ms") -> tuple[pd.Series, pd.Series]:
    """Return two settings' values of the blocks that have both; empty if one was not measured."""
    if not {tuple(above.values()), tuple(below.values())} <= _present(frame):
        return pd.Series(dtype=float), pd.Series(dtype=float)
    found = in_blocks(frame, {"above": above, "below": below}, response)
    return found["above"], found["below"]


def caches_compared(samples: pd.DataFrame) -> pd.DataFrame:
    """Return each cache's request time over that without, at every database: 95 % for all of them together."""
    pairs = {}
    for database in DATABASES.levels:
        for cache in CACHES.levels[1:]:
            found = _pair(samples, {DATABASE: database, CACHE: cache}, {DATABASE: database, CACHE: NONE})
            if len(found[0]):
                pairs[DATABASES.label(database), CACHES.label(cache)] = found
    return _compared(pairs)


def networks_compared(samples: pd.DataFrame) -> pd.DataFrame:
    """Return each place of the database over the local one, with every cache: 95 % for all of them together."""
    pairs = {}
    for cache in CACHES.levels:
        for database in DATABASES.levels:
            if database != BASE[DATABASE]:
                found = _pair(samples, {DATABASE: database, CACHE: cache}, {DATABASE: BASE[DATABASE], CACHE: cache})
                if len(found[0]):
                    pairs[f"{DATABASES.label(database)} / {DATABASES.label(BASE[DATABASE])}", CACHES.label(cache)] = (
                        found
                    )
    return _compared(pairs)


def _compared(pairs: dict) -> pd.DataFrame:
    found = planned_ratios(pairs)
    shown = ratio_columns(found, "Ratio", with_p=True).assign(Blocks=found["blocks"])
    named_rows = shown.set_axis([f"{first}, {second}" for first, second in found.index])
    return or_none(named_rows).rename_axis("Compared")


def relative_times(samples: pd.DataFrame) -> pd.DataFrame:
    """Return each setting's time over that at the local database without cache, beside what Table 5 implies.

    The study prints no times here. If the two web layers took the same time in every setting, a smaller share of theirs
    means a longer request. The last column says whether they do so here.
    """
    samples = samples.assign(two_layers_ms=samples[WEB].sum(axis=1))
    whole, web = {}, {}
    for one in CACHES_AND_NETWORKS.settings():
        if one != BASE and len((pair := _pair(samples, one, BASE))[0]):
            whole[row_name(one)] = pair
            web[row_name(one)] = _pair(samples, one, BASE, "two_layers_ms")
    implied = by_web_layers(5, row_name(BASE))["Relative time"]
    names = [name for name in map(row_name, CACHES_AND_NETWORKS.settings()) if name in whole or name in implied.index]
    columns = [
        implied.rename("Published shares imply"),
        ratio_columns(planned_ratios(whole), "Measured request time")["Measured request time"],
        ratio_columns(planned_ratios(web), "Measured time of the web layers")["Measured time of the web layers"],
    ]
    return pd.concat([column.reindex(names) for column in columns], axis=1).rename_axis("Configuration")


def cases(samples: pd.DataFrame) -> Iterable[tuple[Finding, pd.Series, str]]:
    """Pair each finding on Table 5 with its statistic's values, one a block, and the scale it is tested on.

    A finding whose settings were not measured has no values, and stays inconclusive.
    """

    def time_ratio(above: tuple[str, str], below: tuple[str, str]) -> pd.Series:
        settings = [dict(zip(FACTORS, one, strict=True)) for one in (above, below)]
        first, second = _pair(samples, settings[0], settings[1])
        return first / second

    by_run = shares(samples).assign(measured=True, request=0)
    reads, before = _pair(by_run, BASE | {CACHE: "read-write"}, BASE, "reads_ms")
    statistics = {
        "S14-read-only": time_ratio(("local", "read-only"), ("local", NONE)),
        "S14-read-write": time_ratio(("local", "read-write"), ("local", NONE)),
        "S14-reads": reads / before,
        "S15": time_ratio(("100mbit", NONE), ("local", NONE)),
        "S15-read-only": time_ratio(("100mbit", "read-only"), ("100mbit", NONE)),
        "S16-read-only": time_ratio(("10mbit", "read-only"), ("10mbit", NONE)),
        "S16-slow": _slowest_over_others(samples),
    }
    for finding in CACHE_FINDINGS:
        yield finding, statistics[finding.id], "log"


def _slowest_over_others(samples: pd.DataFrame) -> pd.Series:
    """Return, by block, the 10 Mbit/s settings' time over that of the same caches on faster ways to MariaDB."""
    slow, fast = DATABASES.levels[-1], DATABASES.levels[1:-1]
    caches = [
        cache for cache in CACHES.levels if {(database, cache) for database in (*fast, slow)} <= _present(samples)
    ]
    if not caches:
        return pd.Series(dtype=float)
    settings = {(database, cache): {DATABASE: database, CACHE: cache} for database in (*fast, slow) for cache in caches}
    logs = np.log(in_blocks(samples, settings))
    return np.exp(logs[slow].mean(axis=1) - logs[list(fast)].mean(axis=1))
