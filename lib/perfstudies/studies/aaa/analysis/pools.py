"""The settings of HTTP threads and EJB pool in the AAA study's figures, and the peak at a run's start."""

from __future__ import annotations

import pandas as pd

from perfstudies.experiment import Experiment
from perfstudies.report.settings import named
from perfstudies.runs.recording import Recording
from perfstudies.studies.aaa.analysis.times import EJB
from perfstudies.studies.aaa.declared import EJB_POOL, HTTP_THREADS
from perfstudies.studies.aaa.findings_patterns import FIRST_REQUESTS

THREADS, POOL = HTTP_THREADS.name, EJB_POOL.name
OF_FIGURE = {"7": ("100", "32"), "9": ("1000", "32"), "14": ("100", "64"), "15": ("1000", "64")}
"""A figure's HTTP threads and EJB pool, by its level in the experiment at the study's own gap."""


def with_settings(recorded: Recording, experiment: Experiment) -> Recording:
    """Return a recording with the column ``setting``: the levels' labels with a comma between."""
    labels = {factor.name: factor for factor in experiment.factors}
    return named(recorded, experiment, lambda levels: ", ".join(labels[k].label(v) for k, v in levels.items()))


def peaks(samples: pd.DataFrame) -> pd.Series:
    """Return median EJB time of each client's first requests over that of its later ones: mean over clients, by run.

    Samples have to be those with the warm-up, which the peak would be a part of; `FIRST_REQUESTS` count as the first.
    """
    early = samples[samples["number"] < FIRST_REQUESTS].groupby(["run", "client"], observed=True)[EJB].median()
    late = samples[samples["number"] >= FIRST_REQUESTS].groupby(["run", "client"], observed=True)[EJB].median()
    return (early / late).dropna().groupby("run", observed=True).mean()
