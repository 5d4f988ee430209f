"""Per-run and overall statistics against hand computation and printed tables."""

import numpy as np
import pandas as pd
import pytest

from perfstudies.errors import BadParameter
from perfstudies.stats.summary import across_runs, per_run


@pytest.fixture
def samples() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "run": ["a"] * 4 + ["b"] * 4 + ["c"] * 4,
            "log_level": ["off"] * 8 + ["debug"] * 4,
            "request_ms": [1.0, 2.0, 3.0, 4.0, 3.0, 3.0, 5.0, 5.0, 10.0, 20.0, 30.0, 40.0],
            "reads_ms": [0.0, 0.0, 0.0, 2.0, 1.0, 1.0, 1.0, np.nan, 1.0, 1.0, 1.0, 1.0],
        }
    )


def test_a_run_is_one_row_per_column(samples):
    table = per_run(samples, ["request_ms", "reads_ms"], by=("run", "log_level"))
    assert list(table.columns) == ["run", "log_level", "column", "n", "mean", "sd", "q1", "median", "q3"]
    assert len(table) == 6
    first = table[(table["run"] == "a") & (table["column"] == "request_ms")].iloc[0]
    assert first["n"] == 4
    assert first[["mean", "q1", "median", "q3"]].tolist() == [2.5, 1.75, 2.5, 3.25]
    assert first["sd"] == pytest.approx(np.sqrt(5 / 3))


def test_missing_values_are_not_counted(samples):
    table = per_run(samples, ["reads_ms"])
    second = table[table["run"] == "b"].iloc[0]
    assert (second["n"], second["mean"], second["sd"]) == (3, 1.0, 0.0)


def test_margins_are_student_and_the_studys_own(samples):
    table = across_runs(per_run(samples, ["request_ms"], by=("run", "log_level")), by=["log_level"])
    off = table[table["log_level"] == "off"].iloc[0]
    assert (off["runs"], off["mean"]) == (2, 3.25)
    # Run means 2.5 and 4: standard error 0.75; quantiles of one degree of freedom from printed tables.
    for level, quantile in {90: 6.314, 95: 12.706, 99: 63.657}.items():
        assert off[f"t_{level}"] == pytest.approx(0.75 * quantile, rel=1e-4)
    for level, quantile in {90: 1.64, 95: 1.96, 99: 2.58}.items():
        assert off[f"normal_{level}"] == pytest.approx(0.75 * quantile)


def test_ten_runs_need_wider_margins_than_the_study_gave():
    runs = pd.DataFrame({"run": range(10), "column": "request_ms", "mean": np.arange(10.0)})
    row = across_runs(runs).iloc[0]
    narrower = [round(100 * (1 - row[f"normal_{level}"] / row[f"t_{level}"])) for level in (90, 95, 99)]
    assert narrower == [11, 13, 21]


def test_one_run_has_no_margin(samples):
    table = across_runs(per_run(samples, ["request_ms"], by=("run", "log_level")), by=["log_level"])
    debug = table[table["log_level"] == "debug"].iloc[0]
    assert (debug["runs"], debug["mean"]) == (1, 25.0)
    assert debug[["sd", "t_90", "t_95", "t_99", "normal_90", "normal_95", "normal_99"]].isna().all()


def test_categorical_levels_keep_their_order(samples):
    samples["log_level"] = pd.Categorical(samples["log_level"], ["off", "info", "debug"])
    table = across_runs(per_run(samples, ["request_ms"], by=("run", "log_level")), by=["log_level"])
    assert table["log_level"].tolist() == ["off", "debug"]


def test_a_run_at_two_levels_is_an_error(samples):
    samples.loc[0, "log_level"] = "debug"
    with pytest.raises(BadParameter, match="'a'"):
        per_run(samples, ["request_ms"], by=("run", "log_level"))


def test_a_missing_column_is_named(samples):
    with pytest.raises(BadParameter, match="engine_ms"):
        per_run(samples, ["engine_ms"])
