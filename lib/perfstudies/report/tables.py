"""Tables for notebooks: one caption, the same numbers as HTML and as plain text.

The plain text matters as much as the HTML: it is what the notebook tests compare with the stored
outputs. Every string, whether a heading, an index label or a cell, is escaped here, because a cell
may hold what a server answered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from numbers import Integral, Number
from typing import Any

import pandas as pd

from perfstudies.stats.interval import Interval

MISSING = "–"
NOTHING = "– nothing of that in these runs."

Format = str | Callable[[object], str]

_NUMBER = re.compile(r"^[<>≤≥≈±]?\s*[-+−]?\d")

LEFT = 'style="text-align:left"'
"""An attribute of cells with words: JupyterLab puts every cell to the right, and leaves no style sheet of an output."""


def interval_text(estimate: float, low: float, high: float, digits: int = 2) -> str:
    """Write an estimate with its interval, all in one unit: ``4.31 [4.12, 4.50]``; an en dash if there is none."""
    return f"{Interval(estimate, low, high, 0.95, 0):,.{digits}f}"


def beside(published: pd.DataFrame, measured: pd.DataFrame, pair: bool = False) -> pd.DataFrame:
    """Put the study's columns and ours side by side under the headings Published and Measured.

    Parameters
    ----------
    published, measured : pandas.DataFrame
        Frames with the same index labels; `published` gives the order of the rows.
    pair : bool
        If true, the columns' names come first and each has Published and Measured below it.

    Returns
    -------
    pandas.DataFrame
        Columns are a MultiIndex of two levels, as `table` shows them in grouped headings.
    """
    rows = list(published.index) + [row for row in measured.index if row not in published.index]
    joined = pd.concat({"Published": published.reindex(rows), "Measured": measured.reindex(rows)}, axis=1)
    joined.index.names = published.index.names
    if not pair:
        return joined
    names = dict.fromkeys([*published.columns, *measured.columns])
    keys = [(source, name) for name in names for source in ("Published", "Measured")]
    return joined[[key for key in keys if key in joined]].swaplevel(axis=1)


@dataclass(frozen=True)
class Table:
    """A captioned table that Jupyter shows; build it with `table`."""

    frame: pd.DataFrame
    caption: str
    label: str = ""
    formats: Format | Mapping = field(default_factory=dict)
    units: Mapping = field(default_factory=dict)
    align: Mapping = field(default_factory=dict)
    note: str = ""

    def text_frame(self) -> pd.DataFrame:
        """Return the frame with every cell as the text that is shown."""
        columns = [
            [cell_text(value, _lookup(self.formats, key)) for value in self.frame.iloc[:, position]]
            for position, key in enumerate(self.frame.columns)
        ]
        shown = pd.DataFrame(dict(enumerate(columns)), index=self.frame.index, dtype=object)
        shown.columns = self.frame.columns
        return shown

    def to_text(self) -> str:
        """Return caption, numbers and note as plain text; of a frame without rows that there is nothing."""
        if not len(self.frame):
            return " ".join(part for part in (self.label, self.caption, NOTHING) if part)
        shown = self.text_frame()
        shown.columns = [self._heading_text(key) for key in self.frame.columns]
        lines = [" ".join(part for part in (self.label, self.caption) if part), shown.to_string(), self.note]
        return "\n".join(line for line in lines if line)

    def to_html(self, caption: bool = True) -> str:
        """Return the table as HTML in a box of its own that scrolls when it is wider than the page."""
        if not len(self.frame):
            return f'<p class="note">{escape(self.to_text())}</p>'
        title = " ".join(part for part in (self.label, self.caption) if part)
        head = f"<strong>{escape(self.label)}</strong> " if self.label else ""
        anchor = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "table"
        parts = [
            f'<div class="table" id="{anchor}">' if caption else '<div class="table">',
            f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(title)}">',
            "<table>",
            f"<caption {LEFT}><span>{head}{escape(self.caption)}</span></caption>" if caption else "",
            self._head(),
            self._body(),
            "</table></div>",
            f'<p class="note">{escape(self.note)}</p>' if self.note else "",
            "</div>",
        ]
        return "\n".join(part for part in parts if part)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": self.to_html(), "text/plain": self.to_text()}

    def _heading_text(self, key: Hashable) -> str:
        unit = _lookup(self.units, key)
        name = ", ".join(str(part) for part in _parts(key) if str(part))
        return f"{name} ({unit})" if unit else name

    def _classes(self) -> list[str]:
        """Say for each column how it is aligned: numbers to the right, words to the left."""
        found = []
        for position, key in enumerate(self.frame.columns):
            values = [value for value in self.frame.iloc[:, position] if not _missing(value)]
            numeric = bool(values) and all(_numeric(value) for value in values)
            found.append(_lookup(self.align, key) or ("right" if numeric else "left"))
        return found

    def _head(self) -> str:
        columns, index, classes = self.frame.columns, self.frame.index, self._classes()
        rows = []
        for level in range(columns.nlevels):
            last = level == columns.nlevels - 1
            cells = []
            if level == 0:
                deep = f' rowspan="{columns.nlevels}"' if columns.nlevels > 1 else ""
                cells = [_heading("col", f"{deep} {LEFT}", escape(str(name or ""))) for name in index.names]
            at = 0
            for span in _spans(columns, level) if not last else [1] * len(columns):
                name = escape(str(_parts(columns[at])[level]))
                unit = _lookup(self.units, columns[at]) if last else None
                unit = f' <span class="unit">({escape(str(unit))})</span>' if unit else ""
                wide = f' colspan="{span}"' if span > 1 else ""
                scope = "col" if last else "colgroup"
                side = classes[at] if last or span == 1 else "group"
                cells.append(_heading(scope, f"{wide} {aligned(side)}", f"{name}{unit}"))
                at += span
            rows.append("<tr>" + "".join(cells) + "</tr>")
        return "<thead>\n" + "\n".join(rows) + "\n</thead>"

    def _body(self) -> str:
        shown, classes, index = self.text_frame(), self._classes(), self.frame.index
        # An outer row label that repeats is written once, over the rows that it covers.
        starts: list[dict[int, int]] = []
        for level in range(index.nlevels):
            lengths = _spans(index, level) if level < index.nlevels - 1 else [1] * len(index)
            at, found = 0, {}
            for length in lengths:
                found[at] = length
                at += length
            starts.append(found)
        rows = []
        for row in range(len(shown)):
            cells = []
            for level, label in enumerate(_parts(index[row])):
                if row in starts[level]:
                    deep = f' rowspan="{starts[level][row]}"' if starts[level][row] > 1 else ""
                    cells.append(f'<th scope="row"{deep} {LEFT}>{escape(str(label))}</th>')
            cells += [
                f"<td {aligned(side)}>{escape(_unbroken(text) if side == 'right' else text)}</td>"
                for side, text in zip(classes, shown.iloc[row], strict=True)
            ]
            rows.append("<tr>" + "".join(cells) + "</tr>")
        return "<tbody>\n" + "\n".join(rows) + "\n</tbody>"


def _heading(scope: str, attributes: str, content: str) -> str:
    """Return a heading's cell; an empty one heads nothing, and a screen reader should not announce it."""
    return f'<th scope="{scope}"{attributes}>{content}</th>' if content else f"<td{attributes}></td>"


def aligned(side: str) -> str:
    """Return the attribute that puts a cell's text to the left, to the right or in the middle."""
    styled = {"left": LEFT, "center": LEFT.replace("left", "center")}
    return styled.get(side, f'class="{escape(side)}"')


def _unbroken(number: str) -> str:
    """Let a number break before its interval or margin and nowhere else, where a table has to be narrow."""
    return re.sub(r" (?![\[±])", "\N{NO-BREAK SPACE}", number)


def table(
    frame: pd.DataFrame,
    caption: str,
    number: int | str | None = None,
    formats: Format | Mapping | None = None,
    units: Mapping | None = None,
    align: Mapping | None = None,
    note: str = "",
) -> Table:
    """Show a frame as a captioned table.

    Parameters
    ----------
    frame : pandas.DataFrame
        What to show. Columns that are a MultiIndex become grouped headings; index labels become row
        headings. Cells may be numbers, intervals (`perfstudies.stats.interval.Interval`) or texts.
    caption : str
        What the table shows, as plain text.
    number : int or str, optional
        The study's own number of the table: 8 gives "Table 8."
    formats : str, callable or mapping, optional
        A format specification such as ``".3f"``, a function of one value, or a mapping from a column
        (its whole key or one of its labels) to either. Without it, whole numbers and two decimals. Intervals are
        written with their ends, or with their margin if the specification begins with ``±``.
    units : mapping, optional
        From a column to its unit, shown in the heading.
    align : mapping, optional
        From a column to ``left``, ``right`` or ``center``, where the rule "numbers right, words left"
        does not do.
    note : str
        A line below the table, for example how many runs it rests on.

    Returns
    -------
    Table
        An object that Jupyter shows, as HTML and as plain text.
    """
    label = f"Table {number}." if number is not None else ""
    return Table(frame, caption, label, formats or {}, units or {}, align or {}, note)


def cell_text(value: object, format: Format | None = None) -> str:
    """Return the text of one cell; strings stay as they are, a missing value is an en dash."""
    if _missing(value):
        return MISSING
    if callable(format):
        return str(format(value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Interval):
        return f"{value:{format or ''}}"
    if isinstance(value, Number):
        # A format of margins holds for the numbers beside them, which have none.
        return f"{value:{(format or (',d' if isinstance(value, Integral) else ',.2f')).removeprefix('±')}}"
    return str(value)


def _missing(value: Any) -> bool:
    return value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))


def _numeric(value: object) -> bool:
    if isinstance(value, str):
        return bool(_NUMBER.match(value))
    return isinstance(value, (Number, Interval)) and not isinstance(value, bool)


def _parts(key: Hashable) -> tuple:
    return key if isinstance(key, tuple) else (key,)


def _lookup(options: Any, key: Hashable) -> Any:
    """Find a column's option by its whole key, else by the innermost of its labels that has one."""
    if not isinstance(options, Mapping):
        return options
    if key in options:
        return options[key]
    return next((options[part] for part in reversed(_parts(key)) if part in options), None)


def _spans(index: pd.Index, level: int) -> list[int]:
    """Count how many neighbours share their labels from the outermost level down to this one."""
    return [len(list(group)) for _, group in groupby(index, key=lambda key: _parts(key)[: level + 1])]
