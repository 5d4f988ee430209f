"""The AAA study's charts as numbers: total and EJB time by request number, smoothed, and how they hang together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from perfstudies.experiment import Finding
from perfstudies.report.settings import margin
from perfstudies.runs.recording import Recording
from perfstudies.stats.moving import moving_average
from perfstudies.stats.warmup import steady_state
from perfstudies.studies.aaa import declared as aaa

EJB, TOTAL = "ejb_ms", "total_ms"
MEASURES = {TOTAL: "Total time", EJB: "EJB time"}
WIDEST = 10
"""A moving average takes in at most this part of a run: of a tenth of it ten windows lie side by side."""
ENDS = (0.025, 0.975)
SHUFFLES = 20


def answered(recorded: Recording) -> pd.DataFrame:
    """Return the samples that were answered, with ``machine``, the name of the client's machine in the study."""
    samples = recorded.samples
    kept = samples[(samples["outcome"] == "ok") & samples[EJB].notna()]
    present = sorted(kept["client"].astype(int).unique())
    names = [machine(client) for client in present]
    return kept.assign(machine=pd.Categorical([machine(int(one)) for one in kept["client"]], names))


def machine(client: int) -> str:
    """Return what the study calls the machine of a client."""
    return aaa.MACHINES[client] if client < len(aaa.MACHINES) else f"Client {client + 1}"


def wide(samples: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return one measure in ms by request number (rows), a column a run and client; missing where none was answered."""
    found = samples.pivot(index="number", columns=["run", "client"], values=measure)
    return found.reindex(range(found.index.min(), found.index.max() + 1)) if len(found) else found


def fitting(window: int, samples: pd.DataFrame) -> int:
    """Return a moving average's window that fits into these runs: as asked for, or a tenth of a shorter run."""
    requests = samples.groupby(["run", "client"], observed=True).size().min()
    return int(max(2, min(window, requests // WIDEST)))


def series(samples: pd.DataFrame, measure: str) -> dict[tuple[str, int], np.ndarray]:
    """Return one measure in ms in order of request numbers, by run and client.

    It begins and ends with an answered request; between them those that were not answered are missing.
    """
    found = {}
    key: Any
    for key, values in wide(samples, measure).items():
        found[key] = values.loc[values.first_valid_index() : values.last_valid_index()].to_numpy()
    return found


def warm_up(samples: pd.DataFrame) -> pd.DataFrame:
    """Find where each run's steady state starts, in the mean over its clients of EJB time and of total time.

    Returns
    -------
    DataFrame
        A row a run: run, block, requests (of a client), start (request number, the later one of both times; missing if
        there is none), changes (levels that change, of both), reason.
    """
    rows = []
    for (run, block), part in samples.groupby(["run", "block"], observed=True):
        by_number = part.groupby("number")[[TOTAL, EJB]].mean().sort_index()
        same, none = np.zeros(len(by_number)), np.repeat("request", len(by_number))
        found = [steady_state(by_number[measure], none, same) for measure in MEASURES]
        reasons = [
            f"{name}: {one.reason}" for name, one in zip(MEASURES.values(), found, strict=True) if one.start is None
        ]
        starts = [one.start for one in found if one.start is not None]
        start = None if reasons else int(by_number.index[max(starts)])
        changes = sum(len(one.changes) for one in found)
        rows.append((run, block, len(by_number), start, changes, "; ".join(reasons)))
    table = pd.DataFrame(rows, columns=["run", "block", "requests", "start", "changes", "reason"])
    return table.astype({"start": "Int64"})


def steady(samples: pd.DataFrame, starts: pd.DataFrame) -> pd.DataFrame:
    """Leave out what comes before each run's steady state; a run without one is kept whole."""
    first = starts.set_index("run")["start"].fillna(0)
    return samples[samples["number"] >= samples["run"].map(first).astype(int)]


def warm_up_table(starts: pd.DataFrame, labels: pd.Series | None = None) -> pd.DataFrame:
    """Return how many runs reach a steady state and from which request of a client on; a row a setting if labelled.

    Parameters
    ----------
    starts : DataFrame
        From `warm_up`.
    labels : Series, optional
        The setting's name by run.
    """
    names = starts["run"].map(labels) if labels is not None else pd.Series("All runs", index=starts.index)
    rows = {}
    for name, part in starts.groupby(names, sort=False, observed=True):
        known = part["start"].dropna().astype(int)
        rows[name] = {
            "Runs": len(part),
            "Steady": len(known),
            "Requests of a client": int(part["requests"].max()),
            "First steady request, median": f"{known.median():.0f}" if len(known) else None,
            "Latest": f"{known.max()}" if len(known) else None,
            "Without steady state, for example": min(part.loc[part["start"].isna(), "reason"], default=None),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Setting")


def spans(samples: pd.DataFrame, window: int, keys: Sequence[str] = ("run", "block")) -> pd.DataFrame:
    """Return how far the moving average ranges: the end of its highest 2.5 % over that of its lowest.

    Beside it stands the same of the requests in random order, which have no pattern: means over `SHUFFLES` orders.

    Returns
    -------
    DataFrame
        A row a run: the keys, and for both measures ``<measure>`` and ``<measure> shuffled``, means over clients.
    """
    rng = np.random.default_rng(0)
    rows: dict = {}
    for measure in MEASURES:
        for (run, _), values in series(samples, measure).items():
            known = values[~np.isnan(values)]
            if known.size < 2 * window:
                continue
            orders = rng.permuted(np.tile(known, (SHUFFLES, 1)), axis=1)
            row = rows.setdefault(run, {})
            row.setdefault(measure, []).append(_range(moving_average(known, window)))
            row.setdefault(f"{measure} shuffled", []).append(
                float(np.mean([_range(one) for one in moving_average(orders, window)]))
            )
    known = samples[list(keys)].drop_duplicates("run").reset_index(drop=True)
    names = [f"{measure}{end}" for measure in MEASURES for end in ("", " shuffled")]
    return known.assign(**{name: [_mean(rows.get(run, {}).get(name)) for run in known["run"]] for name in names})


def _mean(values: list[float] | None) -> float:
    return float(np.mean(values)) if values else np.nan


def _range(smooth: np.ndarray) -> float:
    known = smooth[~np.isnan(smooth)]
    if known.size < 2:
        return np.nan
    low, high = np.quantile(known, ENDS)
    return float(high / low)


def together(samples: pd.DataFrame) -> pd.DataFrame:
    """Return how total time depends on EJB time: a row a run, means over its clients.

    Columns: run, block, ``correlation`` (Pearson's), ``ranks`` (Spearman's), ``slope`` (ms of total time a ms of EJB
    time), and by how much the requests of the slowest quarter by EJB time exceed those of the quickest: ``ejb_ms``,
    ``total_ms`` (medians).
    """
    rows = []
    for (run, block, _), part in samples.groupby(["run", "block", "client"], observed=True):
        ejb, total = part[EJB], part[TOTAL]
        if len(part) < 8 or np.ptp(ejb) == 0:
            continue
        quick, slow = ejb <= ejb.quantile(0.25), ejb >= ejb.quantile(0.75)
        rows.append(
            {
                "run": run,
                "block": block,
                "correlation": ejb.corr(total),
                "ranks": ejb.rank().corr(total.rank()),
                "slope": ejb.cov(total) / ejb.var(),
                EJB: ejb[slow].median() - ejb[quick].median(),
                TOTAL: total[slow].median() - total[quick].median(),
            }
        )
    columns = ["run", "block", "correlation", "ranks", "slope", EJB, TOTAL]
    return pd.DataFrame(rows, columns=columns).groupby(["run", "block"], as_index=False, observed=True).mean()


def together_table(found: pd.DataFrame) -> pd.DataFrame:
    """Return `together` as it is printed: means over runs with 95 % margins."""
    names = {
        "correlation": "Correlation",
        "ranks": "Correlation of ranks",
        "slope": "Slope, ms of total a ms of EJB time",
        EJB: "Slowest less quickest quarter: EJB time (ms)",
        TOTAL: "Total time of the same requests (ms)",
    }
    cells = {name: margin(found[column].dropna()) for column, name in names.items()}
    return pd.DataFrame({"Mean over runs": cells}).rename_axis("Within a client's requests")


def spans_table(found: pd.DataFrame) -> pd.DataFrame:
    """Return `spans` as it is printed: means over runs with 95 % margins."""
    rows = {
        name: {
            "As measured": margin(found[measure].dropna(), 3),
            "In random order": margin(found[f"{measure} shuffled"].dropna(), 3),
        }
        for measure, name in MEASURES.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Moving average of")


def levels_table(samples: pd.DataFrame, unit_ms: float) -> pd.DataFrame:
    """Return total and EJB time of each machine, and what is left of EJB time without the timer's wait (ms)."""
    rows = {}
    for name, part in samples.groupby("machine", observed=True):
        means = part.groupby("run", observed=True)[[TOTAL, EJB]].mean()
        rows[name] = {
            "Total time": margin(means[TOTAL]),
            "EJB time": margin(means[EJB]),
            "EJB time less the timer's wait": margin(means[EJB] - unit_ms),
            "Total less EJB time": margin(means[TOTAL] - means[EJB]),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Machine")


def cases(span: pd.DataFrame, both: pd.DataFrame) -> dict[str, tuple[pd.Series, str]]:
    """Return the values of the findings on how total and EJB time hang together by id, each with the scale of its test.

    Parameters
    ----------
    span : DataFrame
        From `spans`.
    both : DataFrame
        From `together`.
    """
    return {
        "A1-stable": (span[TOTAL].dropna(), "log"),
        "A1-moves": (span[EJB].dropna(), "log"),
        "A1-follows": (both["slope"].dropna(), "identity"),
        "A1-correlation": (both["correlation"].dropna(), "identity"),
    }


def in_order(
    findings: Iterable[Finding], *values: Mapping[str, tuple[pd.Series, str]]
) -> Iterable[tuple[Finding, pd.Series, str]]:
    """Pair findings with their values for `perfstudies.stats.verdicts.judge`; one without a value was not measured."""
    known = {key: value for each in values for key, value in each.items()}
    none = (pd.Series(dtype=float), "identity")
    for finding in findings:
        yield finding, *known.get(finding.id, none)
