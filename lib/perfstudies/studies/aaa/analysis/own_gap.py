"""The AAA study's figures at its own gap of 2 s beside those of scaled times: what does scaling change?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from perfstudies.runs.recording import Recording
from perfstudies.studies.aaa.analysis.charts import Panels, panel
from perfstudies.studies.aaa.analysis.pools import OF_FIGURE, POOL, THREADS
from perfstudies.studies.aaa.analysis.scale import used_ms
from perfstudies.studies.aaa.analysis.times import EJB, MEASURES, TOTAL, answered, fitting, spans
from perfstudies.studies.aaa.declared import FIGURES

FIGURE = FIGURES.name
SCALED, OWN = "Scaled", "Own gap"


def chosen(recorded: Recording, levels: Mapping[str, Sequence[str]]) -> Recording:
    """Return the part of a recording at some levels, by their factors.

    An experiment that is loaded whole and cut here shares its live runs with every other notebook that shows it.
    """

    def part(frame: pd.DataFrame) -> pd.DataFrame:
        kept = pd.Series(True, index=frame.index)
        for name, wanted in levels.items():
            kept &= frame[name].isin(wanted)
        return frame[kept].reset_index(drop=True)

    return replace(recorded, samples=part(recorded.samples), calls=part(recorded.calls), runs=part(recorded.runs))


def scaled_like(pools: Recording, figure: str) -> Recording:
    """Return the part of the scaled pools at the setting of a figure of the study."""
    threads, pool = OF_FIGURE[figure]
    return chosen(pools, {THREADS: [threads], POOL: [pool]})


def side_by_side(pools: Recording, own: Recording, figure: str, machine: str, place: int = 0) -> Panels:
    """Return one machine's requests as two panels: a scaled run, and one at the study's own gap.

    Parameters
    ----------
    pools, own : Recording
    figure : str
        A level of `perfstudies.studies.aaa.declared.FIGURES`.
    machine : str
        As the study calls it.
    place : int
        Which block's run of each, from 0; the last if there are fewer.
    """
    panels = {}
    sources = {SCALED: scaled_like(pools, figure), OWN: chosen(own, {FIGURE: [figure]})}
    for source, recorded in sources.items():
        if recorded.runs.empty:
            continue
        samples = answered(recorded)
        run = recorded.runs.sort_values("block")["run"].iloc[min(place, len(recorded.runs) - 1)]
        one = samples[(samples["run"] == run) & (samples["machine"] == machine)]
        gap_ms = float(used_ms(recorded.runs, "gap_ms").iloc[0])
        if len(one):
            panels[f"{source}: {machine}, every {gap_ms:,.0f} ms"] = panel(one)
    return panels


def comparison(pools: Recording, own: Recording, window: int) -> pd.DataFrame:
    """Return what the same settings come to with scaled times and at the study's own gap.

    Columns under ``Scaled`` and ``Own gap`` each: runs, mean EJB time, what it is more than the timer's wait, what
    total time is more than EJB time (all ms, means over runs), the ranges of both moving averages (ratios of their high
    to their low ends), the most beans busy, beans made a run, and requests (of all clients) a garbage collection.

    Parameters
    ----------
    pools, own : Recording
    window : int
        Of the moving average, in requests.

    Returns
    -------
    DataFrame
        A row a figure of the study.
    """
    rows = {}
    for figure in OF_FIGURE:
        parts = {SCALED: scaled_like(pools, figure), OWN: chosen(own, {FIGURE: [figure]})}
        cells: dict = {}
        for source, recorded in parts.items():
            if len(recorded.runs):
                cells |= {(source, name): value for name, value in _facts(recorded, window).items()}
        if cells:
            rows[FIGURES.label(figure)] = cells
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Setting")


def _facts(recorded: Recording, window: int) -> dict[str, float]:
    samples, runs = answered(recorded), recorded.runs.set_index("run")
    means = samples.groupby("run", observed=True)[list(MEASURES)].mean()
    waited = used_ms(runs, "unit_ms").reindex(means.index)
    span = spans(samples, fitting(window, samples))
    collected = pd.to_numeric(runs["gc_count"], errors="coerce").sum() if "gc_count" in runs else float("nan")
    return {
        "runs": len(runs),
        "EJB time (ms)": means[EJB].mean(),
        "less the wait (ms)": (means[EJB] - waited).mean(),
        "total less EJB time (ms)": (means[TOTAL] - means[EJB]).mean(),
        "range of EJB time": span[EJB].mean(),
        "range of total time": span[TOTAL].mean(),
        "most beans busy": pd.to_numeric(runs["beans_busy_max"], errors="coerce").max(),
        "beans made": pd.to_numeric(runs["beans_created"], errors="coerce").mean(),
        "requests a collection": len(samples) / collected if collected > 0 else float("nan"),
    }


FORMATS: Mapping[str, str] = {
    "range of EJB time": ".3f",
    "range of total time": ".3f",
    "most beans busy": ".0f",
    "beans made": ".1f",
    "requests a collection": ",.0f",
}
"""For `perfstudies.report.tables.table` of `comparison`."""
