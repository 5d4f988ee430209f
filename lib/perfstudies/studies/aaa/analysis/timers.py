"""Which timer requests are answered, and which layer fails the others: numbers behind the AAA study's section 5.3.3.

A request that is not answered is put down to the layer that ended it as its client saw it. That is where the failure
shows, not always where its cause is: a client gives up a request that waits for a bean.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from perfstudies.exchange import LOST, OK, REFUSED, SOAP_FAULT, TIMED_OUT
from perfstudies.experiment import Experiment
from perfstudies.runs.recording import Recording

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


def edges(count: int, bins: int = BINS) -> np.ndarray:
    """Return where groups of request numbers begin and end: at most `bins` groups of nearly equal size."""
    return np.unique(np.linspace(0, count, min(bins, count) + 1).round().astype(int))


def numbers(start: int, end: int) -> str:
    """Write a group of request numbers, counted from 1: ``51–100``."""
    return f"{start + 1}" if end == start + 1 else f"{start + 1}–{end}"
