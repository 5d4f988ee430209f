"""The logs of calls over a pool of connections: the client's and the service's, and how many calls ran at once.

The client's: when it was asked for a call, given a connection by its pool (nothing if it was not) and done. The
service's: when each call entered it and left. Both are of the machine's monotonic clock; in a run's folder they are
microseconds after the run's start. Calls carry no number to the service, so the two are compared as wholes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from perfstudies.errors import BadLog
from perfstudies.logs import records
from perfstudies.logs.records import whole
from perfstudies.logs.text import lines

CLIENT_RECORD, SERVER_RECORD = "calls.csv.xz", "service.csv.xz"
CLIENT_TIMES, SERVER_TIMES = ("asked", "connected", "ended"), ("entered", "left")
CLIENT_COLUMNS = ("number", "thread", *(f"{name}_ns" for name in CLIENT_TIMES), "outcome", "detail")
SERVER_COLUMNS = tuple(f"{name}_ns" for name in SERVER_TIMES)
NOT_GIVEN = 0
"""As the time of its connection: a call was given none."""
_TEXTS: dict[str, records.Converter] = {"outcome": str, "detail": str}
_MAY_LACK = records.OrNone(whole)


def read_client(path: Path) -> pd.DataFrame:
    """Read a client's log as it wrote it.

    Raises
    ------
    BadLog
        If it is not one or is cut, or there is no call in it; with file and line.
    """
    frame = _read(path, "".join(lines(path)), CLIENT_COLUMNS)
    if frame.empty:
        raise BadLog(path, 1, "there is no call")
    return frame


def read_server(path: Path, offset: int = 0) -> pd.DataFrame:
    """Read what the service's log has from a byte on; a log that is not there yet has no line.

    Raises
    ------
    BadLog
        If it is not one or is cut; with the file, and the line as counted from there, the heading being the first.
    """
    if not path.exists():
        return pd.DataFrame({name: pd.Series(dtype="int64") for name in SERVER_COLUMNS})
    with open(path, "rb") as file:
        heading = file.readline()
        file.seek(max(offset, len(heading)))
        return _read(path, (heading + file.read()).decode("utf-8", errors="replace"), SERVER_COLUMNS)


def since(frame: pd.DataFrame, start_ns: int) -> pd.DataFrame:
    """Return a log whose times are microseconds after a start; a connection that was not given has none."""
    shown = frame.copy()
    for name in [name for name in map(str, frame) if name.endswith("_ns")]:
        micros = ((frame[name] - start_ns) // 1000).astype("Int64")
        shown[name] = micros.mask(frame[name] == NOT_GIVEN)
    return shown.rename(columns=lambda name: name.replace("_ns", "_us"))


def read_kept(path: Path, columns: tuple[str, ...]) -> pd.DataFrame:
    """Read a log of a run's folder.

    Parameters
    ----------
    path : Path
    columns : tuple of str
        `CLIENT_COLUMNS` or `SERVER_COLUMNS`.

    Raises
    ------
    BadLog
        If it is not one or is cut, or a time runs backwards; with file and line.
    """
    frame = _read(path, "".join(lines(path)), tuple(name.replace("_ns", "_us") for name in columns))
    times = [name for name in map(str, frame) if name.endswith("_us")]
    for earlier, later in zip(times, times[1:], strict=False):
        if (backwards := frame[later] < frame[earlier]).any():
            raise BadLog(path, int(backwards.to_numpy().argmax()) + 2, f"{later} is before {earlier}")
    return frame


def most_at_once(begins: pd.Series, ends: pd.Series) -> int:
    """Return at most how many calls ran at the same time; one that begins as another ends does not run beside it."""
    moments = np.concatenate([begins.to_numpy(), ends.to_numpy()])
    steps = np.repeat([1, -1], [len(begins), len(ends)])
    order = np.lexsort((steps, moments))
    return int(np.cumsum(steps[order]).max(initial=0))


def overtaken(calls: pd.DataFrame) -> pd.Series:
    """Return for each call whether one that was asked later was given a connection earlier; of those given none: no.

    Parameters
    ----------
    calls : DataFrame
        With ``asked_us`` and ``connected_us``.
    """
    given = calls.dropna(subset=["connected_us"]).sort_values("asked_us", kind="stable")
    moments = given["connected_us"].to_numpy(dtype=float)
    earliest_from = np.minimum.accumulate(moments[::-1])[::-1]
    return pd.Series(earliest_from < moments, index=given.index).reindex(calls.index, fill_value=False)


def _read(path: Path, text: str, columns: tuple[str, ...]) -> pd.DataFrame:
    converters = {name: _MAY_LACK if name == "connected_us" else _TEXTS.get(name, whole) for name in columns}
    frame, truncated = records.read_text(path, text, "a log of calls over a pool", converters)
    if truncated:
        raise BadLog(path, len(frame) + 2, "cut: its last line has no end, and may lack digits")
    kinds = {name: "float64" if name == "connected_us" else "int64" for name in columns if name not in _TEXTS}
    return frame.drop(columns="line").astype(kinds)
