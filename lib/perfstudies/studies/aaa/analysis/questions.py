"""What the AAA study left open: complex policies, mixes, database connections, processors, beans, more clients."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from perfstudies.experiment import Factor, Finding
from perfstudies.report.tables import MISSING, interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.growth import exponents, local_exponents, over_units
from perfstudies.stats.intervals import Interval, ratio_interval
from perfstudies.studies.aaa.analysis import busy
from perfstudies.studies.aaa.analysis.closed import wide
from perfstudies.studies.aaa.declared import (
    BEANS,
    CONCURRENT_CLIENTS,
    CONDITIONS,
    CONNECTIONS,
    DATABASES,
    MIXES,
    PROCESSORS,
)
from perfstudies.studies.aaa.findings_limits import QUESTION_FINDINGS

POLICY, CLIENTS, MIX = (one.factors[0].name for one in (CONDITIONS, CONCURRENT_CLIENTS, MIXES))
FROM_CLIENTS = 4
"""The study had four; its question is what more of them do."""


def text(one: Interval, digits: int = 2) -> str:
    """Write an interval; an en dash if there is no value."""
    return interval_text(one.estimate, one.low, one.high, digits) if one.n else MISSING


def with_conditions(runs: pd.DataFrame) -> pd.DataFrame:
    """Return runs of the policies' experiment with their number of ``conditions``."""
    return runs.assign(conditions=runs[POLICY].astype(str).str.removeprefix("Conditions").astype(int))


def growth_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return how times grow with the number of conditions: exponents over all and between neighbouring numbers.

    Also what one further condition costs: the difference between most and fewest conditions over the number added.

    Parameters
    ----------
    runs : DataFrame
        From `with_conditions`.
    """
    rows = {}
    for column, name in (("total_ms", "Total time"), ("ejb_ms", "EJB time"), ("server_ms", "Server's CPU time")):
        known = runs.dropna(subset=[column])
        row = {"Exponent, all": text(over_units(exponents(known, "conditions", column)))}
        if known["conditions"].nunique() > 1:
            local: Any = local_exponents(known, "conditions", column, "conditions")
            row |= {f"{low} to {high}": text(over_units(local[low, high])) for low, high in local.columns}
        rows[name] = row | {"µs a condition": text(over_units(per_condition_us(known, column)), 1)}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Time")


def per_condition_us(runs: pd.DataFrame, column: str) -> pd.Series:
    """Return what a further condition adds to a time in µs, a value a block that has the fewest and the most."""
    values: Any = runs.pivot(index="block", columns="conditions", values=column)
    low, high = values.columns.min(), values.columns.max()
    return (1000 * (values[high] - values[low]) / (high - low)).dropna() if high > low else pd.Series(dtype=float)


def additivity(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what each kind of request adds to the mean cost of a mix, and whether the two add up, in ms a request.

    Costs are the server's CPU time and the mean total time, against the mix of valid requests alone, within blocks.
    What is left for both kinds together over the sum of their single differences is 0 if a kind costs the same beside
    the other.
    """
    rows = {}
    for column, name in (("server_ms", "Server's CPU time"), ("total_ms", "Total time")):
        cost = wide(runs, MIX, column, MIXES.factors[0].levels)
        added = {level: cost[level] - cost["valid"] for level in ("invalid-20", "complex-20", "both-20")}
        left = added["both-20"] - added["invalid-20"] - added["complex-20"]
        rows[name] = {
            "20 % invalid": text(over_units(added["invalid-20"]), 3),
            "20 % complex": text(over_units(added["complex-20"]), 3),
            "Both": text(over_units(added["both-20"]), 3),
            "Both less the sum": text(over_units(left), 3),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Added to all valid (ms)")


def clients_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Return runs of the clients' experiment with the number of ``clients``: the connections of all that send.

    ``at_once`` is that number as a level, for tables.
    """
    count = runs[CLIENTS].astype(str).astype(int) * runs["senders"]
    levels = [str(one) for one in sorted(count.unique())]
    return runs.assign(clients=count, at_once=pd.Categorical(count.astype(str), levels, ordered=True))


def at_once(runs: pd.DataFrame) -> Factor:
    """Return the factor of `clients_runs`: how many clients there were at the same time."""
    levels = tuple(runs["at_once"].cat.categories)
    return Factor("at_once", levels, levels)


def clients_trend(runs: pd.DataFrame) -> pd.DataFrame:
    """Return how times, queues and throughput grow with the clients: exponents below and from the study's four on."""
    columns = {
        "total_ms": "Total time", "ejb_ms": "EJB time", "in_server": "Requests in the servlet", "per_s": "Requests/s",
    }  # fmt: skip
    rows = {}
    for column, name in columns.items():
        parts = {
            f"1 to {FROM_CLIENTS} clients": runs[runs["clients"] <= FROM_CLIENTS],
            f"From {FROM_CLIENTS} clients on": runs[runs["clients"] >= FROM_CLIENTS],
        }
        found = {
            which: over_units(exponents(part.dropna(subset=[column]), "clients", column))
            for which, part in parts.items()
        }
        rows[name] = {
            which: f"{text(one)} ({100 * (2**one.estimate - 1):+.0f} % a doubling)" if one.n else MISSING
            for which, one in found.items()
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Exponent over clients")


def busy_table(recordings: Mapping[str, tuple[Recording, Factor]]) -> pd.DataFrame:
    """Return how busy the pools were in several experiments: `busy.busy_table`, a part each."""
    parts = {}
    for name, (recorded, factor) in recordings.items():
        part = busy.busy_table(recorded, [factor.name])
        parts[name] = part.set_axis([factor.label(level) for level in part.index])
    return pd.concat(parts, names=["Experiment", "Setting"])


def within_blocks(runs: pd.DataFrame, factor: str, above: str, below: str, column: str) -> Interval:
    """Return the ratio of two levels within blocks with its 95 % interval; all is missing without a whole block."""
    pairs = wide(runs, factor, column, (above, below)).dropna()
    if pairs.empty:
        return Interval(np.nan, np.nan, np.nan, 0.95, 0)
    return ratio_interval(pairs[above], pairs[below])


def answers(runs: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the study's open questions, each with a measured answer.

    Parameters
    ----------
    runs : mapping
        For ``conditions`` (from `with_conditions`), ``mixes``, ``connections``, ``databases``, ``processors``,
        ``beans`` and ``clients`` (from `clients_runs`) the runs of that experiment.
    """
    doubled = within_blocks(runs["processors"], PROCESSORS.factors[0].name, "2", "1", "per_s")
    other = within_blocks(runs["databases"], DATABASES.factors[0].name, "mariadb", "h2", "per_s")
    sessions = within_blocks(runs["beans"], BEANS.factors[0].name, "session", "entity", "per_s")
    connected = runs["connections"]
    rate = {
        level: within_blocks(connected, CONNECTIONS.factors[0].name, level, "8", "per_s") for level in ("1", "32")
    }  # fmt: skip
    mixed = {
        level: within_blocks(runs["mixes"], MIX, level, "valid", "per_s")
        for level in ("invalid-20", "complex-20", "both-20")
    }
    crowd = runs["clients"][runs["clients"]["clients"] >= FROM_CLIENTS]
    times = over_units(exponents(crowd.dropna(subset=["total_ms"]), "clients", "total_ms"))
    condition = over_units(per_condition_us(runs["conditions"].dropna(subset=["total_ms"]), "total_ms"))
    rows = {
        "What happens with a complex policy?": ("Total time that a further condition adds (µs)", text(condition, 1)),
        "What do invalid requests change?": ("Requests/s with 20 % invalid / all valid", text(mixed["invalid-20"])),
        "What do complex requests change?": ("Requests/s with 20 % complex / all valid", text(mixed["complex-20"])),
        "What do both change?": ("Requests/s with 20 % of each / all valid", text(mixed["both-20"])),
        "Do database connections matter: fewer?": ("Requests/s with 1 connection / with 8", text(rate["1"])),
        "Do database connections matter: more?": ("Requests/s with 32 connections / with 8", text(rate["32"])),
        "Does it matter which database it is?": ("Requests/s, MariaDB / H2", text(other)),
        "Is it double with twice the processors?": ("Requests/s, two processors / one", _doubles(doubled)),
        "Session or entity beans?": ("Requests/s, session bean / entity bean", text(sessions)),
        "What do more clients do?": (f"Exponent of total time over clients, from {FROM_CLIENTS} on", text(times)),
    }
    shown = pd.DataFrame.from_dict(rows, orient="index", columns=["Statistic", "Answer"])
    return shown.rename_axis("Question")


def _doubles(one: Interval) -> str:
    """Write a ratio and whether its interval holds 2."""
    if not np.isfinite(one.low):
        return text(one)
    says = "less than double" if one.high < 2 else ("more than double" if one.low > 2 else "double is within")
    return f"{text(one)}: {says}"


def cases(
    beans: pd.DataFrame, clients: pd.DataFrame, leads: Mapping[str, pd.Series]
) -> Iterable[tuple[Finding, pd.Series, str]]:
    """Pair each finding on open questions with its statistic's values, one a block, and the scale of its test.

    Parameters
    ----------
    beans : DataFrame
        From `perfstudies.studies.aaa.analysis.closed.run_table`.
    clients : DataFrame
        From `clients_runs`.
    leads : mapping of str to Series
        From `perfstudies.studies.aaa.analysis.screening.timer_leads`.
    """
    crowd = clients[clients["clients"] >= FROM_CLIENTS]
    grows = {
        column: exponents(crowd.dropna(subset=[column]), "clients", column) for column in ("total_ms", "in_server")
    }
    rate, repository = (wide(beans, "repository", name, ("session", "entity")) for name in ("per_s", "db_ms"))
    values = {
        "A14": ((rate["session"] / rate["entity"]).dropna(), "log"),
        "A14-repository": ((repository["entity"] / repository["session"]).dropna(), "log"),
        "A18-times": (grows["total_ms"], "identity"),
        "A18-queues": (grows["in_server"], "identity"),
        "A7": (leads["ejb_ms"], "log"),
        "A7-total": (leads["total_ms"], "log"),
        "A7-throughput": (leads["per_s"], "log"),
    }
    for finding in QUESTION_FINDINGS:
        yield finding, *values[finding.id]
