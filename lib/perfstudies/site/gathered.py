"""The verdicts of many notebooks, gathered from their outputs' metadata and corrected study by study.

A notebook corrects its own findings for each other. Of all findings of a study together, one in twenty studies may have
a wrong verdict, no more: that needs the correction over all of its notebooks, which is made here.

The studies' own claims are counted; what has no published value, was measured on another system, is a reading of our
own, is true by construction or cannot be tested is not among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
from nbformat import NotebookNode

from perfstudies.errors import BadParameter, PerfstudiesError, require_one_of
from perfstudies.experiment import SOURCES
from perfstudies.paths import PROCESSED, ROOT
from perfstudies.report.findings import estimate_text
from perfstudies.site.page import carried, heading
from perfstudies.stats.verdicts import DECIDED, NOT_TESTABLE, outcomes
from perfstudies.studies import PUBLICATIONS

COLUMNS = (
    "study", "notebook", "title", "id", "where", "claim", "rule", "published", "unit", "estimate", "low", "high",
    "confidence", "runs", "p_inside", "p_outside", "outcome", "kind", "untestable", "apart", "scale", "note", "mean",
    "error", "region",
)  # fmt: skip
NUMBERS = ("estimate", "low", "high", "p_inside", "p_outside")
TODAY = (*NUMBERS, "runs", "outcome", "note")
"""What a record may say of the same finding with today's libraries: columns of the frame with ``today_`` before."""


class BadNotebook(PerfstudiesError):
    """A file is no notebook, or was written by another version of this library."""


@dataclass(frozen=True)
class Executed:
    """An executed notebook: where it belongs, and its content."""

    study: str
    name: str
    content: NotebookNode

    @property
    def parameters(self) -> dict:
        """What it was executed with; empty if its outputs are the stored ones."""
        return dict(self.content.metadata.get("perfstudies", {}).get("parameters", {}))

    @property
    def key(self) -> str:
        """Study and name."""
        return f"{self.study}/{self.name}"

    @property
    def is_live(self) -> bool:
        """Whether its own parameters say that it shows live runs."""
        cells = (cell.source for cell in self.content.cells if "parameters" in cell.metadata.get("tags", []))
        return any(re.search(r"^source = .live", source, re.MULTILINE) for source in cells)


def read(path: Path, study: str) -> Executed:
    """Read an executed notebook.

    Raises
    ------
    BadNotebook
        If the file is no notebook.
    """
    try:
        return Executed(study, path.stem, nbformat.read(path, as_version=4))
    except (ValueError, AttributeError, KeyError) as error:
        raise BadNotebook(f"{path}: not a notebook: {error}") from error


def notebooks(source: str, profile: str) -> list[Executed]:
    """Return the studies' notebooks with their outputs, in the order of the studies.

    Parameters
    ----------
    source : {"reference", "live"}
        The outputs that the notebooks of the repository store, or those of the last execution on live runs.
    profile : str
        Of live executions; the stored outputs are those of the recorded runs.

    Raises
    ------
    BadParameter
        For an unknown source, or if no notebook was executed so.
    BadNotebook
        If one of the repository stores what live runs gave.
    """
    require_one_of("source", source, SOURCES)
    folder = ROOT / "notebooks" if source == "reference" else PROCESSED / "notebooks"
    found = [read(path, study) for study in PUBLICATIONS for path in sorted((folder / study).glob("[!.]*.ipynb"))]
    if source == "live":
        wanted = {"source": source, "profile": profile}
        # What has failed since keeps what it told before, but has no report.
        reports = {path.relative_to(ROOT / "reports").with_suffix("") for path in (ROOT / "reports").rglob("*.html")}
        found = [one for one in found if wanted.items() <= one.parameters.items() and Path(one.key) in reports]
    elif strays := [one.key for one in found if one.is_live]:
        raise BadNotebook(f"{', '.join(strays)}: what it stores is of live runs; git checkout notebooks takes it back")
    if not found:
        raise BadParameter(
            f"no notebook was executed with source = {source!r} and profile = {profile!r}. "
            f"Execute them first: make reports SOURCE={source} PROFILE={profile}"
        )
    return found


def verdicts(executed: Iterable[Executed], level: float = 0.05) -> pd.DataFrame:
    """Gather all verdicts and correct them by Holm's procedure within each study.

    Parameters
    ----------
    executed : iterable of Executed
        From `notebooks`.
    level : float
        The probability of one wrong verdict or more within a study.

    Returns
    -------
    DataFrame
        A row a finding, in the order of the notebooks: ``study``, ``notebook``, ``title`` (the notebook's), ``id``,
        ``where``, ``claim``, ``rule``, ``published``, ``unit``, ``estimate``, ``low``, ``high``, ``confidence``,
        ``runs``, ``p_inside`` and ``p_outside`` (each alone), ``own_outcome`` (corrected within the notebook),
        ``kind``, ``untestable``, ``apart``, ``scale``, ``note``, ``mean``, ``error`` and ``region`` (as in the record),
        and ``outcome`` (corrected within the study, over all findings that a test decides). ``today_estimate`` and so
        on, as in `TODAY`, are of the same finding with today's libraries, empty or missing where that is no question,
        and ``today_outcome`` is corrected within the study as ``outcome`` is; ``cause`` says what makes a finding fail,
        or is empty.

    Raises
    ------
    BadNotebook
        If a notebook's verdicts lack something (it has to be executed again), or two tell of the same finding.
    """
    rows = []
    for one in executed:
        title = heading(one.content)[0] or one.name
        for record in carried(one.content, "verdicts"):
            row = record | {"study": one.study, "notebook": one.name, "title": title}
            rows.append(row | {"cause": record.get("cause", "")} | _today(record.get("today", {})))
            if lacking := set(COLUMNS) - set(rows[-1]):
                told = f"does not tell its {', '.join(sorted(lacking))}; execute the notebook again"
                raise BadNotebook(f"{one.study}/{one.name}: finding {record.get('id')} {told}")
    frame = pd.DataFrame(rows, columns=[*COLUMNS, "cause", *_today({})]).rename(columns={"outcome": "own_outcome"})
    if (twice := frame[frame.duplicated(["study", "id"], keep=False)]).size:
        named = ", ".join(dict.fromkeys(twice["study"] + "/" + twice["notebook"]))
        raise BadNotebook(f"{named} tell of the same findings; keep a copy elsewhere than in its study's folder")
    for number in (*NUMBERS, "mean", "error", *(f"today_{one}" for one in NUMBERS)):
        frame[number] = frame[number].astype(float)
    today = frame[["study"]].assign(own_outcome=frame["today_outcome"])
    return frame.assign(
        outcome=within_studies(frame, frame[["p_inside", "p_outside"]].to_numpy(), level),
        today_outcome=within_studies(today, frame[["today_p_inside", "today_p_outside"]].to_numpy(), level),
    )


def by_setting(executed: Iterable[Executed]) -> pd.DataFrame:
    """Gather the verdicts on each setting that findings were judged on, each corrected as those of `verdicts` are.

    Parameters
    ----------
    executed : iterable of Executed
        From `notebooks`.

    Returns
    -------
    DataFrame
        A row a finding and setting: ``study``, ``notebook``, ``id``, ``where``, ``claim``, ``apart``, ``scale`` and
        ``region`` of the finding, ``setting``, and of it ``estimate``, ``low``, ``high``, ``mean``, ``error``,
        ``runs``, ``p_inside``, ``p_outside``, ``own_outcome`` and ``outcome``. Notebooks that tell none have no rows.
    """
    of_finding = ("id", "where", "claim", "apart", "scale", "region")
    measured = (*NUMBERS, "mean", "error")
    rows = [
        {name: record[name] for name in of_finding}
        | {"study": one.study, "notebook": one.name, "setting": setting, "own_outcome": found["outcome"]}
        | {name: found[name] for name in (*measured, "runs")}
        for one in executed
        for record in carried(one.content, "verdicts")
        for setting, found in record.get("by_setting", {}).items()
    ]
    frame = pd.DataFrame(rows, columns=["study", "notebook", *of_finding, "setting", *measured, "runs", "own_outcome"])
    frame[[*measured]] = frame[[*measured]].astype(float)
    for _, part in frame.groupby("setting"):
        frame.loc[part.index, "outcome"] = within_studies(part, part[["p_inside", "p_outside"]].to_numpy())
    return frame


def _today(record: Mapping[str, object]) -> dict[str, object]:
    return {f"today_{one}": record.get(one, None if one in NUMBERS else "") for one in TODAY}


def today_text(row: Any) -> str:
    """Write what today's libraries gave for a finding, a row of `verdicts`, with its interval and unit."""
    if row.today_outcome == NOT_TESTABLE:
        return NOT_TESTABLE
    return estimate_text(row.today_estimate, row.today_low, row.today_high, row.unit)


def beside_recorded(found: pd.DataFrame, recorded: pd.DataFrame) -> pd.DataFrame:
    """Put what the recorded runs came to beside what was measured here.

    Parameters
    ----------
    found, recorded : DataFrame
        From `verdicts`, of live and of recorded runs.

    Returns
    -------
    DataFrame
        `found` with ``recorded_outcome`` (empty where the recorded runs do not know the finding) and
        ``recorded_estimate``, ``recorded_low`` and ``recorded_high``.
    """
    keys = ["study", "id"]
    theirs = recorded[[*keys, "outcome", "estimate", "low", "high"]]
    theirs = theirs.rename(columns={name: f"recorded_{name}" for name in theirs.columns.difference(keys)})
    return found.merge(theirs, how="left", on=keys, validate="one_to_one").fillna({"recorded_outcome": ""})


def recorded_text(row: Any) -> str:
    """Write what the recorded runs gave for a finding, a row of `beside_recorded`, with its interval and unit."""
    return estimate_text(row.recorded_estimate, row.recorded_low, row.recorded_high, row.unit)


def are_claims(frame: pd.DataFrame) -> pd.Series:
    """Whether each finding of `verdicts` is a claim of the study itself that a test decides: these are counted."""
    return (frame["apart"] == "") & frame["outcome"].isin(DECIDED)


def within_studies(frame: pd.DataFrame, alone: np.ndarray, level: float = 0.05) -> np.ndarray:
    """Return the outcomes of findings corrected together within each study.

    Parameters
    ----------
    frame : DataFrame
        From `verdicts`, or with its columns ``study`` and ``own_outcome``.
    alone : ndarray, shape (findings, 2)
        P values of being inside the region and of being outside.
    level : float
        The probability of one wrong verdict or more within a study.

    Returns
    -------
    ndarray of str
        What no test decides keeps its outcome, and is not corrected for.
    """
    found = frame["own_outcome"].to_numpy(dtype=object)
    decided = frame["own_outcome"].isin(DECIDED).to_numpy()
    for study in frame["study"].unique():
        places = np.flatnonzero(decided & (frame["study"] == study).to_numpy())
        found[places] = [outcome for _, _, outcome in outcomes([tuple(one) for one in alone[places]], level)]
    return found
