"""What a message costs by each way of delivery: the time of the client's call, and the processor time of both sides."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from perfstudies.exchange import OK
from perfstudies.report.points import numbers, points
from perfstudies.report.settings import margin, ratio_columns
from perfstudies.runs.recording import Recording
from perfstudies.stats import warmup
from perfstudies.stats.growth import over_units
from perfstudies.stats.planned import planned_ratios
from perfstudies.studies.esb.reliable import COST

FACTOR = COST.factors[0]
PLAIN = "plain"
MEASURES = {
    "call_ms": "Time of a call",
    "cpu_client_ms": "Processor time, client",
    "cpu_server_ms": "Processor time, server",
}


def settled(recorded: Recording) -> tuple[pd.DataFrame, str]:
    """Return the calls to analyse, and a sentence that says which they are.

    Returns
    -------
    calls : DataFrame
        The answered ones of the recording, without warm-up where one has been found in enough runs.
    said : str
    """
    calls = recorded.calls[recorded.calls["outcome"] == OK]
    series = calls.assign(
        request=calls["number"], operation="message", request_length=0, request_ms=calls["call_ms"],
    ).reset_index(drop=True)  # fmt: skip
    marked, found = warmup.steady(series)
    return warmup.settled(marked, found, FACTOR.name)


def run_costs(recorded: Recording, calls: pd.DataFrame) -> pd.DataFrame:
    """Return a row a run: the mean and the median of call times, and the processor time a message, in ms.

    Processor times are of the whole run, as they cannot be told apart by message.

    Parameters
    ----------
    recorded : Recording
    calls : DataFrame
        From `settled`.
    """
    times = calls.groupby("run")["call_ms"].agg(call_ms="median", mean_ms="mean", calls="size")
    runs = recorded.runs.set_index("run")
    found = runs[["block", FACTOR.name, "sent"]].join(times, how="inner")
    for side in ("client", "server"):
        found[f"cpu_{side}_ms"] = 1000 * runs[f"cpu_{side}_s"] / runs["sent"]
    found["cpu_ms"] = found["cpu_client_ms"] + found["cpu_server_ms"]
    return found.reset_index()


def cost_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what a message costs, with 95 % margins over runs, and as ratios to a plain call within blocks.

    Parameters
    ----------
    runs : DataFrame
        From `run_costs`.
    """
    rows = {}
    for level, part in runs.groupby(FACTOR.name, observed=True):
        rows[level] = {
            "Runs": len(part),
            "Median of calls (ms)": margin(part["call_ms"]),
            "Mean (ms)": margin(part["mean_ms"]),
            "CPU, client (ms)": margin(part["cpu_client_ms"]),
            "CPU, server (ms)": margin(part["cpu_server_ms"]),
        }
    table = pd.DataFrame.from_dict(rows, orient="index")
    for column, name in (("call_ms", "Time to plain"), ("cpu_ms", "CPU to plain")):
        table = table.join(ratio_columns(against(runs, column), name))
    return table.set_axis(pd.Index([FACTOR.label(level) for level in table.index], name="Delivery"))


def against(runs: pd.DataFrame, column: str, other: str = PLAIN) -> pd.DataFrame:
    """Return each delivery's cost as a ratio to another's in the same block; 95 % for all ratios together."""
    wide = runs.pivot(index="block", columns=FACTOR.name, values=column)
    pairs = {}
    for level in wide.columns.drop(other, errors="ignore"):
        both = wide[[level, other]].dropna() if other in wide else wide.iloc[:0]
        if len(both):
            pairs[level] = (both[level], both[other])
    return planned_ratios(pairs) if pairs else pd.DataFrame(columns=["ratio", "low", "high", "p", "blocks"])


def series(runs: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return what `figure` draws: for each measure the mean over runs with its 95 % interval, in ms."""
    found = {}
    for column, label in MEASURES.items():
        rows = {
            FACTOR.label(level): over_units(part[column]) for level, part in runs.groupby(FACTOR.name, observed=True)
        }
        found[label] = pd.DataFrame.from_dict(
            {name: (one.estimate, one.low, one.high) for name, one in rows.items()}, orient="index",
            columns=["estimate", "low", "high"],
        )  # fmt: skip
    return found


def figure(drawn: dict[str, pd.DataFrame]) -> Figure:
    """Draw the three measures side by side by delivery."""
    return points(drawn, "Delivery", "Milliseconds a message", turned=True)


def drawn_numbers(drawn: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the numbers of `figure` as one frame."""
    return numbers(drawn).rename_axis("Delivery")


def describe(drawn: dict[str, pd.DataFrame]) -> str:
    """Put `figure` into words."""
    said = [
        f"{label.lower()}: " + ", ".join(f"{name} {value:.2f} ms" for name, value in frame["estimate"].items())
        for label, frame in drawn.items()
    ]
    return f"Points with intervals by delivery. {'; '.join(said)}."
