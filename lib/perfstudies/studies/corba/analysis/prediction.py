"""Response time over arrival rate: measured where it was, predicted elsewhere, and on machines that are not there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import seaborn
from matplotlib.figure import Figure

from perfstudies.report.figures import COLOURS, WIDTH_INCH, plain_numbers, style
from perfstudies.report.settings import margin
from perfstudies.report.tables import interval_text
from perfstudies.stats.growth import over_units
from perfstudies.studies.corba.prediction import AS_IT_IS, CALIBRATED

LIMIT_MS = 25.0
"""A mean response time that somebody may want to keep: some five times what an idle server takes."""


def rates_table(measured: pd.DataFrame, predicted: pd.DataFrame, own: pd.DataFrame) -> pd.DataFrame:
    """Return mean response times in ms by rate, measured and predicted, and predicted over measured within blocks.

    Parameters
    ----------
    measured, predicted, own : DataFrame
        Of `perfstudies.studies.corba.live`: runs, what demands at the calibrated rates predict of them, and what
        demands at each rate itself do.
    """
    shown = {}
    for rate, runs in measured.groupby("rate"):
        times = runs.set_index("block")["response_ms"]
        said, with_own = (frame[frame["rate"] == rate].set_index("block")["response_ms"] for frame in (predicted, own))
        shown[f"{rate} (calibrated)" if str(rate) in CALIBRATED else f"{rate}"] = {
            "Measured (ms)": margin(times),
            "Predicted (ms)": margin(said),
            "Predicted / measured": _ratio_text(said / times),
            "With the rate's own demands / measured": _ratio_text(with_own / times),
        }
    return pd.DataFrame.from_dict(shown, orient="index").rename_axis("Requests a second")


def _ratio_text(ratios: pd.Series) -> str:
    found = over_units(np.log(ratios).dropna()).exp()
    return interval_text(found.estimate, found.low, found.high, 3)


def curves(growth: pd.DataFrame) -> pd.DataFrame:
    """Return what the figure draws of the model: estimate, low and high in ms by scenario and rate."""
    rows = {}
    rate: Any
    for (name, rate), part in growth.groupby(["scenario", "rate_per_s"], sort=False):
        one = over_units(part["response_ms"])
        rows[name, round(rate, 1)] = {"estimate": one.estimate, "low": one.low, "high": one.high}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["Machine", "Requests/s"])


def points(measured: pd.DataFrame) -> pd.DataFrame:
    """Return what it draws of the runs, in the same form; the machine is called "Measured"."""
    rows = {}
    rate: Any
    for rate, part in measured.groupby("rate"):
        one = over_units(part["response_ms"])
        rows["Measured", float(rate)] = {"estimate": one.estimate, "low": one.low, "high": one.high}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["Machine", "Requests/s"])


def growth_figure(model: pd.DataFrame, live: pd.DataFrame) -> Figure:
    """Draw response times over the arrival rate, the model as lines with bands and the runs as points."""
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 4.4), layout="constrained")
        axes = figure.subplots()
        for place, (name, part) in enumerate(model.groupby(level=0, sort=False)):
            rate, colour = part.index.get_level_values(1), COLOURS[place % len(COLOURS)]
            axes.plot(rate, part["estimate"], color=colour, lw=1.5, label=name)
            axes.fill_between(rate, part["low"], part["high"], color=colour, alpha=0.2, lw=0)
        bars = [live["estimate"] - live["low"], live["high"] - live["estimate"]]
        axes.errorbar(
            live.index.get_level_values(1), live["estimate"], yerr=bars, fmt="s", mfc="white", color="0.15", capsize=3,
            label="Measured",
        )  # fmt: skip
        axes.set(xlabel="Requests/s", ylabel="Mean response time (ms), logarithmic", yscale="log")
        plain_numbers(axes.yaxis)
        axes.set_xlim(left=0)
        seaborn.despine(ax=axes)
        figure.legend(loc="outside upper center", ncols=3)
    return figure


def describe_growth(model: pd.DataFrame, live: pd.DataFrame) -> str:
    """Put `growth_figure` into words."""
    said = "; ".join(
        f"{name} from {part['estimate'].iloc[0]:.1f} ms to {part['estimate'].iloc[-1]:.1f} ms at "
        f"{part.index.get_level_values(1)[-1]:.0f} requests/s"
        for name, part in model.groupby(level=0, sort=False)
    )
    ends = live.index.get_level_values(1)
    return (
        f"Lines of mean response times over the arrival rate, by machine: {said}. Points are measured ones, from "
        f"{live['estimate'].iloc[0]:.1f} ms at {ends[0]:.0f} to {live['estimate'].iloc[-1]:.1f} ms at {ends[-1]:.0f} "
        "requests/s."
    )


def rate_at(growth: pd.DataFrame, limit_ms: float = LIMIT_MS) -> pd.DataFrame:
    """Return up to which rate the mean response time keeps a limit: a row a scenario and a seed.

    It is missing where the limit is not among the simulated times. Between rates times are interpolated linearly.
    """
    rows = []
    for (name, seed), part in growth.groupby(["scenario", "seed"], sort=False):
        own = part.sort_values("rate_per_s")
        times, rates = np.maximum.accumulate(own["response_ms"].to_numpy()), own["rate_per_s"].to_numpy()
        inside = times[0] <= limit_ms <= times[-1]
        rate = float(np.interp(limit_ms, times, rates)) if inside else np.nan
        rows.append({"scenario": name, "seed": seed, "rate_per_s": rate})
    return pd.DataFrame(rows)


def limits_table(growth: pd.DataFrame, capacities: dict[str, float], limit_ms: float = LIMIT_MS) -> pd.DataFrame:
    """Return what each machine can do: the rate that keeps a limit, also over that as it is, and that of saturation."""
    found = rate_at(growth, limit_ms).pivot(index="seed", columns="scenario", values="rate_per_s")
    rows = {}
    for name, capacity in capacities.items():
        one = over_units(found[name])
        rows[name] = {
            f"Up to a mean of {limit_ms:g} ms (requests/s)": interval_text(one.estimate, one.low, one.high, 1),
            "Saturated at (requests/s)": f"{capacity:.1f}",
            "Over the machine as it is": _ratio_text(found[name] / found[AS_IT_IS]),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Machine")
