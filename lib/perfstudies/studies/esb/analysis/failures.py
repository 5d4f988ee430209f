"""Messages that failed, by setting and outcome: shares over runs, and what each failure was."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from perfstudies.experiment import Experiment
from perfstudies.report.tables import interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.intervals import share_interval
from perfstudies.studies.esb.analysis.runs import OK, labels


def failed_share(runs: pd.DataFrame) -> pd.Series:
    """Return each run's share of messages that were not answered well; runs that sent none have no share."""
    return (runs["failed"] / runs["sent"].where(runs["sent"] > 0)).dropna()


def failures_table(
    recorded: Recording, experiment: Experiment, factors: Sequence[str], names: Sequence[str]
) -> pd.DataFrame:
    """Return settings in which messages failed: the share (%) with its 95 % interval over runs, and counts by outcome.

    If none failed, one row says so.
    """
    label, rows = labels(experiment), {}
    bad = recorded.calls[(recorded.calls["outcome"] != OK) & (recorded.calls["messages"] > 0)]
    outcomes = list(dict.fromkeys(bad["outcome"].sort_values()))
    for key, part in recorded.runs.groupby(list(factors), observed=True):
        if not part["failed"].sum():
            continue
        found = share_interval(failed_share(part))
        counts = bad[bad["run"].isin(part["run"])].groupby("outcome", observed=True)["messages"].sum()
        rows[tuple(label(name, level) for name, level in zip(factors, key, strict=True))] = {
            "Runs": len(part),
            "Sent": int(part["sent"].sum()),
            "Failed (%)": interval_text(100 * found.estimate, 100 * found.low, 100 * found.high, 3),
            **{f"{name[:1].upper()}{name[1:]}": int(counts.get(name, 0)) for name in outcomes},
        }
    if not rows:
        runs = recorded.runs
        none = {"Runs": len(runs), "Sent": int(runs["sent"].sum()), "Failed (%)": "0"}
        return pd.DataFrame([none], index=pd.Index(["All: none failed"], name=names[0]))
    shown = pd.DataFrame.from_dict(rows, orient="index")
    shown.index = pd.MultiIndex.from_tuples(list(rows), names=list(names))
    return shown


def failed_text(runs: pd.DataFrame) -> str:
    """Say how many of all messages failed."""
    sent, failed = int(runs["sent"].sum()), int(runs["failed"].sum())
    if not failed:
        return f"none of {sent:,} messages failed"
    where = f"in {(runs['failed'] > 0).sum()} of {len(runs)} runs"
    share = np.format_float_positional(100 * failed / sent, precision=3, fractional=False, trim="-")
    return f"{failed:,} of {sent:,} messages failed ({share} %), {where}"
