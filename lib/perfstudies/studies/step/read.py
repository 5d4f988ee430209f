"""One run of the STEP study, from its raw logs to samples and calls."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from perfstudies.runs.run_logs import RunLogs
from perfstudies.runs.store import Run
from perfstudies.studies.step.collect import CLIENT_LOG, MONITOR_LOG
from perfstudies.studies.step.logs import client, event_monitor, layer_monitor, perf4j, slices

LEVEL = "log.level"


def read(run: Run) -> RunLogs:
    """Read a run's logs; errors as of every reader, see `perfstudies.runs.run_logs`.

    Returns
    -------
    RunLogs
        ``samples``: the columns of `perfstudies.studies.step.logs.slices.samples`, and ``measured``, which is false
        for requests of the warm-up sessions. ``calls``: the columns of `perfstudies.studies.step.logs.client.read`, and
        ``measured``; where levels alternate also ``log.level`` (empty for the warm-up); of a ramp also ``phase``,
        ``group`` (passengers) and ``request_length`` (XML logical length, characters). ``facts``:
        ``deployment`` (its number in a shared process; 0 in one of its own), ``build``, ``database`` (the one that was
        there, as a level of `perfstudies.studies.step.factors.STORES`), ``load_s`` (how long its load took), the sizes
        of its logs (``functional_log_bytes``; what the measured requests added: ``measured_log_bytes``,
        ``console_log_bytes``, ``monitor_log_bytes``), and where they were taken Hibernate's counters, the bandwidth of
        its link (Mbit/s), ``oom``, ``alive`` and ``stopped``.
    """
    manifest = run.manifest
    samples: pd.DataFrame | None = None
    warnings: list[str] = []
    path = run.file(CLIENT_LOG)
    sent, cut = client.read(path)
    truncated = [*manifest["truncated_records"], *([f"{run.name}/{path.name}"] * cut)]
    warm_up = sent["session"] < manifest["workload"]["warm_up_sessions"]
    if run.log(MONITOR_LOG):
        frame, warnings, left = _monitored(run)
        truncated += left
        frame["request"] += first_request(run)
        samples = frame.assign(measured=frame["request"] >= warm_up.sum())
    if "alternated" in manifest:
        sent = _with_levels(sent, warm_up, manifest["alternated"])
    if "ramp" in manifest:
        sent = sent.merge(pd.DataFrame(manifest["ramp"]), on="request", validate="one_to_one")
    return RunLogs(samples, sent.assign(measured=~warm_up), _facts(manifest), tuple(warnings), tuple(truncated))


def first_request(run: Run) -> int:
    """Return the number of the first request in a run's monitor log, of which only some may have been kept."""
    return run.manifest.get("monitor_log", {}).get("first_request", 0)


def _monitored(run: Run) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Return a run's samples, what is impossible in them or was left out, and what was cut off."""
    log = run.file(MONITOR_LOG)
    left: list[str] = []
    cut: Sequence[str] = left
    overlapping: tuple[str, ...] = ()
    monitor = run.manifest.get("properties", {}).get("monitor", "layer")
    if monitor == "layer":
        frame = slices.samples(layer_monitor.read(log, left), log)
    elif monitor == "event":
        frame, cut = event_monitor.samples(log)
    else:
        frame, cut, overlapping = perf4j.samples(log)
    odd = [*slices.impossible(frame, f"{run.name}/{log.name}"), *(f"{run.name}/{one}" for one in overlapping)]
    return frame, odd, list(cut)


def _with_levels(sent: pd.DataFrame, warm_up: pd.Series, orders: Sequence[Sequence[str]]) -> pd.DataFrame:
    """Return a run's calls with the log level at which each was sent; it is empty for the warm-up's."""
    measured = sent[~warm_up]
    by_session = measured.groupby("session")["request"]
    turn = by_session.cumcount() // (by_session.transform("size") // len(orders[0]))
    place = measured["session"] - measured["session"].min()
    levels = [orders[session][at] for session, at in zip(place, turn, strict=True)]
    return sent.assign(**{LEVEL: pd.Series(levels, measured.index).reindex(sent.index, fill_value="")})


def _facts(manifest: dict) -> dict:
    """Return what the manifest says of the run beside its levels."""
    return {
        "deployment": manifest["system"].get("deployment", 0),
        "build": manifest["system"].get("build"),
        "database": manifest["system"]["database"].split()[0].lower(),
        "load_s": manifest.get("load_s"),
        **manifest["log_bytes"],
        **manifest.get("statistics", {}),
        **manifest.get("bandwidth", {}),
        **{name: manifest[name] for name in ("oom", "alive", "stopped") if name in manifest},
    }
