import numpy as np
import pandas as pd
import pytest

from perfstudies.studies.corba.analysis import table
from perfstudies.studies.corba.model import DISPATCHERS, published


def _runs(shift_ms: float = 0.0, seeds: int = 4) -> pd.DataFrame:
    """Make runs whose means are the measured values and a shift, half a ms apart at the most."""
    rows = []
    for seed, off in enumerate(np.linspace(-0.25, 0.25, seeds)):
        for count, row in published().iterrows():
            rows.append({"dispatchers": count, "seed": seed} | (row + shift_ms + off).to_dict())
    return pd.DataFrame(rows)


def test_every_printed_value_stands_beside_ours():
    shown = table.table_1(_runs(1.0))
    assert shown.shape == (9, 16) and shown.index.tolist() == list(DISPATCHERS)
    assert shown["Dispatcher completion", "Extend"].tolist()[2] == 14.62
    assert shown["Receiver queuing", "Measured"].tolist()[:2] == [0.53, 0.59]
    assert shown["Receiver queuing", "Ours"].iloc[0] == "1.53 ± 0.34"


def test_errors_are_those_of_the_study_s_columns_and_of_ours():
    shown = table.errors_table({"Ours": published() + 0.1})
    assert shown.loc["Ruby", "All cells"] == pytest.approx(0.284, abs=5e-4)
    assert shown.loc["Ours"].tolist() == pytest.approx([0.1] * 7)
    fitted, others = shown.loc["Extend", ["Rows that were fitted", "Other rows"]]
    assert (4 * fitted + 5 * others) / 9 == pytest.approx(shown.loc["Extend", "All cells"])


def test_figures_draw_measured_ruby_and_ours_with_intervals():
    series = table.printed(table.QUEUING) | table.simulated(_runs(), table.QUEUING)
    series = table.ordered(series)
    assert [name for name, _ in series] == ["Receiver queuing"] * 3 + ["Dispatcher queuing"] * 3
    ours, measured = (series["Receiver queuing", source] for source in ("Ours", "Measured"))
    assert np.allclose(ours["estimate"], measured["estimate"])
    assert (ours["low"] < ours["estimate"]).all() and measured["low"].isna().all()
    numbers = table.numbers(series)
    assert numbers.shape == (9, 10) and numbers["Dispatcher queuing", "Ruby", "estimate"].iloc[0] == 7.39
    axes = table.pool_figure(series).axes[0]
    assert len(axes.containers) == 6 and "ms" in axes.get_ylabel()
    said = table.describe_pool(series)
    assert "Receiver queuing with 1 and with 25 threads: Measured 0.53 ms and 6.53 ms; Ruby 0.05 ms" in said


def test_a_receiver_s_time_implies_how_long_requests_wait_for_it():
    shown = table.implied_table(published())
    assert list(shown.columns.get_level_values(0)[::2]) == ["Measured", "Ruby", "Extend", "Ours"]
    # M/D/1 by hand: busy for 0.94 / 10 of the time, 0.094 * 0.94 / (2 * 0.906).
    assert shown.loc[1, ("Measured", "Implied")] == 0.05
    assert shown.loc[25, ("Ruby", "Implied")] == pytest.approx(0.661 * 6.61 / (2 * 0.339), abs=0.005)
    assert shown["Extend", "Given"].max() == 0.03
