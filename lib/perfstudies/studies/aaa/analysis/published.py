"""What the AAA study's text says of its figures: they are pictures, and no number behind them was printed."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from perfstudies.errors import BadParameter
from perfstudies.paths import PUBLISHED
from perfstudies.report.tables import Table, table

FILES = "statements*.csv"
"""Columns: figure (several with commas between), section, statement, value, unit."""


def table_of(numbers: Iterable[int], caption: str = "What the study's text says of these figures") -> Table:
    """Show the statements on some figures, by the study's numbers, as a table in the order of the text.

    Raises
    ------
    BadParameter
        If the text says nothing of one of them.
    """
    files = sorted((PUBLISHED / "aaa").glob(FILES))
    known = pd.concat([pd.read_csv(path, dtype=str, keep_default_na=False) for path in files], ignore_index=True)
    wanted, about = [str(number) for number in numbers], known["figure"].str.split(", ")
    for number in wanted:
        if not about.map(lambda figures, number=number: number in figures).any():
            raise BadParameter(f"no statement on figure {number} in {PUBLISHED / 'aaa'}")
    found = known[about.map(lambda figures: bool({*figures} & {*wanted}))].reset_index(drop=True)
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
