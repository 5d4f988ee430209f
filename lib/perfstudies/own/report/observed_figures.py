"""Figures of an observed system: times over time with warm-up, and how many requests are answered within what time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.own.aggregate import Observed
from perfstudies.own.report.observed_runs import Analysed, answered_windows
from perfstudies.report.figures import COLOURS, WIDTH_INCH, plain_numbers, style
from perfstudies.stats.intervals import mean_interval

TENTHS = 10
"""A moving average takes in a tenth of a run's windows; so many of its values stand in the table."""
PERCENTILES = (1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9)
HEIGHT_INCH = 2.6
PANELS = 3
"""In a row."""


def over_time(analysed: Analysed) -> pd.DataFrame:
    """Return moving averages of the times of runs in ms: a row a run, a column a tenth of its windows, at its end.

    Runs whose log has no times of day are left out.
    """
    rows = {}
    for run in analysed.runs.itertuples():
        smooth = _smooth(analysed, run.setting, run.run)
        if len(smooth) >= TENTHS:
            ends = np.linspace(0, len(smooth) - 1, TENTHS).round().astype(int)  # the first is that of the first tenth
            values = dict(zip([f"{10 * part} %" for part in range(1, TENTHS + 1)], smooth.iloc[ends], strict=True))
            rows[run.setting, run.run] = values | {"Steady from (s)": run.steady_s}
    frame = pd.DataFrame.from_dict(rows, orient="index")
    if rows:
        frame.index = pd.MultiIndex.from_tuples(rows, names=["Setting", "Run"])
    return frame


def _smooth(analysed: Analysed, setting: Any, run: Any) -> pd.Series:
    """Return a run's moving average by time since its start in s."""
    windows = answered_windows(analysed.observed, setting, run)
    if len(windows) < TENTHS:
        return pd.Series(dtype=float)
    return windows.set_index("at_s")["mean_ms"].rolling(max(2, len(windows) // TENTHS)).mean().dropna()


def over_time_figure(analysed: Analysed) -> Figure:
    """Draw the runs' moving averages, a panel a setting; a dot is where the steady state begins."""
    with style():
        figure, panels = _panels(len(analysed.settings))
        for place, (axes, setting) in enumerate(zip(panels, analysed.settings, strict=True)):
            colour = COLOURS[place % len(COLOURS)]
            for run in analysed.of(setting).itertuples():
                smooth = _smooth(analysed, setting, run.run)
                if smooth.empty:
                    continue
                axes.plot(smooth.index, smooth, lw=0.8, color=colour, alpha=0.7)
                after = smooth[smooth.index >= run.steady_s]
                if len(after):
                    axes.plot(after.index[0], after.iloc[0], "o", ms=4, color=colour, mec="white", mew=0.6)
            axes.set(yscale="log", title=_short(setting))
            plain_numbers(axes.yaxis)
        figure.supxlabel("Time since the run's start (s)", fontsize=9.5)
        figure.supylabel("Moving average of the time (ms), logarithmic", fontsize=9.5)
    return figure


def describe_over_time(analysed: Analysed, found: pd.DataFrame) -> str:
    """Put `over_time_figure` into words."""
    said = []
    for setting, part in found.groupby(level="Setting", sort=False):
        first, last = part["10 %"].mean(), part["100 %"].mean()
        said.append(f"{setting}: {first:,.2f} ms after a tenth, {last:,.2f} ms at the end, mean of {len(part)} runs")
    return f"Moving averages of response times over the time of the run, a line a run. {'; '.join(said)}."


def percentiles(analysed: Analysed) -> pd.DataFrame:
    """Return percentiles of times in ms, geometric means over runs with 95 % intervals: a row a setting and percentile.

    Each run has its own, from the bins of its distribution: they are off by at most a bin, 12 %. Runs of totals alone
    have none, and are left out; so is a percentile that is 0, below what its log resolves, in one of the runs.
    """
    rows = {}
    for setting in analysed.settings:
        found = (_percentiles(analysed.observed, setting, run) for run in analysed.of(setting)["run"])
        runs = [values for values in found if len(values)]
        for place, percentile in enumerate(PERCENTILES if runs else ()):
            if min(values[place] for values in runs) == 0:
                continue
            one = mean_interval(np.log([values[place] for values in runs]))
            ends = {"estimate": one.estimate, "low": one.low, "high": one.high}
            rows[setting, f"{percentile:g} %"] = {end: float(np.exp(value)) for end, value in ends.items()}
    frame = pd.DataFrame.from_dict(rows, orient="index")
    if rows:
        frame.index = pd.MultiIndex.from_tuples(rows, names=["Setting", "Share of requests"])
    return frame


def _percentiles(observed: Observed, setting: str, run: str) -> np.ndarray:
    spread = observed.spread
    bins = spread[(spread["setting"] == setting) & (spread["run"] == run)].sort_values("low_ms")
    if bins.empty:
        return np.array([])
    passed = bins["requests"].cumsum() / bins["requests"].sum()
    place = np.searchsorted(passed, np.array(PERCENTILES) / 100 - 1e-12)
    chosen = bins.iloc[np.minimum(place, len(bins) - 1)]
    return np.sqrt((chosen["low_ms"] * chosen["high_ms"]).to_numpy())  # geometric middle; the lowest bin begins at 0


def percentiles_figure(found: pd.DataFrame) -> Figure:
    """Draw the percentiles, a line a setting; the axis stretches what is rare, at both ends."""
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 3.8), layout="constrained")
        axes = figure.subplots()
        shares = pd.Series({f"{one:g} %": one / 100 for one in PERCENTILES})
        at = np.log(shares / (1 - shares))
        for place, (setting, part) in enumerate(found.groupby(level="Setting", sort=False)):
            colour = COLOURS[place % len(COLOURS)]
            line = f"{'os^Dv<>'[place % 7]}-"
            places = at[part.index.get_level_values("Share of requests")]
            axes.plot(places, part["estimate"], line, color=colour, ms=4, lw=1.2, label=_short(setting))
            axes.fill_between(places, part["low"], part["high"], color=colour, alpha=0.15, lw=0)
        axes.set_xticks(at, [f"{one:g}" for one in PERCENTILES])
        axes.set(yscale="log", xlabel="Share of requests (%)", ylabel="Answered within (ms), logarithmic")
        plain_numbers(axes.yaxis)
        figure.legend(loc="outside upper center", ncols=PANELS)
    return figure


def describe_percentiles(found: pd.DataFrame) -> str:
    """Put `percentiles_figure` into words."""
    said = []
    for setting, part in found.groupby(level="Setting", sort=False):
        values = part.droplevel("Setting")["estimate"]
        known = {words: values[share] for words, share in {"half": "50 %", "99 %": "99 %"}.items() if share in values}
        said.append(f"{setting}: {', '.join(f'{words} within {ms:,.2f} ms' for words, ms in known.items())}")
    return f"Lines of response times over the share of requests that is answered within them. {'; '.join(said)}."


def _panels(count: int) -> tuple[Figure, np.ndarray]:
    rows, columns = -(-count // PANELS), min(count, PANELS)
    figure = Figure(figsize=(WIDTH_INCH, 0.6 + HEIGHT_INCH * rows), layout="constrained")
    grid = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel()
    for axes in grid[count:]:
        axes.set_visible(False)
    return figure, grid[:count]


def _short(setting: Any) -> str:
    """Return a setting's name as a figure has room for it, with nothing in it that matplotlib would typeset."""
    return (setting if len(setting) <= 28 else f"{setting[:27]}…").replace("$", r"\$")
