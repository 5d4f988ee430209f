"""The page of a batch: its points in their order, with a link to the report of each that is finished."""

from __future__ import annotations

from collections.abc import Sequence

import jinja2

from perfstudies.files import write_atomically
from perfstudies.notebooks.grid import Point
from perfstudies.notebooks.kept import FAILED, FINISHED, Kept
from perfstudies.site.page import TEMPLATES, check_page


def write(kept: Kept, points: Sequence[Point], results: int) -> None:
    """Write ``index.html`` beside a batch's reports.

    Parameters
    ----------
    kept : Kept
        The batch.
    points : sequence of Point
        All of its points.
    results : int
        How many rows its combined table has.

    Raises
    ------
    perfstudies.site.page.BadPage
        If the page would load something.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    listed = [_listed(kept, point) for point in points]
    html = environment.get_template("batch.html.j2").render(name=kept.folder.name, points=listed, results=results)
    check_page(html, f"batch {kept.folder.name}")
    write_atomically(kept.reports / "index.html", html + "\n")


def _listed(kept: Kept, point: Point) -> dict[str, str]:
    record = kept.record(point)
    ended = {FINISHED: f"Finished in {record.get('took_s', 0):.0f} s.", FAILED: f"Failed: {record.get('error')}"}
    varied = ", ".join(f"{name} = {value}" for name, value in point.varied.items())
    return {
        "words": f"{point.key.removesuffix(point.name)}{point.notebook.stem}{f': {varied}' if varied else ''}",
        "link": f"{point.key}.html" if record.get("status") == FINISHED else "",
        "ended": ended.get(record.get("status", ""), "Not yet ended."),
    }
