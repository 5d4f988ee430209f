"""The STEP study's Figure 12 from runs with a bounded heap: which messages fail, how, and what comes after."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.experiment import Finding
from perfstudies.report.figures import COLOURS, WIDTH_INCH, style
from perfstudies.report.settings import margin
from perfstudies.report.tables import interval_text
from perfstudies.runs.recording import Recording
from perfstudies.sent import OK, SYSTEM_ERROR
from perfstudies.stats.growth import exponents
from perfstudies.stats.proportions import proportion_interval
from perfstudies.stats.thresholds import middles, threshold
from perfstudies.studies.step.analysis.size import interval
from perfstudies.studies.step.declared import HEAPS
from perfstudies.studies.step.findings import SIZE_FINDINGS

HEAP = HEAPS.name
PUBLISHED_LIMIT = 150_000
STEP = 1.5
"""Width of a class of message lengths in the chart, as a ratio: about a step of the ramp."""
_STATUS = re.compile(r"(?:HTTP status|status code:?)\s+(\d{3})")
_CLASS = re.compile(r"\b(?:[a-z][\w$]*\.)+([A-Z][\w$]*)")
_PROBES = {"A search": 0, "One passenger": 1, "The largest group again": 2}
"""What the server was asked after the failure, and for how many passengers; 2 stands for any group."""
_LATER = "A search, after these"


def failure(outcome: str, detail: str) -> str:
    """Say in a few words how a request failed, from what its client saw; empty if it was answered."""
    if outcome == SYSTEM_ERROR:
        named = _CLASS.search(detail)
        return f"fault, {named[1]}" if named else "fault"
    if outcome == OK or not detail:
        return "" if outcome == OK else outcome
    status = _STATUS.search(detail)
    if status:
        return f"HTTP {status[1]}"
    kind = detail.split(":", 1)[0]
    return "hung: no answer in time" if "Timeout" in kind else f"no answer, {kind}"


def brackets(recorded: Recording) -> pd.DataFrame:
    """Return a row a run: what succeeded and what failed in its ramp, and how the server was afterwards.

    Columns: ``run``, ``block``, the heap, ``heap`` (MB), ``succeeded`` and ``failed`` (the largest request answered
    and the first that was not, in characters; missing if there was none), ``middle`` (of both), ``group`` (passengers
    of the first that failed), ``failure`` (how), ``oom``, ``alive`` and, for each probe of the recovery, whether it was
    answered.
    """
    rows = []
    calls = recorded.calls.sort_values("sent_ns", kind="stable")
    parts = dict(tuple(calls.groupby("run", observed=True)))
    run: Any
    for run in recorded.runs.itertuples():
        sent = parts[run.run]
        ramp, after = sent[sent["phase"] == "ramp"], sent[sent["phase"] == "recovery"]
        bad = ramp[ramp["outcome"] != OK]
        first = bad.iloc[0] if len(bad) else None
        answered = ramp[(ramp["outcome"] == OK)]
        row = {
            "run": run.run, "block": run.block, HEAP: getattr(run, HEAP), "heap": float(getattr(run, HEAP)),
            "succeeded": answered["request_length"].max() if len(answered) else np.nan,
            "failed": np.nan if first is None else float(first["request_length"]),
            "group": np.nan if first is None else float(first["group"]),
            "failure": "nothing failed" if first is None else failure(first["outcome"], first["detail"]),
            "oom": _true(run.oom), "alive": _true(run.alive),
        }  # fmt: skip
        for name, group in _PROBES.items():
            probe = after[after["group"].clip(upper=2) == group]
            row[name] = _answered(probe)
        row[_LATER] = _answered(sent[sent["phase"] == "later"])
        rows.append(row)
    frame = pd.DataFrame(rows)
    frame["middle"] = middles(frame["succeeded"], frame["failed"])
    return frame.assign(**{HEAP: pd.Categorical(frame[HEAP], HEAPS.levels)})


def _answered(probe: pd.DataFrame) -> bool | None:
    return bool((probe["outcome"] == OK).all()) if len(probe) else None


def _true(value: object) -> bool:
    return str(value).lower() in ("true", "1", "1.0")


def by_length(found: pd.DataFrame, calls: pd.DataFrame) -> pd.DataFrame:
    """Return the outcomes of the ramp's requests by heap and class of length: what Figure 12 shows.

    A run's ramp ends with its first failure. Messages longer than that count as failing too, so each class holds one
    outcome of every run that came so far or had failed before.

    Returns
    -------
    DataFrame
        Indexed by heap and class (its upper end, in characters): ``sent`` and ``failed`` (requests of the ramp),
        ``runs`` (that tell what happens at this length), ``share``, ``low`` and ``high`` (of runs that fail by this
        length, in percent, with Wilson's 95 % interval).
    """
    ramp = calls[calls["phase"] == "ramp"]
    classes = np.ceil(np.log(ramp["request_length"]) / np.log(STEP)).astype(int)
    rows = {}
    for heap, runs in found.groupby(HEAP, observed=True):
        mine = ramp["run"].isin(runs["run"])
        limits = dict(zip(runs["run"], np.log(runs["failed"]) / np.log(STEP), strict=True))
        for place in range(classes[mine].min(), classes[mine].max() + 1):
            part = ramp[mine & (classes == place)]
            gone = [run for run, limit in limits.items() if np.ceil(limit) <= place]
            telling = {*gone, *part["run"], *ramp.loc[mine & (classes >= place), "run"]}
            share = proportion_interval(len(gone) / len(telling), len(telling))
            rows[HEAPS.label(heap), round(STEP**place)] = {
                "sent": len(part), "failed": int((part["outcome"] != OK).sum()), "runs": len(telling),
                "share": 100 * share.estimate, "low": 100 * share.low, "high": 100 * share.high,
            }  # fmt: skip
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["Heap", "Up to (characters)"])


def outcome_figure(drawn: pd.DataFrame) -> Figure:
    """Draw the share of runs in which messages of a length fail, for each heap; `drawn` is from `by_length`."""
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 3.8), layout="constrained")
        axes = figure.subplots()
        for at, (heap, part) in enumerate(drawn.groupby(level=0, sort=False)):
            part = part.droplevel(0)
            ends = np.clip([part["share"] - part["low"], part["high"] - part["share"]], 0, None)
            side_by_side = part.index * 1.04**at  # no interval covers another
            colour = COLOURS[at % len(COLOURS)]
            axes.errorbar(
                side_by_side, part["share"], yerr=ends, fmt=f"{'os^D'[at % 4]}-", color=colour, elinewidth=0.9,
                capsize=3, lw=1.2, ms=5, label=f"heap of {heap}",
            )  # fmt: skip
        axes.axvline(PUBLISHED_LIMIT, color="0.3", ls="--", lw=1.2, label="the study's 150,000 characters")
        axes.set(
            xscale="log", xlabel="Length of the request (characters), logarithmic", ylabel="Requests that fail (%)"
        )
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.set_ylim(-3, 103)
        figure.legend(loc="outside upper center", ncols=3)
    return figure


def describe(found: pd.DataFrame) -> str:
    """Put Figure 12 into words: for each heap where failing begins."""
    parts = []
    for heap, runs in found.groupby(HEAP, observed=True):
        limit = threshold(runs["succeeded"], runs["failed"])
        parts.append(
            f"{HEAPS.label(heap)} near {limit.size.estimate:,.0f}"
            if limit.size.n
            else f"{HEAPS.label(heap)} at no length that was sent"
        )
    return (
        "Share of requests that fail over the length of the request on a logarithmic axis, a line a heap; it rises "
        f"where the length passes the heap's limit, in characters: {'; '.join(parts)}. "
        "A dashed line marks the study's 150,000."
    )


def threshold_table(found: pd.DataFrame, samples: pd.DataFrame) -> pd.DataFrame:
    """Return each heap's limit over runs, in characters of the request; a row a heap."""
    rows = {}
    answered = samples[samples["outcome"] == OK]
    both = (answered["request_length"] + answered["response_length"]).groupby(answered["run"]).max()
    for heap, runs in found.groupby(HEAP, observed=True):
        limit = threshold(runs["succeeded"], runs["failed"])
        rows[HEAPS.label(heap)] = {
            "Runs": len(runs),
            "Limit, 95 % interval": interval_text(limit.size.estimate, limit.size.low, limit.size.high, 0),
            "Largest that ever succeeded": runs["succeeded"].max(),
            "Smallest that ever failed": runs["failed"].min(),
            "Passengers, first that failed": runs["group"].median(),
            "Largest answered, with its response": margin(runs["run"].map(both).dropna(), 0),
            "Runs without a limit": limit.open_runs,
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Heap")


def law_table(found: pd.DataFrame) -> pd.DataFrame:
    """Return how the limit depends on the heap, each value once a block, with 95 % intervals over blocks.

    The straight line has two parameters and is drawn through the smallest and the largest heap, so it holds between
    them and is a guess elsewhere.
    """
    limits = found.pivot(index="block", columns=HEAP, values="middle").dropna()
    least, most = limits.columns[0], limits.columns[-1]
    low, high = float(least), float(most)
    rows = {"Exponent of the limit over the heap": interval(exponents(found.dropna(subset="middle"), "heap", "middle"))}
    if low < high:
        slope = (limits[most] - limits[least]) / (high - low)
        zero = (low - limits[least] / slope)[slope > 0]
        needed = (low + (PUBLISHED_LIMIT - limits[least]) / slope)[slope > 0]
        rows |= {
            "Characters for each further MB": interval(slope, 0),
            "Heap at which nothing would fit, by a straight line (MB)": interval(zero, 1),
            f"Heap that fails at {PUBLISHED_LIMIT:,} characters, by a straight line (MB)": interval(needed, 1),
        }
    return pd.DataFrame({"Value": rows}).rename_axis("Law")


def failures_table(found: pd.DataFrame) -> pd.DataFrame:
    """Return how the first failing request ended, as its client saw it, by heap: runs of each kind."""
    counts = found.groupby([HEAP, "failure"], observed=True).size().unstack(fill_value=0)
    counts["OutOfMemoryError in the server's log"] = found.groupby(HEAP, observed=True)["oom"].sum()
    return counts.set_axis(pd.Index([HEAPS.label(heap) for heap in counts.index], name="Heap")).rename_axis(
        columns=None
    )


def recovery_table(found: pd.DataFrame) -> pd.DataFrame:
    """Return, of the runs in which a request failed, the share that answered each probe afterwards, in percent."""
    rows = {}
    failing = found[found["failed"].notna()]
    for heap, runs in failing.groupby(HEAP, observed=True):
        row: dict[str, Any] = {"Runs": len(runs)}
        for column in ("alive", *_PROBES, _LATER):
            known = runs[column].dropna().astype(float)
            name = "Process alive" if column == "alive" else column
            row[name] = _percent(known) if len(known) else None
        rows[HEAPS.label(heap)] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Heap")


def _percent(values: pd.Series) -> str:
    found = proportion_interval(values.mean(), len(values))
    return interval_text(100 * found.estimate, 100 * found.low, 100 * found.high, 0)


def cases(found: pd.DataFrame) -> Iterable[tuple[Finding, pd.Series, str]]:
    """Pair each finding on Figure 12 with its statistic's values, one a block, and the scale it is tested on.

    Findings on heaps that were not measured are left out.
    """
    failing = found[found["failed"].notna()]
    values = {"S13-memory": (100 * failing.groupby("block")["oom"].mean(), "identity")}
    for heap in found[HEAP].unique():
        limits = failing.loc[failing[HEAP] == heap].set_index("block")["middle"].dropna()
        values[f"S13-{heap}"] = (limits / 1000, "log")
    for finding in SIZE_FINDINGS:
        if finding.id in values:
            yield finding, *values[finding.id]
