"""Tables of the landing notebook: the notebooks with their verdicts, and the runs that are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import pandas as pd

from perfstudies.errors import require_one_of
from perfstudies.experiment import PROFILES, SOURCES
from perfstudies.report.findings import OUTCOMES, badge
from perfstudies.report.tables import LEFT
from perfstudies.site import gathered
from perfstudies.site.gathered import Executed
from perfstudies.site.measured import finished, kind
from perfstudies.site.page import heading
from perfstudies.studies import PUBLICATIONS


@dataclass(frozen=True)
class NotebooksTable:
    """A table of notebooks that Jupyter shows; build it with `notebooks_table`.

    Attributes
    ----------
    frame : DataFrame
        A row a notebook: ``study``, ``name``, ``title``, and for each outcome how many claims of the study came to it.
    """

    frame: pd.DataFrame

    def to_html(self) -> str:
        """Return the table as HTML, each notebook with a link to it."""
        names = ("Study", "Notebook and its question", "Verdicts on the claims")
        heads = "".join(f'<th scope="col" {LEFT}>{name}</th>' for name in names)
        rows = "\n".join(self._rows(str(study), part) for study, part in self.frame.groupby("study", sort=False))
        return (
            '<div class="table notebooks">\n'
            '<div class="scroll" role="region" tabindex="0" aria-label="The studies\' notebooks">\n'
            f"<table>\n<caption {LEFT}><span>The studies' notebooks, and the verdicts of recorded runs on the studies' "
            "claims</span></caption>\n"
            f"<thead>\n<tr>{heads}</tr>\n</thead>\n<tbody>\n{rows}\n</tbody>\n</table></div></div>"
        )

    def to_text(self) -> str:
        """Return the table as plain text, a line a notebook."""
        return "\n".join(
            f"{row['study']}/{row['name']}: {row['title']} ({_told(row) or 'no claims'})"
            for row in self.frame.to_dict("records")
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": self.to_html(), "text/plain": self.to_text()}

    def _rows(self, study: str, part: pd.DataFrame) -> str:
        name = f'<th scope="row" rowspan="{len(part)}" {LEFT}>{escape(PUBLICATIONS[study].name)}</th>'
        return "\n".join(
            f"<tr>{name if at == 0 else ''}"
            f'<td {LEFT}><a href="{escape(study)}/{escape(row["name"])}.ipynb">{escape(row["title"])}</a></td>'
            f"<td {LEFT}>{' '.join(badge(one, row[one]) for one in OUTCOMES if row[one])}</td></tr>"
            for at, row in enumerate(part.to_dict("records"))
        )


def notebooks_table(executed: Sequence[Executed]) -> NotebooksTable:
    """List notebooks with their questions and the verdicts on the studies' claims, corrected within each study.

    Parameters
    ----------
    executed : sequence of Executed
        From `perfstudies.site.gathered.notebooks`.

    Raises
    ------
    BadNotebook
        If a notebook's verdicts lack something; it has to be executed again.
    """
    found = gathered.verdicts(executed)
    found = found[gathered.are_claims(found)]
    rows = []
    for one in executed:
        own = found[(found["study"] == one.study) & (found["notebook"] == one.name)]["outcome"]
        counts = {outcome: int((own == outcome).sum()) for outcome in OUTCOMES}
        rows.append({"study": one.study, "name": one.name, "title": heading(one.content)[0] or one.name, **counts})
    return NotebooksTable(pd.DataFrame(rows))


def runs_table(source: str, profile: str) -> pd.DataFrame:
    """Return what was measured, a row a study: experiments with finished runs, runs, machines, first and last day.

    Parameters
    ----------
    source, profile : str
        As of `perfstudies.site.measured.measured`.

    Raises
    ------
    BadParameter
        For an unknown source or profile.
    """
    require_one_of("source", source, SOURCES)
    require_one_of("profile", profile, PROFILES)
    rows = {}
    for study, publication in PUBLICATIONS.items():
        found = [run.manifest for run in finished(study, source, profile)]
        days = sorted(one["started"][:10] for one in found)
        rows[publication.name] = {
            "Experiments": len({one["experiment"] for one in found}),
            "Runs": len(found),
            "Kinds of machine": len({kind(one["host"]) for one in found}),
            "First": days[0] if days else "",
            "Last": days[-1] if days else "",
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Study")


def _told(row: dict) -> str:
    return ", ".join(f"{row[outcome]} {outcome}" for outcome in OUTCOMES if row[outcome])
