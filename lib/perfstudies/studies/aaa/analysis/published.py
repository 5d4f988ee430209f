"""What the AAA study's text says of its figures: they are pictures, and no number behind them was printed."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from perfstudies.errors import BadParameter
from perfstudies.paths import PUBLISHED
from perfstudies.report.tables import Table, table

FILES = "statements*.csv"


def statements() -> pd.DataFrame:
    """Return all statements, a row each: figure (several with commas between), section, statement, value, unit."""
    files = sorted((PUBLISHED / "aaa").glob(FILES))
    return pd.concat([pd.read_csv(path, dtype=str, keep_default_na=False) for path in files], ignore_index=True)


def of_figures(numbers: Iterable[int]) -> pd.DataFrame:
    """Return the statements on some figures, in the order of the text.

    Parameters
    ----------
    numbers : iterable of int
        The study's numbers of its figures.

    Raises
    ------
    BadParameter
        If the text says nothing of one of them.
    """
    known, wanted = statements(), [str(number) for number in numbers]
    about = known["figure"].str.split(", ")
    for number in wanted:
        if not about.map(lambda figures, number=number: number in figures).any():
            raise BadParameter(f"no statement on figure {number} in {PUBLISHED / 'aaa'}")
    return known[about.map(lambda figures: bool({*figures} & {*wanted}))].reset_index(drop=True)


def table_of(numbers: Iterable[int], caption: str = "What the study's text says of these figures") -> Table:
    """Show the statements on some figures as a table."""
    found = of_figures(numbers)
    shown = pd.DataFrame(
        {
            "Section": found["section"],
            "Statement": found["statement"],
            "Value": [f"{value} {unit}".strip() for value, unit in zip(found["value"], found["unit"], strict=True)],
        }
    )
    return table(
        shown.set_axis(pd.Index(found["figure"], name="Figure")),
        caption,
        align={"Section": "left", "Value": "left"},
        note="Its figures are pictures without printed data; nothing was read off them.",
    )
