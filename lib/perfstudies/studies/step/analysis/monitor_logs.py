"""What the STEP study's monitors log, record by record: every reading of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from perfstudies.logs.text import lines
from perfstudies.paths import PROCESSED
from perfstudies.runs.checksums import code_checksum
from perfstudies.runs.kept import kept, key_of, key_of_frame
from perfstudies.runs.recording import Recording
from perfstudies.runs.store import FINISHED, Run
from perfstudies.studies.step.collect import MONITOR_LOG
from perfstudies.studies.step.factors import GENERATIONS, MONITORS, STORES
from perfstudies.studies.step.logs import event_monitor, interceptions, perf4j
from perfstudies.studies.step.read import first_request

MONITOR, READING = MONITORS.name, "reading"
RAW, AGGREGATED, UNION = "Perf4J raw", "Perf4J agg", "Perf4J, union"
EVENT, EVENT_SUMMED = "Event", "Event, summed"
UNWRAPPED, LAYER = "Layer -Hwrap", "Layer"
READINGS = (RAW, AGGREGATED, EVENT, UNWRAPPED, LAYER, UNION, EVENT_SUMMED)
"""The rows of Table 2 as the study calls them, and ours."""

_READERS = {"perf4j": perf4j, "event": event_monitor}
_RULES = {
    "perf4j": {RAW: "raw", AGGREGATED: "aggregated", UNION: "merged"},
    "event": {EVENT: "merged", EVENT_SUMMED: "summed"},
}
_ADDED_UP = {"layer-unwrapped": UNWRAPPED, "layer": LAYER}
_OF_RUN = ["run", GENERATIONS.name, STORES.name, MONITOR]
_KEYS = [*_OF_RUN, "block", "request", "measured"]
_VISITS = [*_OF_RUN, "request", "tag", "elapsed_ms", "within"]
_REPEATED = [*_OF_RUN, "tag"]
"""Columns of visits whose few values stand in a great many rows."""
_LAYERS = [interceptions.READS, interceptions.WRITES]


@dataclass(frozen=True)
class Readings:
    """What the monitors' logs say, by every rule of reading them.

    Attributes
    ----------
    samples : DataFrame
        Measured requests that every log of a block has, each once for every reading of its log: ``run``,
        ``generation``, ``database``, ``monitor``, ``block``, ``reading`` and the columns of
        `perfstudies.studies.step.logs.slices.samples`.
    visits : DataFrame
        A row a load or a store that Event or Perf4J recorded for a measured request: ``run``, ``generation``,
        ``database``, ``monitor``, ``request``, ``tag``, ``elapsed_ms`` (whole ones for Perf4J) and ``within``: whether
        it began before an earlier one of its kind had ended. Texts are categories, in the order of their letters.
    lines : DataFrame
        A row a run with a monitor: ``run``, ``generation``, ``database``, ``monitor`` and ``lines_per_request`` of its
        log.
    """

    samples: pd.DataFrame
    visits: pd.DataFrame
    lines: pd.DataFrame


def read(recorded: Recording, runs: Sequence[Run]) -> Readings:
    """Read the logs of a recording's runs by every rule, once: what they gave is kept until either changes."""
    key = key_of_frame(recorded.samples, key_of(runs, code_checksum(__name__)))
    return kept(PROCESSED / "step" / "readings", key, lambda: _read(recorded.samples, runs))


def _read(recorded_samples: pd.DataFrame, runs: Sequence[Run]) -> Readings:
    samples, visits, volumes = [], [], []
    for run in runs:
        setting = run.manifest["properties"] | run.manifest["setting"]
        monitor = setting[MONITOR]
        of_run = {"run": run.name} | {name: setting[name] for name in _OF_RUN[1:]}
        mine = recorded_samples[recorded_samples["run"] == run.name]
        mine = mine.assign(**{name: level for name, level in of_run.items() if name not in mine})
        if run.manifest["status"] != FINISHED or mine.empty:
            continue
        log = run.file(MONITOR_LOG)
        if monitor in _ADDED_UP:
            samples.append(mine.assign(**{READING: _ADDED_UP[monitor]}))
            written = sum(1 for _ in lines(log))
        else:
            reader = _READERS[monitor]
            found = reader.read(log)
            written = len(found.visits)
            for reading, rule in _RULES[monitor].items():
                frame = interceptions.samples(found, log, reader.RULES[rule])
                frame["request"] += first_request(run)
                samples.append(mine[_KEYS].merge(frame, on="request").assign(**{READING: reading}))
            # Requests are numbered by arrival in samples, by their end in the log: the first line tells which is which.
            at = mine.set_index("line")[["request", "measured"]].reindex(found.requests["line"])
            at["measured"] = at["measured"].eq(True)  # those that were left out have no samples
            visits.append(_visits(found.visits, at).assign(**of_run)[_VISITS])
        volumes.append(of_run | {"lines_per_request": written / len(mine)})
    together = pd.concat(samples, ignore_index=True)
    last = together.groupby(["block", "run"])["request"].max().groupby("block").min()
    sent_by_all = together["request"] <= together["block"].map(last)
    together = together[together["measured"] & sent_by_all].reset_index(drop=True)
    order = [reading for reading in READINGS if reading in set(together[READING])]
    together[READING] = pd.Categorical(together[READING], order)
    counted = pd.DataFrame(volumes, columns=[*_OF_RUN, "lines_per_request"])
    counted[MONITOR] = pd.Categorical(counted[MONITOR], MONITORS.levels)
    found = pd.concat(visits, ignore_index=True) if visits else pd.DataFrame(columns=_VISITS)
    return Readings(together, found.astype(dict.fromkeys(_REPEATED, "category")), counted)


def _visits(visits: pd.DataFrame, at: pd.DataFrame) -> pd.DataFrame:
    kept = visits[visits["tag"].isin(_LAYERS)]
    numbers = at.iloc[kept["request"]]
    kept = kept.assign(
        request=numbers["request"].to_numpy(),
        measured=numbers["measured"].to_numpy(),
        end_ns=kept["start_ns"] + kept["elapsed_ns"],
    ).sort_values(["request", "tag", "start_ns"], kind="stable")
    keys = [kept["request"], kept["tag"]]
    ended = kept.groupby(keys, observed=True)["end_ns"].cummax().groupby(keys, observed=True).shift()
    kept = kept.assign(
        elapsed_ms=kept["elapsed_ns"] / 1e6, within=kept["start_ns"] < ended, tag=kept["tag"].astype(str)
    )
    return kept[kept["measured"].astype(bool)]
