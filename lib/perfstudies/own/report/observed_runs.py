"""What was observed of a system, run by run: without warm-up where a steady state is found, and beside each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from perfstudies.errors import BadParameter
from perfstudies.own.aggregate import Observed
from perfstudies.stats.batch_means import batch_means
from perfstudies.stats.interval import Interval
from perfstudies.stats.intervals import mean_interval, share_interval
from perfstudies.stats.warmup import SteadyState, steady_state

LEAST_STEADY = 0.75
"""The part of a setting's runs that must have a steady state if steady parts are to be compared."""


@dataclass(frozen=True)
class Analysed:
    """Runs as they are compared.

    Attributes
    ----------
    observed : Observed
    runs : DataFrame
        A row a run that answered any request: the columns of ``observed.runs``, ``steady_s`` (when its steady state
        begins, s; missing if none is found), ``reason`` (why none), and ``used_ms``, the mean that is compared (missing
        if the run is not).
    settings : tuple of str
        In the order in which they came.
    blocked : bool
        Whether every setting has the same runs, by name: then runs of one name are a block.
    replicated : bool
        Whether every setting has two runs or more that are compared.
    sentence : str
        Which part of the runs is compared.
    steady_part : bool
        Whether it is the steady part.
    """

    observed: Observed
    runs: pd.DataFrame
    settings: tuple[str, ...]
    blocked: bool
    replicated: bool
    sentence: str
    steady_part: bool

    def of(self, setting: str) -> pd.DataFrame:
        """Return the runs of a setting."""
        return self.runs[self.runs["setting"] == setting]

    @property
    def compared(self) -> pd.DataFrame:
        """The runs that are compared."""
        return self.runs[self.runs["used_ms"].notna()]

    def times(self, first: Any, second: Any) -> tuple[pd.Series, pd.Series]:
        """Return what is compared of two settings by run, if they are blocked of the runs that both have."""
        runs = self.compared
        one, other = (runs[runs["setting"] == setting].set_index("run")["used_ms"] for setting in (first, second))
        return one.align(other, join="inner") if self.blocked else (one, other)

    def windows_of(self, run: pd.Series) -> pd.DataFrame:
        """Return the windows of a run that answered any request, ``answered`` of them, from where they are compared."""
        found = answered_windows(self.observed, run["setting"], run["run"])
        return found[found["at_s"] >= run["steady_s"]] if self.steady_part else found


def analyse(observed: Observed) -> Analysed:
    """Find each run's steady state and what is compared.

    Compared are the means of the steady parts if at least `LEAST_STEADY` of every setting's runs have one, otherwise
    the means of all requests of all runs: few runs chosen by how they went are no sample, and settings are not to be
    compared on different parts of a run.

    Raises
    ------
    BadParameter
        If no request was answered without error.
    """
    runs = observed.runs[observed.runs["mean_ms"].notna()].reset_index(drop=True)
    if runs.empty:
        raise BadParameter("no request was answered without error: there are no times to report")
    settings = tuple(dict.fromkeys(runs["setting"]))
    rows = []
    for run in runs.itertuples():
        windows = answered_windows(observed, run.setting, run.run)
        timed = windows[windows["mean_ms"] > 0]  # of logs in whole ms some are all 0, and have no logarithm
        state = _state(timed)
        start_s = np.nan if state.start is None else float(timed["at_s"].iloc[state.start])
        kept = windows[windows["at_s"] >= start_s]
        steady_ms = np.nan if kept.empty else float(np.average(kept["mean_ms"], weights=kept["answered"]))
        rows.append((start_s, state.reason, steady_ms))
    found = pd.DataFrame(rows, columns=["steady_s", "reason", "steady_ms"])
    runs = pd.concat([runs, found], axis=1)
    counts = runs.groupby("setting", sort=False)["steady_s"].agg(["size", "count"])
    least = np.maximum(LEAST_STEADY * counts["size"], np.minimum(counts["size"], 2))
    steady_part = bool((counts["count"] >= least).all())
    said = f"{counts['count'].sum()} of {len(runs)} runs have a steady state"
    runs = runs.assign(used_ms=runs["steady_ms"] if steady_part else runs["mean_ms"])
    if steady_part:
        said += "; their steady parts are compared."
    else:
        said += ", too few in some setting: all requests are compared, warm-up included."
    compared = runs[runs["used_ms"].notna()]
    replicated = bool((compared.groupby("setting").size() >= 2).all())
    return Analysed(observed, runs, settings, _blocked(observed, compared), replicated, said, steady_part)


def _blocked(observed: Observed, runs: pd.DataFrame) -> bool:
    """Return whether all settings were observed in the same runs, by name, two of which are left in all of them."""
    asked = {frozenset(part["run"]) for _, part in observed.runs.groupby("setting")}
    left = [frozenset(part["run"]) for _, part in runs.groupby("setting")]
    return len(asked) == 1 and len(left) > 1 and len(frozenset.intersection(*left)) >= 2


def answered_windows(observed: Observed, setting: Any, run: Any) -> pd.DataFrame:
    """Return the windows of a run in which any request was answered, with how many: ``answered``."""
    windows = observed.windows
    chosen = windows[(windows["setting"] == setting) & (windows["run"] == run)]
    chosen = chosen.assign(answered=chosen["requests"] - chosen["errors"])
    return chosen[chosen["answered"] > 0]


def _state(windows: pd.DataFrame) -> SteadyState:
    if windows.empty:
        return SteadyState(None, (), "it has no times of day")
    count = len(windows)
    return steady_state(windows["mean_ms"], np.repeat("window", count), np.zeros(count))


def mean_of(analysed: Analysed, setting: str) -> Interval:
    """Return a setting's mean time in ms: Student's interval over runs, or over batches of the only run."""
    own = analysed.of(setting).dropna(subset="used_ms")
    if len(own) > 1:
        return mean_interval(own["used_ms"])
    run = own.iloc[0]
    windows = analysed.windows_of(run)
    if windows.empty:
        return mean_interval(own["used_ms"])
    return batch_means(windows["mean_ms"], windows["answered"])


def runs_table(analysed: Analysed) -> pd.DataFrame:
    """Return a row a run: what it sent, how long that took, its times in ms, and when its steady state begins."""
    names = {
        "requests": "Requests", "errors": "Errors", "rate_per_s": "Requests/s", "mean_ms": "Mean", "p50_ms": "Median",
        "p90_ms": "90 % within", "p99_ms": "99 % within", "max_ms": "Longest",
    }  # fmt: skip
    rows = analysed.observed.runs
    index = pd.MultiIndex.from_frame(rows[["setting", "run"]], names=["Setting", "Run"])
    starts = analysed.runs.set_index(["setting", "run"])["steady_s"].reindex(index)
    return rows[list(names)].rename(columns=names).set_index(index).assign(**{"Steady from (s)": starts.to_numpy()})


def settings_table(analysed: Analysed) -> pd.DataFrame:
    """Return a row a setting: its runs, requests and errors, and mean times and rates with 95 % intervals."""
    rows = {}
    for setting in analysed.settings:
        own = analysed.of(setting)
        all_runs = analysed.observed.runs[analysed.observed.runs["setting"] == setting]
        wrong = share_interval(all_runs["errors"] / all_runs["requests"])
        rows[setting] = {
            "Runs": len(own),
            "Requests": int(all_runs["requests"].sum()),
            "Errors (%)": f"{100 * wrong:,.1f}",
            "Mean (ms)": f"{mean_of(analysed, setting):,.2f}",
        } | {
            label: f"{mean_interval(own[of].dropna()):,.2f}" if own[of].notna().any() else None
            for of, label in {"p50_ms": "Median (ms)", "p99_ms": "99 % within (ms)", "rate_per_s": "Requests/s"}.items()
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Setting")


def operations_table(observed: Observed) -> pd.DataFrame:
    """Return a row an operation of a setting: requests, errors and times in ms, over all its runs."""
    rows = observed.operations
    names = {
        "requests": "Requests", "errors": "Errors", "mean_ms": "Mean (ms)", "p50_ms": "Median (ms)",
        "p99_ms": "99 % within (ms)",
    }  # fmt: skip
    index = pd.MultiIndex.from_frame(rows[["setting", "operation"]], names=["Setting", "Operation"])
    return rows[list(names)].rename(columns=names).set_index(index)


def set_aside_table(observed: Observed) -> pd.DataFrame:
    """Return the first lines that were set aside; one row that says so if there are none."""
    rows = observed.set_aside
    if rows.empty:
        none = {"Line": [None], "Problem": ["no line was set aside"], "Text": [None]}
        return pd.DataFrame(none, index=pd.Index(["–"], name="File"))
    names = {"line": "Line", "problem": "Problem", "text": "Text"}
    return rows[list(names)].rename(columns=names).set_index(pd.Index(rows["file"], name="File"))


def note(analysed: Analysed) -> str:
    """Say what means and intervals rest on."""
    counts = analysed.compared["setting"].value_counts()
    lone = [setting for setting in analysed.settings if counts[setting] == 1]
    said = f"{analysed.sentence} Medians, the 99 % and the rate are those of whole runs."
    if not lone:
        return f"Intervals are Student's, 95 %, over runs. {said}"
    return (
        f"95 % intervals. {said} Of {', '.join(lone)} there is one run: the interval of its mean is over batches of "
        "its requests. How much runs differ is not in it, so settings cannot be judged by it."
    )
