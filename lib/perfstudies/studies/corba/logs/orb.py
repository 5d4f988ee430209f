"""The records of the CORBA study's server and client as frames, and joined to samples.

The server writes a line a request that has a number. ``received_ns`` is the machine's monotonic clock, and the other
times count from it::

    number,received_ns,queued_ns,receiver_end_ns,removed_ns,dispatched_ns,servant_start_ns,servant_end_ns,replied_ns,...

The receiver has the request from ``received_ns`` on, hands it over at ``queued_ns`` and is done with it at
``receiver_end_ns``. A dispatcher has it from ``dispatched_ns`` to ``replied_ns``. The controller takes it off the queue
at ``removed_ns``, after it has woken the dispatcher: of its own order with the dispatcher's times nothing is known.

The client writes a line a request that it sent, with times of the same clock::

    number,connection,intended_ns,sent_ns,ended_ns,outcome
"""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from perfstudies.errors import BadLog
from perfstudies.logs import records

OK = "ok"
TIMES = (
    "queued_ns", "receiver_end_ns", "removed_ns", "dispatched_ns", "servant_start_ns", "servant_end_ns", "replied_ns",
)  # fmt: skip
DISPATCHER_WAY = ("arrived_ns", "queued_ns", "dispatched_ns", "servant_start_ns", "servant_end_ns", "replied_ns")
SAMPLE_COLUMNS = (
    "receiver_queue_ms", "receiver_ms", "hand_over_ms", "dispatcher_queue_ms", "dispatcher_ms", "servant_ms", "cpu_ms",
    "queue_length", "dispatcher",
)  # fmt: skip


def _outcome(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z_]+", text):
        raise ValueError(f"{text[:40]!r} is neither ok nor the name of an error")
    return text


_SERVER = {name: records.whole for name in ("number", "received_ns", *TIMES, "cpu_ns", "queue_length", "dispatcher")}
_CLIENT = dict.fromkeys(("number", "connection", "intended_ns", "sent_ns", "ended_ns"), records.whole) | {
    "outcome": _outcome
}


def read_server(path: Path) -> pd.DataFrame:
    """Read a server's record.

    Parameters
    ----------
    path : Path
        The record, plain, ``.gz`` or ``.xz``.

    Returns
    -------
    DataFrame
        A row a request with the columns of the record, by number.

    Raises
    ------
    BadLog
        For another heading, a line that does not fit it or is cut, a request that did not get to every place, times
        that are not in the order of a request's way, or a number that comes twice; with file and line.
    """
    frame = _read(path, "a record of the CORBA server", _SERVER)
    at_zero = frame.assign(arrived_ns=0)
    records.require_order(at_zero, path, DISPATCHER_WAY)
    records.require_order(at_zero, path, ("queued_ns", "receiver_end_ns"))
    records.require_order(at_zero, path, ("queued_ns", "removed_ns"))
    return frame.drop(columns="line")


def read_client(path: Path) -> pd.DataFrame:
    """Read a client's record; arguments and errors as `read_server`.

    Returns
    -------
    DataFrame
        A row a request with the columns of the record, by number; and ``late_ms`` (from when it was due until it was
        sent) and ``response_ms`` (from when it was due until it ended).
    """
    frame = _read(path, "a record of the CORBA client", _CLIENT)
    # A client that waits for a time of the clock never sends before it.
    records.require_order(frame, path, ("intended_ns", "sent_ns", "ended_ns"))
    return frame.drop(columns="line").assign(
        late_ms=(frame["sent_ns"] - frame["intended_ns"]) / 1e6,
        response_ms=(frame["ended_ns"] - frame["intended_ns"]) / 1e6,
    )


def samples(client: pd.DataFrame, server: pd.DataFrame, server_path: Path) -> pd.DataFrame:
    """Join what client and server recorded of the same run.

    Parameters
    ----------
    client, server : DataFrame
        What the readers returned.
    server_path : Path
        The server's record, for messages.

    Returns
    -------
    DataFrame
        A row an answered request: the client's columns, and of the server, as the study measured them:
        ``receiver_queue_ms`` (from the call until the receiver has it), ``receiver_ms`` (until the receiver is done
        with it), ``dispatcher_queue_ms`` (from the hand-over until a dispatcher has it) and ``dispatcher_ms`` (until
        the reply is written). Beside them ``hand_over_ms`` (the part of ``receiver_ms`` before the hand-over),
        ``servant_ms`` and ``cpu_ms`` (in the object, by the clock and by the CPU), ``queue_length`` (when it was added,
        itself included) and ``dispatcher`` (which one).

    Raises
    ------
    BadLog
        If one side knows of an answered request that the other does not, or it was there before it was sent or
        answered before it was served: the records are of different runs.
    """
    answered = client[client["outcome"] == OK]
    both = answered.merge(server, on="number", how="left", validate="one_to_one")
    _require_same_run(~server["number"].isin(client["number"]), server, server_path, "is not in the client's record")
    _require_same_run(both["received_ns"].isna(), both, server_path, "was answered, but is not here")
    _require_same_run(both["received_ns"] < both["sent_ns"], both, server_path, "was received before it was sent")
    served = both["received_ns"] + both["servant_end_ns"]
    _require_same_run(both["ended_ns"] < served, both, server_path, "was answered before it was served")
    times = {
        "receiver_queue_ms": both["received_ns"] - both["sent_ns"],
        "receiver_ms": both["receiver_end_ns"],
        "hand_over_ms": both["queued_ns"],
        "dispatcher_queue_ms": both["dispatched_ns"] - both["queued_ns"],
        "dispatcher_ms": both["replied_ns"] - both["dispatched_ns"],
        "servant_ms": both["servant_end_ns"] - both["servant_start_ns"],
        "cpu_ms": both["cpu_ns"],
    }
    joined = both.assign(**{name: ns / 1e6 for name, ns in times.items()})
    return joined[[*client.columns, *SAMPLE_COLUMNS]]


def _read(path: Path, what: str, columns: dict) -> pd.DataFrame:
    frame, truncated = records.read(path, what, columns)
    if truncated:
        # It was written at once, so a part of it is not what a run recorded.
        raise BadLog(path, len(frame) + 2, f"{what} that is cut off here")
    again = frame.duplicated("number")
    if again.any():
        row = frame[again].iloc[0]
        raise BadLog(path, int(row["line"]), f"request {int(row['number'])} is on record twice")
    return frame.sort_values("number", ignore_index=True)


def _require_same_run(wrong: pd.Series, frame: pd.DataFrame, path: Path, problem: str) -> None:
    if wrong.any():
        number = int(frame.loc[wrong, "number"].iloc[0])
        raise BadLog(path, 1, f"request {number} {problem}: the records are of different runs")
