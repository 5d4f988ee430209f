"""How a request failed, in a few words, from what its client saw: for counts of ramps against a bounded heap."""

from __future__ import annotations

import re

from perfstudies.sent import OK, SYSTEM_ERROR

_STATUS = re.compile(r"(?:HTTP status|status code:?)\s+(\d{3})")
_CLASS = re.compile(r"\b(?:[a-z][\w$]*\.)+([A-Z][\w$]*)")


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
