"""What the monitor adds to the times of the STEP study's logging runs: Perf4J beside Layer at every level."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from perfstudies.published import published_table
from perfstudies.report.settings import in_blocks, ratio_columns
from perfstudies.runs.recording import Recording
from perfstudies.stats.planned import planned_ratios
from perfstudies.studies.step.declared import LOG_LEVELS, LOGGING_MONITORS

MONITOR, LEVEL = LOGGING_MONITORS.name, LOG_LEVELS.name


def with_client_times(recorded: Recording) -> pd.DataFrame:
    """Return the samples with ``client_ms``: how long the client waited for each request.

    Requests of one user arrive in the order in which they were sent. Runs in which a call never reached the server,
    so that the two sides differ in number, have no client times.
    """
    calls = recorded.calls.sort_values(["run", "sent_ns"])
    numbered = calls.assign(request=calls.groupby("run").cumcount())
    sent, seen = numbered.groupby("run").size(), recorded.samples.groupby("run").size()
    complete = sent.index[sent == seen.reindex(sent.index)]
    waited = numbered[numbered["run"].isin(complete)].set_index(["run", "request"])["elapsed_ms"].rename("client_ms")
    return recorded.samples.join(waited, on=["run", "request"])


def monitors_compared(samples: pd.DataFrame, levels: Sequence[str]) -> pd.DataFrame:
    """Return request times under Perf4J over those under Layer at each level: 95 % for all levels together.

    Parameters
    ----------
    samples : DataFrame
        From `with_client_times`: each monitor's own clock stands beside the client's, which is one and the same.
    levels : sequence of str
        Which levels.
    """
    columns = {}
    for response, heading in (("request_ms", "By the monitors' own records"), ("client_ms", "By the client's clock")):
        pairs = {}
        for level in levels:
            pair = in_blocks(samples.dropna(subset=[response]), two_monitors(level), response)
            if len(pair):
                pairs[level] = pair["perf4j"], pair["layer"]
        columns[heading] = ratio_columns(planned_ratios(pairs), heading)[heading]
    frame = pd.concat(columns, axis=1).reindex(list(levels))
    frame = frame.set_axis(pd.Index([LOG_LEVELS.label(level) for level in levels], name="Log level"))
    info, layer = published_table("step", 8)["Time (ms)"]["Info"], published_table("step", 1)["Time (ms)"].sum()
    frame.insert(0, "Table 8 over Table 1", [f"{info / layer:.3f}" if name == "Info" else None for name in frame.index])
    return frame


def two_monitors(level: str) -> dict[str, dict[str, str]]:
    """Return the settings of both monitors at a level, by monitor."""
    return {monitor: {MONITOR: monitor, LEVEL: level} for monitor in LOGGING_MONITORS.levels}
