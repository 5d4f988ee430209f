from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from made.aaa_limits import recording, requests
from perfstudies.studies.aaa.analysis import capacity as aaa_capacity
from perfstudies.studies.aaa.analysis import max_rate
from perfstudies.studies.aaa.declared import MAX_RATE

RATES = (250, 500, 1000, 2000)
SERVICE_MS = 10.0


def step(rate, capacity, late_ms=0.0):
    """Requests of a second: served at once up to the capacity, beyond it one after the other at its pace."""
    intended = 1e6 * np.arange(rate) / rate
    pace = max(1 / rate, 1 / capacity)
    ended = 1e6 * np.arange(rate) * pace + 1000 * SERVICE_MS
    return requests(
        rate, phase=str(rate), intended_us=intended, started_us=intended + 1000 * late_ms, ended_us=ended,
        servlet_ms=SERVICE_MS, threads_busy=max(1, min(rate, capacity) * SERVICE_MS / 1000),
    )  # fmt: skip


def ramp(capacity, late_ms=0.0, blocks=5):
    def run(setting, block):
        limit = capacity[setting["http.threads"]] + block
        return pd.concat([step(rate, limit, late_ms) for rate in RATES], ignore_index=True)

    return recording(MAX_RATE, run, blocks)


@pytest.fixture(scope="module")
def recorded():
    return ramp({"100": 700, "1000": 1400})


@pytest.fixture(scope="module")
def rates(recorded):
    return max_rate.rate_table(recorded)


def test_completed_follows_offered_up_to_the_capacity(rates):
    at = rates[rates["block"] == 0].set_index(["http.threads", "rate"])
    assert at.loc[("100", 500.0), ["offered", "completed"]].tolist() == pytest.approx([500, 500])
    assert at.loc[("100", 2000.0), "completed"] == pytest.approx(700)
    assert at.loc[("100", 500.0), "in_server"] == pytest.approx(5)
    assert at.loc[("100", 500.0), "response_ms"] == pytest.approx(SERVICE_MS)


def test_response_counts_from_the_intended_time_and_late_clients_are_told():
    late = max_rate.rate_table(ramp({"100": 700, "1000": 1400}, late_ms=5, blocks=2))
    row = late[late["rate"] == 250].iloc[0]
    assert row["late_ms"] == 5 and row["response_ms"] == pytest.approx(row["total_ms"] + 5)


def test_the_highest_sustained_rate_is_bracketed(rates):
    found = aaa_capacity.sustained(rates)
    assert found["100"].runs["sustained"].tolist() == pytest.approx([500] * 5)
    assert found["100"].runs["failed"].tolist() == pytest.approx([1000] * 5)
    assert found["1000"].rate.estimate == pytest.approx(1000)
    table = aaa_capacity.sustained_table(found)
    assert table.loc["HTTP 100", "Sustained (1/s)"] == "500 [500, 500]"
    assert 690 < float(table.loc["HTTP 100", "Most kept up with (1/s)"].split()[0]) < 702
    said = aaa_capacity.answer(found, rates)
    assert "500 [500, 500] requests/s with 100 HTTP threads" in said and "complete 2.00 [" in said


def test_a_lost_answer_is_not_kept_up_with(rates):
    lost = rates.assign(ok=rates["ok"].where(rates["rate"] != 500, 0.5))
    assert aaa_capacity.sustained(lost)["100"].runs["sustained"].tolist() == pytest.approx([250] * 5)


def test_a_blocks_first_run_is_told_from_later_ones():
    made = ramp({"100": 700, "1000": 700}, blocks=4)
    # In every block the run with 100 threads came first, and its server kept up with half as much.
    order = made.runs.assign(position=(made.runs["http.threads"] == "1000").astype(int))
    made = replace(made, runs=order)
    cold = ramp({"100": 300, "1000": 700}, blocks=4)
    found = aaa_capacity.sustained(max_rate.rate_table(cold))
    table = aaa_capacity.by_place(found, made)
    assert table["Runs"].tolist() == [4, 0] and table["Later runs"].tolist() == [0, 4]
    assert table.loc["HTTP 100", "First of its block (1/s)"].startswith("250")
    assert table.loc["HTTP 1000", "Later (1/s)"].startswith("500")
    assert aaa_capacity.later_over_first(found, made).estimate == pytest.approx(2)
    together = replace(made, runs=order.assign(position=0))
    assert aaa_capacity.later_over_first(found, together).n == 0


def test_nothing_sustained_and_everything_sustained_are_said():
    slow = max_rate.rate_table(ramp({"100": 100, "1000": 5000}, blocks=2))
    found = aaa_capacity.sustained(slow)
    table = aaa_capacity.sustained_table(found)
    assert table["Sustained (1/s)"].tolist()[0] == "not even the lowest"
    assert table.loc["HTTP 1000", "The next rate, not sustained (1/s)"] == "none"
    assert "less than the lowest rate offered with 100" in aaa_capacity.answer(found, slow)
    assert "2 of 2 runs sustained every rate" in aaa_capacity.answer(found, slow)


def test_what_limits_is_set_side_by_side(rates, recorded):
    table = aaa_capacity.limits(rates, recorded)
    assert table.loc["Threads / time unit (1/s)", "HTTP 100"] == "10,000"
    assert table.loc["Threads / time in the servlet (1/s)", "HTTP 1000"] == "100,000 [100,000, 100,000]"
    assert table.loc["In the servlet, by Little's law", "HTTP 100"].startswith("7.0")
    assert table.loc["Processors busy, server", "HTTP 100"] == "0.50 [0.50, 0.50]"


def test_rates_are_tabled_and_drawn(rates):
    shown = max_rate.rates_shown(rates)
    assert shown.loc[("HTTP 100", "1,000"), "Completed (1/s)"] == "702 ± 2"
    drawn = max_rate.points(rates)
    figure = max_rate.rates_figure(drawn)
    assert [axes.get_xscale() for axes in figure.axes] == ["log", "log"]
    assert "HTTP 100: at most 702/s completed" in max_rate.describe_rates(drawn)


def test_a_ramp_that_ended_early_has_fewer_rates(recorded):
    samples = recorded.samples[~recorded.samples["phase"].isin(["1000", "2000"])]
    short = max_rate.rate_table(type(recorded)(**{**vars(recorded), "samples": samples}))
    assert sorted(short["rate"].unique()) == [250, 500]
    assert np.isnan(aaa_capacity.sustained(short)["100"].runs["failed"]).all()
    assert len(max_rate.rates_shown(short)) == 4
