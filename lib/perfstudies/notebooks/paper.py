"""What the paper shows beside tables and figures: paragraphs with computed numbers, claims of studies, what to cite."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from perfstudies.report.findings import OUTCOMES, estimate_text
from perfstudies.runs.store import Run
from perfstudies.site.gathered import today_text

NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Prose:
    """Paragraphs that Jupyter shows as such, and tests compare; build them with `prose`."""

    paragraphs: tuple[str, ...]

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        shown = "\n".join(f"<p>{escape(one)}</p>" for one in self.paragraphs)
        return {"text/html": f'<div class="prose">\n{shown}\n</div>', "text/plain": "\n\n".join(self.paragraphs)}


def prose(text: str) -> Prose:
    """Show paragraphs, between which there are empty lines; within them it does not matter where lines end."""
    return Prose(tuple(" ".join(one.split()) for one in re.split(r"\n\s*\n", text.strip())))


class Told(dict[str, str]):
    """Texts by number or name; of what has none it is told that it was not measured."""

    def __missing__(self, id: str) -> str:
        return NOT_MEASURED


def told(found: pd.DataFrame) -> Told:
    """Return what was measured, with its interval, by the numbers of `perfstudies.site.gathered.verdicts`.

    Where all runs agree there is no interval to show.
    """
    return Told({str(row.id): _measured(row) for row in found.itertuples()})


def told_today(found: pd.DataFrame) -> Told:
    """Return as `told` what was measured with today's libraries, of findings that were tested with both generations."""
    both = found[found["today_outcome"] != ""]
    return Told({str(row.id): today_text(row) for row in both.itertuples()})


def _measured(row: Any) -> str:
    if row.low == row.high:
        size = math.floor(math.log10(abs(row.estimate))) if row.estimate else 0
        rounded = f"{round(row.estimate, max(2 - size, 0)):,.10g}"  # three digits and no zeros after them
        return rounded if row.unit in ("", "ratio") else f"{rounded} {row.unit}"
    return estimate_text(row.estimate, row.low, row.high, row.unit)


def printed(found: pd.DataFrame) -> pd.Series:
    """Return the number in what the studies published of each finding, by its number; missing where they say words."""
    return found.set_index("id")["published"].str.extract(r"(-?\d[\d.]*)", expand=False).astype(float)


def claims_table(found: pd.DataFrame, chosen: Iterable[str]) -> pd.DataFrame:
    """Return the chosen findings as the paper's tables have them: verdict, claim, published and measured.

    Parameters
    ----------
    found : DataFrame
        From `perfstudies.site.gathered.verdicts`.
    chosen : iterable of str
        Numbers of findings, in the order of the rows. Of one without a verdict nothing but that is said. A last column
        says what today's libraries give, if any of these was tested with those of the study's day.
    """
    rows: dict[str, dict[str, str]] = {}
    measured = told(found)
    by_id = found.set_index("id")
    for id in chosen:
        if id not in by_id.index:
            rows[id] = {"Verdict": NOT_MEASURED, "Claim": "", "Published": "", "Measured": ""}
            continue
        row: Any = by_id.loc[id]
        apart = ", counted apart" if row["apart"] and row["outcome"] in list(OUTCOMES)[:3] else ""
        rows[id] = {
            "Verdict": f"{OUTCOMES[row['outcome']][0]} {row['outcome']}{apart}",
            "Claim": row["claim"],
            "Published": row["published"],
            "Measured": measured[id],
        }
        if row["today_outcome"]:
            rows[id]["Today's libraries"] = f"{OUTCOMES[row['today_outcome']][0]} {today_text(row)}"
    return pd.DataFrame.from_dict(rows, orient="index").fillna("").rename_axis("Finding")


def versions(runs: Iterable[Run]) -> Told:
    """Return the versions of the libraries that runs' systems were made of, by library; several are told in order."""
    found: dict[str, set[str]] = {}
    for libraries in {tuple(run.manifest["system"]["libraries"]) for run in runs}:
        for jar in libraries:
            name, dash, version = jar.removesuffix(".jar").rpartition("-")
            # What has no version is the lab's own; a version may have a dash before its qualifier.
            if dash and not version[:1].isdigit():
                name, _, rest = name.rpartition("-")
                version = f"{rest}-{version}"
            if version[:1].isdigit():
                found.setdefault(name, set()).add(version)
    return Told({name: ", ".join(sorted(several)) for name, several in found.items()})


def citations(path: Path) -> Prose:
    """Show what a ``CITATION.cff`` names, this software first, each as a reference."""
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    return Prose(
        (_reference(content | {"notes": f"Version {content['version']}"}), *map(_reference, content["references"]))
    )


def _reference(one: Mapping[str, Any]) -> str:
    people = [
        person.get("name") or f"{person['given-names']} {person['family-names']}" for person in one.get("authors", ())
    ]
    year = one.get("year") or str(one.get("date-published", ""))[:4]
    where = one.get("institution", {}).get("name", "")
    parts = [", ".join(people), one["title"], where, str(year), str(one.get("notes", ""))]
    return " ".join(f"{part.removesuffix('.')}." for part in parts if part)
