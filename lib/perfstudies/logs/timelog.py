"""The AAA study's two logs, ``Total_Timelog`` and ``EJB_Timelog``: whole milliseconds and a semicolon a line.

Its program (Appendix B) appended a line to each when an answer came, so a line's number is that of the answer, not that
of the request, and requests without an answer have no line.
"""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from perfstudies.errors import BadLog
from perfstudies.logs.text import lines

_LINE = re.compile(r"(\d{1,9});\s*")


def read(path: Path) -> pd.Series:
    """Read one of the logs, plain, ``.gz`` or ``.xz``.

    Returns
    -------
    Series of int
        Milliseconds, by the number of the answer from 0.

    Raises
    ------
    BadLog
        For any other line, and for one that was cut before its semicolon; with file and line.
    """
    values = []
    for number, text in enumerate(lines(path), start=1):
        found = _LINE.fullmatch(text)
        if found is None:
            if re.fullmatch(r"\d{1,9}\s*", text):
                raise BadLog(path, number, f"cut: {text!r} lacks its semicolon. Remove the line to read the others")
            raise BadLog(path, number, f"not a number of milliseconds and a semicolon: {text[:80]!r}")
        values.append(int(found[1]))
    return pd.Series(values, dtype="int64", name="ms")


def pair(total_path: Path, ejb_path: Path) -> pd.DataFrame:
    """Read both logs of a run of the study's program.

    Returns
    -------
    DataFrame
        ``answer`` (0 .. n-1, in the order of arrival), ``total_ms`` and ``ejb_ms``.

    Raises
    ------
    BadLog
        As `read`, and if one has more lines than the other: then they are of different runs.
    """
    total, ejb = read(total_path), read(ejb_path)
    if len(total) != len(ejb):
        shorter, longer = sorted(((total_path, len(total)), (ejb_path, len(ejb))), key=lambda one: one[1])
        raise BadLog(shorter[0], shorter[1] + 1, f"ends here, but {longer[0]} has {longer[1]} lines")
    return pd.DataFrame({"answer": range(len(total)), "total_ms": total, "ejb_ms": ejb})
