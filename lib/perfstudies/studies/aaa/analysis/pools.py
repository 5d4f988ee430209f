"""What HTTP threads, the EJB pool and the gap do to times in the AAA study: Figures 9, 10, 14 and 15."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from perfstudies.experiment import Experiment
from perfstudies.report.comparisons import p_text
from perfstudies.report.settings import SETTING, margin, named
from perfstudies.report.tables import MISSING, interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.equivalence import equivalence
from perfstudies.stats.intervals import ratio_interval
from perfstudies.studies.aaa.analysis.times import EJB, MEASURES, TOTAL, spans
from perfstudies.studies.aaa.declared import EJB_POOL, GAPS, HTTP_THREADS
from perfstudies.studies.aaa.findings_patterns import FIRST_REQUESTS, SAME

THREADS, POOL, GAP = HTTP_THREADS.name, EJB_POOL.name, GAPS.factors[0].name
FACTORS = {THREADS: "HTTP threads", POOL: "EJB pool"}
STANDARD, MANY_THREADS = ("100", "32"), ("1000", "32")
LARGE_POOL, BOTH = ("100", "64"), ("1000", "64")
OF_FIGURE = {"7": STANDARD, "9": MANY_THREADS, "14": LARGE_POOL, "15": BOTH}
"""A figure's HTTP threads and EJB pool, by its level in the experiment at the study's own gap."""


def with_settings(recorded: Recording, experiment: Experiment) -> Recording:
    """Return a recording with the column ``setting``: the levels' labels with a comma between."""
    labels = {factor.name: factor for factor in experiment.factors}
    return named(recorded, experiment, lambda levels: ", ".join(labels[k].label(v) for k, v in levels.items()))


def run_table(samples: pd.DataFrame, factors: Sequence[str], window: int) -> pd.DataFrame:
    """Return a row a run: its levels, mean times (ms), and how far their moving averages range.

    Parameters
    ----------
    samples : DataFrame
        Answered requests, without warm-up.
    factors : sequence of str
        The columns of levels to keep.
    window : int
        Of the moving average, in requests.

    Returns
    -------
    DataFrame
        run, block, the factors, ``total_ms`` and ``ejb_ms`` (means), ``total_ms span`` and ``ejb_ms span``.
    """
    keys = ["run", "block", *factors]
    means = samples.groupby(keys, observed=True)[list(MEASURES)].mean().reset_index()
    span = spans(samples, window).set_index("run")[list(MEASURES)].add_suffix(" span")
    return means.join(span, on="run")


def times_table(runs: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return mean times with 95 % margins over runs, and the moving averages' ranges; a row a setting."""
    rows: dict[Any, dict] = {}
    for name, part in runs.groupby(by, observed=True):
        rows[name] = {("", "Runs"): len(part)}
        for measure, label in MEASURES.items():
            rows[name][label, "mean (ms)"] = margin(part[measure])
            rows[name][label, "range of moving average"] = margin(part[f"{measure} span"].dropna(), 3)
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Setting")


def by_block(runs: pd.DataFrame, response: str) -> pd.DataFrame:
    """Return one response by block (rows) and levels (HTTP threads, EJB pool; columns), missing without a run."""
    wide = runs.pivot(index="block", columns=[THREADS, POOL], values=response)
    wide.columns = [tuple(map(str, column)) for column in wide.columns]
    return wide.reindex(columns=list(OF_FIGURE.values()))


def contrasts(runs: pd.DataFrame, response: str) -> pd.DataFrame:
    """Return by block what each factor changes, as ratios; blocks that lack a setting are left out.

    Columns: ``threads`` and ``pool`` (high over low, geometric mean over the other's levels), ``interaction`` (the
    ratio of the threads' effects at the large and at the small pool), ``both`` (both raised over neither).
    """
    wide: Any = np.log(by_block(runs, response).dropna())
    threads = (wide[MANY_THREADS] - wide[STANDARD] + wide[BOTH] - wide[LARGE_POOL]) / 2
    pool = (wide[LARGE_POOL] - wide[STANDARD] + wide[BOTH] - wide[MANY_THREADS]) / 2
    interaction = wide[BOTH] - wide[LARGE_POOL] - wide[MANY_THREADS] + wide[STANDARD]
    both = wide[BOTH] - wide[STANDARD]
    logs = pd.DataFrame({"threads": threads, "pool": pool, "interaction": interaction, "both": both})
    return logs.apply(np.exp)


_CONTRASTS = {
    "threads": "HTTP threads, 1000 / 100",
    "pool": "EJB pool, 64 / 32",
    "interaction": "Interaction",
    "both": "Both raised / neither",
}


def effects_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what each factor changes with 90 % intervals, and whether it is shown to change less than the margin."""
    rows: dict[str, dict] = {key: {} for key in _CONTRASTS.values()}
    for measure, label in MEASURES.items():
        found = contrasts(runs, measure)
        for column, key in _CONTRASTS.items():
            rows[key] |= _same(found[column], label)
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Ratio of times, within blocks")


def gap_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return times with the gap of 1000 ms as ratios to those with 2000 ms, within blocks; as `effects_table`."""
    rows = {label: _same(found, "1000 / 2000 ms") for label, found in gap_ratios(runs).items()}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Mean over a run")


def gap_ratios(runs: pd.DataFrame) -> dict[str, pd.Series]:
    """Return each time with the shorter gap over that with the longer one, by block."""
    found = {}
    for measure, label in MEASURES.items():
        wide = runs.pivot(index="block", columns=GAP, values=measure).reindex(columns=list(GAPS.factors[0].levels))
        found[label] = (wide["1000"] / wide["2000"]).dropna()
    return found


def unanswered(recorded: Recording) -> pd.DataFrame:
    """Return the share of a run's requests that were not answered (%), by block (rows) and gap (columns)."""
    lost = (recorded.calls["outcome"] != "ok").groupby([recorded.calls["block"], recorded.calls[GAP]], observed=True)
    return 100 * lost.mean().unstack().reindex(columns=list(GAPS.factors[0].levels))


def _same(ratios: pd.Series, label: str) -> dict[tuple[str, str], object]:
    """Write ratios with their 90 % interval and the equivalence test against the margin."""
    if ratios.empty:
        return {(label, "ratio"): MISSING, (label, "p, same"): MISSING, (label, "shown the same"): MISSING}
    found = ratio_interval(ratios, np.ones(len(ratios)), 0.9)
    test = equivalence(ratios, np.ones(len(ratios)), SAME)
    return {
        (label, "ratio"): interval_text(found.estimate, found.low, found.high, 3),
        (label, "p, same"): p_text(test.p) or MISSING,
        (label, "shown the same"): bool(test.equivalent),
    }


def peaks(samples: pd.DataFrame, first: int = FIRST_REQUESTS) -> pd.Series:
    """Return median EJB time of each client's first requests over that of its later ones: mean over clients, by run.

    Parameters
    ----------
    samples : DataFrame
        With the warm-up, which the peak would be a part of.
    first : int
        How many requests of a client count as the first.
    """
    early = samples[samples["number"] < first].groupby(["run", "client"], observed=True)[EJB].median()
    late = samples[samples["number"] >= first].groupby(["run", "client"], observed=True)[EJB].median()
    return (early / late).dropna().groupby("run", observed=True).mean()


def peaks_table(samples: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return the height of the peak at the start with its 95 % interval over runs, a row a setting."""
    rows = {}
    for name, part in samples.groupby(by, observed=True):
        found = peaks(part)
        high = ratio_interval(found, np.ones(len(found))) if len(found) else None
        rows[name] = {
            f"First {FIRST_REQUESTS} / later": interval_text(high.estimate, high.low, high.high, 3) if high else MISSING
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Setting")


def cases(
    runs: pd.DataFrame, peak: pd.Series, named_shares: Mapping[str, pd.Series], gaps: pd.DataFrame, lost: pd.DataFrame
) -> dict[str, tuple[pd.Series, str]]:
    """Return the values of the findings on pools and gap by id, each with the scale of its test.

    Parameters
    ----------
    runs : DataFrame
        From `run_table`, of the pools.
    peak : Series
        From `peaks`, of the same runs.
    named_shares : mapping of str to Series
        From a finding's id to the share of series with its period, by block.
    gaps : DataFrame
        From `run_table`, of the gaps.
    lost : DataFrame
        From `unanswered`, of the gaps.
    """
    effect = contrasts(runs, EJB)
    spread = {measure: by_block(runs, f"{measure} span") for measure in MEASURES}
    high = by_block(runs.assign(peak=runs["run"].map(peak)), "peak")
    gap = gap_ratios(gaps)
    bigger = np.exp(np.abs(np.log(effect["threads"])) - np.abs(np.log(effect["pool"])))
    return {
        "A3-stable": (spread[EJB][MANY_THREADS].dropna(), "log"),
        "A3-peak": (high[MANY_THREADS].dropna(), "log"),
        "A5-pool": (effect["pool"], "log"),
        "A5-threads": (bigger, "log"),
        "A5-constant": (spread[TOTAL][BOTH].dropna(), "log"),
        "A17-ejb": (gap[MEASURES[EJB]], "log"),
        "A17-total": (gap[MEASURES[TOTAL]], "log"),
        "A17-failures": ((lost["1000"] - lost["2000"]).dropna(), "identity"),
        **{name: (share, "identity") for name, share in named_shares.items()},
    }


def setting_name(threads: str, pool: str) -> str:
    """Return how `with_settings` calls a setting of the pools."""
    return f"{HTTP_THREADS.label(threads)}, {EJB_POOL.label(pool)}"


def at(samples: pd.DataFrame, levels: tuple[str, str]) -> pd.DataFrame:
    """Return the samples of one setting of the pools."""
    return samples[samples[SETTING] == setting_name(*levels)]
