"""Do EJB times repeat themselves after a number of requests, as the AAA study saw? Tests before smoothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from perfstudies.errors import BadParameter
from perfstudies.paths import PROCESSED
from perfstudies.runs.checksums import code_checksum
from perfstudies.runs.kept import kept, key_of_frame
from perfstudies.stats.periodicity import repeats
from perfstudies.stats.periods import LEVEL, CommonPeriod, common_period, own_seeds
from perfstudies.stats.spectra import spectrum
from perfstudies.studies.aaa.analysis.times import EJB, machine, series
from perfstudies.studies.aaa.findings_patterns import BORDERS, PATTERNS

CYCLES = 4
"""A named period is looked for in series that hold it so many times."""
COLUMNS = ["run", "block", "client", "periodic"]


def by_client(samples: pd.DataFrame, measure: str = EJB) -> dict[int, CommonPeriod]:
    """Look for a period in every run of each client; empty where runs are too short to hold one."""
    found = {}
    for client, runs in _by_client(samples, measure):
        try:
            found[client] = common_period(runs, seed=client)
        except BadParameter:
            continue
    return found


def over_runs(found: Mapping[int, CommonPeriod]) -> pd.DataFrame:
    """Return what the runs say together, a row a machine.

    Columns: how many runs, and how many have a period at 5 % against independent noise and against noise with the same
    memory; the latter's share with its interval (Wilson) and p; their periods' geometric mean (an interval); how far
    two runs' periods lie apart (a ratio), and p that those of noise lie as close together.
    """
    rows = {
        machine(client): {
            "Runs": len(common.runs),
            "Period, against white noise": int((common.runs["p_white"] <= LEVEL).sum()),
            "Period, against red noise": int(common.runs["periodic"].sum()),
            "Share": common.periodic,
            "p, more than by chance": common.p_periodic,
            "Length (requests)": common.period,
            "Ratio of two runs' periods": common.spread,
            "p, closer than by chance": common.p_agreement,
        }
        for client, common in found.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Machine")


def each_run(found: Mapping[int, CommonPeriod]) -> pd.DataFrame:
    """Return the runs of `by_client` below each other, with ``machine``: the best period, its p, and the rest."""
    parts = {machine(client): common.runs for client, common in found.items()}
    if not parts:
        return pd.DataFrame(columns=["machine", "run", "period", "p_red", "periodic"])
    return pd.concat(parts, names=["machine"]).reset_index("machine")


def repeating(samples: pd.DataFrame, measure: str = EJB) -> pd.DataFrame:
    """Say of every client's series whether it has any period, as `by_client` does, in a tenth of its time.

    Returns
    -------
    DataFrame
        A row a series: run, block, client, periodic. Series too short to hold a period are left out.
    """
    blocks, rows = _blocks(samples), []
    for client, runs in _by_client(samples, measure):
        for (run, values), seed in zip(runs.items(), own_seeds(client, len(runs)), strict=True):
            try:
                rows.append((run, blocks[run], client, repeats(values, level=LEVEL, seed=seed)))
            except BadParameter:
                continue
    return pd.DataFrame(rows, columns=COLUMNS)


def named(samples: pd.DataFrame, name: str, measure: str = EJB) -> pd.DataFrame:
    """Test every client's series for the period that the study names.

    Parameters
    ----------
    samples : DataFrame
        Without warm-up.
    name : str
        Of `perfstudies.studies.aaa.findings_patterns.PATTERNS`.
    measure : str

    Returns
    -------
    DataFrame
        A row a series: run, block, client, periodic (at 5 % against red noise, and so is the period itself: see
        `fundamental`). Series that hold the period fewer than `CYCLES` times are left out. It is kept: the tests take
        seconds.
    """
    times = samples[["run", "block", "client", "number", measure]]
    key = key_of_frame(times, f"{code_checksum(__name__)} {name}")
    return kept(PROCESSED / "aaa" / "patterns", key, lambda: _named(times, name, measure), most=40)


def _named(samples: pd.DataFrame, name: str, measure: str) -> pd.DataFrame:
    low, high = BORDERS[name]
    blocks = _blocks(samples)
    rows: list = []
    for (run, client), values in series(samples, measure).items():
        if len(values) < CYCLES * PATTERNS[name]:
            continue
        try:
            # The quicker test comes first: most series fail it.
            hit = fundamental(values, low, high) <= LEVEL and repeats(values, low, high, level=LEVEL, seed=len(rows))
        except BadParameter:
            continue
        rows.append((run, blocks[run], client, hit))
    return pd.DataFrame(rows, columns=COLUMNS)


def fundamental(values: ArrayLike, low: float, high: float) -> float:
    """Return p that red noise has as much power at any period from `low` to `high` itself, without its harmonics.

    What repeats every 100 requests repeats every 200 too; but it has no power at 200.
    """
    found = spectrum(values)
    ratio = (found["power"] / found["red"])[found["period"].between(low, high)]
    return float(-np.expm1(len(ratio) * np.log1p(-np.exp(-ratio.max())))) if len(ratio) else 1.0


def _by_client(samples: pd.DataFrame, measure: str) -> Iterator[tuple[int, dict[str, np.ndarray]]]:
    by_key = series(samples, measure)
    for client in sorted({client for _, client in by_key}):
        yield int(client), {run: values for (run, of), values in by_key.items() if of == client}


def _blocks(samples: pd.DataFrame) -> pd.Series:
    return samples.drop_duplicates("run").set_index("run")["block"]
