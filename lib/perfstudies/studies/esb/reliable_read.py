"""One run on reliable messaging, from its raw logs: the client's calls, and what both databases say in the end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from perfstudies.errors import BadLog
from perfstudies.exchange import OUTCOMES
from perfstudies.logs import records
from perfstudies.logs.records import whole
from perfstudies.runs.run_logs import RunLogs
from perfstudies.runs.store import Run
from perfstudies.studies.esb.reliable import CALLS, COUNTED, PASSED

_OUTCOME = records.one_of(OUTCOMES)
_CALLS: dict[str, Callable[[str], object]] = {
    "number": whole, "attempt": whole, "started_ns": whole, "ended_ns": whole, "outcome": _OUTCOME, "detail": str
}  # fmt: skip
_COUNTED: dict[str, Callable[[str], object]] = {"number": whole, "committed": whole, "applied": whole}
_PASSED: dict[str, Callable[[str], object]] = {"ordinal": whole, "at_ns": whole, "action": str, "cut": str}


def read(run: Run) -> RunLogs:
    """Read a run's logs; errors as of every reader, see `perfstudies.runs.run_logs`, and for a message never sent.

    Returns
    -------
    RunLogs
        ``samples``: a row a message: ``number``, ``committed`` (by the client: 0 or 1), ``applied`` (how often, by the
        server), and whether it was ``lost`` (committed, not applied), ``duplicated`` (applied more than once) or
        ``invented`` (applied, not committed).
        ``calls``: a row a call: ``number``, ``attempt``, ``started_ms`` (since the first), ``call_ms``, ``outcome``,
        ``detail``. A process that is killed in a call leaves no row of it.
        ``facts``: the numbers of messages ``sent``, ``committed``, ``lost``, ``duplicated``, ``invented`` and ``wrong``
        (any of the three); ``requests`` and ``cuts`` at the proxy; ``kills`` (a list of side, place and number);
        ``sent_s``, ``load_s``, ``cpu_client_s``, ``cpu_server_s``, ``unacknowledged``, ``undelivered``.
    """
    manifest = run.manifest
    calls_path, passed_path = run.file(CALLS), run.file(PASSED)
    calls, cut_calls = _calls(calls_path)
    samples = _samples(run.file(COUNTED), manifest["workload"]["messages"])
    passed, cut_passed = records.read(passed_path, "a record of requests", _PASSED)
    counts = {name: int(samples[name].sum()) for name in ("committed", "lost", "duplicated", "invented")}
    facts = {
        "sent": manifest["workload"]["messages"],
        **counts,
        "wrong": int(samples[["lost", "duplicated", "invented"]].any(axis=1).sum()),
        "requests": len(passed),
        "cuts": int((passed["cut"] != "none").sum()),
        "kills": manifest["workload"]["kills"],
        **{name: manifest.get(name) for name in (
            "sent_s", "load_s", "cpu_client_s", "cpu_server_s", "unacknowledged", "undelivered",
        )},
    }  # fmt: skip
    truncated = [f"{run.name}/{path.name}" for path, cut in ((calls_path, cut_calls), (passed_path, cut_passed)) if cut]
    return RunLogs(samples, calls, facts, (), tuple(truncated))


def _calls(path: Path) -> tuple[pd.DataFrame, int]:
    frame, cut = records.read(path, "a record of calls", _CALLS)
    wrong = frame[frame["ended_ns"] < frame["started_ns"]]
    if not wrong.empty:
        raise BadLog(path, int(wrong["line"].iloc[0]), "the call ends before it starts")
    frame = frame.assign(
        started_ms=(frame["started_ns"] - frame["started_ns"].min()) / 1e6,
        call_ms=(frame["ended_ns"] - frame["started_ns"]) / 1e6,
    )
    return frame[["number", "attempt", "started_ms", "call_ms", "outcome", "detail"]], cut


def _samples(path: Path, messages: int) -> pd.DataFrame:
    frame, cut = records.read(path, "what two databases counted", _COUNTED)
    if cut:
        raise BadLog(path, len(frame) + 2, "the last line is cut: messages would be missing that are not lost")
    unknown = frame[~frame["number"].between(1, messages) | ~frame["committed"].isin((0, 1)) | (frame["applied"] < 0)]
    if not unknown.empty:
        raise BadLog(path, int(unknown["line"].iloc[0]), f"no message of {messages}, or no such count of one")
    twice = frame[frame["number"].duplicated()]
    if not twice.empty:
        raise BadLog(path, int(twice["line"].iloc[0]), f"message {twice['number'].iloc[0]} is there twice")
    committed, applied = frame["committed"] == 1, frame["applied"]
    return frame.drop(columns="line").assign(
        lost=committed & (applied == 0), duplicated=applied > 1, invented=~committed & (applied > 0)
    )
