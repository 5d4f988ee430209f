"""Requests whose client has given up: what the server still does for them, and whether there was room at that time.

HTTP/1.1 has no way to take a request back: a client that gives up closes its connection, and the server's bean goes on.
Whether it had given up is known from the client's record, whether a bean was busy with its request from the server's.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.exchange import TIMED_OUT
from perfstudies.experiment import Experiment
from perfstudies.report.figures import COLOURS, HATCHES, WIDTH_INCH, style
from perfstudies.report.settings import SETTING
from perfstudies.runs.recording import Recording
from perfstudies.studies.aaa.analysis.scale import used_ms
from perfstudies.studies.aaa.analysis.timers_pool import in_beans

IN_BEAN, WAITING, BEFORE, DONE = "in a bean", "waiting for a bean", "before the servlet", "done"
PLACES = (IN_BEAN, WAITING, BEFORE, DONE)


def places(timed_out: pd.DataFrame) -> pd.Series:
    """Return where in the server each request was at the moment when its client gave it up, by the server's record."""
    gone, entered = timed_out["ended_us"], timed_out["entered_us"]
    left = entered + 1000 * timed_out["servlet_ms"]
    start = in_beans(timed_out)["from_us"].reindex(timed_out.index)
    found = np.select(
        [entered.isna() | (gone < entered), left <= gone, start <= gone], [BEFORE, DONE, IN_BEAN], WAITING
    )
    return pd.Series(found, timed_out.index)


def busy_at(beans: pd.DataFrame, moments: np.ndarray) -> np.ndarray:
    """Return how many beans were busy at each moment (µs after the run's start)."""
    start, end = np.sort(beans["from_us"].to_numpy()), np.sort(beans["to_us"].to_numpy())
    return np.searchsorted(start, moments, "right") - np.searchsorted(end, moments, "right")


def run_time_outs(recorded: Recording, experiment: Experiment) -> pd.DataFrame:
    """Return a row a run: its time-outs, and what the server did for clients that had gone.

    Columns: ``run``, ``block``, ``setting``; ``time_outs``; one of `PLACES` each (counts of where the request was);
    ``answered_anyway`` (% of the time-outs that the server went on to answer); ``wasted`` (% of the time that beans
    were busy for clients that got no answer) and ``after`` (% of it after the client had gone); ``full`` (whether as
    many beans as ``ejb.max`` were ever busy) and ``with_room`` (time-outs later than that, while clients still sent, at
    moments when fewer were and no request waited for one: between one request's leaving a bean and the next one's
    taking it there is no room).
    """
    factors = [factor.name for factor in experiment.factors]
    by_run = dict(tuple(recorded.samples.groupby("run", observed=True)))
    rows = []
    for run in recorded.runs.to_dict("records"):
        limit = int(experiment.properties({name: str(run[name]) for name in factors})["ejb.max"])
        same = {name: run[name] for name in ("run", "block", SETTING)}
        rows.append(same | _of_run(by_run[run["run"]], limit))
    found = pd.DataFrame(rows)
    return found.assign(**{SETTING: pd.Categorical(found[SETTING], recorded.runs[SETTING].cat.categories)})


def _of_run(samples: pd.DataFrame, limit: int) -> dict:
    out, beans = samples[samples["outcome"] == TIMED_OUT], in_beans(samples)
    took = beans["to_us"] - beans["from_us"]
    late = (beans["to_us"] - beans[["from_us", "ended_us"]].max(axis=1)).clip(lower=0)
    unanswered = beans["outcome"] != "ok"
    starts = np.sort(beans["from_us"].to_numpy())
    full = starts[busy_at(beans, starts) >= limit]
    gone = out["ended_us"].to_numpy()
    room = (busy_at(beans, gone) < limit) & (busy_at(_waits(samples, beans), gone) == 0)
    room &= gone <= samples["started_us"].max()  # once nobody sends, there is room in any case
    known = bool(len(beans)) and took.sum() > 0
    return {
        "time_outs": len(out),
        **places(out).value_counts().reindex(PLACES, fill_value=0).to_dict(),
        "answered_anyway": 100 * (out["status"] == "ok").mean() if len(out) else np.nan,
        "wasted": 100 * took[unanswered].sum() / took.sum() if known else np.nan,
        "after": 100 * late[unanswered].sum() / took.sum() if known else np.nan,
        "full": bool(full.size),
        "with_room": int((room & (gone > full[0])).sum()) if full.size else 0,
    }


def _waits(samples: pd.DataFrame, beans: pd.DataFrame) -> pd.DataFrame:
    """Return from when to when each request that the server saw had no bean yet."""
    seen = samples[samples["entered_us"].notna()]
    left = (seen["entered_us"] + 1000 * seen["servlet_ms"]).fillna(np.inf)
    start = beans["from_us"].reindex(seen.index)
    return pd.DataFrame({"from_us": seen["entered_us"], "to_us": start.fillna(left)})


def timeline(recorded: Recording, setting: str, points: int = 60) -> pd.DataFrame:
    """Return one run along its time: the first block's run of a setting.

    Returns
    -------
    DataFrame
        Indexed by seconds after the first start, as they really passed: beans ``Awaited`` (busy for a client that still
        waits) and ``Given up`` at that moment, and ``Time-outs`` since the row before.
    """
    runs = recorded.runs[recorded.runs[SETTING] == setting].sort_values("block")
    samples = recorded.samples[recorded.samples["run"] == runs["run"].iloc[0]]
    beans, first = in_beans(samples), samples["started_us"].min()
    last = max(beans["to_us"].max() if len(beans) else 0, samples["ended_us"].max())
    at = np.linspace(first, last, points + 1)
    awaited = beans.assign(to_us=beans[["to_us", "ended_us"]].min(axis=1))
    awaited = awaited[awaited["to_us"] > awaited["from_us"]]
    gone = samples.loc[samples["outcome"] == TIMED_OUT, "ended_us"]
    passed = np.searchsorted(np.sort(gone.to_numpy()), at, "right")
    drawn = {
        "Awaited": busy_at(awaited, at),
        "Given up": busy_at(beans, at) - busy_at(awaited, at),
        "Time-outs": np.diff(passed, prepend=0),
    }
    return pd.DataFrame(drawn, index=pd.Index(((at - first) / 1e6).round(3), name="Time (s)"))


def timeline_figure(drawn: pd.DataFrame, limit: int) -> Figure:
    """Draw `timeline`: beans busy, stacked, below the pool's limit, and time-outs beneath."""
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 4.2), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=[2, 1])
        at, base = drawn.index.to_numpy(), np.zeros(len(drawn))
        for place, name in enumerate(("Awaited", "Given up")):
            top = base + drawn[name].to_numpy()
            above.fill_between(
                at, base, top, step="mid", facecolor=COLOURS[place], hatch=HATCHES[place], edgecolor="white", lw=0,
                label={"Awaited": "for a client that waits", "Given up": "for a client that has given up"}[name],
            )  # fmt: skip
            base = top
        above.axhline(limit, color="0.3", ls=":", label=f"pool of {limit}")
        above.set(ylabel="Beans busy", ylim=(0, None))
        width = np.diff(at).mean() if len(at) > 1 else 1
        below.bar(at - width / 2, drawn["Time-outs"], width, color=COLOURS[3], edgecolor="white", linewidth=0.3)
        below.set(xlabel="Time (s)", ylabel="Time-outs")
        figure.legend(loc="outside upper center", ncols=3)
    return figure


def lives(recorded: Recording) -> pd.DataFrame:
    """Return the runs with ``hold_ms`` (timer times unit), ``life_ms``, ``longer``, and counts ``sent``, ``answered``.

    ``life_ms`` is the time to live as it was really used, also where that is the experiment's factor.
    """
    runs = recorded.runs.assign(life_ms=used_ms(recorded.runs, "ttl_ms"))
    hold = runs["timer"].astype(str).astype(int) * runs["unit_ms"]
    by_run = (recorded.calls["outcome"] == "ok").groupby(recorded.calls["run"], observed=True)
    counts = pd.DataFrame({"sent": by_run.size(), "answered": by_run.sum()})
    return runs.assign(hold_ms=hold, longer=hold > runs["life_ms"]).join(counts, on="run", how="inner")
