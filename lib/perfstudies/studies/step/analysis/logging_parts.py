"""What the cost of the STEP study's loud log levels is made of, and what its own two ideas against it are worth.

Exploratory: the study named neither parts nor regions. It suggested to log only some layers, or only some
users' requests.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd

from perfstudies.report import settings
from perfstudies.report.settings import at, in_blocks, margin, ratio_columns
from perfstudies.report.tables import interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.intervals import bootstrap_interval
from perfstudies.stats.planned import planned_ratios
from perfstudies.studies.step.declared import LOG_OUTPUTS, LOGGING_PARTS

OUTPUT = LOG_OUTPUTS.name
QUIET = LOG_OUTPUTS.levels[0]
LOUD = {"debug": "Debug", "trace": "Trace"}
AS_STUDIED = "As in the study"
#: Fewer than elsewhere: an exploration needs no third digit, and a report should not wait for it.
RESAMPLES = 1999
PARTS = {
    "": AS_STUDIED,
    "-no-location": "Without caller location",
    "-no-console": "Without console",
    "-asynchronous": "Asynchronous",
    "-service-only": "Service code only",
    "-other-user": "For another user only",
}

named = partial(settings.named, experiment=LOGGING_PARTS, name=lambda setting: LOG_OUTPUTS.label(setting[OUTPUT]))


def _together(samples: pd.DataFrame, outputs: list[str]) -> pd.DataFrame:
    return in_blocks(samples, {output: {OUTPUT: output} for output in outputs})


def _present(samples: pd.DataFrame) -> list[str]:
    measured = {*samples[OUTPUT].unique()}
    return [output for output in LOG_OUTPUTS.levels if output in measured]


def _pairs(samples: pd.DataFrame, bases: Mapping[str, str]) -> dict:
    """Return each output with its base's run means, over the requests that both sent."""
    present = _present(samples)
    found = {}
    for output, base in bases.items():
        if output != base and {output, base} <= {*present}:
            pair = _together(samples, [output, base])
            if len(pair):
                found[output] = pair[output], pair[base]
    return found


def over_info(samples: pd.DataFrame) -> pd.DataFrame:
    """Return each output's request time over that at info, within blocks: 95 % for all of them together."""
    return planned_ratios(_pairs(samples, dict.fromkeys(LOG_OUTPUTS.levels, QUIET)))


def over_loud(samples: pd.DataFrame) -> pd.DataFrame:
    """Return each part's request time over that of its level as in the study: 95 % for all of them together."""
    bases = {f"{level}{part}": level for level in LOUD for part in PARTS}
    return planned_ratios(_pairs(samples, bases))


def removed(samples: pd.DataFrame, seed: int) -> dict[str, str]:
    """Return what part of a level's cost goes away with each change, in percent, with a bootstrap interval over blocks.

    The cost is the time at the level as in the study less that at info, on requests that all three sent. Parts
    overlap (what is not written needs no location either), so they need not add up to 100 %.
    """
    present = _present(samples)
    found = {}
    for level in LOUD:
        for part in PARTS:
            output = f"{level}{part}"
            if part and {output, level, QUIET} <= {*present}:
                three = _together(samples, [output, level, QUIET])
                if len(three):
                    arrays = tuple(three[one].to_numpy() for one in (output, level, QUIET))
                    share = bootstrap_interval(arrays, _share_removed, seed=seed, resamples=RESAMPLES)
                    found[output] = interval_text(share.estimate, share.low, share.high, 1)
    return found


def _share_removed(changed: np.ndarray, loud: np.ndarray, quiet: np.ndarray) -> float:
    return 100 * (loud.mean() - changed.mean()) / (loud.mean() - quiet.mean())


def parts_table(recorded: Recording, seed: int) -> pd.DataFrame:
    """Return for each output its time as ratios within blocks, the part of the cost removed, and bytes a request."""
    samples = recorded.samples
    outputs = _present(samples)
    requests = samples.groupby("run")["measured"].sum()
    written = {
        "Log file a request (10³ bytes)": "measured_log_bytes",
        "Console a request (10³ bytes)": "console_log_bytes",
    }
    runs = recorded.runs.set_index("run")
    runs = runs.assign(**{name: runs[name] / requests / 1e3 for name in written.values()})
    columns = {
        "Time over info": ratio_columns(over_info(samples), "ratio")["ratio"],
        "Time over its level as in the study": ratio_columns(over_loud(samples), "ratio")["ratio"],
        "Cost removed (%)": pd.Series(removed(samples, seed), dtype=object),
        **{
            heading: pd.Series({output: margin(at(runs, {OUTPUT: output})[name], 1) for output in outputs})
            for heading, name in written.items()
        },
    }
    frame = pd.concat({name: column.reindex(outputs) for name, column in columns.items()}, axis=1)
    return frame.set_axis(pd.Index([LOG_OUTPUTS.label(output) for output in outputs], name="Output"))


def ratio_series(found: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the ratios of `over_info` as a series a level, for a figure of points."""
    series = {}
    for level, name in LOUD.items():
        kept = {label: f"{level}{part}" for part, label in PARTS.items() if f"{level}{part}" in found.index}
        if kept:
            frame = found.loc[list(kept.values()), ["ratio", "low", "high"]]
            series[name] = frame.set_axis(list(kept)).rename(columns={"ratio": "estimate"})
    return series


def describe(series: Mapping[str, pd.DataFrame]) -> str:
    """Put the figure of the parts into words."""
    parts = [
        f"{level}: " + ", ".join(f"{str(part).lower()} {row.estimate:.2f}" for part, row in frame.iterrows())
        for level, frame in series.items()
    ]
    return f"Request time as a ratio to info, by what is changed, on a logarithmic axis. {'; '.join(parts)}."


def other_users(recorded: Recording) -> str:
    """Say what those pay for whom the detail is not switched on."""
    found = over_info(recorded.samples)
    said = [
        f"{name} {interval_text(row['ratio'], row['low'], row['high'], 3)}"
        for level, name in LOUD.items()
        for row in found.loc[found.index == f"{level}-other-user"].to_dict("records")
    ]
    return f"A user for whom the detail is off, as a ratio to info: {'; '.join(said) or 'not measured'}."
