"""What became of messages between two databases when connections were cut and processes killed, and findings on it.

A message is wrong if it was lost (the client's transaction is committed, the server never applied it), applied more
than once, or invented (applied, although the client never committed it). A run is the unit: failures of a run hang
together, as one outage loses everything that is sent while it lasts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd
import seaborn
from matplotlib.figure import Figure

from perfstudies.experiment import Finding
from perfstudies.report.figures import COLOURS, HATCHES, WIDTH_INCH, style
from perfstudies.report.tables import MISSING, interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.intervals import share_interval
from perfstudies.stats.proportions import proportion_interval
from perfstudies.studies.esb.reliable import DELIVERY, FAULT, FINDINGS

KINDS = {"lost": "Lost", "duplicated": "Applied more than once", "invented": "Invented"}
TRANSACTIONAL = "transactional"
CUT, KILLED = ("cut-before", "cut-after"), ("server-restart", "client-restart")
PLACES = {
    ("client", "updated"): "client: before its transaction is committed",
    ("client", "committed"): "client: committed, not sent yet",
    ("client", "sent"): "client: the call has returned",
    ("server", "received"): "server: has the message, not begun",
    ("server", "updated"): "server: before its transaction is committed",
    ("server", "committed"): "server: committed, nobody told",
}


def faults_table(recorded: Recording) -> pd.DataFrame:
    """Return for each fault and delivery the shares of wrong messages, in percent with 95 % intervals over runs.

    The last columns count the runs in which any message was wrong, with Wilson's interval for their share.
    """
    rows = {}
    for (fault, delivery), part in recorded.runs.groupby(["fault", "delivery"], observed=True):
        wrong = int((part["wrong"] > 0).sum())
        found = proportion_interval(wrong / len(part), len(part))
        rows[FAULT.label(fault), DELIVERY.label(delivery)] = {
            "Messages": int(part["sent"].sum()),
            **{f"{label} (%)": _share(part[kind] / part["sent"]) for kind, label in KINDS.items()},
            "Runs with any": f"{wrong} of {len(part)}",
            "Share of runs (%)": interval_text(100 * found.estimate, 100 * found.low, 100 * found.high, 0),
        }
    table = pd.DataFrame.from_dict(rows, orient="index")
    table.index = pd.MultiIndex.from_tuples(rows, names=["What fails", "Delivery"])
    return table


def _share(shares: pd.Series) -> str:
    if not shares.any():
        return "0"
    found = share_interval(shares)
    return interval_text(100 * found.estimate, 100 * found.low, 100 * found.high, 1)


def bound(recorded: Recording) -> str:
    """Say how sure it is that messages in transactions are never wrong, as far as the faulty runs tell."""
    runs = recorded.runs[(recorded.runs["delivery"] == TRANSACTIONAL) & (recorded.runs["fault"] != "none")]
    if runs.empty:
        return "No run with transactions at both ends has been measured."
    wrong = int((runs["wrong"] > 0).sum())
    high = proportion_interval(wrong / len(runs), len(runs)).high
    kills = sum(len(one) for one in runs["kills"])
    limit = f"With 95 % confidence at most {100 * high:.0f} % of such runs have one."
    return (
        f"Transactions at both ends: {len(runs)} faulty runs with {runs['sent'].sum():,} messages, "
        f"{runs['cuts'].sum():,} cut connections and {kills} kills; {wrong} of these runs have a wrong message. "
        f"{limit if wrong else 'None has been seen, which does not prove that none can be. ' + limit}"
    )


def check(recorded: Recording) -> str:
    """Say whether every message that a client was to send is in its database in the end, and what was given up."""
    runs = recorded.runs
    short = runs[runs["committed"] != runs["sent"]]
    given_up = runs[["unacknowledged", "undelivered"]].fillna(0).sum()
    told = (
        f"{int(given_up['unacknowledged']):,} messages were given up by clients that heard nothing more of them for "
        f"2 s, {int(given_up['undelivered']):,} lay in a server's store and were not applied for as long."
    )
    if short.empty:
        return f"All {runs['sent'].sum():,} messages of {len(runs)} runs are in the clients' databases. {told}"
    names = "; ".join(f"{row.run}: {row.committed} of {row.sent}" for row in short.head(5).itertuples())
    return f"In {len(short)} of {len(runs)} runs NOT every message is in the client's database: {names}. {told}"


def kills_table(recorded: Recording) -> pd.DataFrame:
    """Count what became of the messages at which a side was killed, a row a place, a column a delivery."""
    state = recorded.samples.set_index(["run", "number"])[list(KINDS)]
    counts: dict[tuple, dict[str, int]] = {}
    run: Any
    for run in recorded.runs.itertuples():
        # Where more fails in the same run, what became of a message is not the kill's alone.
        for kill in run.kills if run.fault in KILLED else ():
            cell = counts.setdefault((kill["side"], kill["place"], run.delivery), dict.fromkeys(("n", *KINDS), 0))
            cell["n"] += 1
            key = (run.run, kill["number"])
            for kind in KINDS if key in state.index else ():
                cell[kind] += int(state[kind][key])
    rows = {
        label: {DELIVERY.label(level): _became(counts.get((*place, level))) for level in DELIVERY.levels}
        for place, label in PLACES.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Killed at this message")


def _became(cell: dict[str, int] | None) -> str:
    if cell is None:
        return MISSING
    words = {"lost": "lost", "duplicated": "twice", "invented": "invented"}
    bad = [f"{cell[kind]} {word}" for kind, word in words.items() if cell[kind]]
    return f"{', '.join(bad) or 'all once'} of {cell['n']}"


def drawn(recorded: Recording) -> pd.DataFrame:
    """Return what `figure` draws: the mean share of messages lost and applied twice, in percent, a row a setting."""
    runs = recorded.runs
    shares = runs[["lost", "duplicated"]].div(runs["sent"], axis=0).mul(100)
    keys = [runs[name].cat.remove_unused_categories() for name in ("fault", "delivery")]
    found = shares.groupby(keys, observed=True).mean()
    found.index = pd.MultiIndex.from_tuples(
        [(FAULT.label(fault), DELIVERY.label(delivery)) for fault, delivery in found.index],
        names=["What fails", "Delivery"],
    )
    return found.rename(columns=KINDS)


def figure(numbers: pd.DataFrame) -> Figure:
    """Draw the shares of wrong messages as bars to both sides of a line, a panel a fault."""
    faults = list(dict.fromkeys(numbers.index.get_level_values(0)))
    deliveries = list(dict.fromkeys(numbers.index.get_level_values(1)))
    with style():
        made = Figure(figsize=(WIDTH_INCH, 0.7 + 1.25 * len(faults)), layout="constrained")
        panels = made.subplots(len(faults), 1, sharex=True, squeeze=False)[:, 0]
        for panel, fault in zip(panels, faults, strict=True):
            part = numbers.loc[fault].reindex(deliveries)
            for at, (kind, sign) in enumerate((("Lost", -1), ("Applied more than once", 1))):
                values = part[kind].fillna(0)
                panel.barh(
                    range(len(part)), sign * values, height=0.7, label=kind if panel is panels[0] else None,
                    color=COLOURS[3 * at], hatch=HATCHES[at], edgecolor="white", linewidth=0.8,
                )  # fmt: skip
            panel.axvline(0, color="0.3", lw=0.9)
            panel.set_yticks(range(len(part)), deliveries)
            panel.invert_yaxis()
            panel.set_title(fault, loc="left")
            panel.grid(axis="y", visible=False)
            seaborn.despine(ax=panel, left=True)
        panels[-1].xaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
        panels[-1].set_xlabel("Share of the messages (%): lost to the left, applied more than once to the right")
        made.legend(loc="outside upper center", ncols=2)
    return made


def describe(numbers: pd.DataFrame) -> str:
    """Put `figure` into words."""
    parts = []
    place: Any
    for place, row in numbers.iterrows():
        fault, delivery = place
        words = {"Lost": "lost", "Applied more than once": "twice"}
        bad = [f"{row[kind]:.1f} % {word}" for kind, word in words.items() if row[kind]]
        if bad:
            parts.append(f"{fault}, {delivery}: {', '.join(bad)}")
    return f"Bars of wrong messages, a panel a fault. {'; '.join(parts) or 'There are none'}. All other settings: none."


def cases(recorded: Recording) -> Iterable[tuple[Finding, pd.Series, str]]:
    """Pair each finding with its statistic's values, one a block."""
    runs = recorded.runs[recorded.runs["fault"] != "none"]

    def sums(column: str, delivery: str, faults: Iterable[str] = FAULT.levels) -> pd.Series:
        kept = runs[(runs["delivery"] == delivery) & runs["fault"].isin(list(faults))]
        return kept.groupby("block")[column].sum()

    values = {
        "E10": sums("wrong", TRANSACTIONAL),
        "E10-transfer": sums("wrong", "reliable", CUT),
        "E10-plain": sums("lost", "plain"),
        "E10-retry": sums("duplicated", "plain-retry"),
        "E10-stored": sums("wrong", "reliable-stored", KILLED),
    }
    for finding in FINDINGS:
        yield finding, values[finding.id].astype(float), "identity"
