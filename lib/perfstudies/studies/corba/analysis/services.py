"""Other studies' services beside the thread-pool model: where it fits their times, and where it does not."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.report.figures import COLOURS, WIDTH_INCH, plain_numbers, style
from perfstudies.report.tables import interval_text
from perfstudies.stats.equivalence import equivalence
from perfstudies.stats.growth import over_units
from perfstudies.stats.intervals import Interval
from perfstudies.studies.corba.services import ALONE, WITH_CLIENTS, WITH_MORE, AgentDemands, FlightDemands

FIT = 1.1
"""The ratio up to which two mean times are called equal, either way."""
LINES = ("--", "-")


def agent_table(needs: AgentDemands) -> pd.DataFrame:
    """Return the AAA service's demands as they are printed."""
    rows = {
        f"{side}, processor time of one more request": f"{interval_text(one.estimate, one.low, one.high, 3)} ms"
        for side, one in {"Server": needs.server_ms, "Clients": needs.client_ms}.items()
    }
    rows["Waiting in the bean"] = f"{needs.delay_ms:.2f} ms"
    rows["Everything else"] = f"{needs.way_ms:.2f} ms"
    return pd.DataFrame({"A request": rows}).rename_axis("Measured")


def flight_table(needs: FlightDemands) -> pd.DataFrame:
    """Return the Flight service's demands as they are printed."""
    rows = {name: f"{value:.0f} ms" for name, value in needs.service_ms.items()}
    rows["Work beside a request"] = f"{needs.beside_ms:.0f} ms"
    return pd.DataFrame({"A request": rows}).rename_axis("Demand")


def models(runs: pd.DataFrame) -> list[str]:
    """Return which models predicted some runs."""
    return [name for name in (ALONE, WITH_CLIENTS, WITH_MORE) if name in runs]


def ratio(runs: pd.DataFrame, model: str) -> Interval:
    """Return the geometric mean of predicted over measured times with its 95 % interval over runs."""
    return geometric(runs[model] / runs["measured_ms"])


def geometric(values: pd.Series) -> Interval:
    """Return the geometric mean of positive values with its 95 % interval: runs that saturate are many times others."""
    return over_units(np.log(values)).exp()


def _text(one: Interval) -> str:
    return interval_text(one.estimate, one.low, one.high, 1)


def fit_table(runs: pd.DataFrame, level: str) -> pd.DataFrame:
    """Return times measured and predicted by level, the ratio of the two, and whether the model fits.

    Parameters
    ----------
    runs : DataFrame
        Of `perfstudies.studies.corba.services.agent` or `flight`.
    level : str
        What the level is called, with its unit.
    """
    shown = {}
    for value, part in runs.groupby("level"):
        row = {"Measured (ms)": _text(geometric(part["measured_ms"]))}
        if "mean_ms" in part:
            row["Measured, mean (ms)"] = _text(geometric(part["mean_ms"]))
        for model in models(runs):
            one = ratio(part, model)
            row[f"{model}: predicted (ms)"] = _text(geometric(part[model]))
            row[f"{model}: predicted / measured"] = interval_text(one.estimate, one.low, one.high)
            row[f"{model}: within 10 %"] = fits(part, model)
        shown[f"{value:,}"] = row
    return pd.DataFrame.from_dict(shown, orient="index").rename_axis(level)


def fits(runs: pd.DataFrame, model: str) -> str:
    """Say whether a model's times are those measured, within the ratio `FIT`: by tests for equal and for different."""
    if len(runs) < 2:
        return "one run only"
    one = ratio(runs, model)
    if equivalence(runs[model], runs["measured_ms"], FIT).equivalent:
        return "yes"
    return "no" if one.low > FIT or one.high < 1 / FIT else "not decided"


def drawn(runs: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return what `fit_figure` draws: estimate, low and high in ms by level, for the runs and for each model."""
    columns = {"Measured": "measured_ms"} | {model: model for model in models(runs)}
    found = {}
    for name, column in columns.items():
        ends = {value: geometric(part[column]) for value, part in runs.groupby("level")}
        rows = {value: {"estimate": one.estimate, "low": one.low, "high": one.high} for value, one in ends.items()}
        found[name] = pd.DataFrame.from_dict(rows, orient="index")
    return found


def numbers(series: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return what `fit_figure` draws as one frame, a group of columns a series."""
    return pd.concat(dict(series), axis=1)


def fit_figure(series: Mapping[str, pd.DataFrame], xlabel: str) -> Figure:
    """Draw times over the level, measured as points and predicted as lines, on logarithmic axes."""
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 3.8), layout="constrained")
        axes = figure.subplots()
        for place, (model, frame) in enumerate(list(series.items())[1:]):
            axes.plot(frame.index, frame["estimate"], ls=LINES[place], color=COLOURS[place], label=model)
            axes.fill_between(frame.index, frame["low"], frame["high"], color=COLOURS[place], alpha=0.2, lw=0)
        frame = series["Measured"]
        bars = [frame["estimate"] - frame["low"], frame["high"] - frame["estimate"]]
        axes.errorbar(
            frame.index, frame["estimate"], yerr=bars, fmt="s", mfc="white", color="0.15", capsize=3, label="Measured"
        )
        axes.set(xlabel=f"{xlabel}, logarithmic", ylabel="Response time (ms), logarithmic", xscale="log")
        axes.set_yscale("log")
        plain_numbers(axes.yaxis)
        axes.set_xticks(frame.index, [f"{value:,}" for value in frame.index])
        axes.xaxis.minorticks_off()
        figure.legend(loc="outside upper center", ncols=3)
    return figure


def describe_fit(series: Mapping[str, pd.DataFrame], unit: str) -> str:
    """Put `fit_figure` into words."""
    said = "; ".join(
        f"{name} from {frame['estimate'].iloc[0]:.0f} ms at {frame.index[0]:,} {unit} to "
        f"{frame['estimate'].iloc[-1]:.0f} ms at {frame.index[-1]:,}"
        for name, frame in series.items()
    )
    return f"Response times over {unit}, measured as points and by two models as lines: {said}."
