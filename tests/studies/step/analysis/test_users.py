from dataclasses import replace

import pandas as pd
import pytest

from made.recordings import users
from perfstudies.published import published_table
from perfstudies.studies.step.analysis import users as step_users
from perfstudies.studies.step.declared import REMEDIES, USERS

STALE_EVERY = {"2": 6, "4": 4, "8": 3, "16": 3}
LEVELS = ("1", "2", "4", "8", "16")


@pytest.fixture(scope="module")
def recorded():
    return users(STALE_EVERY, levels=LEVELS)


@pytest.fixture(scope="module")
def runs(recorded):
    return step_users.run_table(recorded)


def test_a_run_s_outcomes_and_throughput_are_its_calls(recorded, runs):
    run = runs.set_index("run").loc["b0-4"]
    calls = recorded.calls[recorded.calls["run"] == "b0-4"]
    assert run["requests"] == len(calls)
    assert run["errors"] == (calls["outcome"] == "system error").sum() == run["optimistic_failures"]
    assert run["exception_share"] == 100 * (calls["outcome"] == "application exception").mean()
    took_s = calls["request"].max() + 1  # a request a second of each user
    assert run["per_s"] == pytest.approx(len(calls) / took_s)
    assert run["ok_per_s"] == pytest.approx((calls["outcome"] == "ok").sum() / took_s)
    assert run["request_ms"] == pytest.approx(24)


def test_warm_up_is_left_out(recorded):
    warm = recorded.calls["session"] == 0
    shorter = step_users.run_table(
        replace(
            recorded,
            calls=recorded.calls.assign(measured=~warm),
            samples=recorded.samples.assign(measured=~(recorded.samples["request"] == 0)),
        )
    ).set_index("run")
    assert shorter.loc["b0-1", "requests"] == (~warm & (recorded.calls["run"] == "b0-1")).sum()
    assert shorter.loc["b0-1", "per_s"] == pytest.approx(1)


def test_levels_are_set_beside_the_published_rows(runs):
    table, published = step_users.table_6(runs), step_users.published(published_table("step", 6))
    assert table.index.tolist() == published.index.tolist() == list(LEVELS)
    assert table.columns.tolist() == published.columns.tolist()
    assert table.loc["8", "Web (%)"] == "16.67 ± 0.00"
    drawn = step_users.shares(runs)
    assert step_users.published_shares(published_table("step", 6), drawn.index).loc["16", "Service"] == 62.55
    assert "Web from 17 to 17 % measured and from 1 to 3 % published" in step_users.describe_shares(
        drawn, step_users.published_shares(published_table("step", 6), drawn.index)
    )


def test_times_are_compared_with_one_user_within_blocks(runs):
    table = step_users.scaling_table(runs)
    assert table.loc["16", "Time / one user"] == "16.00 [16.00, 16.00]"
    assert pd.isna(table.loc["1", "Time / one user"])
    assert table.loc["2", "Request time (ms)"].startswith("12.12 ± ")


def test_without_one_user_there_is_no_ratio():
    table = step_users.scaling_table(step_users.run_table(users({}, levels=("2", "4"), blocks=2)))
    assert table["Time / one user"].isna().all()


def test_scaling_is_drawn_on_logarithmic_axes_with_its_limit(runs):
    drawn = step_users.scaling_points(runs)
    figure = step_users.scaling_figure(drawn)
    left, right = figure.axes
    assert {axes.get_xscale() for axes in figure.axes} == {axes.get_yscale() for axes in figure.axes} == {"log"}
    limit = [line for line in left.lines if line.get_label() == "ten times one user"]
    assert limit[0].get_ydata()[0] == pytest.approx(60.6)
    assert "16: 97 ms and" in step_users.describe_scaling(drawn)


def test_the_base_counts_runs_and_requests(runs):
    said = step_users.base(runs)
    assert said.startswith("15 runs, 3 of each setting")
    assert "1: 8; 2: 16; 4: 31 to 32" in said
    assert "Think up to 500 ms: 16" in step_users.base(
        runs[runs[USERS.name] == "2"].assign(remedy=pd.Categorical(["think-500"] * 3, REMEDIES.levels)), REMEDIES
    )
