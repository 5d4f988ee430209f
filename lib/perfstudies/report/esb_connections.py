"""What a client's pool of connections does: calls at the same time, what they wait for, and what gives one back.

The same calls are timed by three clocks: from when the caller asked, from when its pool gave it a connection, and in
the service. Times are means of a run; the first call of each thread, which finds a new pool, is left out.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from perfstudies.paths import PUBLISHED
from perfstudies.recording import Recording
from perfstudies.report.comparisons import p_text
from perfstudies.report.settings import margin, run_means
from perfstudies.report.tables import MISSING, Table, interval_text, table
from perfstudies.stats.intervals import mean_interval, ratio_interval
from perfstudies.stats.planned import planned_ratios
from perfstudies.studies.esb_connections import (
    CLIENT_CONNECTIONS,
    DEFAULT,
    FEW,
    FINDINGS,
    MANY,
    RELEASE,
    RELEASE_COST,
    RELEASES,
    WAITING,
)

CLIENT, CONNECTIONS = CLIENT_CONNECTIONS.factors
KIND = RELEASES.factors[1]
THREADS = WAITING.factors[1]
OK = "ok"
CLOCKS = {"total_ms": "From the asking", "held_ms": "With a connection", "service_ms": "In the service"}
"""A recording's columns, and whose clock each is."""
SHORT = {"total_ms": "asked", "held_ms": "connected"}


def said() -> Table:
    """Show what the post says of its subject."""
    printed = pd.read_csv(PUBLISHED / "esb" / "connections.csv", dtype=str, keep_default_na=False)
    shown = pd.DataFrame(
        {"Value": [f"{value} {unit}".strip() for value, unit in zip(printed["value"], printed["unit"], strict=True)]}
    )
    return table(
        shown.set_axis(pd.Index(printed["statement"], name="Statement")),
        "What the post says",
        align={"Value": "left"},
        note='"Improving Axis2 http transport client", 17 January 2010; it measured nothing.',
    )


def run_times(recorded: Recording, factors: list[str]) -> pd.DataFrame:
    """Return a row a run: its levels, the mean of each of `CLOCKS` and of ``waited_ms``, and ``p95_ms``, from the asking.

    A time with a connection is missing if no call was given one.
    """
    keys = ["run", "block", *factors]
    calls = recorded.calls.astype({"waited_ms": float, "held_ms": float})
    frames = [run_means(calls, factors, column).set_index(keys) for column in ("total_ms", "waited_ms", "held_ms")]
    slow = calls[calls["measured"]].groupby(keys, observed=True)["total_ms"].quantile(0.95).rename("p95_ms")
    served = recorded.samples.groupby(keys, observed=True)["service_ms"].mean()
    return pd.concat([*frames, slow, served], axis=1).dropna(subset=["total_ms"]).reset_index()


def at_once_table(recorded: Recording) -> pd.DataFrame:
    """Return how many calls ran at once in the service, by client and connections, and what its pool came to."""
    runs = recorded.runs.assign(per_s=_calls_of_runs(recorded) / recorded.runs["calls_s"])
    rows = {}
    for (client, connections), part in runs.groupby([CLIENT.name, CONNECTIONS.name], observed=True):
        most = part["most_at_once"]
        rows[CLIENT.label(client), CONNECTIONS.label(connections)] = {
            "Runs": len(part),
            "Most at once": f"{most.mean():.4g}{_span(most)}",
            "Connections": f"{part['connections_in_pool'].mean():.4g}{_span(part['connections_in_pool'])}",
            "Calls/s": margin(part["per_s"], 1),
        }
    return _indexed(rows, ["Client", "Connections"])


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
        }
    return _indexed(rows, ["Client", "Connections"])


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
        f"Mean call times by three clocks, for {len(asked)} settings. From the asking they range from {asked.min():.0f} to "
        f"{asked.max():.0f} ms, with a connection from {held.min():.0f} to {held.max():.0f} ms, in the service from "
        f"{served.min():.0f} to {served.max():.0f} ms. The clocks of the client differ most in {most}: by a factor of "
        f"{(asked / held).max():.1f}."
    )


def waiting_table(times: pd.DataFrame) -> pd.DataFrame:
    """Return call times by the number of threads on two connections, beside what a queue in front of them predicts.

    With more threads than connections, each connection is always busy, and a call's time is threads / connections
    times what a call takes alone. Ratios are within blocks, with 95 % intervals.

    Parameters
    ----------
    times : DataFrame
        From `run_times`, with ``client`` and ``threads``.
    """
    rows = {}
    for client, part in times.groupby("client", observed=True):
        wide = part.pivot(index="block", columns=THREADS.name, values="total_ms")
        for level, of in part.groupby(THREADS.name, observed=True):
            expected = _predicted(wide, level)
            rows[WAITING.factors[0].label(client), THREADS.label(level)] = {
                "From the asking (ms)": margin(of["total_ms"], 1),
                "Predicted (ms)": margin(expected, 1),
                "Measured / predicted": _ratio(wide[level], expected),
                "With a connection (ms)": margin(of["held_ms"], 1),
            }
    return _indexed(rows, ["Client", "Threads"])


def _predicted(wide: pd.DataFrame, level: str) -> pd.Series:
    """Return what a call of so many threads should take, by block; nothing where no lone thread was measured."""
    alone = THREADS.levels[0]
    if level == alone or alone not in wide:
        return pd.Series(dtype=float)
    return (wide[alone] * max(1.0, int(level) / int(FEW))).dropna()


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
        f"{name}: {frame['estimate'].iloc[0]:.0f} ms with {frame.index[0]} and {frame['estimate'].iloc[-1]:.0f} ms with "
        f"{frame.index[-1]} threads"
        for name, frame in series.items()
    ]
    return f"Mean call times over the number of threads on two connections. {'; '.join(parts)}."


def release_table(recorded: Recording) -> pd.DataFrame:
    """Return what came of a client's calls by what gives connections back: means of runs, and their span if they differ."""
    per_run = release_runs(recorded)
    rows = {}
    for (release, kind), part in per_run.groupby([RELEASE.name, KIND.name], observed=True):
        rows[RELEASE.label(release), KIND.label(kind)] = {
            "Runs": len(part),
            "Calls": int(part["calls"].iloc[0]),
            "Given a connection": f"{part['given'].mean():.4g}{_span(part['given'])}",
            "Answered": f"{part['answered'].mean():.4g}{_span(part['answered'])}",
            "What went wrong": "; ".join(sorted({one for one in part["detail"] if one})) or MISSING,
        }
    return _indexed(rows, ["Given back by", "Service client"])


def release_runs(recorded: Recording) -> pd.DataFrame:
    """Return a row a run: its levels, ``calls``, ``given`` (a connection), ``answered`` and the first ``detail``."""
    keys = ["run", "block", RELEASE.name, KIND.name]
    calls = recorded.calls.assign(given=recorded.calls["connected_us"].notna(), answered=recorded.calls["outcome"] == OK)
    by_run = calls.groupby(keys, observed=True)
    found = by_run[["given", "answered"]].sum().assign(calls=by_run.size())
    wrong = calls[~calls["answered"]].assign(detail=lambda rows: rows["outcome"] + ": " + rows["detail"])
    first = wrong.groupby(keys, observed=True)["detail"].first()
    return found.join(first).fillna({"detail": ""}).reset_index()


def cost_table(times: pd.DataFrame) -> pd.DataFrame:
    """Return what a call takes with each of the two ways to release, and their ratio within blocks (95 %).

    Parameters
    ----------
    times : DataFrame
        From `run_times` of the experiment on cost.
    """
    rows = {}
    for level, part in times.groupby(RELEASE.name, observed=True):
        rows[RELEASE.label(level)] = {"Runs": len(part), "Mean (ms)": margin(part["total_ms"], 3)}
    shown = pd.DataFrame.from_dict(rows, orient="index").rename_axis("Given back by")
    found = planned_ratios({RELEASE.label("option"): _cost_pairs(times)}) if len(_cost_pairs(times)[0]) else None
    if found is not None:
        shown["Ratio"] = [interval_text(row.ratio, row.low, row.high, 3) for row in found.reindex(shown.index).itertuples()]
        shown["p"] = [p_text(p) for p in found["p"].reindex(shown.index)]
    return shown


def cases(
    pooled: Recording, times: pd.DataFrame, releases: Recording, cost: pd.DataFrame
) -> list[tuple[object, pd.Series, str]]:
    """Return the findings with their values by block, and the scale of each test.

    Parameters
    ----------
    pooled : Recording
        Of the experiment on clients and connections.
    times : DataFrame
        From `run_times` of the same.
    releases : Recording
        Of the experiment on what gives connections back.
    cost : DataFrame
        From `run_times` of the experiment on its cost.
    """
    most = pooled.runs.set_index([CLIENT.name, CONNECTIONS.name])["most_at_once"]
    slow = times[times[CLIENT.name] == "axis2"].pivot(index="block", columns=CONNECTIONS.name, values="total_ms")
    slow = slow.reindex(columns=[FEW, MANY]).dropna()
    of = release_runs(releases)
    nothing = of[of[RELEASE.name] == "none"].set_index(KIND.name)["answered"]
    share = of.assign(given=100 * of["given"] / of["calls"], answered=100 * of["answered"] / of["calls"])
    least = share.groupby([RELEASE.name, "block"], observed=True)[["given", "answered"]].min()
    option, cleanup = _cost_pairs(cost)
    values = {
        "E9": (_at(most, ("axis2", FEW)), "identity"),
        "E9-auto-two": (_at(most, ("axis2-auto", FEW)), "identity"),
        "E9-default": (_at(most, ("axis2", DEFAULT)), "identity"),
        "E9-twenty": (_at(most, ("axis2", MANY)), "identity"),
        "E9-slow": (slow[FEW] / slow[MANY], "log"),
        "E9-hang": (_at(nothing, "new"), "identity"),
        "E9-hang-one": (_at(nothing, "kept"), "identity"),
        "E9-cleanup": (_at(least["answered"], "cleanup"), "identity"),
        "E9-auto-release": (_at(least["given"], "auto"), "identity"),
        "E9-auto": (_at(least["answered"], "auto"), "identity"),
        "E9-cost": (option / cleanup, "log"),
    }
    return [(finding, *values[finding.id]) for finding in FINDINGS]


def _cost_pairs(times: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    wide = times.pivot(index="block", columns=RELEASE.name, values="total_ms")
    wide = wide.reindex(columns=list(RELEASE_COST.factors[0].levels)).dropna()
    return wide["option"], wide["cleanup"]


def _at(values: pd.Series, level: object) -> pd.Series:
    """Return the values of a level of the index; none if it was not measured."""
    return values.loc[[level]] if level in values.index else values.iloc[:0]


def _calls_of_runs(recorded: Recording) -> np.ndarray:
    return recorded.calls.groupby("run").size().reindex(recorded.runs["run"]).to_numpy()


def _span(values: pd.Series) -> str:
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


def _indexed(rows: dict, names: list[str]) -> pd.DataFrame:
    shown = pd.DataFrame.from_dict(rows, orient="index")
    return shown.set_axis(pd.MultiIndex.from_tuples(rows, names=names))
