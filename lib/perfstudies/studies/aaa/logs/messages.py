"""The parties' message logs: who sent whom what, and how long each party had a request in its hands.

Every party but the user logs each message that it sends and that comes (``at_us,party,direction,peer,operation,
session``). All clocks are the machine's monotonic clock, so the logs of several processes are one story. A message
between two parties is in both their logs and counts once; one from or to the user is in one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from perfstudies.logs import records

SENT, RECEIVED = "sent", "received"
USER = "user"
BETWEEN = "between_ms"
_CONVERT: dict[str, Callable[[str], object]] = {
    "at_us": records.whole, "party": str, "direction": records.one_of((SENT, RECEIVED)), "peer": str, "operation": str,
    "session": str,
}  # fmt: skip
COLUMNS = tuple(_CONVERT)


def read(paths: Iterable[Path]) -> tuple[pd.DataFrame, list[str]]:
    """Read the logs of all parties of a run, in the order of time.

    Returns
    -------
    messages : DataFrame
        `COLUMNS`, a row a line.
    truncated : list of str
        The files whose last line was cut and left out.

    Raises
    ------
    BadLog
        For another heading or a line that does not fit it.
    """
    parts = [pd.DataFrame(columns=list(COLUMNS))]
    truncated: list[str] = []
    for path in paths:
        part, cut = records.read(path, "a message log", _CONVERT)
        parts.append(part)
        truncated += [path.name] * cut
    kinds = {name: "int64" if name == "at_us" else "str" for name in COLUMNS}
    frame = pd.concat(parts)[list(COLUMNS)].astype(kinds)
    return frame.sort_values("at_us", kind="stable", ignore_index=True), truncated


def of_requests(messages: pd.DataFrame, calls: pd.DataFrame, start_us: float) -> pd.DataFrame:
    """Return the messages that belong to requests sent one after the other, with each request's ``number``.

    Parameters
    ----------
    messages : DataFrame
        From `read`.
    calls : DataFrame
        The client's record: ``number``, ``started_us`` and ``ended_us`` after the run's start. Requests must not
        overlap; what lies in none of them belongs to none.
    start_us : float
        The run's start on the messages' clock.
    """
    calls = calls.sort_values("started_us")
    at = messages["at_us"].to_numpy() - start_us
    place = np.searchsorted(calls["started_us"].to_numpy(), at, side="right") - 1
    inside = (place >= 0) & (at <= calls["ended_us"].to_numpy()[place])
    return messages[inside].assign(number=calls["number"].to_numpy()[place[inside]])


def per_request(messages: pd.DataFrame, calls: pd.DataFrame, start_us: float) -> pd.DataFrame:
    """Return how long each party had each request, in ms, and how long it was on its way or with the user.

    From a message's coming to a party's next sending the request is in its hands; the rest of the total time, from
    a sending to a coming, before the first and after the last message, is ``between_ms``: the network, the making and
    reading of messages outside of the parties' logs, and in sequences with two exchanges the user's own work.

    Returns
    -------
    DataFrame
        Indexed by ``number``, every call of `calls`: ``at_<party>_ms`` for each party, ``between_ms``, and
        ``messages``, how many messages the request took. Missing where a request's messages are not known.
    """
    own = of_requests(messages, calls, start_us)
    by_number = calls.set_index("number")
    total_ms = (by_number["ended_us"] - by_number["started_us"]) / 1000
    held = own.assign(ms=-own.groupby("number")["at_us"].diff(-1) / 1000)
    held = held[held["direction"] == RECEIVED]
    spent = held.pivot_table(index="number", columns="party", values="ms", aggfunc="sum", observed=True)
    spent = spent.reindex(total_ms.index)
    known = spent.notna().any(axis=1)
    found = spent.fillna(0).where(known).add_prefix("at_").add_suffix("_ms").rename_axis(columns=None)
    counted = pairs(own).groupby("number").size().reindex(total_ms.index)
    return found.assign(**{BETWEEN: total_ms - found.sum(axis=1, skipna=False), "messages": counted})


def pairs(messages: pd.DataFrame) -> pd.DataFrame:
    """Return each message once, with ``pair``: ``from>to``."""
    from_user = (messages["direction"] == RECEIVED) & (messages["peer"] == USER)
    once = messages[(messages["direction"] == SENT) | from_user]
    ends = np.where(once["direction"] == SENT, [once["party"], once["peer"]], [once["peer"], once["party"]])
    return once.assign(pair=[f"{sender}>{receiver}" for sender, receiver in ends.T])


def counts(messages: pd.DataFrame, calls: pd.DataFrame, start_us: float) -> dict[str, float]:
    """Return the mean number of messages a request of each pair of parties: ``messages from>to`` to a number."""
    found = pairs(of_requests(messages, calls, start_us))["pair"].value_counts() / max(len(calls), 1)
    return {f"messages {pair}": float(count) for pair, count in sorted(found.items())}


def unmatched(messages: pd.DataFrame) -> list[str]:
    """Say which pairs of parties do not agree how many messages went from one to the other; the user logs none."""
    between = messages[messages["peer"] != USER]
    gone = between[between["direction"] == SENT].groupby(["party", "peer"]).size()
    come = between[between["direction"] == RECEIVED].groupby(["peer", "party"]).size()
    both = pd.concat([gone, come.rename_axis(gone.index.names)], axis=1, keys=[SENT, RECEIVED]).fillna(0).astype(int)
    differ = both[both[SENT] != both[RECEIVED]]
    return [
        f"{sender} sent {sent} messages to {receiver}, where {came} came"
        for (sender, receiver), sent, came in zip(differ.index, differ[SENT], differ[RECEIVED], strict=True)
    ]
