"""Which timer requests are answered, and which layer fails the others: numbers behind the AAA study's section 5.3.3.

A request that is not answered is put down to the layer that ended it as its client saw it. That is where the failure
shows, not always where its cause is: a client gives up a request that waits for a bean.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from perfstudies.exchange import LOST, OK, REFUSED, SOAP_FAULT, TIMED_OUT
from perfstudies.experiment import Experiment
from perfstudies.report.figures import COLOURS, HATCHES, WIDTH_INCH, style
from perfstudies.report.settings import SETTING
from perfstudies.report.tables import MISSING, interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.intervals import mean_interval, share_interval

NO_BEAN = "NoBean"
"""The fault by which the container says that the request got no bean in time."""

ANSWERED = "Answered"
EJB = "EJB container: no bean"
APPLICATION = "Other SOAP fault"
HTTP = "HTTP: time to live over"
STATUS = "HTTP: error status"
TCP = "TCP: refused or lost"
LAYERS = (ANSWERED, EJB, APPLICATION, HTTP, STATUS, TCP)
BINS = 20


def name_of(experiment: Experiment) -> Callable[[dict[str, str]], str]:
    """Return what names an experiment's settings: the labels of its factors' levels."""
    return lambda setting: ", ".join(factor.label(setting[factor.name]) for factor in experiment.factors)


def layers(calls: pd.DataFrame) -> pd.Series:
    """Return for each request `ANSWERED`, or the layer that ended it."""
    outcome, no_bean = calls["outcome"], calls["detail"].fillna("").str.contains(NO_BEAN)
    found = np.select(
        [
            outcome == OK,
            (outcome == SOAP_FAULT) & no_bean,
            outcome == SOAP_FAULT,
            outcome == TIMED_OUT,
            outcome.isin([REFUSED, LOST]),
        ],
        [ANSWERED, EJB, APPLICATION, HTTP, TCP],
        STATUS,
    )
    return pd.Series(pd.Categorical(found, LAYERS), calls.index)


def run_shares(recorded: Recording) -> pd.DataFrame:
    """Return a row a run: what its requests came to.

    Columns: those of the recording's runs, then ``sent``, a column a layer (share of the requests in percent), and
    ``first_failed``: the smallest number, counted from 1, of a request that was not answered; missing if all were.
    """
    calls = recorded.calls.assign(layer=layers(recorded.calls))
    counts = calls.groupby(["run", "layer"], observed=False).size().unstack(fill_value=0).reindex(columns=LAYERS)
    sent = counts.sum(axis=1)
    first = calls[calls["layer"] != ANSWERED].groupby("run", observed=True)["number"].min() + 1
    found = (100 * counts.div(sent, axis=0)).assign(sent=sent, first_failed=first)
    found.columns.name = None
    return recorded.runs.join(found, on="run", how="inner")


def share_text(percent: pd.Series) -> str:
    """Write the mean share of runs with its 95 % interval, in percent."""
    if percent.empty:
        return MISSING
    found = share_interval((percent / 100).clip(0, 1))
    return interval_text(100 * found.estimate, 100 * found.low, 100 * found.high, 1)


def answered_table(shares: pd.DataFrame) -> pd.DataFrame:
    """Return per setting what requests came to (%, 95 % intervals over runs), and where failing begins.

    Parameters
    ----------
    shares : DataFrame
        From `run_shares`, of a recording with the column ``setting``.
    """
    shown = [layer for layer in LAYERS if layer == ANSWERED or (shares[layer] > 0).any()]
    rows = {}
    for setting, part in shares.groupby(SETTING, observed=True):
        failed = part["first_failed"].dropna()
        rows[setting] = {
            "Runs": len(part),
            "Requests a run": round(part["sent"].mean()),
            **{layer: share_text(part[layer]) for layer in shown},
            "First failed request": _between(failed) if len(failed) else "none",
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Setting")


def _between(values: pd.Series) -> str:
    low, high = int(values.min()), int(values.max())
    return f"{low}" if low == high else f"{low} to {high}"


def failed_by_layer(shares: pd.DataFrame) -> pd.DataFrame:
    """Return per setting with failures the share of the failed requests that each layer ended (%, over runs)."""
    failed = shares[shares[ANSWERED] < 100]
    shown = [layer for layer in LAYERS[1:] if (failed[layer] > 0).any()]
    rows = {
        setting: {
            "Runs with failures": len(part),
            "Failed requests": round((part["sent"] * (1 - part[ANSWERED] / 100)).sum()),
            **{layer: share_text(100 * part[layer] / (100 - part[ANSWERED])) for layer in shown},
        }
        for setting, part in failed.groupby(SETTING, observed=True)
    }
    if not rows:
        return pd.DataFrame({"Failed requests": 0}, index=pd.Index(["None in any setting"], name="Setting"))
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Setting")


def edges(count: int, bins: int = BINS) -> np.ndarray:
    """Return where groups of request numbers begin and end: at most `bins` groups of nearly equal size."""
    return np.unique(np.linspace(0, count, min(bins, count) + 1).round().astype(int))


def by_number(recorded: Recording, bins: int = BINS) -> pd.DataFrame:
    """Return what requests came to by their number: a row a group of numbers, columns are setting and layer.

    Shares are percent of the requests of all clients and runs in the group; each run has as many of them.
    """
    calls = recorded.calls
    ends = edges(int(calls["number"].max()) + 1, bins).tolist()
    group = pd.cut(calls["number"], ends, right=False, labels=[numbers(*pair) for pair in pairwise(ends)])
    counted = pd.crosstab(group, [calls[SETTING], layers(calls)], dropna=False)
    share = 100 * counted / counted.T.groupby(level=0, observed=False).transform("sum").T
    share = share.loc[:, (counted.sum() > 0) | (counted.columns.get_level_values(1) == ANSWERED)]
    return share.rename_axis(index="Requests", columns=[None, None])  # type: ignore[list-item]


def numbers(start: int, end: int) -> str:
    """Write a group of request numbers, counted from 1: ``51–100``."""
    return f"{start + 1}" if end == start + 1 else f"{start + 1}–{end}"


def by_number_figure(drawn: pd.DataFrame, columns: int) -> Figure:
    """Draw `by_number` as stacked bars, a panel a setting, `columns` of them side by side."""
    settings = list(dict.fromkeys(drawn.columns.get_level_values(0)))
    lines = -(-len(settings) // columns)
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 0.9 + 1.7 * lines), layout="constrained")
        panels = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
        at = np.arange(len(drawn))
        for axes, setting in zip(panels.flat, settings, strict=False):
            below = np.zeros(len(drawn))
            for layer in (one for one in LAYERS if one in drawn[setting]):
                place = LAYERS.index(layer)
                height = drawn[setting, layer].fillna(0).to_numpy()
                axes.bar(
                    at, height, 1, below, align="edge", color=COLOURS[place], hatch=HATCHES[place], edgecolor="white",
                    linewidth=0.2,
                )  # fmt: skip
                below += height
            axes.set_title(str(setting).replace(", ", "\n"), fontsize=8.5)
            axes.grid(visible=False)
            axes.set(xlim=(0, len(drawn)), ylim=(0, 100))
            shown = [0, len(drawn) // 2]
            axes.set_xticks(shown, [str(drawn.index[place]).split("–")[0] for place in shown])
        for axes in panels.flat[len(settings) :]:
            axes.set_axis_off()
        figure.supxlabel("Number of the request", fontsize=9.5)
        figure.supylabel("Requests (%)", fontsize=9.5)
        used = [layer for layer in LAYERS if layer in drawn.columns.get_level_values(1)]
        patches = [
            Patch(facecolor=COLOURS[place], hatch=HATCHES[place], edgecolor="white", label=layer)
            for layer, place in ((layer, LAYERS.index(layer)) for layer in used)
        ]
        figure.legend(handles=patches, loc="outside upper center", ncols=min(len(used), 3))
    return figure


def describe_by_number(drawn: pd.DataFrame) -> str:
    """Put `by_number_figure` into words: the share answered among the first and the last requests."""
    parts = []
    for setting in dict.fromkeys(drawn.columns.get_level_values(0)):
        answered = drawn[setting, ANSWERED]
        parts.append(f"{setting}: {answered.iloc[0]:.0f} % at first, {answered.iloc[-1]:.0f} % at the end")
    return f"A panel a setting, bars stacked by what requests came to over their number. Answered: {'; '.join(parts)}."


def mean_text(values: pd.Series, digits: int = 1) -> str:
    """Write the mean of runs with its 95 % interval; an en dash if there are none."""
    values = values.dropna()
    if values.empty:
        return MISSING
    found = mean_interval(values)
    return interval_text(found.estimate, found.low, found.high, digits)


def base(shares: pd.DataFrame) -> str:
    """Say on how many runs and requests a table rests."""
    runs = shares.groupby(SETTING, observed=True).size()
    count = f"{runs.min()}" if runs.min() == runs.max() else f"{runs.min()} to {runs.max()}"
    return f"{count} runs of each setting, {shares['sent'].sum():,} requests in all; the run is the unit."
