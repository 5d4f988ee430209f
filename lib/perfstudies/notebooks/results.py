"""A notebook's headline numbers: a small table whose output carries them as data, so that batches can collect them.

A result is one number with its interval, its unit and the setting it was measured at. The verdicts of findings travel
in the same way (`perfstudies.report.findings`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import pandas as pd

from perfstudies.errors import BadParameter, require_one_of
from perfstudies.report.tables import interval_text, table

FIELDS = ("name", "value", "low", "high", "unit", "setting")
NEEDED = ("name", "value")


@dataclass(frozen=True)
class ResultsTable:
    """A table of results that Jupyter shows; build it with `results`."""

    rows: tuple[dict, ...]
    caption: str

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        shown = pd.DataFrame(
            {
                "Setting": [row["setting"] for row in self.rows],
                "Value": [_text(row) for row in self.rows],
                "Unit": [row["unit"] for row in self.rows],
            },
            index=pd.Index([row["name"] for row in self.rows], name="Result"),
        )
        made = table(shown, self.caption, align={"Value": "right"})
        data = {"text/html": made.to_html(), "text/plain": made.to_text()}
        return data, {"perfstudies": {"results": list(self.rows)}}


def results(rows: Iterable[Mapping[str, object]], caption: str = "Results") -> ResultsTable:
    """Show a notebook's headline numbers and hand them on to whoever reads the executed notebook.

    Parameters
    ----------
    rows : iterable of mapping
        A mapping a result: ``name`` and ``value``, and where there are any ``low`` and ``high`` (the ends of its
        interval), ``unit`` and ``setting``. A value that could not be measured is None or NaN.
    caption : str
        What the table shows.

    Returns
    -------
    ResultsTable
        An object that Jupyter shows; its output's metadata hold the rows under ``perfstudies.results``.

    Raises
    ------
    BadParameter
        If there is no row, one lacks its name or value, has a field of another name, a number that is none, or the
        name and setting of another.
    """
    checked = tuple(_checked(row) for row in rows)
    if not checked:
        raise BadParameter("results: there is no result to show")
    seen = set()
    for row in checked:
        key = row["name"], row["setting"]
        if key in seen:
            raise BadParameter(f"results: {key[0]!r} comes twice at setting {key[1]!r}; give each a setting of its own")
        seen.add(key)
    return ResultsTable(checked, caption)


def _checked(row: Mapping[str, object]) -> dict:
    for field in row:
        require_one_of("field of a result", field, FIELDS)
    for field in NEEDED:
        if field not in row:
            raise BadParameter(f"results: a row has no {field}: {dict(row)!r}")
    return {
        "name": str(row["name"]),
        "value": _number(row, "value"),
        "low": _number(row, "low"),
        "high": _number(row, "high"),
        "unit": str(row.get("unit") or ""),
        "setting": str(row.get("setting") or ""),
    }


def _number(row: Mapping[str, object], field: str) -> float | None:
    """Return a number with six digits, so that two processors agree on the file; None for what is not finite."""
    value = row.get(field)
    if value is None or value is pd.NA:
        return None
    if isinstance(value, bool) or not isinstance(value, Real):
        raise BadParameter(f"results: {field} of {row['name']!r} is {value!r}, which is no number")
    return float(f"{float(value):.6g}") if math.isfinite(value) else None


def _text(row: Mapping[str, Any]) -> str | None:
    if row["value"] is None:
        return None
    size = math.floor(math.log10(abs(row["value"]))) if row["value"] else 0
    digits = min(max(2 - size, 0), 4)
    if row["low"] is None or row["high"] is None:
        return f"{row['value']:.{digits}f}"
    return interval_text(row["value"], row["low"], row["high"], digits=digits)
