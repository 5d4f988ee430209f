"""The results of a batch's points as one table, a row a point and result, as Parquet and as CSV.

Results and verdicts are read from the executed notebooks' outputs (`perfstudies.notebooks.results`). A verdict is a
result that is named by its finding and has an outcome.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import nbformat
import pandas as pd
from nbformat import NotebookNode

from perfstudies import paths
from perfstudies.errors import BadRecording
from perfstudies.notebooks.grid import NUMBERS, RESULT, Point
from perfstudies.notebooks.kept import CONTENTS, Kept
from perfstudies.site.page import carried

PARQUET, CSV = "results.parquet", "results.csv"


def rows(notebook: NotebookNode, name: str, varied: Mapping[str, object]) -> list[dict]:
    """Return an executed notebook's results and verdicts as rows of the combined table.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        Executed.
    name : str
        What the table calls it.
    varied : mapping
        The grid's parameters at this point.
    """
    base = {parameter: word(value) for parameter, value in varied.items()} | {"notebook": name}
    found = [base | {"outcome": ""} | result for result in carried(notebook, "results")]
    for verdict in carried(notebook, "verdicts"):
        kept = {key: verdict.get(key) for key in ("low", "high", "unit", "outcome")}
        found.append(base | kept | {"name": verdict["id"], "value": verdict.get("estimate"), "setting": ""})
    return found


def combine(kept: Kept, points: Iterable[Point]) -> pd.DataFrame:
    """Write the table of all finished points, and return it.

    Returns
    -------
    DataFrame
        The grid's parameters as words, then `RESULT`; ordered by point and place in the notebook.
    """
    found: list[dict] = []
    varied: dict[str, None] = {}
    for point in points:
        varied |= dict.fromkeys(point.varied)
        if kept.finished(point):
            executed = nbformat.read(kept.executed(point), as_version=4)
            name = point.key.removesuffix(point.name) + point.notebook.stem
            found += rows(executed, name, point.varied)
    table = _typed(pd.DataFrame(found, columns=[*varied, *RESULT]))
    kept.folder.mkdir(parents=True, exist_ok=True)
    for name, write in ((PARQUET, table.to_parquet), (CSV, table.to_csv)):
        draft = kept.folder / f".{name}.{os.getpid()}"
        write(draft, index=False)
        os.replace(draft, kept.folder / name)
    return table


def place(batch: str, source: str = "live") -> Path:
    """Return the folder of a batch: one of the repository, one that was run here, or any by its path.

    A batch of the repository that was not run here is the repository's for either source.

    Raises
    ------
    BadRecording
        If there is none of that name.
    """
    recorded, here = paths.RAW / "reference" / "batches" / batch, paths.PROCESSED / "batches" / batch
    looked = [Path(batch), recorded] if source == "reference" else [Path(batch), here, recorded]
    for folder in looked:
        if (folder / CSV).is_file():
            return folder
    raise BadRecording(
        f"no batch {batch!r} in {' or '.join(str(folder.parent) for folder in looked[1:])}; "
        "run one by perfstudies batch"
    )


def read(folder: Path) -> tuple[pd.DataFrame, list[dict]]:
    """Return a batch's combined table and the records of its points.

    Raises
    ------
    BadRecording
        If the folder holds no such files.
    """
    try:
        table = pd.read_csv(folder / CSV, dtype=str, keep_default_na=False)
        for name in NUMBERS:
            table[name] = pd.to_numeric(table[name])
        points = json.loads((folder / CONTENTS).read_text(encoding="utf-8"))["points"]
    except (OSError, ValueError, KeyError) as error:
        raise BadRecording(f"{folder} holds no batch: {error}") from error
    return _typed(table), points


def parameters(table: pd.DataFrame) -> list[str]:
    """Return the columns that are the grid's parameters."""
    return [name for name in table.columns if name not in RESULT]


def _typed(table: pd.DataFrame) -> pd.DataFrame:
    """Give columns the types that both files keep: numbers with gaps, and words without."""
    numbers = {name: pd.to_numeric(table[name]).astype("float64") for name in NUMBERS}
    words = {name: table[name].fillna("").astype("str") for name in table.columns if name not in NUMBERS}
    return table.assign(**numbers, **words)


def word(value: object) -> str:
    """Return how tables call a parameter's value: words as they are, a list of them joined, all else as JSON."""
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return " and ".join(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
