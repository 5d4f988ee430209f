"""Renders pages from the outputs that notebooks store: no kernel runs, nothing is measured, nothing recorded is read.

They are equal to the reports of the recorded runs, and ready in seconds. They stand in a folder of their own, so that
they replace no report of runs that were measured here.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from perfstudies import paths
from perfstudies.errors import BadParameter, PerfstudiesError
from perfstudies.files import place, write_atomically
from perfstudies.notebooks.execute import parameters_of
from perfstudies.notebooks.pool import cores
from perfstudies.site import gathered, index
from perfstudies.site.gathered import Executed
from perfstudies.site.page import page_html


def pages(notebooks: Sequence[Path] = (), out: Path | None = None, workers: int | None = None) -> list[str]:
    """Write a page for each notebook, and an index of them.

    Parameters
    ----------
    notebooks : sequence of Path
        Which; all of the repository if none is named.
    out : Path, optional
        The folder; ``reports/pages`` without it.
    workers : int, optional
        How many are rendered at the same time; all cores without it.

    Returns
    -------
    list of str
        What was wrong with those that could not be made.

    Raises
    ------
    BadParameter
        If there is no notebook, or no such one.
    """
    out = out or paths.ROOT / "reports" / "pages"
    chosen = list(notebooks) or sorted((paths.ROOT / "notebooks").glob("**/[!.]*.ipynb"))
    for path in chosen:
        if not path.is_file():
            raise BadParameter(f"{path}: no such notebook")
    made, problems = [], []
    # Forked: what takes each of them seconds to import is there already.
    with ProcessPoolExecutor(workers or cores(), multiprocessing.get_context("fork")) as pool:
        for path, ended in [(path, pool.submit(_page, path, out)) for path in chosen]:
            try:
                made.append(ended.result())
            except PerfstudiesError as error:
                problems.append(f"{path}: {error}")
    try:
        found = index.listed([one for one, _ in made], [entry for _, entry in made])
        write_atomically(out / "index.html", index.index_html(found, index.runs(found)))
        print(f"listed {len(found)} page{'' if len(found) == 1 else 's'} in {out / 'index.html'}")
    except PerfstudiesError as error:
        problems.append(f"the index could not be written: {error}")
    return problems


def _page(path: Path, out: Path) -> tuple[Executed, index.Entry]:
    study, name = place(path)
    stored = gathered.read(path, study)
    stored.content.metadata.setdefault("perfstudies", {})["parameters"] = parameters_of(path)
    write_atomically(out / study / f"{name}.html", page_html(stored.content, study, name))
    return stored, index.entry(stored)
