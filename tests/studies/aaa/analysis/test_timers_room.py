from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from made.aaa_timers import made
from perfstudies.stats.verdicts import INCONCLUSIVE, NOT_REPRODUCED, REPRODUCED, judge
from perfstudies.studies.aaa import declared as aaa
from perfstudies.studies.aaa.analysis import timers, timers_cases, timers_pool, timers_room
from perfstudies.studies.aaa.findings_timers import TIMER_FINDINGS

TWENTY = "OpenEJB, strict pool, timer 20"


@pytest.fixture(scope="module")
def recorded():
    return made(aaa.TIMERS, 200)


@pytest.fixture(scope="module")
def fifty():
    return made(aaa.FIFTY, 50)


@pytest.fixture(scope="module")
def time_outs(recorded):
    return timers_room.run_time_outs(recorded, aaa.TIMERS)


@pytest.mark.parametrize(
    "ended_us, asm_ms, place",
    [
        (900, 5, "before the servlet"),
        (5900, 5, "waiting for a bean"),
        (5900, np.nan, "waiting for a bean"),
        (6100, 5, "in a bean"),
        (11_000, 5, "done"),
        (12_500, np.nan, "done"),
    ],
)
def test_where_a_request_was_when_its_client_gave_up(ended_us, asm_ms, place):
    request = {"ended_us": ended_us, "entered_us": 1000, "servlet_ms": 10, "asm_ms": asm_ms}
    assert timers_room.places(pd.DataFrame([request])).tolist() == [place]


def test_a_request_that_the_server_never_saw_was_before_the_servlet():
    request = dict.fromkeys(("entered_us", "servlet_ms", "asm_ms"), np.nan) | {"ended_us": 1.0}
    assert timers_room.places(pd.DataFrame([request])).tolist() == ["before the servlet"]


def test_beans_busy_at_a_moment():
    beans = pd.DataFrame({"from_us": [0, 5, 5], "to_us": [10, 10, 20]})
    assert timers_room.busy_at(beans, np.array([-1, 0, 5, 9, 10, 20])).tolist() == [0, 1, 3, 3, 1, 0]


def _server(**columns) -> pd.DataFrame:
    return pd.DataFrame(columns).assign(status="ok")


def test_room_needs_a_free_bean_and_nobody_who_waits_for_one():
    # Two beans. Both are busy until 10 ms; one more waits from 5 to 10 ms, and all is over at 30 ms.
    samples = _server(
        entered_us=[0.0, 0.0, 5000.0], servlet_ms=[9.9, 10.0, 25.0], asm_ms=[9.9, 10.0, 20.0],
        ended_us=[9950.0, 9000.0, 25_000.0], outcome=["timed out"] * 3,
    )  # fmt: skip
    found = timers_room._of_run(samples, 2)
    # At 9.95 ms a bean is free, but one waits for it; at 25 ms there is room.
    assert found["full"] and found["with_room"] == 1 and found["time_outs"] == 3
    assert not timers_room._of_run(samples, 3)["full"]
    assert found["wasted"] == 100
    assert found["after"] == pytest.approx(100 * (1 + 5) / 39.9)


def test_answered_requests_waste_nothing(time_outs):
    rows = time_outs.set_index("run")
    assert rows.loc["b000-glassfish-20", ["time_outs", "wasted", "after"]].tolist() == [0, 0, 0]
    strict = rows.loc["b000-openejb-20"]
    assert strict["in a bean"] == strict["time_outs"] > 200
    assert strict["answered_anyway"] == 100
    assert 85 < strict["wasted"] < 100 and strict["after"] < strict["wasted"]
    assert timers_room.most_time_outs(time_outs) == TWENTY
    table = timers_room.time_outs_table(time_outs)
    assert table.loc[TWENTY, ("Pool all in use", "runs")] == "3 of 3"
    assert table.loc[TWENTY, ("Time-outs", "waiting for a bean")] == 0


def test_a_run_is_drawn_along_its_time(recorded):
    drawn = timers_room.timeline(recorded, TWENTY)
    run = recorded.samples[recorded.samples["run"] == "b000-openejb-20"]
    assert drawn["Time-outs"].sum() == (run["outcome"] == "timed out").sum()
    assert (drawn["Awaited"] + drawn["Given up"]).max() == 32
    assert drawn["Given up"].max() > 0 and (drawn >= 0).all(axis=None)
    figure = timers_room.timeline_figure(drawn, 32)
    assert len(figure.axes) == 2
    assert f"Up to {drawn['Given up'].max()} beans" in timers_room.describe_timeline(drawn)
    quiet = timers_room.timeline(recorded, "GlassFish, timer 1")
    assert quiet["Given up"].sum() == quiet["Time-outs"].sum() == 0


def test_timers_longer_than_the_time_to_live_are_counted(fifty):
    found = timers_room.lives(fifty)
    longer = found[found["longer"]]
    assert set(longer["timer"]) == {"20", "50"} and set(longer["ttl_ms"]) == {"30000"}
    assert longer["answered"].sum() == 0
    table = timers_room.lives_table(found)
    row = table.loc["GlassFish, time to live 120 s, timer 50"]
    assert row.tolist() == [100, 120, "no", 150, 150]


def _verdicts(recorded, fifty) -> dict:
    found = timers_cases.cases(
        recorded, fifty, timers.run_shares(recorded), timers.run_shares(fifty),
        timers_pool.run_busy(recorded, aaa.TIMERS), timers_room.run_time_outs(recorded, aaa.TIMERS),
        timers_room.lives(fifty),
    )  # fmt: skip
    return {verdict.finding.id: verdict for verdict in judge(found)}


def test_a_soft_and_a_strict_pool_are_told_apart(recorded, fifty):
    found = _verdicts(recorded, fifty)
    assert list(found) == [finding.id for finding in TIMER_FINDINGS]
    outcomes = {id: verdict.outcome for id, verdict in found.items()}
    assert outcomes["A8-twenty"] == NOT_REPRODUCED and outcomes["A8-twenty-strict"] == REPRODUCED
    assert outcomes["A8-ten-strict"] == NOT_REPRODUCED
    assert found["A8-ten-strict"].estimate == pytest.approx(13.5)
    assert outcomes["A8-pool-ten"] == outcomes["A8-pool-twenty"] == REPRODUCED
    assert outcomes["A9"] == INCONCLUSIVE and found["A9"].runs == 0
    assert outcomes["A10-climb"] == NOT_REPRODUCED and outcomes["A10-climb-strict"] == REPRODUCED
    assert outcomes["A10-faster-strict"] == NOT_REPRODUCED and outcomes["A10-level-strict"] == REPRODUCED
    assert outcomes["A12"] == NOT_REPRODUCED and outcomes["A12-seen"] == REPRODUCED
    assert outcomes["A15"] == outcomes["A15-longer"] == outcomes["A16"] == outcomes["A16-work"] == REPRODUCED


def test_one_answer_beyond_the_time_to_live_refutes_always(recorded, fifty):
    calls = fifty.calls.copy()
    late = (calls["container"] == "glassfish") & (calls["ttl_ms"] == "30000") & (calls["timer"] == "50")
    calls.loc[late & (calls["number"] == 3), "outcome"] = "ok"
    found = _verdicts(recorded, replace(fifty, calls=calls))
    assert found["A15"].outcome == NOT_REPRODUCED and found["A15"].estimate == 1
    assert found["A15-strict"].outcome == REPRODUCED


def test_losses_that_the_pool_does_not_explain_are_not_put_down_to_it(recorded, fifty):
    calls = recorded.calls.copy()
    chosen = (calls["container"] == "openejb") & (calls["timer"] == "10") & (calls["number"] < 40)
    calls.loc[chosen, "outcome"] = "lost"
    found = _verdicts(replace(recorded, calls=calls), fifty)
    assert found["A8-pool-ten"].outcome == NOT_REPRODUCED
    assert found["A8-pool-ten"].estimate == pytest.approx(20)


@pytest.mark.parametrize("blocks", [1, 2])
def test_small_profiles_and_fewer_levels_give_cases(blocks):
    many = made(aaa.TIMERS.select(container=["glassfish"], timer=["1", "5"]), 10, blocks=blocks)
    few = made(aaa.FIFTY.select(container=["glassfish"], ttl_ms=["30000"]), 10, blocks=blocks)
    found = _verdicts(many, few)
    assert found["A8-ten-strict"].runs == found["A16"].runs == found["A15-longer"].runs == 0
    assert found["A15"].runs == blocks
