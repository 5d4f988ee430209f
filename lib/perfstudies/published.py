"""What the studies printed: their tables, as CSV files with the columns as printed."""

from __future__ import annotations

import pandas as pd

from perfstudies.errors import BadParameter
from perfstudies.paths import PUBLISHED


def published_table(study: str, number: int) -> pd.DataFrame:
    """Return a study's table by its number, indexed by its first column.

    Raises
    ------
    BadParameter
        If the table is not there; the message lists those that are.
    """
    path = PUBLISHED / study / f"table-{number}.csv"
    if not path.exists():
        known = [one.stem.removeprefix("table-") for one in sorted(path.parent.glob("table-*.csv"))]
        raise BadParameter.choice(f"table of {study}", number, known)
    return pd.read_csv(path, index_col=0)
