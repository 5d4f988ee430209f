from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from made.aaa_timers import made
from made.cells import run_cells
from perfstudies.stats.verdicts import (
    FAILS,
    HOLDS,
    IDENTITY,
    INCONCLUSIVE,
    NOT_TESTABLE,
)
from perfstudies.studies.aaa import declared as aaa
from perfstudies.studies.aaa.analysis import timers_room
from perfstudies.studies.aaa.findings_timers import TIMER_FINDINGS

TWENTY = "OpenEJB, strict pool, timer 20"


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
        ended_us=[9950.0, 9000.0, 25_000.0], outcome=["timed out"] * 3, started_us=[0.0, 0.0, 26_000.0],
    )  # fmt: skip
    found = timers_room._of_run(samples, 2)
    # Once nobody sends any more there is room in any case.
    assert timers_room._of_run(samples.assign(started_us=[0.0, 0.0, 5000.0]), 2)["with_room"] == 0
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
    assert strict["full"] and strict["waiting for a bean"] == 0


def test_a_run_is_drawn_along_its_time(recorded):
    drawn = timers_room.timeline(recorded, TWENTY)
    run = recorded.samples[recorded.samples["run"] == "b000-openejb-20"]
    assert drawn["Time-outs"].sum() == (run["outcome"] == "timed out").sum()
    assert (drawn["Awaited"] + drawn["Given up"]).max() == 32
    assert drawn["Given up"].max() > 0 and (drawn >= 0).all(axis=None)
    figure = timers_room.timeline_figure(drawn, 32)
    assert len(figure.axes) == 2
    quiet = timers_room.timeline(recorded, "GlassFish, timer 1")
    assert quiet["Given up"].sum() == quiet["Time-outs"].sum() == 0


def test_timers_longer_than_the_time_to_live_are_counted(fifty):
    found = timers_room.lives(fifty)
    longer = found[found["longer"]]
    assert set(longer["timer"]) == {"20", "50"} and set(longer["ttl_ms"]) == {"30000"}
    assert longer["answered"].sum() == 0
    row = found.set_index("run").loc["b000-glassfish-120000-50"]
    assert row[["hold_ms", "life_ms", "sent", "answered"]].tolist() == [1000, 1200, 50, 50]


def _verdicts(repository, monkeypatch, recorded, fifty) -> dict:
    def load(experiment):
        known = {"timers": recorded, "fifty": fifty}
        return known[experiment.name] if experiment.name in known else made(experiment, 12, scale=1, blocks=1)

    path = repository / "notebooks" / "aaa" / "03-timers.ipynb"
    levels = {
        "containers": list(recorded.runs["container"].unique()),
        "timers": list(recorded.runs["timer"].unique()),
        "timers_of_fifty": list(fifty.runs["timer"].unique()),
        "lives": list(fifty.runs["ttl_ms"].unique()),
    }
    names, shown = run_cells(path, monkeypatch, load, **levels)
    assert all(text.strip() for text in shown) and not any("nan" in text.lower().split() for text in shown)
    return {verdict.finding.id: verdict for verdict in names["judged"]}


def test_a_soft_and_a_strict_pool_are_told_apart(repository, monkeypatch, recorded, fifty):
    found = _verdicts(repository, monkeypatch, recorded, fifty)
    assert list(found) == [finding.id for finding in TIMER_FINDINGS]
    estimates = {id: verdict.estimate for id, verdict in found.items()}
    assert estimates["A8-ten"] == estimates["A8-twenty"] == 0 and estimates["A8-twenty-strict"] > 90
    assert estimates["A8-ten-strict"] == pytest.approx(13.5)
    assert estimates["A8-pool-ten"] == estimates["A8-pool-twenty"] == pytest.approx(0)
    assert estimates["A8-fifty"] == estimates["A15-longer"] == estimates["A16-work"] == 100
    assert found["A9"].outcome == INCONCLUSIVE and found["A9"].runs == 0
    assert estimates["A10-climb"] == estimates["A10-faster"] == pytest.approx(1)
    assert estimates["A10-climb-strict"] == pytest.approx(502 / 202, rel=0.01)
    assert estimates["A10-faster-strict"] < 1.05 and estimates["A10-level-strict"] == pytest.approx(1)
    assert estimates["A12"] == pytest.approx(1) and found["A12"].outcome == NOT_TESTABLE
    assert estimates["A12-seen"] > 1.25
    assert found["A15"].outcome == found["A15-strict"].outcome == IDENTITY and found["A15"].note == HOLDS
    assert found["A8-five"].outcome == NOT_TESTABLE


def test_one_answer_beyond_the_time_to_live_refutes_always_and_other_losses_are_not_the_pool_s(
    repository, monkeypatch, recorded, fifty
):
    late = fifty.calls.copy()
    chosen = (late["container"] == "glassfish") & (late["ttl_ms"] == "30000") & (late["timer"] == "50")
    late.loc[chosen & (late["number"] == 3), "outcome"] = "ok"
    calls = recorded.calls.copy()
    chosen = (calls["container"] == "openejb") & (calls["timer"] == "10") & (calls["number"] < 40)
    calls.loc[chosen, "outcome"] = "lost"
    found = _verdicts(repository, monkeypatch, replace(recorded, calls=calls), replace(fifty, calls=late))
    assert found["A15"].note == FAILS and found["A15"].estimate == 1
    assert found["A15-strict"].note == HOLDS
    assert found["A8-pool-ten"].estimate == pytest.approx(20)


def test_a_block_that_loses_requests_at_low_timers_says_nothing_of_higher_ones(
    repository, monkeypatch, recorded, fifty
):
    calls = recorded.calls.copy()
    # One in ten at timer 5, as at 10 and 20: they come faster than they are served.
    chosen = (calls["run"].isin(["b001-glassfish-5", "b001-glassfish-10", "b001-glassfish-20"])) & (
        calls["number"] < 20
    )
    calls.loc[chosen, "outcome"] = "lost"
    found = _verdicts(repository, monkeypatch, replace(recorded, calls=calls), fifty)
    assert found["A8-ten"].runs == found["A8-twenty"].runs == found["A12"].runs == 2
    assert found["A8-ten"].estimate == 0 and found["A8-five"].estimate == pytest.approx((90 + 100 + 100) / 3)
    assert found["A9"].runs == 0
    strict = ("A8-ten-strict", "A9-inside", "A10-climb-strict", "A12-seen", "A16", "A8-pool-ten")
    assert {found[id].runs for id in strict} == {3}
    chosen = (calls["container"] == "openejb") & (calls["timer"] == "1") & (calls["number"] < 20)
    calls.loc[chosen, "outcome"] = "lost"
    found = _verdicts(repository, monkeypatch, replace(recorded, calls=calls), fifty)
    assert {found[id].runs for id in strict} == {0}


@pytest.mark.parametrize("blocks", [1, 2])
def test_small_profiles_and_fewer_levels_give_verdicts(repository, monkeypatch, blocks):
    many = made(aaa.TIMERS.select(container=["glassfish"], timer=["1", "5"]), 10, blocks=blocks)
    few = made(aaa.FIFTY.select(container=["glassfish"], ttl_ms=["30000"]), 10, blocks=blocks)
    found = _verdicts(repository, monkeypatch, many, few)
    assert found["A8-ten-strict"].runs == found["A16"].runs == found["A15-longer"].runs == 0
    assert found["A15"].runs == blocks
