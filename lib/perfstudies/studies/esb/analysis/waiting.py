"""What must hold of waiting under closed and open arrivals, whatever the engine, and the course of a stop.

The queue of a rate that is too high takes no model of the engine. Times at rates that it can answer depend on how it
serves messages and by how much that varies; for those no bound is drawn.

Source: L. Kleinrock, *Queueing Systems*, volume 2, Wiley 1976, section 2.7 (the fluid approximation of a rush hour).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.report.figures import COLOURS, WIDTH_INCH, plain_numbers, style
from perfstudies.studies.esb.logs.rate_intervals import BIN_S

RATE, TAIL = "rate", "tail"
ROWS = ["Engine", "Arrivals"]


def over_closed(runs: pd.DataFrame) -> pd.Series:
    """Return each run's offered rate over what the closed load of its block got through; missing if closed."""
    closed = runs[(runs["arrivals"] == "closed") & (runs["per_s"] > 0)].set_index(["block", "route"])["per_s"]
    rate = runs["rate_per_s"].where(runs["rate_per_s"] > 0)
    through = [closed.get((block, route), np.nan) for block, route in zip(runs["block"], runs["route"], strict=True)]
    return rate / pd.Series(through, runs.index)


def overload_wait_ms(runs: pd.DataFrame, share: float) -> pd.Series:
    """Return how long this share of messages at most takes, if what is offered too much piles up in a queue, ms.

    A message that is due at time t of the run finds ``(offered - answered) * t`` before it, which take as long as they
    take at the answered rate; then it takes as long itself as half of all do from when they are sent.

    Parameters
    ----------
    runs : DataFrame
        With ``rate_per_s``, ``per_s`` (answered), ``seconds`` and ``all_service_p50_ms``.
    share : float
        Of the run's messages, in the order in which they are due.
    """
    surplus = (runs["rate_per_s"] / runs["per_s"] - 1).clip(lower=0)
    return 1000 * surplus * share * runs["seconds"] + runs["all_service_p50_ms"]


def expected_held_up(runs: pd.DataFrame, load: pd.Series, connections: int) -> pd.Series:
    """Return how many messages a stop of the engine makes wait for more than half its length.

    Under a closed load those that were under way, one a connection. Under open arrivals those that are due during the
    stop and while its queue lasts: one due at time t of the stop waits for what is left of it and for those before it,
    ``stop - (1 - load) * t`` in all.

    Parameters
    ----------
    runs : DataFrame
        With ``rate_per_s`` (0 if closed) and ``stalled_for_s``.
    load : Series
        The offered rate over the highest that the engine answers, by run; missing if closed. At 1 or more the queue
        never goes, and no number is given.
    connections : int
        How many there are.
    """
    held_s = runs["stalled_for_s"] / (2 * (1 - load.where(load < 1)))
    return (runs["rate_per_s"] * held_s).where(runs["rate_per_s"] > 0, connections)


def course(samples: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Return the course of the runs with a stop: a row an engine, arrivals and bin; means over runs.

    Parameters
    ----------
    samples : DataFrame
        The bins of a recording.
    runs : DataFrame
        With ``stalled_at_s`` (missing without a stop) and the printed ``Engine`` and ``Arrivals``.

    Returns
    -------
    DataFrame
        ``rate`` (answers in % of the run's bins before the stop, the first left out) and ``tail`` (the time from when
        they were due within which 99 % of them came, ms; missing where there was none).
    """
    stopped = runs.dropna(subset="stalled_at_s")[["run", "stalled_at_s", *ROWS]]
    bins = samples.merge(stopped, on="run")
    if bins.empty:
        return pd.DataFrame(columns=[RATE, TAIL])
    whole = bins["time_s"] + BIN_S <= bins["stalled_at_s"] + 1e-9
    before = bins[whole & (bins["time_s"] > 0)].groupby("run")["ok"].mean()
    bins[RATE] = 100 * bins["ok"] / bins["run"].map(before).fillna(bins.groupby("run")["ok"].transform("mean"))
    means = bins.groupby([*ROWS, "time_s"], observed=True)[[RATE, "response_p99_ms"]].mean()
    return means.set_axis([RATE, TAIL], axis=1).rename_axis([*ROWS, "Time (s)"])


def course_figure(found: pd.DataFrame, stop: tuple[float, float]) -> Figure:
    """Draw `course`: answers above, the tail of response times below, a column an engine; shaded: the stop."""
    names, kinds = (list(dict.fromkeys(found.index.get_level_values(level))) for level in ROWS)
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
