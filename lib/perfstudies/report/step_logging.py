"""The STEP study's Table 8 and Figure 16 from samples: what each level of logging costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from perfstudies.experiment import Finding
from perfstudies.recording import Recording
from perfstudies.report.step_breakdown import of_setting
from perfstudies.report.tables import interval_text, margin_text
from perfstudies.stats.equivalence import equivalence
from perfstudies.stats.intervals import bootstrap_interval, mean_interval, ratio_interval
from perfstudies.stats.warmup import settled, steady
from perfstudies.studies.step import INTERCEPTION, LOG_LEVELS, LOGGING_COST
from perfstudies.studies.step_findings import LOGGING_COST_FINDINGS, SAME
from perfstudies.workloads.flight_load import study_load

LEVEL = LOG_LEVELS.name


def matched(samples: pd.DataFrame, levels: Sequence[str]) -> pd.DataFrame:
    """Return the measured requests that all of these levels sent in the same block.

    A run at a costly level sends fewer requests than others; levels are compared on what both sent.
    """
    part = samples[samples["measured"] & samples[LEVEL].isin(levels)]
    sent_by = part.groupby(["block", "request"], observed=True)[LEVEL].transform("nunique")
    return part[sent_by == len(levels)]


def run_means(samples: pd.DataFrame) -> pd.DataFrame:
    """Return a row a run: ``run``, ``block``, the level and the mean ``request_ms`` of its measured requests."""
    measured = samples[samples["measured"]]
    means = measured.groupby(["run", "block", LEVEL], observed=True)["request_ms"].mean().reset_index()
    return means.assign(**{LEVEL: means[LEVEL].cat.remove_unused_categories()})


def by_block(means: pd.DataFrame, column: str = "request_ms") -> pd.DataFrame:
    """Return one value a block (rows) and level (columns); blocks that lack a level are left out."""
    return means.pivot(index="block", columns=LEVEL, values=column).dropna()


def _labelled(rows: dict[str, dict]) -> pd.DataFrame:
    frame = pd.DataFrame.from_dict(rows, orient="index")
    return frame.set_axis(pd.Index([LOG_LEVELS.label(level) for level in rows], name="Log level"))


def mean_times(means: pd.DataFrame) -> pd.DataFrame:
    """Return each level's mean over runs with its 95 % interval: ``estimate``, ``low``, ``high`` in ms."""
    found = {level: mean_interval(runs["request_ms"]) for level, runs in means.groupby(LEVEL, observed=True)}
    return _labelled({level: {"estimate": i.estimate, "low": i.low, "high": i.high} for level, i in found.items()})


def table_8(means: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Return Table 8 as measured: time with its 95 % margin, and the mean functional log size of a run."""
    sizes = runs.groupby(LEVEL, observed=True)["functional_log_bytes"].mean()
    times = mean_times(means)
    return pd.DataFrame(
        {
            "Time (ms)": [margin_text(row.estimate, row.high - row.estimate) for row in times.itertuples()],
            "Log size (bytes)": [round(size) for size in sizes],
        },
        index=times.index,
    )


def pair_by_block(samples: pd.DataFrame, level: str, base: str) -> pd.DataFrame:
    """Return the run means of two levels over the requests that both sent: a row a block, a column a level."""
    return by_block(run_means(matched(samples, [level, base])))


def costs(samples: pd.DataFrame, levels: Sequence[str], seed: int) -> pd.DataFrame:
    """Return each level's cost as a ratio to off, compared within blocks on the requests that both sent.

    Columns: the geometric mean ratio with its Student-t interval on the log scale, and the ratio of means
    with a bootstrap interval over blocks (95 % both).
    """
    rows = {}
    for level in levels:
        if level != "off":
            pair = pair_by_block(samples, level, "off")
            ratio = ratio_interval(pair[level], pair["off"])
            resampled = bootstrap_interval((pair[level].to_numpy(), pair["off"].to_numpy()), _ratio_of_means, seed=seed)
            rows[level] = {"Ratio to off": _text(ratio), "Ratio of means (bootstrap)": _text(resampled)}
    return _labelled(rows)


def against_steady(means: pd.DataFrame, breakdown: pd.DataFrame, levels: Sequence[str]) -> pd.DataFrame:
    """Return levels' times as ratios to those of the same service once it is steady, with 90 % intervals.

    Parameters
    ----------
    means : DataFrame
        From `run_means`.
    breakdown : DataFrame
        Samples of the time breakdown, which was measured at info with longer runs. Other runs and other
        requests, hence unpaired.
    levels : sequence of str
        Which levels.
    """
    marked, found = steady(of_setting(breakdown, INTERCEPTION.levels[0]))
    settled_samples, _ = settled(marked, found, INTERCEPTION.name)
    base = settled_samples.groupby("run", observed=True)["request_ms"].mean()
    rows = {}
    for level in levels:
        times = means.loc[means[LEVEL] == level, "request_ms"]
        ratio = equivalence(times, base, SAME, paired=False).ratio
        rows[level] = {"Ratio to the steady state at info": _text(ratio), "Runs": len(times), "Steady runs": len(base)}
    return _labelled(rows)


def _ratio_of_means(level, off, axis=-1):
    return level.mean(axis=axis) / off.mean(axis=axis)


def _text(interval) -> str:
    return interval_text(interval.estimate, interval.low, interval.high, 3)


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
        f"Measured requests in a run, after {warm_up} of warm-up with logging off: {sent}."
    )


def describe(published: pd.DataFrame, times: pd.DataFrame) -> str:
    """Put Figure 16 into words: every level's published and measured time."""
    parts = [
        f"{level} {published.loc[level, 'Time (ms)']:,.0f} and {times.loc[level, 'estimate']:,.0f} ms"
        for level in times.index
    ]
    return f"Published and measured request times by log level on a logarithmic axis: {', '.join(parts)}."


def published_ratios(table: pd.DataFrame) -> pd.DataFrame:
    """Return the published times as ratios to off."""
    return (table["Time (ms)"] / table.loc["Off", "Time (ms)"]).rename("Published").to_frame()


def volume_table(volumes: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Return what a request writes to the functional log at each level, published and measured, in 10^6 bytes."""
    load = study_load(LOGGING_COST.load)
    measured = {
        LOG_LEVELS.label(level): _megabytes(runs["mb_per_request"])
        for level, runs in volumes.groupby(LEVEL, observed=True)
    }
    frame = pd.Series(measured, name="Measured").rename_axis("Log level").to_frame()
    given = published_mb_per_request(published, load.sessions, load.max_group)
    frame.insert(0, "Published", [f"{given[level]:.4f}" for level in frame.index])
    return frame


def _megabytes(values: pd.Series) -> str:
    found = mean_interval(values)
    return margin_text(found.estimate, found.high - found.estimate, 4)


def steady_table(samples: pd.DataFrame, levels: Sequence[str]) -> pd.DataFrame:
    """Return, for each level, in how many runs times settled, and in how many before the first measured request.

    Only for levels that cost no more than off: at others the change of level is a change of times by design.
    """
    part = samples[samples[LEVEL].isin(levels)]
    _, found = steady(part)
    first = part[part["measured"]].groupby("run", observed=True).agg(level=(LEVEL, "first"), first=("request", "min"))
    by_level = found.join(first, on="run").groupby("level", observed=True)
    rows = {
        level: {
            "Runs": len(runs),
            "Steady": int(runs["start"].notna().sum()),
            "Steady before measuring": int((runs["start"] <= runs["first"]).sum()),
            "First measured request": int(runs["first"].median()),
            "Median first steady request": runs["start"].median(),
            "Most frequent reason against": next(iter(runs.loc[runs["start"].isna(), "reason"].mode()), ""),
        }
        for level, runs in by_level
    }
    return _labelled(rows)


def published_mb_per_request(table: pd.DataFrame, sessions: int, max_group: int) -> pd.Series:
    """Return the published log sizes per request, in 10^6 bytes.

    A session of the study's load is a search and, unless its group is empty, a reservation.
    """
    return table["Log size (bytes)"] / (sessions * (2 - 1 / max_group)) / 1e6


def cases(samples: pd.DataFrame, volumes: pd.DataFrame) -> Iterable[tuple[Finding, pd.Series, str]]:
    """Pair each finding on Table 8 with its statistic's values, one a block, and the scale it is tested on.

    Findings on levels that were not measured are left out.
    """
    present = {*samples[LEVEL].unique()}
    pairs = {f"S21-{level}": (level, "off") for level in ("fatal", "error", "warn", "info")}
    pairs |= {"S22-enormous": ("debug", "info"), "S22-debug": ("debug", "off"), "S22-trace": ("trace", "off")}
    statistics = {}
    for id, (level, base) in pairs.items():
        if {level, base} <= present:
            pair = pair_by_block(samples, level, base)
            statistics[id] = (pair[level] / pair[base], "log")
    written = by_block(volumes, "mb_per_request")
    statistics |= {f"S23-{level}": (written[level], "log") for level in ("debug", "trace") if level in present}
    if {"off", "fatal"} <= present:
        statistics["S23-nothing"] = (
            by_block(volumes, "functional_log_bytes")[["off", "fatal"]].sum(axis=1),
            "identity",
        )
    for finding in LOGGING_COST_FINDINGS:
        if finding.id in statistics:
            yield finding, *statistics[finding.id]
