"""The AAA study's figures at its own gap of 2 s beside those of scaled times, and parts of recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from perfstudies.runs.recording import Recording
from perfstudies.studies.aaa.analysis.charts import Panels, panel
from perfstudies.studies.aaa.analysis.pools import OF_FIGURE, POOL, THREADS
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


def of_figure(samples: pd.DataFrame, own: pd.DataFrame, figure: str, machine: str) -> Panels:
    """Return one machine's requests as two panels: the first scaled run with answers, and the first at its own gap.

    Parameters
    ----------
    samples, own : DataFrame
        Answered requests with their moving averages, of the experiments ``pools`` and ``own-gap``.
    figure : str
        A level of `perfstudies.studies.aaa.declared.FIGURES`.
    machine : str
        As the study calls it.
    """
    threads, pool = OF_FIGURE[figure]
    parts = {SCALED: samples[(samples[THREADS] == threads) & (samples[POOL] == pool)], OWN: own[own[FIGURE] == figure]}
    panels = {}
    for name, part in parts.items():
        mine = part[part["machine"] == machine]
        if len(mine):
            panels[f"{name}: {machine}"] = panel(mine[mine["block"] == mine["block"].min()])
    return panels
