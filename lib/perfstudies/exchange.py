"""A client's record of exchanges: a line a request, on disk as soon as it has ended, and the AAA study's two logs.

``Total_Timelog`` and ``EJB_Timelog`` are those of the study's program (its Appendix B): whole milliseconds and a
semicolon a line, appended in the order in which answers came. It wrote them only when an answer had the header with
the EJB time.
"""

from __future__ import annotations

import threading
from contextlib import ExitStack
from dataclasses import dataclass, fields
from pathlib import Path

from perfstudies.sent import Recorder

OK = "ok"
SOAP_FAULT = "soap fault"
REFUSED = "refused"
TIMED_OUT = "timed out"
LOST = "lost"
HTTP_ERROR = "http error"
OUTCOMES = (OK, SOAP_FAULT, REFUSED, TIMED_OUT, LOST, HTTP_ERROR)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request as its client saw it.

    Attributes
    ----------
    client, number : int
        Who sent it, and its number there, from 0.
    intended_us, started_us, ended_us : int
        When it was due, when its message was ready and its sending began (with the connection's opening, if it
        opened one), and when its reply was there or the client gave it up: microseconds of the monotonic clock
        after the run's start. The study's timer ran between the last two.
    ejb_ms : float or None
        The EJB time that the reply's header ``SOAPAction`` tells; None without one.
    outcome : str
        One of `OUTCOMES`: a reply; a SOAP fault; connection refused, or reset before any byte of a reply; the time
        to live was over; connection closed, or broken within the reply; a reply that is not SOAP.
    detail : str
        The fault's name or the error's text; empty when all was well.
    bytes_in : int
        Length of the reply's HTTP body.
    """

    client: int
    number: int
    intended_us: int
    started_us: int
    ended_us: int
    ejb_ms: float | None
    outcome: str
    detail: str
    bytes_in: int


COLUMNS = tuple(field.name for field in fields(Exchange))


class Journal:
    """Writes a client's exchanges, from any thread; a context manager."""

    def __init__(self, record: Path, total_log: Path | None = None, ejb_log: Path | None = None):
        self._lock = threading.Lock()
        self._files = ExitStack()
        self._record = self._files.enter_context(Recorder(record, COLUMNS))
        self._total, self._ejb = (
            self._files.enter_context(open(path, "w", encoding="ascii", buffering=1)) if path else None
            for path in (total_log, ejb_log)
        )

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def add(self, exchange: Exchange) -> None:
        """Write one exchange; in the study's logs only if it has an EJB time."""
        with self._lock:
            self._record.add(exchange)
            if exchange.ejb_ms is not None:
                if self._total:
                    self._total.write(f"{(exchange.ended_us - exchange.started_us) // 1000};\n")
                if self._ejb:
                    self._ejb.write(f"{int(exchange.ejb_ms)};\n")
