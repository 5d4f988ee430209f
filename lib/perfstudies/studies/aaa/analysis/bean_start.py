"""Is there a peak when the AAA server starts, and is it the making of beans? The study's reading of its Figure 9."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.report.figures import COLOURS, WIDTH_INCH, style
from perfstudies.report.settings import margin
from perfstudies.report.tables import interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.intervals import mean_interval, ratio_interval
from perfstudies.studies.aaa.analysis.pools import peaks
from perfstudies.studies.aaa.analysis.times import EJB
from perfstudies.studies.aaa.declared import BEAN_START
from perfstudies.studies.aaa.findings_patterns import FIRST_REQUESTS, POOL

START = BEAN_START.factors[0]
_LINES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)))


def run_table(recorded: Recording, samples: pd.DataFrame) -> pd.DataFrame:
    """Return a row a run with what its start was like.

    Parameters
    ----------
    recorded : Recording
        Of `perfstudies.studies.aaa.declared.BEAN_START`.
    samples : DataFrame
        Its answered requests.

    Returns
    -------
    DataFrame
        run, block, start; ``peak`` (median EJB time of a client's first 30 requests over that of its later ones),
        ``first_ms`` and ``later_ms`` (these medians), ``made`` (beans in the whole run, by the server's count),
        ``made_first`` (for a client's first 30 requests), ``last_made`` (a client's request number of the last that
        made one, from 1).
    """
    first = samples["number"] < FIRST_REQUESTS
    reached = recorded.samples  # a bean is made for a request that gives up too
    made = reached[reached["created"] == 1]
    facts = {
        "peak": peaks(samples),
        "first_ms": samples[first].groupby("run", observed=True)[EJB].median(),
        "later_ms": samples[~first].groupby("run", observed=True)[EJB].median(),
        "made_first": made[made["number"] < FIRST_REQUESTS].groupby("run", observed=True).size(),
        "last_made": made.groupby("run", observed=True)["number"].max() + 1,
    }
    found = recorded.runs[["run", "block", START.name, "beans_created"]].rename(columns={"beans_created": "made"})
    found = found.assign(**{name: found["run"].map(values).astype(float) for name, values in facts.items()})
    return found.assign(made_first=found["made_first"].fillna(0))


def starts_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return peak and beans of each setting, with 95 % intervals over runs."""
    rows = {}
    for level, part in runs.groupby(START.name, observed=True):
        peak = part["peak"].dropna()
        high = ratio_interval(peak, np.ones(len(peak))) if len(peak) else None
        rows[START.label(level)] = {
            "Runs": len(part),
            f"First {FIRST_REQUESTS} requests (ms)": margin(part["first_ms"].dropna()),
            "Later ones (ms)": margin(part["later_ms"].dropna()),
            "Peak, ratio": interval_text(high.estimate, high.low, high.high, 3) if high else None,
            "Beans made a run": margin(part["made"].dropna().astype(float), 1),
            f"of these in the first {FIRST_REQUESTS}": margin(part["made_first"].astype(float), 1),
            "Last made at request": f"{part['last_made'].max():.0f}" if part["last_made"].notna().any() else None,
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Start")


def slowdowns(samples: pd.DataFrame) -> pd.DataFrame:
    """Pair each request that made a bean with its neighbours: its client's requests before and after that made none.

    Returns
    -------
    DataFrame
        A row a request that made a bean: run, block, start, client, number, ``slower_ms`` (its EJB time less the
        neighbours' mean). Requests without such a neighbour are left out.
    """
    keys = ["run", "client", "number"]
    plain = samples.loc[samples["created"] != 1, [*keys, EJB]]
    made = samples.loc[samples["created"] == 1, [*keys, "block", START.name, EJB]]
    sides = []
    for step in (-1, 1):
        beside = plain.assign(number=plain["number"] - step).rename(columns={EJB: f"side{step}"})
        sides.append(made[keys].merge(beside, on=keys, how="left")[f"side{step}"].to_numpy())
    pairs = np.array(sides)
    known = (~np.isnan(pairs)).sum(axis=0)
    near = np.where(known > 0, np.nansum(pairs, axis=0) / known.clip(1), np.nan)
    found = made.assign(slower_ms=made[EJB] - near).dropna(subset=["slower_ms"])
    return found[["run", "block", START.name, "client", "number", "slower_ms"]].reset_index(drop=True)


def slowdowns_table(found: pd.DataFrame) -> pd.DataFrame:
    """Return by how much a request that made a bean was slower than its neighbours: means over runs' medians, 95 %."""
    rows = {}
    for level, part in found.groupby(START.name, observed=True):
        by_run = part.groupby("run", observed=True)["slower_ms"].median()
        interval = mean_interval(by_run)
        rows[START.label(level)] = {
            "Requests that made a bean": len(part),
            "Runs with one": len(by_run),
            "Slower than its neighbours by (ms)": interval_text(interval.estimate, interval.low, interval.high),
        }
    if not rows:
        return pd.DataFrame({"Requests that made a bean": [0]}, index=pd.Index(["All"], name="Start"))
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Start")


def made_by_number(samples: pd.DataFrame) -> pd.DataFrame:
    """Return how many beans a run had made up to a client's request number: mean over runs, a column a setting.

    Parameters
    ----------
    samples : DataFrame
        All that reached the server, also what was not answered.
    """
    columns = {}
    for level, part in samples.groupby(START.name, observed=True):
        count = (part["created"] == 1).groupby(part["number"]).sum().sort_index().cumsum()
        columns[START.label(level)] = count / part["run"].nunique()
    found = pd.DataFrame(columns).ffill().fillna(0.0)
    return found.set_axis(found.index + 1).rename_axis("Request number")


def made_figure(drawn: pd.DataFrame) -> Figure:
    """Draw the beans made over the request number, with the study's 32 beans and 30 requests."""
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 3.6), layout="constrained")
        axes = figure.subplots()
        for place, (name, values) in enumerate(drawn.items()):
            axes.step(
                values.index, values, where="post", label=name, color=COLOURS[place % len(COLOURS)],
                ls=_LINES[place % len(_LINES)], lw=1.6,
            )  # fmt: skip
        axes.axhline(POOL, color="0.4", lw=0.9, ls=":")
        corner: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "bottom", "fontsize": 8}
        axes.annotate(f"{POOL} beans", (1, POOL), **corner)
        axes.axvline(FIRST_REQUESTS, color="0.4", lw=0.9, ls=":")
        axes.set(xlabel="Request number of a client", ylabel="Beans made so far (mean over runs)", xlim=(1, None))
        axes.set_ylim(0, max(1.15 * POOL, 1.05 * float(drawn.max().max())))
        figure.legend(loc="outside upper center", ncols=2)
    return figure


def thinned(drawn: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `made_by_number` that stand in the table below the figure: where it is steep, then few."""
    wanted = {1, 2, 3, 5, 10, 20, FIRST_REQUESTS, 50, 100, 200, 500, 1000, int(drawn.index.max())}
    return drawn[drawn.index.isin(wanted)]


def describe_made(drawn: pd.DataFrame) -> str:
    """Put `made_figure` into words: beans made after 30 requests and at the end."""
    at = FIRST_REQUESTS if FIRST_REQUESTS in drawn.index else int(drawn.index.max())
    parts = [f"{name}: {values.loc[at]:.1f} and {values.iloc[-1]:.1f}" for name, values in drawn.items()]
    said = f"Beans made so far over the request number, mean over runs; after {at} requests and at the end."
    return f"{said} {'; '.join(parts)}."


def cases(runs: pd.DataFrame) -> dict[str, tuple[pd.Series, str]]:
    """Return the values of the findings on the start by id, one a block, each with the scale of its test."""
    peak = runs.pivot(index="block", columns=START.name, values="peak").reindex(columns=list(START.levels))
    made = runs.pivot(index="block", columns=START.name, values="made_first").reindex(columns=list(START.levels))
    return {
        "A6-peak": (peak["cold"].dropna(), "log"),
        "A6-sessions": ((peak["warm"] / peak["steady"]).dropna(), "log"),
        "A6-count": (made["cold"].dropna(), "identity"),
    }
