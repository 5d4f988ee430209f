"""What decides the AAA study's findings on timers: their statistics, a value a block."""

from __future__ import annotations

import numpy as np
import pandas as pd

from perfstudies.experiment import Finding
from perfstudies.runs.recording import Recording
from perfstudies.studies.aaa.analysis import timers_climb, timers_room, timers_times
from perfstudies.studies.aaa.analysis.timers import ANSWERED, EJB
from perfstudies.studies.aaa.findings_timers import TIMER_FINDINGS

CONTAINER = {"": "glassfish", "-strict": "openejb"}
HIGHER = ("5", "10", "20")
LONG_LIFE = "120000"
"""The time to live, of those tried, that is longer than the timers that the study names."""


def _at(frame: pd.DataFrame, container: str, timers: tuple[str, ...] | None = None) -> pd.DataFrame:
    chosen = frame["container"] == container
    return frame[chosen & frame["timer"].isin(timers)] if timers else frame[chosen]


def _blocks(values: pd.Series, frame: pd.DataFrame, how: str = "mean") -> np.ndarray:
    return values.groupby(frame["block"]).agg(how).dropna().to_numpy()


def cases(
    timers: Recording,
    fifty: Recording,
    shares: pd.DataFrame,
    fifty_shares: pd.DataFrame,
    busy: pd.DataFrame,
    out: pd.DataFrame,
    lives: pd.DataFrame,
) -> list[tuple[Finding, np.ndarray, str]]:
    """Return each finding with its values per block and the scale to test on.

    Parameters
    ----------
    timers, fifty : Recording
        Of the experiments of these names, with the column ``setting``.
    shares, fifty_shares : DataFrame
        From `perfstudies.studies.aaa.analysis.timers.run_shares`, of both.
    busy, out : DataFrame
        From `perfstudies.studies.aaa.analysis.timers_pool.run_busy` and
        `perfstudies.studies.aaa.analysis.timers_room.run_time_outs`, of the first.
    lives : DataFrame
        From `perfstudies.studies.aaa.analysis.timers_room.lives`, of the second.
    """
    levels = timers.runs.set_index("run")[["container", "timer"]]
    busy, out = (frame.join(levels, on="run") for frame in (busy, out))
    found = {"A15-longer": (_longer(lives), "identity")}
    for suffix, container in CONTAINER.items():
        few = _at(shares, container, ("1", "5"))
        found[f"A8-five{suffix}"] = (_blocks(few[ANSWERED], few, "min"), "identity")
        for timer, word in (("10", "ten"), ("20", "twenty")):
            part = _at(shares, container, (timer,))
            found[f"A8-{word}{suffix}"] = (_blocks(100 - part[ANSWERED], part), "identity")
        part = _at(fifty_shares, container, ("1", *HIGHER))
        part = part[part["ttl_ms"] == LONG_LIFE]
        found[f"A8-fifty{suffix}"] = (_blocks(part[ANSWERED], part, "min"), "identity")
        found[f"A9{suffix}"] = (_of_failed(_at(shares, container)), "identity")
        always = _at(lives, container)
        always = always[always["longer"]]
        found[f"A15{suffix}"] = (_blocks(always["answered"], always, "sum"), "identity")
    for timer, word in (("10", "ten"), ("20", "twenty")):
        part = _at(busy, "openejb", (timer,))
        found[f"A8-pool-{word}"] = (_blocks(part["failed"] - part["predicted_failed"], part), "identity")
    found |= _climbs(timers, fifty) | _units(timers) | _time_outs(_at(out, "openejb"))
    return [(finding, *found[finding.id]) for finding in TIMER_FINDINGS]


def _of_failed(part: pd.DataFrame) -> np.ndarray:
    failed = _blocks((100 - part[ANSWERED]) * part["sent"], part, "sum")
    no_bean = _blocks(part[EJB] * part["sent"], part, "sum")
    return 100 * no_bean[failed > 0] / failed[failed > 0]


def _longer(lives: pd.DataFrame) -> np.ndarray:
    """Return the share answered where a timer is too long for one time to live, with another that is longer."""
    part = _at(lives, "glassfish")
    too_long = set(part.loc[part["longer"], "timer"])
    part = part[~part["longer"] & part["timer"].isin(too_long)]
    return _blocks(100 * part["answered"] / part["sent"], part)


def _climbs(timers: Recording, fifty: Recording) -> dict:
    many, few = (
        timers_climb.climbs(recorded).merge(recorded.runs[["run", *factors]], on="run")
        for recorded, factors in ((timers, ["container", "timer"]), (fifty, ["container", "timer", "ttl_ms"]))
    )
    few = few[few["ttl_ms"] == LONG_LIFE]
    found = {}
    for suffix, frame in (("", _at(few, "glassfish", HIGHER)), ("-strict", _at(many, "openejb", HIGHER[1:]))):
        for name, column in (("climb", "total climb"), ("faster", "faster"), ("level", "total level")):
            logs = np.log(frame[column].dropna())
            found[f"A10-{name}{suffix}"] = (np.exp(_blocks(logs, frame.loc[logs.index])), "log")
    return found


def _units(timers: Recording) -> dict:
    units = timers_times.units(timers)
    found = {}
    for id, container, column in (("A12", "glassfish", "bean"), ("A12-seen", "openejb", "ejb")):
        by_block = _at(units, container).dropna(subset=[column]).groupby("block")[column]
        found[id] = ((by_block.max() / by_block.min()).to_numpy(), "log")
    return found


def _time_outs(out: pd.DataFrame) -> dict:
    counts = out.groupby("block")[["time_outs", timers_room.IN_BEAN, timers_room.WAITING, "with_room"]].sum()
    answered = (out["answered_anyway"].fillna(0) * out["time_outs"]).groupby(out["block"]).sum()
    some = counts["time_outs"] > 0
    inside = counts[timers_room.IN_BEAN] + counts[timers_room.WAITING]
    return {
        "A9-inside": ((100 * inside / counts["time_outs"])[some].to_numpy(), "identity"),
        "A16": (counts["with_room"].to_numpy(), "identity"),
        "A16-work": ((answered / counts["time_outs"])[some].to_numpy(), "identity"),
    }
