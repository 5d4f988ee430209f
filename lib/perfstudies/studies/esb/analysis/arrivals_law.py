"""What must hold of waiting, whatever the engine: Little's law, and the queue of a rate that is too high.

Neither takes a model of the engine. Times at rates that it can answer depend on how it serves messages and by how much
that varies; for those no bound is drawn.

Sources: J. D. C. Little, "A proof for the queuing formula: L = lambda W", Operations Research 9, 1961; L. Kleinrock,
*Queueing Systems*, volume 2, Wiley 1976, section 2.7 (the fluid approximation of a rush hour).
"""

from __future__ import annotations

import pandas as pd

from perfstudies.experiment import Experiment
from perfstudies.report.settings import at, margin
from perfstudies.report.tables import MISSING, interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.intervals import mean_interval, ratio_interval
from perfstudies.studies.esb.analysis.arrivals import ARRIVALS, OVERLOAD, ROWS, STOPPED, engines, settings
from perfstudies.studies.esb.analysis.mediation import ROUTE, indexed
from perfstudies.studies.esb.analysis.runs import labels


def little_table(recorded: Recording, experiment: Experiment, connections: int) -> pd.DataFrame:
    """Return how many messages were under way by Little's law: rate times mean time, by both clocks.

    Parameters
    ----------
    recorded : Recording
        Of the arrivals; runs with a stop are left out.
    experiment : Experiment
        Whose labels are printed.
    connections : int
        At most so many messages can have been sent and not answered; under a closed load exactly so many are.
    """
    label, rows = labels(experiment), {}
    for setting in settings(recorded):
        if setting[ARRIVALS] in STOPPED.values():
            continue
        part = at(recorded.runs, setting)
        busy = mean_interval(part["under_way_service"] / connections)
        rows[label(ROUTE, setting[ROUTE]), label(ARRIVALS, setting[ARRIVALS])] = {
            "Due and not answered": margin(part["under_way_response"], 1),
            "Sent and not answered": margin(part["under_way_service"], 1),
            "Sent, over connections": interval_text(busy.estimate, busy.low, busy.high, 3),
        }
    return indexed(rows, ROWS)


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


def overload_table(recorded: Recording, experiment: Experiment) -> pd.DataFrame:
    """Return response times at too high a rate beside those of a queue that grows by the surplus."""
    label, rows = labels(experiment), {}
    for route in engines(recorded):
        part = at(recorded.runs, {ROUTE: route, ARRIVALS: OVERLOAD})
        part = part[part["per_s"] > 0]
        if part.empty:
            continue
        row = {
            "Offered (1/s)": margin(part["rate_per_s"], 0),
            "Answered (1/s)": margin(part["per_s"], 0),
            "Surplus (1/s)": margin(part["rate_per_s"] - part["per_s"], 0),
        }
        for name, share, column in (("50 %", 0.5, "all_response_p50_ms"), ("99 %", 0.99, "all_response_p99_ms")):
            expected = overload_wait_ms(part, share)
            found = ratio_interval(part[column], expected)
            row |= {
                f"{name} within, by the surplus (ms)": margin(expected, 0),
                f"{name} within, measured (ms)": margin(part[column], 0),
                f"{name}, measured over expected": interval_text(found.estimate, found.low, found.high),
            }
        rows[label(ROUTE, route)] = row
    if not rows:
        return pd.DataFrame({"Offered (1/s)": MISSING}, index=pd.Index(["Not measured"], name="Engine"))
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Engine")


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
