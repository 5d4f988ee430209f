"""Which times of the AAA study a recording really used: smaller profiles divide its gaps and waits by a scale."""

from __future__ import annotations

import pandas as pd

from perfstudies.runs.recording import Recording
from perfstudies.studies.aaa.base import NEAR_PACE

_LONG = {
    "gap_ms": "between the starts of a client's requests",
    "unit_ms": "for the timer's unit",
    "ttl_ms": "until a client gives up",
}


def used_ms(runs: pd.DataFrame, column: str) -> pd.Series:
    """Return a time of each run (``gap_ms``, ``unit_ms`` or ``ttl_ms``) as it was really used, in ms.

    Where the time is the experiment's factor, the column holds levels, which are the study's own times.
    """
    if column not in runs:
        return pd.Series(float("nan"), index=runs.index)
    if isinstance(runs[column].dtype, pd.CategoricalDtype):
        return runs[column].astype(str).astype(float) / runs["time_scale"]
    return pd.to_numeric(runs[column], errors="coerce")


def scales(recorded: Recording) -> list[float]:
    """Return the time scales of a recording's runs; more than one only if profiles are mixed."""
    return sorted(recorded.runs["time_scale"].astype(float).unique())


def near_own_pace(recorded: Recording) -> bool:
    """Return whether runs are so near to the study's pace that the server's own work does not decide their times."""
    return max(scales(recorded)) <= NEAR_PACE


def pace(*recordings: Recording) -> str:
    """Say at which pace a figure was measured; of several recordings, in the order of its panels."""
    told = [" and ".join(f"{one:g}" for one in scales(recorded)) for recorded in recordings if len(recorded.runs)]
    words = ["the study's own" if one == "1" else f"the study's times divided by {one}" for one in told]
    return f"Pace: {', '.join(dict.fromkeys(words))}."


def note(recorded: Recording) -> str:
    """Say by what times were divided, and which were really used beside the study's own."""
    parts = []
    for column, long in _LONG.items():
        used = used_ms(recorded.runs, column)
        own = used * recorded.runs["time_scale"].astype(float)
        if used.notna().any() and (used > 0).any():
            parts.append((column, long, used.dropna(), own.dropna()))
    scale = scales(recorded)
    if scale == [1]:
        said = ", ".join(f"{_several(own)} {long}" for _, long, _, own in parts)
        return f"All times are the study's own: {said}." if said else "All times are the study's own."
    said = ", ".join(f"{_several(used)} {long} ({_several(own)})" for _, long, used, own in parts)
    return (
        f"The study's times are divided by {' and '.join(f'{one:g}' for one in scale)}"
        + (f": {said}; in brackets the study's own" if said else "")
        + ". What the server and the network need of their own is not scaled."
    )


def _several(values: pd.Series) -> str:
    """Write the different values of a time, in ms or, from ten seconds on, in seconds."""
    found = sorted(values.round(6).unique())
    if min(found) >= 10_000:
        return f"{' or '.join(f'{one / 1000:g}' for one in found)} s"
    return f"{' or '.join(f'{one:g}' for one in found)} ms"
