"""What a pattern looks like, and what only looks like one: autocorrelation, and a moving average's waves of noise."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.errors import BadParameter
from perfstudies.report.figures import COLOURS, WIDTH_INCH, style
from perfstudies.report.tables import interval_text
from perfstudies.stats.intervals import mean_interval
from perfstudies.stats.moving import moving_average
from perfstudies.stats.slutsky import apparent_periods, wave_length
from perfstudies.stats.spectra import autocorrelation
from perfstudies.studies.aaa.analysis.patterns import CYCLES
from perfstudies.studies.aaa.analysis.times import EJB, MEASURES, series
from perfstudies.studies.aaa.findings_patterns import PATTERNS

MOST_LAGS = 400
WINDOWS = (10, 25, 50, 100, 200)


def noise_table(samples: pd.DataFrame, windows: Iterable[int] = WINDOWS, measure: str = EJB) -> pd.DataFrame:
    """Compare the waves of the moving average with those which it makes of noise (Slutsky and Yule); a row a window.

    Columns: requests between two rises of the moving average through its mean, as measured, with the same requests in
    random order (both means over runs with 95 % intervals), and as theory has it for independent noise; and where
    the highest peak of the periodogram of such noise lies with 90 % probability.
    """
    by_key = {key: values[~np.isnan(values)] for key, values in series(samples, measure).items()}
    rng = np.random.default_rng(0)
    mixed = {key: rng.permutation(values) for key, values in by_key.items()}
    requests = min(map(len, by_key.values()))
    rows = {}
    for window in windows:
        if requests < 4 * window:
            continue
        likely = apparent_periods(window, requests, longest=requests / CYCLES)
        reached = likely["probability"].cumsum()
        longest = likely["period"].iloc[int((reached >= 0.05).argmax())]
        shortest = likely["period"].iloc[int((reached >= 0.95).argmax())]
        rows[window] = {
            "Measured": _waves(by_key, window),
            "Same requests in random order": _waves(mixed, window),
            "Independent noise": wave_length(window),
            "Highest peak of noise": f"{shortest:.0f} to {longest:.0f}",
        }
    columns = ["Measured", "Same requests in random order", "Independent noise", "Highest peak of noise"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("Window (requests)")


def correlogram(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the autocorrelation of both times by lag: mean over runs (of clients' means) with 95 % intervals.

    Columns: for each measure ``<name>``, ``<name> low``, ``<name> high``; indexed by lag.
    If runs are too short there is lag 1 alone, and its values are missing.
    """
    columns = {}
    for measure, name in MEASURES.items():
        by_key = series(samples, measure)
        lags = min(MOST_LAGS, min(map(len, by_key.values())) // CYCLES)
        by_run: dict[Hashable, list[np.ndarray]] = {}
        for (run, _), values in by_key.items():
            try:
                found = autocorrelation(values, lags)["acf"].to_numpy()
            except BadParameter:
                continue
            by_run.setdefault(run, []).append(found)
        means = [np.mean([one[: lags + 1] for one in each], axis=0) for each in by_run.values()]
        if not means:
            names = [f"{name}{end}" for name in MEASURES.values() for end in ("", " low", " high")]
            return pd.DataFrame(np.nan, index=pd.Index([1], name="Lag"), columns=names)
        intervals = [mean_interval(values) for values in np.array(means).T]
        columns[name] = [one.estimate for one in intervals]
        columns[f"{name} low"] = [one.low for one in intervals]
        columns[f"{name} high"] = [one.high for one in intervals]
    return pd.DataFrame(columns).rename_axis("Lag").iloc[1:]


def correlogram_figure(drawn: pd.DataFrame) -> Figure:
    """Draw the autocorrelation of total and EJB time over the lag, with the lags of the study's patterns."""
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 3.0), layout="constrained")
        for axes, (place, name) in zip(
            figure.subplots(1, 2, sharey=True), enumerate(MEASURES.values()), strict=True
        ):  # fmt: skip
            axes.fill_between(
                drawn.index, drawn[f"{name} low"], drawn[f"{name} high"], color=COLOURS[place], alpha=0.3, lw=0
            )  # fmt: skip
            axes.plot(drawn.index, drawn[name], color=COLOURS[place], lw=1.0)
            axes.axhline(0, color="0.3", lw=0.8)
            for lag in PATTERNS.values():
                if lag <= drawn.index.max():
                    axes.axvline(lag, color="0.4", ls=":", lw=1)
                    axes.annotate(
                        str(lag), (lag, 0.97), xycoords=("data", "axes fraction"), ha="center", va="top", fontsize=8,
                        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
                    )  # fmt: skip
            axes.set(title=name, xlabel="Lag (requests)")
        figure.axes[0].set_ylabel("Autocorrelation")
    return figure


def thinned(drawn: pd.DataFrame, every: int = 10) -> pd.DataFrame:
    """Return every tenth lag of `correlogram`, and the first, for the table below the figure."""
    return drawn[(drawn.index % every == 0) | (drawn.index == 1)]


def describe_correlogram(drawn: pd.DataFrame) -> str:
    """Put `correlogram_figure` into words: the autocorrelations at the lags of the study's patterns."""
    parts = []
    for name in MEASURES.values():
        known = drawn[name].dropna()
        at = [f"{known[lag]:.2f} at {lag}" for lag in (1, *PATTERNS.values()) if lag in known]
        parts.append(f"{name}: {', '.join(at) or 'too few requests'}")
    return f"Autocorrelation over the lag in requests, mean over runs with 95 % bands. {'; '.join(parts)}."


def _waves(by_key: Mapping[tuple[str, int], np.ndarray], window: int) -> str:
    """Write the mean number of requests between rises of the moving average through its mean, over runs."""
    lengths: dict[Hashable, list[float]] = {}
    for (run, _), values in by_key.items():
        known = moving_average(values, window)[window - 1 :]
        above = known > known.mean()
        rises = np.flatnonzero(~above[:-1] & above[1:])
        lengths.setdefault(run, []).append((rises[-1] - rises[0]) / (len(rises) - 1) if len(rises) > 1 else np.nan)
    means = pd.DataFrame.from_dict(lengths, orient="index").mean(axis=1).dropna()
    found = mean_interval(means) if len(means) else None
    return interval_text(found.estimate, found.low, found.high, 0) if found else "fewer than two rises"
