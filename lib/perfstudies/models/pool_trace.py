"""What a simulated run wrote: when each thing happened to each request. The only result; all else derives from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

COLUMNS = ("receiver_queue_ms", "receiver_ms", "dispatcher_queue_ms", "dispatcher_ms")
"""The columns of the study's Table 1."""


@dataclass(frozen=True)
class Trace:
    """Requests in the order of their arrival, and totals.

    Times are in ms since the start, shape (requests,). Where something had not happened by the horizon it is missing.

    Attributes
    ----------
    arrival_ms : ndarray
        In the connection's buffer.
    received_ms : ndarray
        The receiver runs and takes the request.
    handed_over_ms : ndarray
        The receiver puts it into the pool's queue.
    receiver_free_ms : ndarray
        The receiver ends its second phase.
    passed_ms : ndarray
        The controller takes it; missing without a controller.
    dispatched_ms : ndarray
        A dispatcher runs and takes it.
    served_from_ms, served_ms : ndarray
        The servant begins and ends.
    replied_ms : ndarray
        The reply is sent.
    dispatcher_free_ms : ndarray
        The dispatcher ends its second phase.
    connection, servant : ndarray of int
    ended_ms : float
        The end of the run: its last event, or the horizon.
    complete : bool
        Whether all requests ended.
    busy_ms : float
        Time that processors worked, summed over processors.
    wasted_ms : float
        Time that a processor stood idle while a thread waited; 0 for every scheduler here.
    present_ms : float
        Requests in the system, integrated over time.
    switches, preemptions, recharges : int
        Changes of a processor to another thread; those that interrupted a thread; new time slices for all.
    """

    arrival_ms: np.ndarray
    received_ms: np.ndarray
    handed_over_ms: np.ndarray
    receiver_free_ms: np.ndarray
    passed_ms: np.ndarray
    dispatched_ms: np.ndarray
    served_from_ms: np.ndarray
    served_ms: np.ndarray
    replied_ms: np.ndarray
    dispatcher_free_ms: np.ndarray
    connection: np.ndarray
    servant: np.ndarray
    ended_ms: float
    complete: bool
    busy_ms: float
    wasted_ms: float
    present_ms: float
    switches: int
    preemptions: int
    recharges: int

    def columns(self) -> dict[str, np.ndarray]:
        """Return what the study measured, a value a request in ms.

        Receiver queue: from arrival until the receiver takes the request. Receiver: from then until it is free.
        Dispatcher queue: from the hand-over until a dispatcher takes it. Dispatcher: from then until it is free. The
        second and third overlap where the receiver is interrupted in its second phase.
        """
        values = (
            self.received_ms - self.arrival_ms,
            self.receiver_free_ms - self.received_ms,
            self.dispatched_ms - self.handed_over_ms,
            self.dispatcher_free_ms - self.dispatched_ms,
        )
        return dict(zip(COLUMNS, values, strict=True))

    def means(self) -> dict[str, float]:
        """Return the mean of each column, and of the time from arrival to reply as ``response_ms``.

        Requests without a value, which had not come that far by the horizon, are left out.
        """
        values = self.columns() | {"response_ms": self.replied_ms - self.arrival_ms}
        known = {name: one[~np.isnan(one)] for name, one in values.items()}
        return {name: float(one.mean()) if one.size else np.nan for name, one in known.items()}

    def frame(self) -> pd.DataFrame:
        """Return a row a request: connection, servant, all times and the study's columns."""
        times = {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return pd.DataFrame(times | self.columns())
