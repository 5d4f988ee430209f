"""What became of every request of a burst: answered, refused or failed, and whether that is all that was sent."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
import seaborn
from matplotlib.figure import Figure

from perfstudies.exchange import HTTP_ERROR, LOST, OK, OUTCOMES, REFUSED, SOAP_FAULT, TIMED_OUT
from perfstudies.experiment import Finding
from perfstudies.report.figures import COLOURS, HATCHES, WIDTH_INCH, style
from perfstudies.report.tables import MISSING, interval_text
from perfstudies.runs.recording import Recording
from perfstudies.stats.growth import over_units
from perfstudies.studies.aaa.declared import BURST
from perfstudies.studies.aaa.findings_limits import HELD, OVERLOAD_FINDINGS

SIZE = BURST.factors[0].name
BEFORE, AT_ONCE, AFTER = "before", "burst", "after"
DATABASE_FAULT = "RepositoryFailed"
THREADS = int(BURST.fixed["http.threads"])
"""HTTP threads of the server in all bursts."""

LABELS = {
    OK: "answered", REFUSED: "refused", SOAP_FAULT: "SOAP fault", TIMED_OUT: "timed out", LOST: "lost",
    HTTP_ERROR: "HTTP error",
}  # fmt: skip
"""Outcomes as they are printed: the first is answered, the second refused, all others failed."""
FAILED = tuple(outcome for outcome in LABELS if outcome not in (OK, REFUSED))


def accounts(recorded: Recording) -> pd.DataFrame:
    """Return what became of each run's burst, a row a run.

    Columns: ``run``, ``block``, the burst's size as declared (``requests``, and ``planned`` as a number), ``sent``
    (different requests of which the clients have a record), ``repeated`` (records beyond the first of a request), the
    number of each outcome, ``answered``, ``refused``, ``failed``, ``unknown`` (records with none of the known
    outcomes), ``unseen`` (answered, but not in the server's record), ``reached`` (in the server's record),
    ``database_faults``, ``accounted`` (whether every planned request has one outcome and every answer is the server's),
    and whether the burst had all HTTP threads busy (``full``).
    """
    burst = recorded.samples[recorded.samples["phase"] == AT_ONCE]
    first = ~burst.duplicated(["run", "client", "number"])
    once, by_run = burst[first], burst.loc[first, "run"]
    seen = once["entered_us"].notna()

    def count(chosen: pd.Series) -> pd.Series:
        return chosen.groupby(by_run).sum()

    columns = {
        "sent": first[first].groupby(by_run).size(),
        "repeated": (~first).groupby(burst["run"]).sum(),
        **{outcome: count(once["outcome"] == outcome) for outcome in OUTCOMES},
        "unknown": count(~once["outcome"].isin(OUTCOMES)),
        "unseen": count((once["outcome"] == OK) & ~seen),
        "reached": count(seen),
        "database_faults": count(once["detail"].astype(str).str.contains(DATABASE_FAULT, regex=False)),
        "full": count(once["threads_busy"] >= THREADS) > 0,
    }
    found = recorded.runs[["run", "block", SIZE]].join(pd.DataFrame(columns), on="run", how="left")
    numbers = [name for name in columns if name != "full"]
    found[numbers] = found[numbers].fillna(0).astype(int)
    found["full"] = found["full"].eq(True)
    found = found.assign(
        planned=found[SIZE].astype(int),
        answered=found[OK],
        refused=found[REFUSED],
        failed=found[list(FAILED)].sum(axis=1),
    )
    whole = found["answered"] + found["refused"] + found["failed"]
    found["accounted"] = (
        (whole == found["planned"])
        & (found["sent"] == found["planned"])
        & (found[["repeated", "unknown", "unseen"]] == 0).all(axis=1)
    )
    return found.assign(**{SIZE: found[SIZE].cat.remove_unused_categories()})


def check(found: pd.DataFrame) -> str:
    """Say whether every request is accounted for, and if not, in which runs not and why.

    Parameters
    ----------
    found : DataFrame
        From `accounts`.
    """
    sums = found[["planned", "answered", "refused", "failed"]].sum()
    counted = (
        f"{sums['answered']:,} answered + {sums['refused']:,} refused + {sums['failed']:,} failed = "
        f"{sums['answered'] + sums['refused'] + sums['failed']:,} of {sums['planned']:,} sent"
    )
    wrong = found[~found["accounted"]]
    if wrong.empty:
        return (
            f"Every request is accounted for: {counted}. In each of {len(found)} runs every request has exactly one "
            "outcome, and every answered one is in the server's own record."
        )
    reasons = "; ".join(
        f"{row['run']}: {row['planned']:,} planned, {row['answered'] + row['refused'] + row['failed']:,} with an "
        f"outcome, {row['repeated']:,} recorded twice, {row['unknown']:,} with an unknown outcome, "
        f"{row['unseen']:,} answered without a record of the server"
        for row in wrong.head(5).to_dict("records")
    )
    return f"NOT every request is accounted for, in {len(wrong)} of {len(found)} runs: {counted}. {reasons}."


def accounts_table(found: pd.DataFrame) -> pd.DataFrame:
    """Return the sums over runs of each size's requests, and in how many runs each was accounted for."""
    by_size = found.groupby(SIZE, observed=True)
    shown = by_size[["planned", "answered", "refused", "failed", "reached"]].sum()
    shown.columns = ["Sent", "Answered", "Refused", "Failed", "Reached the servlet"]
    accounted, runs = by_size["accounted"].sum(), by_size.size()
    shown["Runs accounted for"] = [f"{ours} of {all_}" for ours, all_ in zip(accounted, runs, strict=True)]
    return _labelled(shown)


def shares(found: pd.DataFrame) -> pd.DataFrame:
    """Return each outcome's share of a burst in percent, the mean over runs, a row a size."""
    parts = {label: 100 * found[outcome] / found["planned"] for outcome, label in LABELS.items()}
    return _labelled(pd.DataFrame(parts).groupby(found[SIZE], observed=True).mean())


def shares_table(found: pd.DataFrame) -> pd.DataFrame:
    """Return each outcome's share of a burst in percent with its 95 % interval over runs."""
    rows = {}
    for size, part in found.groupby(SIZE, observed=True):
        row = {}
        for outcome, label in LABELS.items():
            one = over_units(100 * part[outcome] / part["planned"])
            low, high = np.clip([one.low, one.high], 0, 100)
            row[label[0].upper() + label[1:]] = interval_text(one.estimate, low, high, 1)
        rows[size] = row
    return _labelled(pd.DataFrame.from_dict(rows, orient="index").rename_axis(SIZE))


def shares_figure(drawn: pd.DataFrame) -> Figure:
    """Draw `shares` as stacked bars, one a burst size."""
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 1.3 + 0.45 * len(drawn)), layout="constrained")
        axes = figure.subplots()
        left = np.zeros(len(drawn))
        for place, (name, part) in enumerate(drawn.items()):
            if not (part > 0).any():
                continue
            axes.barh(
                range(len(drawn)), part, left=left, height=0.7, label=name, color=COLOURS[place % len(COLOURS)],
                hatch=HATCHES[place % len(HATCHES)], edgecolor="white", linewidth=0.8,
            )  # fmt: skip
            left += part.to_numpy()
        axes.set_yticks(range(len(drawn)), list(drawn.index))
        axes.invert_yaxis()
        axes.set(xlim=(0, 100), xlabel="Share of the burst's requests (%)", ylabel="Requests at once")
        axes.grid(axis="y", visible=False)
        seaborn.despine(ax=axes, left=True)
        figure.legend(loc="outside upper center", ncols=6)
    return figure


def describe_shares(drawn: pd.DataFrame) -> str:
    """Put `shares_figure` into words."""
    rows = []
    for size, row in drawn.iterrows():
        parts = [f"{name} {value:.1f} %" for name, value in row.items() if value > 0]
        rows.append(f"{size} at once: {', '.join(parts) or 'none'}")
    return f"Stacked bars of what became of requests sent at once, one a burst size. {'; '.join(rows)}."


def errors_table(recorded: Recording, most: int = 12) -> pd.DataFrame:
    """Return how often which error ended a burst's request, the most frequent first, a column a size."""
    burst = recorded.samples[(recorded.samples["phase"] == AT_ONCE) & (recorded.samples["outcome"] != OK)]
    if burst.empty:
        return pd.DataFrame({"Requests": [0]}, pd.Index(["None: all were answered"], name="Outcome and reason"))
    names = burst["outcome"].map(LABELS).fillna(MISSING) + ": " + burst["detail"].astype(str).replace("", MISSING)
    counts = pd.crosstab(names.rename("Outcome and reason"), burst[SIZE]).rename(columns=BURST.factors[0].label)
    counts.columns = list(counts.columns)
    return counts.loc[counts.sum(axis=1).sort_values(ascending=False, kind="stable").index].head(most)


def _labelled(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.set_axis(pd.Index([BURST.factors[0].label(size) for size in frame.index], name="Requests at once"))


def cases(found: pd.DataFrame, recovered: pd.DataFrame) -> Iterable[tuple[Finding, pd.Series, str]]:
    """Pair each finding on overload with its statistic's values, one a block, and the scale of its test.

    Parameters
    ----------
    found : DataFrame
        From `accounts`.
    recovered : DataFrame
        From `perfstudies.studies.aaa.analysis.recovery.run_table`.
    """
    held = found[found["planned"] == HELD].set_index("block")["answered"]
    sums = found.groupby("block")[["planned", "answered", "database_faults", TIMED_OUT]].sum()
    missed = (sums["planned"] - sums["answered"]).where(lambda count: count > 0)
    after = recovered.groupby("block")[["after", "after_ok"]].sum()
    filled = recovered[recovered["run"].isin(found.loc[found["full"], "run"])]
    late = filled.groupby("block")[["after", "after_timed_out"]].sum()
    values = {
        "A13": held,
        "A13-stands": (100 * after["after_ok"] / after["after"]).dropna(),
        "A13-database": sums["database_faults"],
        "A13-timeouts": (100 * sums[TIMED_OUT] / missed).dropna(),
        "A16-burst": (100 * late["after_timed_out"] / late["after"]).dropna(),
    }
    for finding in OVERLOAD_FINDINGS:
        yield finding, values[finding.id], "identity"
