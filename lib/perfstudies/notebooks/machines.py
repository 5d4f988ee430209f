"""The machines on which runs exist, and which notebooks rest on each of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from perfstudies.site.gathered import Executed
from perfstudies.site.measured import finished, kind
from perfstudies.studies import PUBLICATIONS

COLUMNS = ("study", "experiment", "machine", "cores", "day")
SEVERAL = "several"
"""What the machine of a notebook is called whose runs are of more than one."""


def runs(source: str, profile: str) -> pd.DataFrame:
    """Return a row a finished run of the studies.

    Parameters
    ----------
    source, profile : str
        As of `perfstudies.site.measured.measured`.

    Returns
    -------
    DataFrame
        ``study``, ``experiment`` (``<study>/<name>``), ``machine`` (its kind in words: cores, processor, memory and
        kernel), ``cores`` and ``day``.

    Raises
    ------
    BadRecording
        If a manifest is none.
    """
    rows = [_row(study, run.manifest) for study in PUBLICATIONS for run in finished(study, source, profile)]
    return pd.DataFrame(rows, columns=[*COLUMNS])


def _row(study: str, manifest: dict[str, Any]) -> dict[str, Any]:
    cpu, cores, memory_gib, system = kind(manifest["host"])
    return {
        "study": study,
        "experiment": f"{study}/{manifest['experiment']}",
        "machine": f"{cores} cores of {cpu}, {memory_gib} GiB, {system}",
        "cores": cores,
        "day": manifest["started"][:10],
    }


def of_notebooks(executed: Iterable[Executed], measured: pd.DataFrame) -> pd.DataFrame:
    """Return on which machines notebooks rest.

    Parameters
    ----------
    executed : iterable of Executed
        From `perfstudies.site.gathered.notebooks`.
    measured : DataFrame
        From `runs`.

    Returns
    -------
    DataFrame
        A row a notebook that asks for experiments: ``study``, ``notebook``, ``machines`` (how many) and ``machine``:
        its name, or `SEVERAL`.
    """
    by_experiment = measured.groupby("experiment")["machine"].unique().map(set).to_dict()
    rows = []
    for one in executed:
        asked = one.content.metadata.get("perfstudies", {}).get("requires", ())
        found = set().union(*(by_experiment.get(experiment, set()) for experiment in asked))
        if found:
            machine = min(found) if len(found) == 1 else SEVERAL
            rows.append({"study": one.study, "notebook": one.name, "machines": len(found), "machine": machine})
    return pd.DataFrame(rows, columns=["study", "notebook", "machines", "machine"])
