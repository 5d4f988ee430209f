"""The CORBA study's models against each other: what was fitted, what each mechanism is worth, and the verdicts."""

from __future__ import annotations

import pandas as pd

from perfstudies.experiment import Finding
from perfstudies.models.pool_trace import COLUMNS
from perfstudies.report.tables import interval_text
from perfstudies.stats.intervals import mean_interval
from perfstudies.studies.corba.analysis.table import COMPLETION, NAMES, QUEUING
from perfstudies.studies.corba.findings import MODELS
from perfstudies.studies.corba.fit import CHOICES
from perfstudies.studies.corba.model import OURS, SHARING, means, others, published, single_run_errors

WORDS = {
    "least_lead": "A woken thread interrupts if it leads by (ticks)",
    "newest_first": "Of equals, who woke last runs first",
    "signals": "A request wakes dispatchers",
    "wake_order": "Woken first",
    "first_share": "Receiver's work before the hand-over",
    "switch_ms": "A switch costs (ms)",
    "entry_ms": "Way to the receiver (ms)",
    "rms_ms": "Error, root of mean square (ms)",
    "replications": "Replications",
}


def fits_table(fits: pd.DataFrame, rows: int = 8) -> pd.DataFrame:
    """Return the best combinations of `perfstudies.studies.corba.fit.fit` as they are printed."""
    shown = fits[list(WORDS)].head(rows).rename(columns=WORDS)
    return shown.set_axis(range(1, len(shown) + 1)).rename_axis("Place")


def choices_table(fits: pd.DataFrame) -> pd.DataFrame:
    """Return how near each level of each choice comes: the least error of all combinations that have it."""
    rows = {}
    for name, levels in CHOICES.items():
        for level in levels:
            said = ("no", "yes")[level] if isinstance(level, bool) else str(level)
            rows[WORDS[name], said] = {"Least error (ms)": fits.loc[fits[name] == level, "rms_ms"].min()}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["What is open", "Level"])


def errors_by_model(runs: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return mean absolute errors of single replications, for each model a row a quantity: estimate, low and high."""
    found = {}
    for name, part in runs.groupby("model", sort=False):
        by_seed = part.assign(**{column: _gaps(part, column).abs() for column in COLUMNS})
        series = {NAMES[column]: by_seed.groupby("seed")[column].mean() for column in COLUMNS}
        series["All cells"] = single_run_errors(part)
        ends = {label: mean_interval(values) for label, values in series.items()}
        found[str(name)] = pd.DataFrame(
            {label: {"estimate": one.estimate, "low": one.low, "high": one.high} for label, one in ends.items()}
        ).T
    return found


def errors_by_model_table(errors: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return `errors_by_model` as it is printed."""
    rows = {
        name: {label: interval_text(row.estimate, row.low, row.high, 3) for label, row in frame.iterrows()}
        for name, frame in errors.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Model")


def describe_errors(errors: dict[str, pd.DataFrame]) -> str:
    """Put the figure of `errors_by_model` into words."""
    said = "; ".join(f"{name} {frame['estimate']['All cells']:.2f} ms" for name, frame in errors.items())
    return f"Points of mean absolute errors by quantity, a series a model. Over all cells: {said}."


def responses_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return mean response times in ms by number of dispatchers, a column a model, with 95 % margins over replications.

    The published ones are not printed; the study says "around 14 milliseconds".
    """
    columns = {}
    for name, part in runs.groupby("model", sort=False):
        ends = {count: mean_interval(rows["response_ms"]) for count, rows in part.groupby("dispatchers")}
        columns[name] = pd.Series(
            {count: interval_text(one.estimate, one.low, one.high, 2) for count, one in ends.items()}
        )
    return pd.DataFrame(columns).rename_axis("Dispatcher threads")


def cases(runs: pd.DataFrame) -> list[tuple[Finding, pd.Series, str]]:
    """Return the findings on models, each with a value a replication, for `perfstudies.stats.verdicts.judge`."""
    shared, ours = (runs[runs["model"] == name] for name in (SHARING, OURS))
    errors = {name: single_run_errors(part, others()) for name, part in ((SHARING, shared), (OURS, ours))}
    both = pd.concat(errors, axis=1).dropna()
    values = {
        "C4": _excess(shared, COMPLETION[1:]),
        "C4-receiver": _excess(shared, COMPLETION[:1]),
        "C4-queues": _excess(shared, QUEUING),
        "C5": both[SHARING] / both[OURS],
        "C5-accurate": errors[OURS],
    }
    scales = {"C5": "log"}
    return [(one, values[one.id], scales.get(one.id, "identity")) for one in MODELS]


def nearer_than_ruby(runs: pd.DataFrame) -> str:
    """Say in how many of the cells our means are nearer to the measured values than the study's own simulator."""
    ours, ruby = ((table - published()).abs() for table in (means(runs[runs["model"] == OURS]), published("Ruby")))
    nearer = (ours < ruby).to_numpy()
    return f"Ours is nearer to the measured value than Ruby in {nearer.sum()} of {nearer.size} cells."


def _gaps(runs: pd.DataFrame, column: str) -> pd.Series:
    return runs[column] - runs["dispatchers"].map(published()[column])


def _excess(runs: pd.DataFrame, columns: tuple[str, ...]) -> pd.Series:
    """Return by how much runs are over the measured values in ms, mean over cells, a value a seed."""
    gaps = pd.DataFrame({column: _gaps(runs, column) for column in columns})
    return gaps.mean(axis=1).groupby(runs["seed"]).mean()
