"""The AAA study's four sequences (its section 2.1): what each costs, which messages it takes, and who spends the time.

The study describes them and measured none, so there are no published times, and no findings to decide.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.exchange import OK
from perfstudies.report.figures import COLOURS, HATCHES, WIDTH_INCH, style
from perfstudies.report.settings import margin, ratio_columns
from perfstudies.runs.recording import Recording
from perfstudies.stats.intervals import mean_interval
from perfstudies.stats.planned import planned_ratios
from perfstudies.studies.aaa.analysis.published import statements
from perfstudies.studies.aaa.declared import SEQUENCES
from perfstudies.studies.aaa.logs.messages import BETWEEN

FACTOR = SEQUENCES.factors[0]
SEQUENCE = FACTOR.name
AGENT = "agent"
PARTIES = {"user": "user", "aaa": "AAA server", "provider": "provider's AAA server", "equipment": "service equipment"}
PARTS = {
    "at_aaa_ms": "AAA server",
    "at_provider_ms": "Provider's AAA server",
    "at_equipment_ms": "Service equipment",
    BETWEEN: "Between them and the user",
}
"""Columns of a recording's samples, and whose time they are."""
TICKETS = {
    "ticket_expired": ("Expired", "TicketExpired"),
    "ticket_tampered": ("Tampered with", "TicketTampered"),
    "ticket_replayed": ("Used a second time", "TicketReplayed"),
}
"""Columns of a recording's runs, which hold what came back; what was wrong; and the fault that is the right answer."""
BEGINNING = 10


def run_times(recorded: Recording) -> pd.DataFrame:
    """Return a row a run over its answered requests: mean, median and 95th percentile of total times, in ms."""
    answered = recorded.calls[recorded.calls["outcome"] == OK]
    times = answered.groupby(["run", "block", SEQUENCE], observed=True)["total_ms"]
    found = times.agg(mean_ms="mean", median_ms="median", p95_ms=lambda values: values.quantile(0.95), answered="size")
    return found.reset_index()


def times_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what a request takes in each sequence, with 95 % margins over runs, and as a ratio to the agent sequence.

    Parameters
    ----------
    runs : DataFrame
        From `run_times`.
    """
    rows = {}
    for level, part in runs.groupby(SEQUENCE, observed=True):
        rows[level] = {
            "Runs": len(part),
            "Answered": int(part["answered"].sum()),
            "Mean (ms)": margin(part["mean_ms"]),
            "Median (ms)": margin(part["median_ms"]),
            "95th percentile (ms)": margin(part["p95_ms"]),
        }
    table = pd.DataFrame.from_dict(rows, orient="index").join(ratio_columns(against_agent(runs), "Ratio to agent"))
    return _labelled(table)


def against_agent(runs: pd.DataFrame) -> pd.DataFrame:
    """Return each sequence's mean time as a ratio to the agent's in the same block; 95 % for all ratios together."""
    wide = runs.pivot(index="block", columns=SEQUENCE, values="mean_ms")
    pairs = {}
    for level in wide.columns.drop(AGENT, errors="ignore"):
        both = wide[[level, AGENT]].dropna() if AGENT in wide else wide[:0]
        if len(both):
            pairs[level] = (both[level], both[AGENT])
    return planned_ratios(pairs)


def by_part_of_run(recorded: Recording) -> pd.DataFrame:
    """Return the mean total time of the first requests of a run and of the others, in ms with margins over runs."""
    answered = recorded.calls[recorded.calls["outcome"] == OK]
    first = (answered["number"] < BEGINNING).map({True: f"First {BEGINNING}", False: "Others"})
    means = answered.groupby([SEQUENCE, "run", first.rename("part")], observed=True)["total_ms"].mean()
    rows = {level: {name: margin(of) for name, of in part.groupby("part")} for level, part in means.groupby(SEQUENCE)}
    return _labelled(pd.DataFrame.from_dict(rows, orient="index"))


def described() -> pd.DataFrame:
    """Return the messages between parties that the text describes: a row a message, ``value`` of each a request."""
    said = statements()
    said = said[said["statement"].str.fullmatch(r"\w+: \w+>\w+")]
    index = pd.MultiIndex.from_tuples([tuple(one.split(": ")) for one in said["statement"]], names=[SEQUENCE, "pair"])
    return pd.DataFrame({"value": said["value"].astype(float).to_numpy()}, index)


def messages_table(recorded: Recording) -> pd.DataFrame:
    """Return the messages a request of each sequence takes: as described, and as counted in the parties' logs.

    A row a message from one party to another, in the order of the text, then those that it does not name; a last row
    a sequence is their sum. Counted: the mean of runs; where runs differ, their span too.
    """
    columns = [name for name in map(str, recorded.runs) if name.startswith("messages ")]
    counted = recorded.runs.set_index(SEQUENCE)[columns].rename(columns=lambda name: name.removeprefix("messages "))
    said, rows = described()["value"], {}
    for level in (one for one in FACTOR.levels if one in set(counted.index)):
        part = counted.loc[[level]].dropna(axis=1, how="all").fillna(0)
        part = part.loc[:, (part > 0).any()]
        told = said.loc[level]
        for pair in [*told.index, *part.columns.difference(told.index, sort=False)]:
            sender, receiver = (PARTIES.get(party, party) for party in pair.split(">"))
            found = part[pair] if pair in part else pd.Series(0.0, part.index)
            rows[FACTOR.label(level), f"{sender} to {receiver}"] = _beside(told.get(pair), found)
        rows[FACTOR.label(level), "all"] = _beside(told.sum(), part.sum(axis=1))
    table = pd.DataFrame.from_dict(rows, orient="index")
    return table.set_axis(pd.MultiIndex.from_tuples(rows, names=["Sequence", "Message"]))


def _beside(told: float | None, found: pd.Series) -> dict[str, str]:
    span = "" if np.ptp(found) == 0 else f" ({found.min():g} to {found.max():g})"
    return {"Described": "not named" if told is None else f"{told:g}", "Counted": f"{found.mean():.4g}{span}"}


def run_parts(recorded: Recording) -> pd.DataFrame:
    """Return a row a run: the mean time at each party of its answered requests, in ms; 0 where it has no part.

    Runs whose messages are not known are left out.
    """
    answered = recorded.samples[recorded.samples["outcome"] == OK]
    present = [column for column in PARTS if column in answered]
    means = answered.groupby(["run", "block", SEQUENCE], observed=True)[present].mean().dropna(how="all")
    return means.reindex(columns=list(PARTS)).fillna(0).reset_index()


def parts_table(parts: pd.DataFrame) -> pd.DataFrame:
    """Return the time at each party (ms, with margins over runs) and its share of the whole (%)."""
    rows = {}
    for level, part in parts.groupby(SEQUENCE, observed=True):
        whole = part[list(PARTS)].sum(axis=1)
        rows[level] = {
            (label, unit): _or_none(values, digits)
            for column, label in PARTS.items()
            for unit, values, digits in (("ms", part[column], 2), ("%", 100 * part[column] / whole, 1))
        }
    columns = pd.MultiIndex.from_product([PARTS.values(), ("ms", "%")])
    if not rows:
        return pd.DataFrame(np.nan, pd.Index(["None measured"], name="Sequence"), columns)
    return _labelled(pd.DataFrame.from_dict(rows, orient="index").reindex(columns=columns))


def _or_none(values: pd.Series, digits: int) -> str | float:
    return np.nan if (values == 0).all() else margin(values, digits)


def drawn(runs: pd.DataFrame, parts: pd.DataFrame) -> pd.DataFrame:
    """Return what `figure` draws, in ms: the parts of the mean total time, and its 95 % interval over runs."""
    means = parts.groupby(SEQUENCE, observed=True)[list(PARTS)].mean().rename(columns=PARTS)
    whole = {}
    for level, part in runs.groupby(SEQUENCE, observed=True):
        found = mean_interval(part["mean_ms"])
        whole[level] = {"Total": found.estimate, "low": found.low, "high": found.high}
    return _labelled(pd.DataFrame.from_dict(whole, orient="index").join(means))


def figure(numbers: pd.DataFrame) -> Figure:
    """Draw the mean total time of each sequence as a bar of its parts, with the interval of the whole."""
    parts = [label for label in PARTS.values() if label in numbers]
    places = np.arange(len(numbers))
    with style():
        made = Figure(figsize=(WIDTH_INCH, 1.3 + 0.55 * len(numbers)), layout="constrained")
        axes = made.subplots()
        left = np.zeros(len(numbers))
        for at, label in enumerate(parts):
            widths = numbers[label].fillna(0).to_numpy()
            axes.barh(
                places, widths, left=left, height=0.6, label=label, color=COLOURS[at], hatch=HATCHES[at],
                edgecolor="white", linewidth=0.8,
            )  # fmt: skip
            left = left + widths
        ends = np.abs(numbers[["low", "high"]].to_numpy().T - numbers["Total"].to_numpy())
        axes.errorbar(numbers["Total"], places, xerr=ends, fmt="D", color="0.1", ms=4, capsize=4, label="Total")
        axes.set_yticks(places, list(numbers.index))
        axes.invert_yaxis()
        axes.set_xlim(left=0)
        axes.set_xlabel("Mean total time of a request (ms)")
        axes.grid(axis="y", visible=False)
        made.legend(loc="outside upper center", ncols=3)
    return made


def describe(numbers: pd.DataFrame) -> str:
    """Put `figure` into words."""
    said = "; ".join(f"{name} {total:.2f} ms" for name, total in numbers["Total"].items())
    return f"A bar a sequence, made of the time at each party. Mean total times: {said}."


def tickets_table(recorded: Recording) -> pd.DataFrame:
    """Count what came of the tickets that every run tried: refused as it should be, refused otherwise, or accepted."""
    rows = {}
    for column, (label, right) in TICKETS.items():
        came = recorded.runs[column] if column in recorded.runs else pd.Series(dtype=object)
        came = came[came.notna() & (came != "")]
        others = came[came != right].value_counts().sort_index()
        rows[label] = {
            "Tried": len(came),
            "Refused as such": int((came == right).sum()),
            "Other answers": ", ".join(f"{answer}: {count}" for answer, count in others.items()) or "none",
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Ticket")


def _labelled(table: pd.DataFrame) -> pd.DataFrame:
    return table.set_axis(pd.Index([FACTOR.label(level) for level in table.index], name="Sequence"))
