"""What becomes of messages when the engine is stopped for a while, under closed and under open arrivals."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from perfstudies.experiment import Experiment
from perfstudies.report.figures import COLOURS, WIDTH_INCH, plain_numbers, style
from perfstudies.report.settings import at, margin
from perfstudies.report.tables import MISSING, interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.intervals import share_interval
from perfstudies.studies.esb.analysis.arrivals import ARRIVALS, ROWS, SHORT, STOPPED, engines, over_closed, values
from perfstudies.studies.esb.analysis.arrivals_law import expected_held_up
from perfstudies.studies.esb.analysis.mediation import ROUTE, indexed
from perfstudies.studies.esb.analysis.runs import labels
from perfstudies.studies.esb.logs.rate_intervals import BIN_S

RATE, TAIL = "rate", "tail"


def held_up_share(runs: pd.DataFrame, clock: str = "response") -> pd.Series:
    """Return each run's share of answered messages that took longer than half the stop, by the clock's beginning."""
    return (runs[f"held_up_{clock}"] / runs["ok"].where(runs["ok"] > 0)).dropna()


def held_up_table(recorded: Recording, experiment: Experiment, connections: int) -> pd.DataFrame:
    """Return how many messages a stop held up for more than half its length, by both clocks; a row a setting."""
    label, rows = labels(experiment), {}
    load = over_closed(recorded.runs)
    for route in engines(recorded):
        for arrivals in STOPPED.values():
            part = at(recorded.runs, {ROUTE: route, ARRIVALS: arrivals})
            if part.empty:
                continue
            found = share_interval(held_up_share(part))
            text = interval_text(100 * found.estimate, 100 * found.low, 100 * found.high)
            expected = expected_held_up(part, load[part.index], connections).dropna()
            rows[label(ROUTE, route), SHORT[arrivals]] = {
                "Stopped for (s)": margin(part["stalled_for_s"]),
                "Answered in the run": margin(part["ok"], 0),
                "Held up": margin(part["held_up_response"], 0),
                "Held up, by arithmetic": margin(expected, 0),
                "Held up (%)": text,
                "Seen from when it was sent": margin(part["held_up_service"], 0),
                "Longest (s)": margin(part["all_response_max_ms"] / 1000),
            }
    if not rows:
        return pd.DataFrame({"Held up": MISSING}, index=pd.Index(["No stop was measured"], name="Engine"))
    return indexed(rows, ROWS)


def tails_table(recorded: Recording, experiment: Experiment) -> pd.DataFrame:
    """Return quantiles of response times (ms) with and without a stop, means over runs with 95 % margins."""
    label, rows = labels(experiment), {}
    for route in engines(recorded):
        for pair in STOPPED.items():
            for arrivals in pair:
                columns = {
                    f"{name} within (ms)": values(recorded.runs, route, arrivals, f"all_response_{one}_ms")
                    for one, name in (("p50", "50 %"), ("p99", "99 %"), ("p999", "99.9 %"), ("max", "100 %"))
                }
                if len(next(iter(columns.values()))):
                    rows[label(ROUTE, route), SHORT[arrivals]] = {name: margin(of, 1) for name, of in columns.items()}
    if not rows:
        return pd.DataFrame({"99 % within (ms)": MISSING}, index=pd.Index(["No stop was measured"], name="Engine"))
    return indexed(rows, ROWS)


def course(recorded: Recording, experiment: Experiment) -> pd.DataFrame:
    """Return the course of the runs with a stop: a row an engine, setting and bin; means over runs.

    Columns: ``rate`` (answers in % of the run's bins before the stop, the first left out) and ``tail`` (the time from
    when they were due within which 99 % of them came, ms; missing where there was none).
    """
    label, frames = labels(experiment), {}
    stopped = recorded.runs.set_index("run")["stalled_at_s"].dropna()
    bins = recorded.samples[recorded.samples["run"].isin(stopped.index)]
    arrivals: Any
    for (route, arrivals), part in bins.groupby([ROUTE, ARRIVALS], observed=True):
        shares = [_relative(run, stopped[name]) for name, run in part.groupby("run")]
        joined = pd.concat(shares)
        means = joined.groupby("time_s")[["rate", "response_p99_ms"]].mean().set_axis([RATE, TAIL], axis=1)
        frames[label(ROUTE, route), SHORT[arrivals]] = means
    if not frames:
        return pd.DataFrame(columns=[RATE, TAIL])
    return pd.concat(frames, names=[*ROWS, "Time (s)"])


def _relative(run: pd.DataFrame, stopped_at_s: float) -> pd.DataFrame:
    before = run[run["time_s"] + BIN_S <= stopped_at_s + 1e-9]
    before = before.iloc[1:] if len(before) > 1 else before
    level = before["ok"].mean() if len(before) else run["ok"].mean()
    return run.assign(rate=100 * run["ok"] / level)


def stop_s(recorded: Recording) -> tuple[float, float]:
    """Return when engines were stopped and went on, in seconds of the run, means over runs."""
    runs = recorded.runs.dropna(subset=["stalled_at_s", "stalled_for_s"])
    begin = runs["stalled_at_s"].mean()
    return begin, begin + runs["stalled_for_s"].mean()


def course_figure(found: pd.DataFrame, stop: tuple[float, float]) -> Figure:
    """Draw `course`: answers above, the tail of response times below, a column an engine; shaded: the stop."""
    names = list(dict.fromkeys(found.index.get_level_values("Engine")))
    kinds = list(dict.fromkeys(found.index.get_level_values("Arrivals")))
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 5.4), layout="constrained")
        panels = figure.subplots(2, len(names), sharex=True, sharey="row", squeeze=False)
        for column, engine in enumerate(names):
            for row, values_of in enumerate((RATE, TAIL)):
                axes = panels[row][column]
                axes.axvspan(*stop, color="0.88", zorder=0)
                for place, kind in enumerate(kinds):
                    if (engine, kind) in found.index.droplevel(2):  # type: ignore[arg-type]
                        line = found[values_of].xs((engine, kind), level=ROWS)  # type: ignore[arg-type]
                        axes.plot(
                            line.index + BIN_S / 2, line, marker="os"[place % 2], ms=3.5, lw=1.3, color=COLOURS[place],
                            ls="-", label=kind,
                        )  # fmt: skip
            panels[0][column].set(title=engine, ylim=(0, None))
            panels[1][column].set(yscale="log")
            plain_numbers(panels[1][column].yaxis)
        panels[0][0].set_ylabel("Answers, % of before the stop")
        panels[1][0].set_ylabel("99 % within (ms), logarithmic")
        figure.supxlabel("Time since the run began (s)", fontsize=9.5)
        handles, texts = panels[0][0].get_legend_handles_labels()
        figure.legend(handles, texts, loc="outside upper center", ncols=2)
    return figure


def describe_course(found: pd.DataFrame) -> str:
    """Put `course_figure` into words."""
    said = []
    for (engine, kind), part in found.groupby(level=ROWS, sort=False):
        said.append(
            f"{engine}, {kind}: answers fall to {part[RATE].min():.0f} % and rise to {part[RATE].max():.0f} %; 99 % "
            f"come within {part[TAIL].max():,.0f} ms where it is longest"
        )
    return f"Answers and the tail of response times over the time of runs with a stop. {'. '.join(said)}."
