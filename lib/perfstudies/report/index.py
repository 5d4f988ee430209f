"""The page that lists all reports: ``python -m perfstudies.report.index``.

It reads executed notebooks, not reports: title and question from their first heading, parameters and
verdicts from their metadata, the thumbnail from their first figure.
"""

from __future__ import annotations

import argparse
import base64
import io
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import jinja2
import nbformat
from markupsafe import Markup
from nbformat import NotebookNode
from PIL import Image

from perfstudies import paths
from perfstudies.errors import PerfstudiesError
from perfstudies.report.findings import OUTCOMES, badge
from perfstudies.report.page import TEMPLATES, BadPage, check_page, heading
from perfstudies.report.render import write_atomically

# In the order of the page; notebooks of no study come last.
STUDIES = {
    "step": "Performance assessment of the STEP Framework (Pardal, 2010)",
    "aaa": "Generic AAA Architecture performance testing (Ait Messoud and Lahit, about 2005)",
    "esb": "ESB performance (a weblog's measurements, 2012 and earlier)",
    "corba": "Performance of middleware based architectures (Harkema, Gijsen and van der Mei, 2004/05)",
    "": "Across the studies",
}
THUMBNAIL_PX = 480


@dataclass(frozen=True)
class Entry:
    """What the index shows of one report."""

    study: str
    name: str
    title: str
    question: str
    parameters: dict = field(default_factory=dict)
    verdicts: dict = field(default_factory=dict)
    thumbnail: str = ""
    alt: str = ""

    @property
    def link(self) -> str:
        """The report, relative to the index."""
        return f"{self.study}/{self.name}.html" if self.study else f"{self.name}.html"


def entry(path: Path, study: str) -> Entry:
    """Read what the index shows from one executed notebook.

    Raises
    ------
    BadPage
        If the file is no notebook.
    """
    try:
        notebook = nbformat.read(path, as_version=4)
    except (ValueError, AttributeError, KeyError) as error:
        raise BadPage(f"{path}: not a notebook: {error}") from error
    title, question = heading(notebook)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    counts = Counter(
        verdict.get("outcome")
        for output in outputs
        for verdict in output.get("metadata", {}).get("perfstudies", {}).get("verdicts", ())
    )
    thumbnail, alt = _thumbnail(outputs)
    return Entry(
        study,
        path.stem,
        title or path.stem,
        question,
        dict(_parameters(notebook)),
        {outcome: counts[outcome] for outcome in OUTCOMES if counts[outcome]},
        thumbnail,
        alt,
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
            found.append(entry(path, study))
    order = list(STUDIES)

    def position(one: Entry) -> tuple:
        return order.index(one.study) if one.study in order else len(order), one.study, one.name

    return sorted(found, key=position)


def index_html(found: Sequence[Entry]) -> str:
    """Render the index; equal entries give equal pages."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["badge"] = lambda count, outcome: Markup(badge(outcome, count))
    groups: dict[str, list[Entry]] = {}
    for one in found:
        groups.setdefault(one.study, []).append(one)
    totals = {o: sum(e.verdicts.get(o, 0) for e in found) for o in OUTCOMES}
    html = environment.get_template("contents.html.j2").render(groups=groups, studies=STUDIES, totals=totals)
    check_page(html, "index")
    return html + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, or 1 if the index could not be made."""
    parser = argparse.ArgumentParser(prog="python -m perfstudies.report.index", description=__doc__)
    parser.add_argument("--notebooks", type=Path, default=paths.PROCESSED / "notebooks")
    parser.add_argument("--out", type=Path, default=paths.ROOT / "reports" / "index.html")
    options = parser.parse_args(arguments)
    try:
        found = entries(options.notebooks, options.out.parent)
        write_atomically(options.out, index_html(found))
    except PerfstudiesError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"listed {len(found)} report{'' if len(found) == 1 else 's'} in {options.out}")
    return 0


def _parameters(notebook: NotebookNode) -> dict:
    own = notebook.metadata.get("perfstudies", {}).get("parameters")
    return own if own is not None else notebook.metadata.get("papermill", {}).get("parameters", {})


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


if __name__ == "__main__":
    sys.exit(main())
