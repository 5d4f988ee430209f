"""What a client's pool of connections does: calls at the same time, and what the others wait for.

The same calls are timed by three clocks: from when the caller asked, from when its pool gave it a connection, and in
the service. Times are means over all calls of a run: the mean, unlike other statistics, does not depend on which of the
waiting calls is served next, as long as all count.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from perfstudies.paths import PUBLISHED
from perfstudies.report.settings import margin
from perfstudies.report.tables import MISSING, Table, interval_text, table
from perfstudies.runs.recording import Recording
from perfstudies.stats.intervals import mean_interval, ratio_interval
from perfstudies.studies.esb.connections import CLIENT_CONNECTIONS, FEW, WAITING

CLIENT, CONNECTIONS = CLIENT_CONNECTIONS.factors
THREADS = WAITING.factors[1]
CLOCKS = {"total_ms": "From the asking", "held_ms": "With a connection", "service_ms": "In the service"}
"""A recording's columns, and whose clock each is."""
SHORT = {"total_ms": "asked", "held_ms": "connected"}


def said() -> Table:
    """Show what the post says of its subject."""
    printed = pd.read_csv(PUBLISHED / "esb" / "connections.csv", dtype=str, keep_default_na=False)
    values = [f"{value} {unit}".strip() for value, unit in zip(printed["value"], printed["unit"], strict=True)]
    shown = pd.DataFrame({"Value": values})
    return table(
        shown.set_axis(pd.Index(printed["statement"], name="Statement")),
        "What the post says",
        align={"Value": "left"},
        note='"Improving Axis2 http transport client", 17 January 2010; it measured nothing.',
    )


def run_times(recorded: Recording, factors: list[str]) -> pd.DataFrame:
    """Return a row a run: its levels, the means of `CLOCKS` and of ``waited_ms``, and three further columns.

    These are ``p95_ms``, from the asking, ``overtaken`` (the share of calls) and ``calls``. A time with a connection is
    missing if no call was given one.
    """
    keys = ["run", "block", *factors]
    calls = recorded.calls.astype({"waited_ms": float, "held_ms": float})
    found = calls.groupby(keys, observed=True).agg(
        total_ms=("total_ms", "mean"), waited_ms=("waited_ms", "mean"), held_ms=("held_ms", "mean"),
        p95_ms=("total_ms", lambda values: values.quantile(0.95)), overtaken=("overtaken", "mean"),
        calls=("number", "size"),
    )  # fmt: skip
    return found.join(recorded.samples.groupby("run")["service_ms"].mean(), on="run").reset_index()


def at_once_table(recorded: Recording) -> pd.DataFrame:
    """Return how many calls ran at once in the service, by client and connections, and what its pool came to."""
    runs = recorded.runs.assign(per_s=_calls_of_runs(recorded) / recorded.runs["calls_s"])
    rows = {}
    for (client, connections), part in runs.groupby([CLIENT.name, CONNECTIONS.name], observed=True):
        most = part["most_at_once"]
        rows[CLIENT.label(client), CONNECTIONS.label(connections)] = {
            "Runs": len(part),
            "Most at once": f"{most.mean():.4g}{span_text(most)}",
            "Connections": f"{part['connections_in_pool'].mean():.4g}{span_text(part['connections_in_pool'])}",
            "Calls/s": margin(part["per_s"], 1),
        }
    return indexed(rows, ["Client", "Connections"])


def times_table(times: pd.DataFrame) -> pd.DataFrame:
    """Return what the same calls take by each clock, by client and connections (± 95 % margin over runs).

    Parameters
    ----------
    times : DataFrame
        From `run_times`.
    """
    rows = {}
    for (client, connections), part in times.groupby([CLIENT.name, CONNECTIONS.name], observed=True):
        rows[CLIENT.label(client), CONNECTIONS.label(connections)] = {
            **{name: margin(part[column], 1) for column, name in CLOCKS.items()},
            "95th percentile, from the asking": margin(part["p95_ms"], 1),
            "Waited for a connection (%)": margin(100 * part["waited_ms"] / part["total_ms"], 1),
            "Overtaken (%)": margin(100 * part["overtaken"], 1),
        }
    return indexed(rows, ["Client", "Connections"])


def clocks(times: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the estimates of each clock with 95 % intervals, by client and connections, for a figure."""
    found = {}
    for column, name in CLOCKS.items():
        rows = {
            f"{CLIENT.label(client)}: {CONNECTIONS.label(connections)}": _estimate(part[column])
            for (client, connections), part in times.groupby([CLIENT.name, CONNECTIONS.name], observed=True)
        }
        found[name] = pd.DataFrame.from_dict(rows, orient="index").rename_axis("Client: connections")
    return found


def describe_clocks(series: dict[str, pd.DataFrame]) -> str:
    """Say in words what the figure of `clocks` shows."""
    asked, held, served = (series[name]["estimate"] for name in CLOCKS.values())
    most = (asked / held).idxmax()
    return (
        f"Mean call times by three clocks, for {len(asked)} settings. From the asking they range from "
        f"{asked.min():.0f} to {asked.max():.0f} ms, with a connection from {held.min():.0f} to {held.max():.0f} "
        f"ms, in the service from {served.min():.0f} to {served.max():.0f} ms. The clocks of the client differ most in "
        f"{most}: by a factor of {(asked / held).max():.1f}."
    )


def waiting_table(times: pd.DataFrame) -> pd.DataFrame:
    """Return call times by the number of threads on two connections, beside what a queue in front of them predicts.

    Ratios are within blocks, with 95 % intervals.

    Parameters
    ----------
    times : DataFrame
        From `run_times`, with ``client`` and ``threads``.
    """
    rows = {}
    for client, part in times.groupby("client", observed=True):
        wide = part.pivot(index="block", columns=THREADS.name, values="total_ms")
        for level, of in part.groupby(THREADS.name, observed=True):
            expected = _predicted(wide, str(level), int(of["calls"].iloc[0]))
            rows[WAITING.factors[0].label(client), THREADS.label(level)] = {
                "From the asking (ms)": margin(of["total_ms"], 1),
                "Predicted (ms)": margin(expected, 1),
                "Measured / predicted": _ratio(wide[level], expected),
                "With a connection (ms)": margin(of["held_ms"], 1),
                "Overtaken (%)": margin(100 * of["overtaken"], 1),
            }
    return indexed(rows, ["Client", "Threads"])


def _predicted(wide: pd.DataFrame, level: str, calls: int) -> pd.Series:
    """Return what a call of so many threads should take, by block; nothing where no lone thread was measured."""
    alone = THREADS.levels[0]
    if level == alone or alone not in wide:
        return pd.Series(dtype=float)
    return (wide[alone] * queueing(int(level), calls, int(FEW))).dropna()


def queueing(threads: int, calls: int, connections: int) -> float:
    """Return the mean time of a run's calls, over that of a lone call, if the threads' connections are never idle.

    While there are calls left to make each thread has one under way, then fewer and fewer. The mean is what the number
    of calls under way adds up to, whoever is served first (J. D. C. Little, "A proof for the queuing formula L = λW",
    Operations Research 9, 1961).
    """
    if threads <= connections:
        return 1.0
    rounds, last = threads / connections, min(threads, calls)
    return ((calls - last) * rounds + last * (last / connections + 1) / 2) / calls


def waiting_curves(times: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return mean call times by threads, by client and clock, with 95 % intervals, for a figure."""
    found = {}
    for client, part in times.groupby("client", observed=True):
        for column, clock in SHORT.items():
            rows = {level: _estimate(of[column]) for level, of in part.groupby(THREADS.name, observed=True)}
            name = f"{WAITING.factors[0].label(client)}, {clock}"
            found[name] = pd.DataFrame.from_dict(rows, orient="index").rename_axis("Threads")
    return found


def describe_waiting(series: dict[str, pd.DataFrame]) -> str:
    """Say in words what the figure of `waiting_curves` shows."""
    parts = [
        f"{name}: {frame['estimate'].iloc[0]:.0f} ms with {frame.index[0]} and "
        f"{frame['estimate'].iloc[-1]:.0f} ms with {frame.index[-1]} threads"
        for name, frame in series.items()
    ]
    return f"Mean call times over the number of threads on two connections. {'; '.join(parts)}."


def _calls_of_runs(recorded: Recording) -> np.ndarray:
    return recorded.calls.groupby("run").size().reindex(recorded.runs["run"]).to_numpy()


def span_text(values: pd.Series) -> str:
    """Write in what span values lie, in brackets; nothing if they are all the same."""
    return "" if np.ptp(values) == 0 else f" ({values.min():g} to {values.max():g})"


def _estimate(values: pd.Series) -> dict[str, float]:
    kept = values.dropna()
    if kept.empty:
        return {"estimate": np.nan, "low": np.nan, "high": np.nan}
    found = mean_interval(kept)
    return {"estimate": found.estimate, "low": found.low, "high": found.high}


def _ratio(above: pd.Series, below: pd.Series) -> str:
    both = pd.concat([above, below], axis=1).dropna()
    if both.empty:
        return MISSING
    found = ratio_interval(both.iloc[:, 0], both.iloc[:, 1])
    return interval_text(found.estimate, found.low, found.high, 3)


def indexed(rows: dict, names: list[str]) -> pd.DataFrame:
    """Return rows of pairs of labels as a frame whose index has names."""
    shown = pd.DataFrame.from_dict(rows, orient="index")
    return shown.set_axis(pd.MultiIndex.from_tuples(rows, names=names))
