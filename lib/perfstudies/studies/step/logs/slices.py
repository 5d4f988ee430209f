"""From monitor records to samples: one row a request, its time cut into the STEP study's six slices.

Each interception lies inside the one before it, so a slice is a layer's time less that of the layer
within: Web = filter - soap, Web Service = soap - si, Service = si - hibernate; within Hibernate, reads
and writes are the intercepted loads and stores, and the engine is the rest. (The web-service interceptor
``wsi`` lies between soap and si and belongs to Web Service.)
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from perfstudies.errors import BadLog
from perfstudies.logs.records import whole
from perfstudies.sent import SYSTEM_ERROR
from perfstudies.studies.step.logs.layer_monitor import Layer, Record

SLICES = ("web_ms", "web_service_ms", "service_ms", "engine_ms", "writes_ms", "reads_ms")
SLICE_LABELS = dict(
    zip(
        SLICES,
        ("Web", "Web Service", "Service", "Hibernate Engine", "Hibernate Writes", "Hibernate Reads"),
        strict=True,
    )
)
_NESTING = ("filter", "soap", "si", "hibernate")
_NONE = Layer(0, {})
# A message that could not be parsed never reached the SOAP layer.
_UNPARSED = {"operation": "", "outcome": SYSTEM_ERROR, "request_length": 0, "response_length": 0}


def samples(records: Iterable[Record], path: Path) -> pd.DataFrame:
    """Return a row a request.

    Parameters
    ----------
    records : iterable of Record
        Of one run.
    path : Path
        Their log, for messages.

    Returns
    -------
    DataFrame
        Columns ``request`` (0 .. n-1 in the order of arrival), ``line`` (where the record starts),
        ``thread``, ``operation``, ``outcome``, ``request_length`` and ``response_length`` (XML logical
        length in characters), ``request_ms`` and the six of `SLICES`, which add up to it.

    Raises
    ------
    BadLog
        If a record lacks the layer ``filter``, or what the monitor notes there and in ``soap``.
    """
    rows = [_row(record, path) for record in records]
    columns = [
        "arrived_ns", "line", "thread", "operation", "outcome", "request_length", "response_length",
        "request_ms", *SLICES,
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=columns).sort_values("arrived_ns", kind="stable", ignore_index=True)
    frame.insert(0, "request", range(len(frame)))
    return frame.drop(columns="arrived_ns")


def _row(record: Record, path: Path) -> dict:
    layers = record.layers
    if "filter" not in layers:
        raise BadLog(path, record.line, "a record without the layer 'filter'")
    ns = {tag: layers.get(tag, _NONE).ns for tag in (*_NESTING, "hibernate.load", "hibernate.write")}
    try:
        row: dict[str, Any] = {
            "arrived_ns": whole(layers["filter"].context["arrived_ns"]),
            "line": record.line,
            "thread": record.thread,
        }
        row |= _message(layers["soap"].context) if "soap" in layers else _UNPARSED
    except (KeyError, ValueError) as error:
        raise BadLog(path, record.line, f"the record's context lacks or garbles {str(error)[:120]}") from error
    slices_ns = (
        ns["filter"] - ns["soap"],
        ns["soap"] - ns["si"],
        ns["si"] - ns["hibernate"],
        ns["hibernate"] - ns["hibernate.load"] - ns["hibernate.write"],
        ns["hibernate.write"],
        ns["hibernate.load"],
    )
    times = dict(zip(SLICES, (value / 1e6 for value in slices_ns), strict=True))
    return row | {"request_ms": ns["filter"] / 1e6} | times


def _message(noted: dict[str, str]) -> dict:
    # A server out of memory loses what it would have noted of the message; only such an error may lack it.
    if noted.get("outcome", SYSTEM_ERROR) == SYSTEM_ERROR:
        noted = {"name": "", "request_logical_length": "0", "response_logical_length": "0"} | noted
    return {
        "operation": noted["name"],
        "outcome": noted.get("outcome", SYSTEM_ERROR),
        "request_length": whole(noted["request_logical_length"]),
        "response_length": whole(noted["response_logical_length"]),
    }


def impossible(frame: pd.DataFrame, source: str) -> list[str]:
    """Check Web > Web Service > Service > Hibernate, reads and writes within it, as the study's analyzer did.

    Parameters
    ----------
    frame : DataFrame
        What `samples` returned.
    source : str
        The log's name, for the messages.

    Returns
    -------
    list of str
        A warning for each request and check that does not hold, naming the record's line.
    """
    checks = (
        ("web_ms", "Web > Web Service"),
        ("web_service_ms", "Web Service > Service"),
        ("service_ms", "Service > Hibernate"),
        ("engine_ms", "Hibernate > its reads and writes"),
    )
    return [
        f"{source}:{line}: request {request} ({operation}): {rule} does not hold ({value_ms:.6f} ms)"
        for column, rule in checks
        for line, request, operation, value_ms in frame.loc[
            frame[column] < 0, ["line", "request", "operation", column]
        ].itertuples(index=False, name=None)
    ]
