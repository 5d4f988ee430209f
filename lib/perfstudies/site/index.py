"""The front page of all reports.

It reads executed notebooks, not reports: title and question from their first heading, parameters and
verdicts from their metadata, the picture from their first figure.
"""

from __future__ import annotations

import base64
import io
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import jinja2
from markupsafe import Markup
from nbformat import NotebookNode
from PIL import Image

from perfstudies.experiment import SOURCES
from perfstudies.files import write_atomically
from perfstudies.publication import Publication
from perfstudies.report.findings import OUTCOMES, badge
from perfstudies.site import gathered
from perfstudies.site.gathered import Executed
from perfstudies.site.measured import Measured, measured
from perfstudies.site.page import TEMPLATES, answer_text, check_page, heading
from perfstudies.studies import PUBLICATIONS

THUMBNAIL_PX = 480
LEADS = {"paper": "What we did and found, as a paper", "findings": "All findings on one page"}
"""The reports that the page leads to first, by name, and in which words."""


@dataclass(frozen=True)
class Entry:
    """What the index shows of one report."""

    study: str
    name: str
    title: str
    question: str
    answer: str = ""
    parameters: dict = field(default_factory=dict)
    verdicts: dict = field(default_factory=dict)
    thumbnail: str = ""
    alt: str = ""

    @property
    def link(self) -> str:
        """The report, relative to the index."""
        return f"{self.study}/{self.name}.html" if self.study else f"{self.name}.html"


@dataclass(frozen=True)
class Chapter:
    """What the index shows of one study: its publication, its reports, and what was measured for them."""

    publication: Publication
    entries: tuple[Entry, ...]
    runs: tuple[Measured, ...] = ()

    @property
    def verdicts(self) -> dict[str, int]:
        """How often its claims came to each verdict."""
        return _sums(self.entries)

    @property
    def cover(self) -> Entry | None:
        """The report whose picture stands for the study: the first with findings, else the first with a picture."""
        pictured = [one for one in self.entries if one.thumbnail]
        return next((one for one in pictured if one.verdicts), pictured[0] if pictured else None)


def entry(executed: Executed) -> Entry:
    """Read what the index shows from one executed notebook; its verdicts are not counted yet."""
    title, question = heading(executed.content)
    outputs = [output for cell in executed.content.cells for output in cell.get("outputs", ())]
    thumbnail, alt = _thumbnail(outputs)
    return Entry(
        executed.study,
        executed.name,
        title or executed.name,
        question,
        _first_sentence(executed.content),
        executed.parameters,
        thumbnail=thumbnail,
        alt=alt,
    )


def entries(notebooks: Path, reports: Path) -> list[Entry]:
    """Return the entries of all executed notebooks whose reports exist, in the order of the page."""
    found = []
    for path in sorted(Path(notebooks).rglob("*.ipynb")):
        folder = path.parent.relative_to(notebooks).as_posix()
        study = "" if folder == "." else folder
        if path.name.startswith(".") or path.name.endswith(".failed.ipynb"):
            continue
        # What was executed once but has no report (any more) would be a dead link.
        if (Path(reports) / study / f"{path.stem}.html").is_file():
            found.append(gathered.read(path, study))
    return listed(found, [entry(one) for one in found])


def listed(executed: Sequence[Executed], found: Sequence[Entry]) -> list[Entry]:
    """Return entries in the order of the page, with their verdicts.

    These are counted as they stand when all findings of a study are corrected together.

    Parameters
    ----------
    executed : sequence of Executed
        The notebooks.
    found : sequence of Entry
        What `entry` read from each of them.
    """
    order = list(PUBLICATIONS)

    def position(one: Entry) -> tuple:
        place = order.index(one.study) if one.study in order else len(order)
        return place, one.study, (one.study, one.name) != ("", "paper"), one.name

    counts = _counts(executed)
    return [replace(one, verdicts=counts.get((one.study, one.name), {})) for one in sorted(found, key=position)]


def index_html(found: Sequence[Entry], runs: Mapping[str, Sequence[Measured]] | None = None) -> str:
    """Render the index; equal entries give equal pages.

    Parameters
    ----------
    found : sequence of Entry
        From `entries`.
    runs : mapping, optional
        What was measured for each study.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["badge"] = lambda count, outcome: Markup(badge(outcome, count))
    chapters = [
        Chapter(publication, tuple(one for one in found if one.study == study), tuple((runs or {}).get(study, ())))
        for study, publication in PUBLICATIONS.items()
    ]
    html = environment.get_template("contents.html.j2").render(
        chapters=[chapter for chapter in chapters if chapter.entries],
        others=[one for one in found if one.study not in PUBLICATIONS],
        leads={words: one for name, words in LEADS.items() for one in found if (one.study, one.name) == ("", name)},
        totals=_sums(found),
    )
    check_page(html, "index")
    return html + "\n"


def write(executed: Path, out: Path) -> int:
    """Write the page of the reports beside it, as `entries` finds them, and return how many these are."""
    found = entries(executed, out.parent)
    write_atomically(out, index_html(found, runs(found)))
    return len(found)


def runs(found: Sequence[Entry]) -> dict[str, list[Measured]]:
    """Return what was measured for each study, from the sources and profiles that its reports name."""
    asked = {
        (one.study, source, one.parameters.get("profile", "") if source == "live" else "")
        for one in found
        if (source := one.parameters.get("source")) in SOURCES
    }
    return {
        study: [one for name, *whose in sorted(asked, reverse=True) if name == study for one in measured(study, *whose)]
        for study in PUBLICATIONS
    }


def _counts(executed: Sequence[Executed]) -> dict[tuple[str, str], dict[str, int]]:
    """Count the verdicts on the studies' claims in each of their notebooks, by study and name."""
    frame = gathered.verdicts(one for one in executed if one.study in PUBLICATIONS)
    frame = frame[gathered.are_claims(frame)]
    counts: dict[tuple[str, str], Counter] = {}
    for study, notebook, outcome in zip(frame["study"], frame["notebook"], frame["outcome"], strict=True):
        counts.setdefault((study, notebook), Counter())[outcome] += 1
    return {place: {one: found[one] for one in OUTCOMES if found[one]} for place, found in counts.items()}


def _sums(found: Sequence[Entry]) -> dict[str, int]:
    return {outcome: sum(one.verdicts.get(outcome, 0) for one in found) for outcome in OUTCOMES}


def _first_sentence(notebook: NotebookNode) -> str:
    """Return the first sentence of a notebook's *In short*; empty if it has none."""
    said, start = answer_text(notebook).partition("\n")[0], "In short. "
    # A sentence ends where the next one begins with a capital letter: numbers and units have points, too.
    return re.split(r"(?<=[.?!])\s+(?=[A-Z])", said.removeprefix(start))[0] if said.startswith(start) else ""


def _thumbnail(outputs: Sequence[NotebookNode]) -> tuple[str, str]:
    """Return the first figure, made smaller, as a data address, and its alternative text."""
    for output in outputs:
        stored = output.get("data", {}).get("image/png")
        alt = output.get("metadata", {}).get("image/png", {}).get("alt", "")
        if stored and alt:
            picture = Image.open(io.BytesIO(base64.b64decode(stored))).convert("RGB")
            picture.thumbnail((THUMBNAIL_PX, THUMBNAIL_PX), Image.Resampling.LANCZOS)
            small = io.BytesIO()
            picture.save(small, format="PNG", optimize=True)
            return "data:image/png;base64," + base64.b64encode(small.getvalue()).decode("ascii"), alt
    return "", ""
