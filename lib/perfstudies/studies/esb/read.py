"""One run of the ESB study's loads, from its reduced log and its manifest to bins and facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from perfstudies.runs.run_logs import RunLogs
from perfstudies.runs.store import Run
from perfstudies.stats.warmup import steady_state
from perfstudies.studies.esb import waits
from perfstudies.studies.esb.base import INTERVALS
from perfstudies.studies.esb.logs import rate_intervals

PARTIES = ("client", "engine", "backend")


def read(run: Run) -> RunLogs:
    """Read a run's logs; errors as of every reader, see `perfstudies.runs.run_logs`.

    Returns
    -------
    RunLogs
        ``samples``: a row a bin of the run's time, with ``time_s`` (its beginning), ``ok`` and ``failed`` (messages
        that ended in it), ``bytes`` and ``response_p99_ms`` (within which 99 % of the answered ones were).

        ``calls``: a row an outcome, with ``outcome`` and ``messages``.

        ``facts``: ``sent``, ``ok``, ``failed`` and ``served`` (by the back end's own count); ``steady_from_s``
        (missing if the run has no steady state), ``steady_s`` (how long the analysed part is) and what holds in it:
        ``per_s`` (answered messages a second) and quantiles of times in ms as ``response_p50_ms``; processor time a
        message in microseconds as ``engine_user_us``, ``engine_system_us`` and ``engine_waited_us``; shares of the
        processors' time (%) as ``idle``; ``ready_growth``, the threads ready to run in the last third over those in
        the first; the load average at the end; ``whole_per_s``, answered messages a second of the whole run, to its
        last answer (missing in older ones); of the manifest's workload ``rate_per_s``, ``capacity_per_s``,
        ``stalled_at_s`` and of warming up ``warm_up_windows``, ``warm_up_first_per_s`` and ``warm_up_last_per_s``;
        and the facts of `perfstudies.studies.esb.waits`.
    """
    manifest = run.manifest
    workload = manifest["workload"]
    # A load whose clients have all sent their share ends before its time is up; older manifests do not say when.
    seconds, took_s = workload["seconds"], workload.get("took_s", np.nan)
    seconds = min(seconds, took_s) if workload.get("messages_per_connection") else seconds
    intervals = rate_intervals.read_intervals(run.file(INTERVALS))
    bins = _whole_bins(rate_intervals.throughput(intervals), seconds)
    outcomes = rate_intervals.counts(intervals)
    stalled_s = workload["stalled_s"]
    # A stall is no change of state: the steady part begins before it and holds it.
    before = bins[bins["time_s"] + rate_intervals.BIN_S <= stalled_s[0]] if stalled_s else bins
    first, reason = _steady_from(before)
    facts = {
        "sent": int(outcomes.sum()),
        "ok": int(outcomes.get("ok", 0)),
        "failed": int(outcomes.sum() - outcomes.get("ok", 0)),
        "served": manifest["served"],
        "steady_from_s": bins["time_s"].iloc[first] if first is not None else np.nan,
        "not_steady": reason,
        **_steady_facts(intervals, bins, first or 0),
        **waits.facts(intervals, seconds, stalled_s),
        **_used(manifest, max(1, int(outcomes.get("ok", 0)))),
        **_machine(manifest["machine"]),
        "whole_per_s": outcomes.get("ok", 0) / took_s,
        "rate_per_s": workload["rate_per_s"],
        "capacity_per_s": workload["capacity_per_s"],
        **_warm_up(workload["warm_up"]["per_s"]),
        "stalled_at_s": next(iter(stalled_s), np.nan),
        "message_length": workload["message_bytes"],
        "seconds": seconds,
        "open_files_complaints": manifest.get("too_many_open_files", {}).get("lines", 0),
        "answers_afterwards": manifest.get("answers_afterwards", True),
    }
    calls = outcomes.rename("messages").rename_axis("outcome").reset_index()
    tail = waits.tail_by_bin(intervals, bins["bin"])
    return RunLogs(bins.assign(response_p99_ms=tail), calls, facts)


def _warm_up(per_s: Sequence[float]) -> dict[str, float]:
    first, last = (per_s[0], per_s[-1]) if per_s else (np.nan, np.nan)
    return {"warm_up_windows": len(per_s), "warm_up_first_per_s": first, "warm_up_last_per_s": last}


def _whole_bins(bins: pd.DataFrame, seconds: float) -> pd.DataFrame:
    """Return the bins in which messages were being sent all the time: what comes after is a load that runs out."""
    width = bins["time_s"].diff().iloc[-1] if len(bins) > 1 else seconds
    whole = bins[bins["time_s"] + width <= seconds + 1e-9]
    return (whole if len(whole) else bins.iloc[:1]).reset_index(drop=True)


def _steady_from(bins: pd.DataFrame) -> tuple[int | None, str]:
    """Return the bin from which the rate is steady, and why there is none."""
    if bins.empty:
        return None, "the engine was stopped at once"
    # The time between answers, as the detection is made for times; a bin without any counts as one with half an answer.
    between = 1 / np.maximum(bins["ok"], 0.5)
    found = steady_state(between, np.zeros(len(bins)), np.zeros(len(bins)))
    if found.start is not None and not bins["ok"].iloc[found.start :].any():
        return None, f"nothing was answered from {bins['time_s'].iloc[found.start]:g} s on"
    return found.start, found.reason


def _steady_facts(intervals: pd.DataFrame, bins: pd.DataFrame, first: int) -> dict[str, float]:
    part = bins.iloc[first:]
    width_s = rate_intervals.BIN_S
    low, high = int(part["bin"].iloc[0]), int(part["bin"].iloc[-1])
    found = {"steady_s": len(part) * width_s, "per_s": part["ok"].sum() / (len(part) * width_s)}
    for measure in rate_intervals.MEASURES:
        quantiles = rate_intervals.quantiles(intervals, list(waits.QUANTILES.values()), low, high, measure)
        found |= {f"{measure}_{name}_ms": value for name, value in zip(waits.QUANTILES, quantiles, strict=True)}
    return found


def _used(manifest: Mapping, messages: int) -> dict[str, float]:
    parties = manifest["parties"]
    return {
        f"{party}_{kind}_us": 1e6 * parties.get(party, {}).get(f"{kind}_s", 0.0) / messages
        for party in PARTIES
        for kind in ("user", "system", "waited")
    }


def _machine(machine: Mapping) -> dict[str, float]:
    shares = {name: 100 * share for name, share in machine["shares"].items()}
    load = pd.DataFrame(machine["load"], columns=["time_s", "average", "ready"])
    third = len(load) // 3
    growth = load["ready"].iloc[-third:].mean() / load["ready"].iloc[:third].mean() if third else np.nan
    return {
        "idle": shares["idle"] + shares.get("iowait", 0.0),
        "in_kernel": shares["system"] + shares.get("irq", 0.0) + shares.get("softirq", 0.0),
        "ready": load["ready"].mean(),
        "ready_growth": growth,
        "load_average": load["average"].iloc[-1] if len(load) else np.nan,
    }
