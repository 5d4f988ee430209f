"""Why and how requests of the STEP study fail: the mistakes in them, the exceptions that faults name, a few words."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from perfstudies.errors import BadRecording
from perfstudies.sent import OK, SYSTEM_ERROR
from perfstudies.studies.step.declared import CONCURRENT_USERS
from perfstudies.studies.step.workload import flight_data, flight_load

_CLASS = re.compile(r"\b(?:[a-z][\w$]*\.)+([A-Z][\w$]*)")
_STATUS = re.compile(r"(?:HTTP status|status code:?)\s+(\d{3})")


def mistakes(calls: pd.DataFrame, load: str = CONCURRENT_USERS.load) -> pd.Series:
    """Say of each call whether its request carried a mistake that ends as an application exception.

    The requests are drawn again from their seeds, which give the same ones.

    Raises
    ------
    BadRecording
        If the calls are not those of the load.
    """
    made, data = flight_load.study_load(load), flight_data.generate()
    found = pd.Series(False, index=calls.index)
    block: Any
    user: Any
    for (block, user), part in calls.groupby(["block", "user"], observed=True):
        drawn = flight_load.sessions(made, data, made.seed(int(block), int(user)), int(part["session"].max()) + 1)
        requests = {one.request: one for one in drawn}
        sent = [one for number in part["request"] if (one := requests.get(number))]
        if [one.operation for one in sent] != part["operation"].to_list():
            raise BadRecording(f"block {block}, user {user}: the calls are not those that the load {load} makes")
        wrong = [one.arguments.get("flightNumber", "").endswith(flight_load.MISTAKE) for one in sent]
        found[part.index] = np.array(wrong, dtype=bool)
    return found


def error_class(detail: str) -> str:
    """Return the exception that a fault names, without its package, or the fault's text."""
    named = _CLASS.search(detail)
    return named[1] if named else detail or "no text"


def failure(outcome: str, detail: str) -> str:
    """Say in a few words how a request failed, from what its client saw; empty if it was answered."""
    if outcome == SYSTEM_ERROR:
        named = _CLASS.search(detail)
        return f"fault, {named[1]}" if named else "fault"
    if outcome == OK or not detail:
        return "" if outcome == OK else outcome
    status = _STATUS.search(detail)
    if status:
        return f"HTTP {status[1]}"
    kind = detail.split(":", 1)[0]
    return "hung: no answer in time" if "Timeout" in kind else f"no answer, {kind}"
