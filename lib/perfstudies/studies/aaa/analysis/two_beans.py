"""The AAA study's ten requests to a pool of two beans (section 5.3.3): who waited, who ran, and what the pool kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from perfstudies.experiment import Factor, Finding
from perfstudies.report.figures import COLOURS, HATCHES, WIDTH_INCH, style
from perfstudies.runs.recording import Recording
from perfstudies.stats.intervals import mean_interval
from perfstudies.studies.aaa.analysis.timers import ANSWERED, layers
from perfstudies.studies.aaa.analysis.timers_pool import in_beans
from perfstudies.studies.aaa.declared import TWO_BEANS
from perfstudies.studies.aaa.findings_timers import TWO_BEANS_FINDINGS

FACTOR: Factor = TWO_BEANS.factors[0]
POOL = FACTOR.name
STEPS = {"waiting_s": "before its bean", "bean_s": "in a bean", "rest_s": "after it"}
TIMES = ("start_s", *STEPS, "end_s")


def timeline(recorded: Recording) -> pd.DataFrame:
    """Return the requests of each setting's first run, in seconds of the study's own scale after the first start.

    Columns: the pool, ``request`` (from 1), ``start_s``; the parts of its time from start to end: ``waiting_s`` (before
    its bean, with its way there, or until it failed), ``bean_s`` and ``rest_s`` (the way back); ``end_s``; ``result``;
    ``busy`` (beans in use when it began, itself included, by the server's own count).
    """
    first = recorded.runs.sort_values("block").groupby(POOL, observed=True)["run"].first()
    scale = recorded.runs.set_index("run")["time_scale"].astype(float)
    part = recorded.samples[recorded.samples["run"].isin(first)]
    part = part.assign(scale=part["run"].map(scale), result=layers(part)).sort_values([POOL, "client", "number"])
    to_s = part["scale"] / 1e6
    start = (part["started_us"] - part.groupby("run", observed=True)["started_us"].transform("min")) * to_s
    took = (part["ended_us"] - part["started_us"]) * to_s
    beans = in_beans(part).reindex(part.index)
    waiting = ((beans["from_us"] - part["started_us"]) * to_s).clip(lower=0).where(part["asm_ms"].notna(), took)
    bean = (part["asm_ms"].fillna(0) * 1000 * to_s).clip(upper=took - waiting)
    return pd.DataFrame(
        {
            POOL: part[POOL].map(FACTOR.label), "request": part["number"] + 1, "start_s": start, "waiting_s": waiting,
            "bean_s": bean, "rest_s": took - waiting - bean, "end_s": start + took,
            "result": part["result"].astype(str), "busy": part["beans_busy"],
        }
    ).set_index([POOL, "request"])  # fmt: skip


def timeline_figure(drawn: pd.DataFrame) -> Figure:
    """Draw `timeline`: a panel a setting, a bar a request, waiting and in the bean."""
    pools = list(dict.fromkeys(drawn.index.get_level_values(0)))
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 1.0 + 1.75 * len(pools)), layout="constrained")
        panels = figure.subplots(len(pools), 1, sharex=True, squeeze=False)[:, 0]
        for axes, pool in zip(panels, pools, strict=True):
            rows = drawn.loc[pool]
            left = rows["start_s"].to_numpy()
            for place, column in enumerate(STEPS):
                axes.barh(
                    rows.index, rows[column], 0.75, left, color=COLOURS[(1, 0, 4)[place]], hatch=HATCHES[place],
                    edgecolor="white", linewidth=0.4,
                )  # fmt: skip
                left = left + rows[column].to_numpy()
            for request, end in rows.loc[rows["result"] != ANSWERED, "end_s"].items():
                axes.plot(end, request, "x", color="0.1", ms=6, mew=1.6)
            axes.set_title(pool, fontsize=9.5)
            axes.set_yticks(rows.index[::3])
            axes.invert_yaxis()
            axes.grid(axis="y", visible=False)
        panels[-1].set_xlabel("Time after the first start (s, the study's own)")
        figure.supylabel("Request", fontsize=9.5)
        handles: list[Artist] = [
            Patch(facecolor=COLOURS[(1, 0, 4)[place]], hatch=HATCHES[place], edgecolor="white", label=name)
            for place, name in enumerate(STEPS.values())
        ]
        if (drawn["result"] != ANSWERED).any():
            handles.append(Line2D([], [], color="0.1", marker="x", ls="", mew=1.6, label="failed"))
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure


def describe(drawn: pd.DataFrame) -> str:
    """Put `timeline_figure` into words."""
    parts = []
    for pool in dict.fromkeys(drawn.index.get_level_values(0)):
        rows = drawn.loc[pool]
        well = (rows["result"] == ANSWERED).sum()
        parts.append(
            f"{pool}: {well} of {len(rows)} answered, at most {rows['busy'].max():.0f} in a bean at the same time, "
            f"the last after {rows['end_s'].max():,.0f} s"
        )
    return f"A panel a setting, a bar a request over time, divided into waiting and in the bean. {'; '.join(parts)}."


def run_counts(recorded: Recording) -> pd.DataFrame:
    """Return a row a run: ``block``, the pool, and what became of its requests and beans.

    Columns: ``sent``, ``answered``, ``at_once`` (most in a bean at the same time, by the server's own count), ``used``
    (different beans that served), ``kept`` (beans made less beans destroyed, when all was over), ``last_s`` (when the
    last request was over, in seconds of the study's own scale).
    """
    by_run = dict(tuple(recorded.samples.groupby("run", observed=True)))
    rows = []
    for run in recorded.runs.to_dict("records"):
        samples = by_run[run["run"]]
        took_us = samples["ended_us"].max() - samples["started_us"].min()
        rows.append(
            {
                "run": run["run"], "block": run["block"], POOL: run[POOL], "sent": len(samples),
                "answered": int((samples["outcome"] == "ok").sum()),
                "at_once": samples["beans_busy"].max(), "kept": run["beans_created"] - run["beans_destroyed"],
                "used": samples["bean"].replace("", np.nan).nunique(), "last_s": took_us * run["time_scale"] / 1e6,
            }
        )  # fmt: skip
    return pd.DataFrame(rows).assign(**{POOL: lambda frame: pd.Categorical(frame[POOL], FACTOR.levels)})


def counts_table(counts: pd.DataFrame) -> pd.DataFrame:
    """Return `run_counts` per setting: the value of all runs, or its mean and range; a row a setting."""
    columns = {
        "sent": "Requests", "answered": "Answered", "at_once": "Most in a bean at once",
        "used": "Beans used", "kept": "Beans kept",
    }  # fmt: skip
    rows = {}
    for pool, part in counts.groupby(POOL, observed=True):
        last = mean_interval(part["last_s"])
        rows[FACTOR.label(pool)] = {
            "Runs": len(part),
            **{label: _range(part[column].dropna()) for column, label in columns.items()},
            "Last over (s)": f"{last.estimate:.0f}",
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Setting")


def _range(values: pd.Series) -> str:
    if values.empty:
        return "not known"
    low, high = values.min(), values.max()
    return f"{low:.0f}" if low == high else f"{values.mean():.1f} ({low:.0f} to {high:.0f})"


def cases(counts: pd.DataFrame) -> list[tuple[Finding, np.ndarray, str]]:
    """Return each finding with its values per block and the scale to test on."""
    from_setting = {
        "A11": ("glassfish-2", "answered"),
        "A11-once": ("glassfish-2", "at_once"),
        "A11-kept": ("glassfish-2", "kept"),
        "A11-expected": ("openejb-2", "answered"),
        "A11-patient": ("openejb-2-patient", "answered"),
        "A11-two": ("openejb-2-patient", "at_once"),
    }
    found = []
    for finding in TWO_BEANS_FINDINGS:
        pool, column = from_setting[finding.id]
        values = counts.loc[counts[POOL] == pool, column].dropna()
        found.append((finding, values.to_numpy(dtype=float), "identity"))
    return found
