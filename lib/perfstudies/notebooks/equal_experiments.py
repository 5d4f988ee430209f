"""Recorded runs at equal settings, as pairs: what the studies' experiments say where nothing differs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from perfstudies.errors import BadRecording
from perfstudies.experiment import Experiment
from perfstudies.runs.recording import Recording
from perfstudies.stats.equal_settings import pooled_p

RESPONSES = {
    "step/time-breakdown": "elapsed_ms",
    "step/message-size": "elapsed_ms",
    "step/users": "elapsed_ms",
    "aaa/clients": "response_ms",
    "aaa/conditions": "response_ms",
    "aaa/databases": "response_ms",
    "esb/client-connections": "total_ms",
    "corba/rates": "response_ms",
    "corba/looks": "response_ms",
}
"""Experiments of every study with many runs at a setting, and the column of a request's time as its client saw it."""


def paired(recordings: Iterable[tuple[Experiment, Recording]]) -> dict[str, pd.DataFrame]:
    """Return the `pairs` of several experiments' recordings by the experiments' keys; only one is held at a time."""
    return {
        one.key: pairs(recorded, [factor.name for factor in one.factors], RESPONSES[one.key])
        for one, recorded in recordings
    }


def pairs(recorded: Recording, factors: Sequence[str], response: str) -> pd.DataFrame:
    """Pair runs of neighbouring blocks at the same setting.

    Parameters
    ----------
    recorded : Recording
        Of one experiment.
    factors : sequence of str
        Its factors' names.
    response : str
        The column of `Recording.calls` with a request's time.

    Returns
    -------
    DataFrame
        A row a pair, in the order of settings and blocks: ``setting``, ``log_ratio`` (of the runs' mean times of
        requests without error) and ``pooled_p`` (if each request counted as independent). A last run without a
        neighbour is left out.
    """
    calls = recorded.calls[recorded.calls["outcome"] == "ok"]
    if "measured" in calls:
        calls = calls[calls["measured"]]
    times = {run: group.to_numpy() for run, group in calls.groupby("run")[response]}
    rows = []
    for setting, runs in recorded.runs.sort_values("block").groupby(list(factors), observed=True, sort=True):
        names = [name for name in runs["run"] if name in times]
        for first, second in zip(names[::2], names[1::2], strict=False):
            rows.append(
                {
                    "setting": " ".join(map(str, setting)),
                    "log_ratio": np.log(times[first].mean() / times[second].mean()),
                    "pooled_p": pooled_p(times[first], times[second]),
                }
            )
    return pd.DataFrame(rows, columns=["setting", "log_ratio", "pooled_p"])


def experiments(paired: pd.DataFrame, size: int) -> np.ndarray:
    """Cut the pairs of one recording, in their order, into experiments of equal size.

    Parameters
    ----------
    paired : DataFrame
        From `pairs`.
    size : int
        Pairs of an experiment.

    Returns
    -------
    ndarray, shape (experiments, size)
        Logarithms of ratios. Where a setting has fewer pairs than an experiment needs, those of the next follow: each
        is of equal settings all the same. What is left at the end is left out.
    """
    values = paired["log_ratio"].to_numpy()
    return values[: len(values) // size * size].reshape(-1, size)


def together(cut: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the experiments of all recordings, one below the other.

    Raises
    ------
    BadRecording
        If there is none: the runs are too few.
    """
    found = np.vstack(list(cut.values()))
    if not len(found):
        raise BadRecording("too few runs at equal settings: choose fewer pairs_each or a larger profile")
    return found
