"""The STEP study's Table 2 and Figure 7 from samples: what each monitor says about the same requests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from perfstudies.experiment import Finding
from perfstudies.published import published_table
from perfstudies.report.comparisons import p_text
from perfstudies.report.settings import in_blocks, margin, ratio_text
from perfstudies.report.tables import interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.equivalence import equivalence
from perfstudies.stats.intervals import mean_interval, ratio_interval, share_interval
from perfstudies.stats.planned import planned_ratios
from perfstudies.stats.warmup import steady
from perfstudies.studies.step.analysis.breakdown import HIBERNATE, run_shares
from perfstudies.studies.step.analysis.monitor_logs import (
    AGGREGATED,
    EVENT,
    LAYER,
    MONITOR,
    RAW,
    READING,
    UNION,
    UNWRAPPED,
    Readings,
)
from perfstudies.studies.step.declared import MONITORS
from perfstudies.studies.step.findings import MONITOR_FINDINGS
from perfstudies.studies.step.logs.slices import SLICE_LABELS, SLICES

NONE = "none"
SAME_COST = 1.01
"""The margin within which a monitor counts as free: 1 % either way."""


def shares(samples: pd.DataFrame) -> pd.DataFrame:
    """Return each run's shares of its measured requests' time in percent, by ``reading``: a row a run and reading."""
    found = {reading: run_shares(part) for reading, part in samples.groupby(READING, observed=True)}
    blocks = samples.drop_duplicates("run").set_index("run")["block"]
    frame = pd.concat(found, names=[READING]).reset_index().assign(block=lambda rows: rows["run"].map(blocks))
    frame[READING] = pd.Categorical(frame[READING], list(found))
    return frame.assign(hibernate_ms=frame[HIBERNATE].sum(axis=1))


def table_2(found: pd.DataFrame) -> pd.DataFrame:
    """Return Table 2 as measured: each slice's share in percent with its 95 % margin, columns as published.

    Parameters
    ----------
    found : DataFrame
        From `shares`.
    """
    headings = dict(zip(SLICES, published_table("step", 2), strict=True))
    rows = {
        reading: {heading: margin(part[column]) for column, heading in headings.items()}
        for reading, part in found.groupby(READING, observed=True)
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Monitor")


def bars(found: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, tuple[str, ...]]:
    """Return the published and the measured shares of Table 2 for stacked bars, and the readings that no bar can show.

    Where Hibernate seems to take longer than the request, Service is below 0: such a bar is left empty.
    """
    published = published_table("step", 2).set_axis(list(SLICE_LABELS.values()), axis=1)
    means = found.groupby(READING, observed=True)[list(SLICES)].mean().rename(columns=SLICE_LABELS)
    measured = means.reindex(published.index)
    beyond = tuple(measured.index[(measured < 0).any(axis=1)])
    return published, measured.drop(index=list(beyond)).reindex(published.index), beyond


def describe(published: pd.DataFrame, measured: pd.DataFrame) -> str:
    """Put Figure 7 into words: the share of Service in each row, published and measured."""
    parts = [
        f"{name} {published['Service'][str(name)]:.0f} and " + ("no bar" if pd.isna(share) else f"{share:.0f} %")
        for name, share in measured["Service"].items()
    ]
    return f"Two stacked bars of six slices a monitor, published above measured. Service takes {', '.join(parts)}."


def bars_note(beyond: Sequence[str]) -> str:
    """Say which readings have no bar, and why."""
    if not beyond:
        return ""
    return f"No bar can show {' and '.join(beyond)}: Hibernate exceeds the request, so Service is below 0."


def impossible_table(samples: pd.DataFrame) -> pd.DataFrame:
    """Count, for each reading, the requests in which Hibernate takes longer than the Service around it.

    The share is taken in each run; its interval is Student's t over runs.
    """
    rows = {}
    for reading, part in samples.groupby(READING, observed=True):
        impossible = part["service_ms"] < 0
        found = share_interval(impossible.groupby(part["run"], observed=True).mean())
        rows[reading] = {
            "Requests": len(part),
            "Impossible": int(impossible.sum()),
            "Share of requests (%)": interval_text(100 * found.estimate, 100 * found.low, 100 * found.high, 1),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Monitor")


def against_layer(found: pd.DataFrame) -> pd.DataFrame:
    """Return what each reading misses or overstates of what Layer shows, within blocks, with 95 % intervals.

    The shares of reads, of writes and of all of Hibernate as ratios to Layer's, the share of Service as a difference.
    """
    parts = {"Reads": "reads_ms", "Writes": "writes_ms", "Hibernate": "hibernate_ms"}
    by_part = {name: by_block(found, column) for name, column in parts.items()}
    service = by_block(found, "service_ms")
    rows = {}
    for reading in service:
        if reading == LAYER or LAYER not in service:
            continue
        cells = {}
        for name, frame in by_part.items():
            both = frame[(frame[[reading, LAYER]] > 0).all(axis=1)]
            one = ratio_interval(both[reading], both[LAYER]) if len(both) else None
            cells[f"{name} / Layer's"] = one and interval_text(one.estimate, one.low, one.high, 2)
        difference = mean_interval((service[reading] - service[LAYER]).dropna())
        points = interval_text(difference.estimate, difference.low, difference.high, 1)
        rows[reading] = cells | {"Service less Layer's (points)": points}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Monitor")


def by_block(found: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return a column of `shares` with a row a block and a column a reading; missing where a block lacks one."""
    return found.pivot(index="block", columns=READING, values=column)


def base(samples: pd.DataFrame) -> str:
    """Say on how many requests, runs and blocks the tables rest."""
    runs = samples.groupby(READING, observed=True)["run"].nunique()
    per_reading = f"{runs.min()}" if runs.min() == runs.max() else f"{runs.min()} to {runs.max()}"
    return (
        f"{per_reading} runs a monitor in {samples['block'].nunique()} blocks; the run is the unit. Only requests "
        "after the warm-up sessions."
    )


def cases(found: Readings, recorded: Recording) -> Iterable[tuple[Finding, pd.Series, str]]:
    """Pair each finding on the monitors with its statistic's values, one a block, and the scale it is tested on.

    Findings on monitors that were not measured are left out.
    """
    by_reading = shares(found.samples)
    hibernate, service, reads, writes, engine = (
        by_block(by_reading, column) for column in ("hibernate_ms", "service_ms", "reads_ms", "writes_ms", "engine_ms")
    )
    statistics: dict[str, tuple[pd.Series, str]] = {}

    def ratio(id: str, frame: pd.DataFrame, above: str, below: str) -> None:
        if {above, below} <= {*frame}:
            # A run of searches alone, or of writes all below a millisecond, has no ratio.
            both = frame[(frame[[above, below]] > 0).all(axis=1)]
            statistics[id] = (both[above] / both[below], "log")

    ratio("S4", hibernate, RAW, LAYER)
    ratio("S4-union", hibernate, UNION, LAYER)
    if {UNION, LAYER} <= {*service}:
        statistics["S4-service"] = ((service[UNION] - service[LAYER]).dropna(), "identity")
    ratio("S5", reads, AGGREGATED, RAW)
    ratio("S5-writes", writes, AGGREGATED, RAW)
    if AGGREGATED in reads:
        statistics["S5-share"] = (reads[AGGREGATED].dropna(), "identity")
        part = found.samples[found.samples[READING] == AGGREGATED]
        impossible = 100 * (part["service_ms"] < 0).groupby(part["block"]).mean()
        statistics["S5-impossible"] = (impossible, "identity")
    for level in ("event", "layer"):
        if {level, "perf4j"} <= {*recorded.calls[MONITOR]}:
            pair = elapsed(recorded, [level, "perf4j"])
            statistics[f"S6-{level}"] = (pair[level] / pair["perf4j"], "log")
    if UNWRAPPED in engine:
        statistics["S7"] = (engine[UNWRAPPED].dropna(), "identity")
    ratio("S7-lost", hibernate, UNWRAPPED, LAYER)
    ratio("S7-event", hibernate, EVENT, UNWRAPPED)
    for finding in MONITOR_FINDINGS:
        if finding.id in statistics:
            yield finding, *statistics[finding.id]


def elapsed(recorded: Recording, levels: Sequence[str]) -> pd.DataFrame:
    """Return the client's mean request time in ms over the requests that all of these monitors saw: a row a block."""
    return in_blocks(recorded.calls, {level: {MONITOR: level} for level in levels}, "elapsed_ms")


def costs(recorded: Recording, levels: Sequence[str]) -> pd.DataFrame:
    """Return what each monitor costs against none, by the client's request times on the same requests of a block.

    Columns: the mean time with its margin, the ratio to none with an interval that holds for all monitors together
    (95 %), and the test that the ratio lies within 1 % (its 90 % interval, p, and the answer).
    """
    present = [level for level in levels if level in set(recorded.calls[MONITOR])]
    pairs = {level: elapsed(recorded, [level, NONE]) for level in present if level != NONE}
    planned = planned_ratios({level: (pair[level], pair[NONE]) for level, pair in pairs.items()})
    alone = elapsed(recorded, [NONE])[NONE]
    rows = {MONITORS.label(NONE): {"Blocks": len(alone), "Time (ms)": margin(alone, 1)}}
    for level, pair in pairs.items():
        same = equivalence(pair[level], pair[NONE], SAME_COST)
        rows[MONITORS.label(level)] = {
            "Blocks": len(pair),
            "Time (ms)": margin(pair[level], 1),
            "Ratio to none": ratio_text(planned, level, 4),
            "90 % interval": f"[{same.ratio.low:.4f}, {same.ratio.high:.4f}]" if same.ratio.n > 1 else None,
            "p": p_text(same.p),
            "Equivalent within 1 %": same.equivalent,
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Monitor")


def equivalence_answer(recorded: Recording, level: str = "layer") -> str:
    """Say whether a monitor is shown to cost nothing within 1 %, and what keeps it from being so."""
    pair = elapsed(recorded, [level, NONE])
    same = equivalence(pair[level], pair[NONE], SAME_COST)
    name, ratio = MONITORS.label(level), same.ratio
    if ratio.n < 2:
        return f"{name} against none: one block is no test."
    seen = f"ratio {ratio.estimate:.4f}, 90 % interval [{ratio.low:.4f}, {ratio.high:.4f}], {ratio.n} blocks"
    if same.equivalent:
        return f"{name} is equivalent to no monitor within 1 % ({seen}; p {p_text(same.p)})."
    outside = ratio.low > SAME_COST or ratio.high < 1 / SAME_COST
    why = "the interval lies outside the margin" if outside else "the interval reaches beyond the margin"
    return f"{name} is not shown to be equivalent to no monitor within 1 %: {why} ({seen}; p {p_text(same.p)})."


def run_times(recorded: Recording) -> pd.DataFrame:
    """Return a row a run: ``run``, ``block``, the monitor and the client's mean time of measured requests, in ms."""
    calls = recorded.calls[recorded.calls["measured"]]
    means = calls.groupby(["run", "block", MONITOR], observed=True)["elapsed_ms"].mean()
    return means.rename("request_ms").reset_index()


def steady_table(recorded: Recording) -> pd.DataFrame:
    """Return, for each monitor, in how many runs the client's times settled, and in how many before measuring began."""
    calls = recorded.calls.rename(columns={"elapsed_ms": "request_ms", "bytes_out": "request_length"})
    _, found = steady(calls)
    first = (
        calls[calls["measured"]].groupby("run", observed=True).agg(monitor=(MONITOR, "first"), first=("request", "min"))
    )
    rows = {
        MONITORS.label(level): {
            "Runs": len(runs),
            "Steady": int(runs["start"].notna().sum()),
            "Steady before measuring": int((runs["start"] <= runs["first"]).sum()),
            "First measured request": int(runs["first"].median()),
            "Most frequent reason against": next(iter(runs.loc[runs["start"].isna(), "reason"].mode()), ""),
        }
        for level, runs in found.join(first, on="run").groupby("monitor", observed=True)
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Monitor")
