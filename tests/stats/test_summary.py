"""Per-run statistics against hand computation."""

import numpy as np
import pandas as pd
import pytest

from perfstudies.errors import BadParameter
from perfstudies.stats.summary import per_run


@pytest.fixture
def samples() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "run": ["a"] * 4 + ["b"] * 4 + ["c"] * 4,
            "request_ms": [1.0, 2.0, 3.0, 4.0, 3.0, 3.0, 5.0, 5.0, 10.0, 20.0, 30.0, 40.0],
            "reads_ms": [0.0, 0.0, 0.0, 2.0, 1.0, 1.0, 1.0, np.nan, 1.0, 1.0, 1.0, 1.0],
        }
    )


def test_a_run_is_one_row_per_column(samples):
    table = per_run(samples, ["request_ms", "reads_ms"])
    assert list(table.columns) == ["run", "column", "n", "mean", "sd", "q1", "median", "q3"]
    assert len(table) == 6
    first = table[(table["run"] == "a") & (table["column"] == "request_ms")].iloc[0]
    assert first["n"] == 4
    assert first[["mean", "q1", "median", "q3"]].tolist() == [2.5, 1.75, 2.5, 3.25]
    assert first["sd"] == pytest.approx(np.sqrt(5 / 3))


def test_missing_values_are_not_counted(samples):
    table = per_run(samples, ["reads_ms"])
    second = table[table["run"] == "b"].iloc[0]
    assert (second["n"], second["mean"], second["sd"]) == (3, 1.0, 0.0)


def test_a_missing_column_is_named(samples):
    with pytest.raises(BadParameter, match="engine_ms"):
        per_run(samples, ["engine_ms"])
