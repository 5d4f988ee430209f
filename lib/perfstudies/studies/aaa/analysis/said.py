"""What the AAA study's text says of overload and of what it left open, as tables."""

from __future__ import annotations

import pandas as pd

from perfstudies.paths import PUBLISHED
from perfstudies.report.tables import Table, table

FILE = "statements-limits.csv"
OVERLOAD = "5.4"
"""The section whose statements here are all on overload."""
MAXIMUM = "What are the maximum load levels"
AT_ONCE = "requests"
"""The unit of the study's only number on overload."""


def overload() -> Table:
    """Show what the study says of overload."""
    known = _statements()
    return _shown(known[_on_overload(known)], "What the study says of overload")


def questions() -> Table:
    """Show what the study says of and asks for parameters, policies, beans, processors and clients."""
    known = _statements()
    return _shown(known[~_on_overload(known)], "What the study says and asks")


def _statements() -> pd.DataFrame:
    return pd.read_csv(PUBLISHED / "aaa" / FILE, dtype=str, keep_default_na=False)


def _on_overload(known: pd.DataFrame) -> pd.Series:
    asked = known["statement"].str.startswith(MAXIMUM)
    return asked | (known["section"] == OVERLOAD) | (known["unit"] == AT_ONCE)


def _shown(found: pd.DataFrame, caption: str) -> Table:
    values = [f"{value} {unit}".strip() or None for value, unit in zip(found["value"], found["unit"], strict=True)]
    shown = pd.DataFrame({"Statement": found["statement"].to_numpy(), "Value": values})
    return table(
        shown.set_axis(pd.Index(found["section"], name="Section")), caption, align={"Value": "left"},
        note="In short, in the lab's words; where the text gives no number none is shown.",
    )  # fmt: skip
