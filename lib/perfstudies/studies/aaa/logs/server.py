"""The AAA server's record as a frame, and joined with the clients' to samples.

A line a request that reached the servlet. ``entered_us`` is the machine's monotonic clock; the other times count from
it, and are empty where the request did not get so far::

    request,client,number,entered_us,ejb_start_us,asm_start_us,asm_end_us,ejb_end_us,left_us,...
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from perfstudies.errors import BadLog
from perfstudies.logs import records
from perfstudies.logs.records import OrNone, whole

TIMES = ("ejb_start_us", "asm_start_us", "asm_end_us", "ejb_end_us", "left_us")
_WHOLE = OrNone(whole)
_CONVERT: dict[str, Callable[[str], object]] = {
    "request": whole, "client": _WHOLE, "number": _WHOLE, "entered_us": whole, **dict.fromkeys(TIMES, _WHOLE),
    **dict.fromkeys(("bean", "created", "beans_busy", "threads_busy", "db_us"), _WHOLE), "status": str,
}  # fmt: skip
COLUMNS = tuple(_CONVERT)
SERVER_COLUMNS = (
    "servlet_ms", "ejb_wait_ms", "asm_ms", "beans_busy", "threads_busy", "bean", "created", "db_ms", "status",
)  # fmt: skip


def read(path: Path) -> tuple[pd.DataFrame, int]:
    """Read a record; arguments and errors as of the clients', `perfstudies.studies.aaa.logs.client.read`.

    Returns
    -------
    frame : DataFrame
        A row a request; missing whole numbers are NaN. Sorted by ``entered_us``.
    truncated : int
        1 if the last line was cut and left out, otherwise 0.
    """
    frame, truncated = records.read(path, "a record of the AAA server", _CONVERT)
    numbers = [column for column in COLUMNS if column not in ("request", "entered_us", "status")]
    frame[numbers] = frame[numbers].astype(float)
    records.require_order(frame.assign(entered=0), path, ("entered", *TIMES))
    records.require_unique(frame, path)
    for line in frame.loc[frame["client"].isna() != frame["number"].isna(), "line"]:
        raise BadLog(path, line, "a client without a number of its request, or the other way round")
    return frame.drop(columns="line").sort_values("entered_us", kind="stable", ignore_index=True), truncated


def samples(client: pd.DataFrame, server: pd.DataFrame, server_path: Path) -> pd.DataFrame:
    """Join what clients and server recorded of the same run.

    Parameters
    ----------
    client, server : DataFrame
        What the readers returned.
    server_path : Path
        The server's record, for messages.

    Returns
    -------
    DataFrame
        A row a request of a client: its columns, ``total_ms``, and from the server ``servlet_ms`` (in the servlet),
        ``ejb_wait_ms`` (from the call into the container until the bean began, less ``db_ms``), ``asm_ms`` (in the
        bean), ``beans_busy``, ``threads_busy``, ``bean``, ``created``, ``db_ms`` and ``status``: NaN where the request
        did not get so far, or not to the server at all.

    Raises
    ------
    BadLog
        If the server recorded a request that no client sent: the records are of different runs.
    """
    named = server.dropna(subset=["client", "number"])
    unknown = named.merge(client[["client", "number"]], how="left", on=["client", "number"], indicator="found")
    unknown = unknown[unknown["found"] == "left_only"]
    if len(unknown):
        row = unknown.iloc[0]
        raise BadLog(
            server_path,
            1,
            f"{len(unknown)} requests are not in the clients' record, the first is number {int(row['number'])} of "
            f"client {int(row['client'])}: the records are of different runs",
        )
    times = pd.DataFrame(
        {
            "client": named["client"].astype(int),
            "number": named["number"].astype(int),
            "servlet_ms": named["left_us"] / 1000,
            "ejb_wait_ms": (named["asm_start_us"] - named["ejb_start_us"] - named["db_us"]) / 1000,
            "asm_ms": (named["asm_end_us"] - named["asm_start_us"]) / 1000,
            "db_ms": named["db_us"] / 1000,
        }
    )
    others = [column for column in SERVER_COLUMNS if column not in times]
    joined = client.merge(times.join(named[others]), how="left", on=["client", "number"], validate="one_to_one")
    return joined[[*client.columns, *SERVER_COLUMNS]]
