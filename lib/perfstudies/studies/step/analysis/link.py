"""What caches spare and what a link costs: the causes behind the STEP study's Table 5, from Hibernate's own counters.

Bytes between service and database are not counted anywhere. Statements are, and each link's achieved bandwidth was
measured with its run, so what a link adds to a request can be split under a stated assumption.
"""

from __future__ import annotations

import pandas as pd

from perfstudies.report.settings import SETTING, at, margin, or_none
from perfstudies.runs.recording import Recording
from perfstudies.studies.step.analysis.caches import BASE, CACHE, DATABASE, NONE
from perfstudies.studies.step.declared import CACHES, DATABASES

COUNTERS = {
    "prepared_statements": "Statements",
    "entities_loaded": "Entities loaded",
    "collections_loaded": "Collections loaded",
    "second_level_hits": "Cache hits",
    "second_level_misses": "Cache misses",
    "second_level_puts": "Cache puts",
}
BANDWIDTH = "from_database_mbit_s"
"""Results travel from the database; statements, the other way, are short."""

LINKS = DATABASES.levels[2:]
KB_PER_MS_MBIT_S = 1e6 / 8 / 1e3 / 1e3


def per_request(recorded: Recording) -> pd.DataFrame:
    """Return a row a run with its mean ``request_ms`` and Hibernate's counters divided by its measured requests."""
    measured = recorded.samples[recorded.samples["measured"]].groupby("run")["request_ms"]
    runs = recorded.runs.assign(request_ms=recorded.runs["run"].map(measured.mean()))
    return runs.assign(**{name: runs[name] / runs["run"].map(measured.size()) for name in COUNTERS})


def counters_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return Hibernate's counters a request, and the part of lookups that the cache answered, by configuration.

    Parameters
    ----------
    runs : DataFrame
        From `per_request`.
    """
    looked_up = runs["second_level_hits"] + runs["second_level_misses"]
    runs = runs.assign(hit_rate=100 * runs["second_level_hits"] / looked_up.where(looked_up > 0))
    rows = {}
    for setting, part in runs.groupby(SETTING, observed=True):
        rows[setting] = {heading: margin(part[name], 1) for name, heading in COUNTERS.items()}
        rows[setting]["Answered by the cache (%)"] = margin(part["hit_rate"].dropna(), 1)
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Configuration")


def consulted(runs: pd.DataFrame) -> str:
    """Say of each configuration with a cache whether it was consulted at all."""
    cached = runs[runs[CACHE] != NONE]
    asked = (cached["second_level_hits"] + cached["second_level_misses"] > 0).groupby(cached[SETTING], observed=True)
    some = [f"{setting} in {int(yes.sum())} of {len(yes)} runs" for setting, yes in asked]
    return f"Runs in which a cache was asked for anything: {'; '.join(some) or 'no run had a cache'}."


def spared(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what a cache spares a request: statements and time, the setting without it less that with it, by block.

    Parameters
    ----------
    runs : DataFrame
        From `per_request`.
    """
    rows = {}
    for (database, _), part in runs[runs[CACHE] != NONE].groupby([DATABASE, CACHE], observed=True):
        without = at(runs, {DATABASE: str(database), CACHE: NONE}).set_index("block")
        compared = ["prepared_statements", "request_ms"]
        less = (without[compared] - part.set_index("block")[compared]).dropna()
        if len(less):
            found = less["prepared_statements"], part["second_level_hits"], less["request_ms"]
            rows[part[SETTING].iloc[0]] = [margin(values, 1) for values in found]
    columns = ["Statements spared", "Cache hits", "Time spared (ms)"]
    return or_none(pd.DataFrame.from_dict(rows, orient="index", columns=columns)).rename_axis("Configuration")


def added(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what each link adds to a request, compared with the local database within the block.

    Parameters
    ----------
    runs : DataFrame
        From `per_request`.

    Returns
    -------
    DataFrame
        A row a run behind a link whose block has the same cache at the local database: block, levels,
        ``mbit_s`` (achieved, from the database), ``request_ms``, ``added_ms``, ``share`` (percent of the request's
        time), ``ms_per_statement``, ``kb`` (10^3 bytes that the link can carry in the added time: the bytes of a
        request, were all of that time transmission).
    """
    local = runs[runs[DATABASE] == BASE[DATABASE]].set_index(["block", CACHE])["request_ms"]
    behind = runs[runs[DATABASE].isin(LINKS)]
    base = pd.Series(
        [local.get(key) for key in zip(behind["block"], behind[CACHE], strict=True)], index=behind.index, dtype=float
    )
    found = behind.assign(added_ms=behind["request_ms"] - base, mbit_s=behind.get(BANDWIDTH))
    found["share"] = 100 * found["added_ms"] / found["request_ms"]
    found["ms_per_statement"] = found["added_ms"] / found["prepared_statements"]
    found["kb"] = found["added_ms"] * found["mbit_s"] * KB_PER_MS_MBIT_S
    columns = ["block", DATABASE, CACHE, "mbit_s", "request_ms", "added_ms", "share", "ms_per_statement", "kb"]
    return found[columns].dropna().reset_index(drop=True)


def added_table(found: pd.DataFrame) -> pd.DataFrame:
    """Return `added` as it is printed, a row a link and cache."""
    headings = {
        "mbit_s": "Achieved (Mbit/s)",
        "added_ms": "Added by the link (ms)",
        "share": "Of the request's time (%)",
        "ms_per_statement": "Added a statement (ms)",
        "kb": "Carried in that time (10³ bytes)",
    }
    rows = {
        f"{DATABASES.label(database)}, {CACHES.label(cache)}": {
            heading: margin(part[name]) for name, heading in headings.items()
        }
        for (database, cache), part in found.groupby([DATABASE, CACHE], observed=True)
    }
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=list(headings.values()))
    return or_none(frame).rename_axis("Configuration")


def split(found: pd.DataFrame) -> pd.DataFrame:
    """Split what the links add into transmission and delay, by block and cache.

    If a request moves the same bytes and waits equally long for its round trips over both links, then
    added = delay + bytes / bandwidth holds for each, and two links give both unknowns. Either may come out negative
    by noise.

    Parameters
    ----------
    found : DataFrame
        From `added`.

    Returns
    -------
    DataFrame
        A row a block and cache with runs behind both links: block, cache, ``kb`` (10^3 bytes moved), ``delay_ms``,
        ``transmission_share`` and ``delay_share`` (percent of a request's time over the slower link).
    """
    by_link = found.pivot(index=["block", CACHE], columns=DATABASE, values=["added_ms", "mbit_s", "request_ms"])
    if not {*LINKS} <= {*by_link.columns.get_level_values(1)}:
        return pd.DataFrame(columns=["block", CACHE, "kb", "delay_ms", "transmission_share", "delay_share"])
    by_link = by_link.dropna(subset=[("added_ms", link) for link in LINKS])
    fast, slow = LINKS
    ms_per_kb = 1 / (by_link["mbit_s"] * KB_PER_MS_MBIT_S)
    kb = (by_link["added_ms", slow] - by_link["added_ms", fast]) / (ms_per_kb[slow] - ms_per_kb[fast])
    delay = by_link["added_ms", fast] - kb * ms_per_kb[fast]
    whole = by_link["request_ms", slow]
    columns = {
        "kb": kb,
        "delay_ms": delay,
        "transmission_share": 100 * kb * ms_per_kb[slow] / whole,
        "delay_share": 100 * delay / whole,
    }
    return pd.DataFrame(columns).reset_index()


def split_table(parts: pd.DataFrame) -> pd.DataFrame:
    """Return `split` as it is printed, a row a cache."""
    headings = {
        "kb": "Moved a request (10³ bytes)",
        "delay_ms": "Delay a request (ms)",
        "transmission_share": "Transmission over 10 Mbit/s (% of the request's time)",
        "delay_share": "Delay over 10 Mbit/s (% of the request's time)",
    }
    rows = {
        CACHES.label(cache): {heading: margin(part[name]) for name, heading in headings.items()}
        for cache, part in parts.groupby(CACHE, observed=True)
    }
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=list(headings.values()))
    return or_none(frame).rename_axis("Cache")
