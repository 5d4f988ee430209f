"""What a study's reader makes of one run's raw logs.

A reader is a function ``read`` of a run. It raises `BadRecording` if a file is missing or differs from its checksum,
and `BadLog` if a raw log is broken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class RunLogs:
    """One run as its logs tell it.

    Attributes
    ----------
    samples : DataFrame or None
        A row a request as the server saw it; None if the server kept no record of requests.
    calls : DataFrame
        A row a request as its client saw it.
    facts : mapping
        What else is known of the run: columns of `perfstudies.runs.recording.Recording.runs`.
    warnings : tuple of str
        Records that break a rule of their log, each named by its line.
    truncated : tuple of str
        Records that were cut off and set aside.
    """

    samples: pd.DataFrame | None
    calls: pd.DataFrame
    facts: Mapping[str, object]
    warnings: tuple[str, ...] = ()
    truncated: tuple[str, ...] = ()
