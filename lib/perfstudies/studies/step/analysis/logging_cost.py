"""The STEP study's Table 8 and Figure 16 from samples: what each level of logging costs, under two monitors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from perfstudies.experiment import Finding
from perfstudies.published import published_table
from perfstudies.report import settings
from perfstudies.report.comparisons import equivalence_table, equivalence_text
from perfstudies.report.settings import at, in_blocks, margin
from perfstudies.report.tables import interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.equivalence import AllEquivalent, all_equivalent
from perfstudies.stats.intervals import Interval, bootstrap_interval, ratio_interval
from perfstudies.studies.step.analysis.logging_monitors import LEVEL, MONITOR, two_monitors
from perfstudies.studies.step.declared import LOG_LEVELS, LOGGING_COST, LOGGING_MONITORS
from perfstudies.studies.step.findings import LOGGING_COST_FINDINGS, SAME
from perfstudies.studies.step.workload.flight_load import study_load

FACTORS = {MONITOR: "Monitor", LEVEL: "Log level"}
QUIET, LOUD = LOG_LEVELS.levels[:5], LOG_LEVELS.levels[5:]


def setting_name(setting: dict[str, str]) -> str:
    """Return how a setting is called in tables."""
    return f"{LOG_LEVELS.label(setting[LEVEL])}, under {LOGGING_MONITORS.label(setting[MONITOR])}"


named = partial(settings.named, experiment=LOGGING_COST, name=setting_name)


def _labelled(rows: dict[Any, dict]) -> pd.DataFrame:
    frame = pd.DataFrame.from_dict(rows, orient="index")
    return frame.set_axis(pd.Index([LOG_LEVELS.label(level) for level in rows], name="Log level"))


def by_monitor(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return a frame's rows of each monitor, by the monitor's level, in the order of declaration."""
    return {str(monitor): part for monitor, part in frame.groupby(MONITOR, observed=True)}


def side_by_side(parts: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Put one table a monitor side by side, under headings that name the monitor."""
    return pd.concat({f"Under {LOGGING_MONITORS.label(monitor)}": part for monitor, part in parts.items()}, axis=1)


def mean_times(means: pd.DataFrame) -> pd.DataFrame:
    """Return each level's mean over runs with its 95 % interval: ``estimate``, ``low``, ``high`` in ms."""
    return settings.times(means, LEVEL).rename(index=LOG_LEVELS.label).rename_axis("Log level")


def table_8(means: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Return Table 8 as published and as measured under each monitor.

    Parameters
    ----------
    means : DataFrame
        From `settings.run_means`, by monitor and level.
    runs : DataFrame
        The recording's runs.

    Returns
    -------
    DataFrame
        Time with its 95 % margin, and the mean functional log size of a run.
    """
    sizes = by_monitor(runs)
    measured = {}
    for monitor, part in by_monitor(means).items():
        written = sizes[monitor].groupby(LEVEL, observed=True)["functional_log_bytes"].mean()
        cells = {
            level: {"Time (ms)": margin(one["request_ms"]), "Log size (bytes)": round(written[level])}
            for level, one in part.groupby(LEVEL, observed=True)
        }
        measured[monitor] = _labelled(cells)
    ours = side_by_side(measured)
    published = pd.concat({"Published": published_table("step", 8)}, axis=1)
    return pd.concat([published.reindex(ours.index), ours], axis=1)


def time_series(means: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the published times, and each monitor's with intervals, for Figure 16."""
    series = {LOGGING_MONITORS.label(monitor): mean_times(part) for monitor, part in by_monitor(means).items()}
    levels = next(iter(series.values())).index
    published = published_table("step", 8)["Time (ms)"].reindex(levels).rename("estimate").to_frame()
    return {"published": published.assign(low=float("nan"), high=float("nan")), **series}


def describe(series: Mapping[str, pd.DataFrame]) -> str:
    """Put Figure 16 into words: every level's published and measured times."""
    names = list(series)
    levels = series[names[0]].index
    parts = [
        f"{level} " + ", ".join(f"{series[name].loc[level, 'estimate']:,.0f}" for name in names) + " ms"
        for level in levels
    ]
    return f"Request times by log level on a logarithmic axis ({', '.join(names)}): {'; '.join(parts)}."


def pair_by_block(samples: pd.DataFrame, level: str, base: str) -> pd.DataFrame:
    """Return run means of two levels over the requests that both sent: a row a block, a column a level.

    Parameters
    ----------
    samples : DataFrame
        Of one monitor.
    level, base : str
        The levels.
    """
    return in_blocks(samples, {level: {LEVEL: level}, base: {LEVEL: base}})


def costs(samples: pd.DataFrame, levels: Sequence[str], seed: int) -> pd.DataFrame:
    """Return each level's cost as a ratio to off, compared within blocks on the requests that both sent.

    Columns: as published, and for each monitor the geometric mean ratio with its Student-t interval on the log
    scale, and the ratio of means with a bootstrap interval over blocks (95 % both).
    """
    measured = {}
    for monitor, part in by_monitor(samples).items():
        rows = {}
        for level in levels:
            if level != "off":
                pair = pair_by_block(part, level, "off")
                arrays = pair[level].to_numpy(), pair["off"].to_numpy()
                resampled = bootstrap_interval(arrays, _ratio_of_means, seed=seed)
                rows[level] = {"Ratio to off": _text(ratio_interval(*arrays)), "Of means (bootstrap)": _text(resampled)}
        measured[monitor] = _labelled(rows)
    ours = side_by_side(measured)
    times = published_table("step", 8)["Time (ms)"]
    published = (times / times["Off"]).rename(("Published", "Ratio to off")).to_frame()
    return pd.concat([published.reindex(ours.index), ours], axis=1)


def _ratio_of_means(level: np.ndarray, off: np.ndarray, axis: int = -1) -> Any:
    return level.mean(axis=axis) / off.mean(axis=axis)


def _text(interval: Interval) -> str:
    return interval_text(interval.estimate, interval.low, interval.high, 3)


def quiet_equivalence(samples: pd.DataFrame, levels: Sequence[str]) -> dict[str, AllEquivalent]:
    """Test under each monitor whether all pairs of these levels cost the same, on the requests that all sent."""
    tests = {}
    for monitor, part in by_monitor(samples).items():
        same = settings.matched(part, [{LEVEL: level} for level in levels])
        means = settings.run_means(same, [LEVEL])
        tests[monitor] = all_equivalent(means, "request_ms", LEVEL, list(levels), SAME, block="block")
    return tests


def quiet_table(tests: Mapping[str, AllEquivalent]) -> pd.DataFrame:
    """Return the equivalence tests of each monitor as they are printed."""
    return side_by_side({monitor: equivalence_table(same, LOG_LEVELS.label) for monitor, same in tests.items()})


def quiet_text(tests: Mapping[str, AllEquivalent]) -> str:
    """Say what the tests of each monitor together allow to claim."""
    return " ".join(
        f"Under {LOGGING_MONITORS.label(monitor)}: {equivalence_text(same, SAME)}" for monitor, same in tests.items()
    )


def bytes_per_request(recorded: Recording) -> pd.DataFrame:
    """Return a row a run with ``mb_per_request``: what a measured request added to the log, in 10^6 bytes."""
    runs = recorded.runs
    requests = recorded.samples.groupby("run", observed=True)["measured"].sum()
    return runs.assign(mb_per_request=runs["measured_log_bytes"] / runs["run"].map(requests) / 1e6)


def base(recorded: Recording) -> str:
    """Say on how many runs and requests the tables rest."""
    counts = recorded.samples.groupby([LEVEL, "run"], observed=True)["measured"].agg(["sum", "count"])
    per_level = counts.groupby(level=0, observed=True)["sum"].agg(["min", "max"])
    warm_up = (counts["count"] - counts["sum"]).max()
    sent = "; ".join(
        f"{level} {row['min']}" + (f" to {row['max']}" if row["max"] > row["min"] else "")
        for level, row in per_level.iterrows()
    )
    return (
        f"{len(recorded.runs)} runs in {recorded.runs['block'].nunique()} blocks; the run is the unit. "
        f"Measured requests in a run, after {warm_up or 'none'} of warm-up with logging off: {sent}."
    )


def volume_table(volumes: pd.DataFrame) -> pd.DataFrame:
    """Return what a request writes to the functional log at each level, published and measured, in 10^6 bytes."""
    load = study_load(LOGGING_COST.load)
    measured = {
        monitor: _labelled(
            {
                level: {"10⁶ bytes a request": margin(runs["mb_per_request"], 4)}
                for level, runs in part.groupby(LEVEL, observed=True)
            }
        )
        for monitor, part in by_monitor(volumes).items()
    }
    ours = side_by_side(measured)
    given = published_mb_per_request(published_table("step", 8), load.sessions, load.max_group)
    published = given.map("{:.4f}".format).rename(("Published", "10⁶ bytes a request")).to_frame()
    return pd.concat([published.reindex(ours.index), ours], axis=1)


def rate_table(samples: pd.DataFrame, volumes: pd.DataFrame) -> pd.DataFrame:
    """Return what 10^6 bytes of log cost at each loud level: the time that it adds to info over the bytes that it adds.

    A level whose cost differs from the published while this rate does not differs in how much is written. Measured
    rates are taken once a block, on the requests that both levels sent.

    Parameters
    ----------
    samples, volumes : DataFrame
        The recording's samples, and its runs from `bytes_per_request`.
    """
    load, table = study_load(LOGGING_COST.load), published_table("step", 8)
    times, sizes = table["Time (ms)"], published_mb_per_request(table, load.sessions, load.max_group)
    heading, rows = "ms for 10⁶ bytes", {}
    for level in LOUD:
        name = LOG_LEVELS.label(level)
        rate = (times[name] - times["Info"]) / (sizes[name] - sizes["Info"])
        rows[level] = {("Published", heading): f"{rate:,.0f}"}
        for monitor, part in by_monitor(samples).items():
            if not {level, "info"} <= {*part[LEVEL].unique()}:
                continue
            pair = pair_by_block(part, level, "info")
            written = at(volumes, {MONITOR: monitor}).pivot(index="block", columns=LEVEL, values="mb_per_request")
            added = (pair[level] - pair["info"]) / (written[level] - written["info"])
            rows[level][f"Under {LOGGING_MONITORS.label(monitor)}", heading] = margin(added.dropna(), 0)
    frame = _labelled(rows)
    columns: Any = frame.columns
    return frame.set_axis(pd.MultiIndex.from_tuples(columns), axis=1)


def published_mb_per_request(table: pd.DataFrame, sessions: int, max_group: int) -> pd.Series:
    """Return the published log sizes per request, in 10^6 bytes.

    A session of the study's load is a search and, unless its group is empty, a reservation.
    """
    return table["Log size (bytes)"] / (sessions * (2 - 1 / max_group)) / 1e6


def cases(samples: pd.DataFrame, volumes: pd.DataFrame, judged: str) -> Iterable[tuple[Finding, pd.Series, str]]:
    """Pair each finding on Table 8 with its statistic's values, one a block, and the scale it is tested on.

    Findings on levels that were not measured are left out.

    Parameters
    ----------
    samples, volumes : DataFrame
        The recording's samples, and its runs from `bytes_per_request`.
    judged : str
        The monitor under which levels are compared.
    """
    part, written_by = at(samples, {MONITOR: judged}), at(volumes, {MONITOR: judged})
    present = {*part[LEVEL].unique()}
    pairs = {f"S21-{level}": (level, "off") for level in ("fatal", "error", "warn", "info")}
    pairs |= {"S22-enormous": ("debug", "info"), "S22-debug": ("debug", "off"), "S22-trace": ("trace", "off")}
    statistics = {}
    for id, (level, base) in pairs.items():
        if {level, base} <= present:
            pair = pair_by_block(part, level, base)
            statistics[id] = (pair[level] / pair[base], "log")
    for level in ("debug", "trace"):
        if level in present:
            statistics[f"S23-{level}"] = (at(written_by, {LEVEL: level})["mb_per_request"], "log")
    if {"off", "fatal"} <= present:
        silent = written_by.pivot(index="block", columns=LEVEL, values="functional_log_bytes")[["off", "fatal"]]
        statistics["S23-nothing"] = (silent.dropna().sum(axis=1), "identity")
    if set(LOGGING_MONITORS.levels) <= {*at(samples, {LEVEL: "info"})[MONITOR]}:
        pair = in_blocks(samples, two_monitors("info"))
        statistics["S21-monitor"] = (pair["perf4j"] / pair["layer"], "log")
    for finding in LOGGING_COST_FINDINGS:
        if finding.id in statistics:
            yield finding, *statistics[finding.id]
