from dataclasses import replace
from math import inf

import pytest

from made.aaa_timers import made
from perfstudies.studies.aaa import declared as aaa
from perfstudies.studies.aaa.analysis import timers_pool
from perfstudies.studies.aaa.analysis.timers import ANSWERED, EJB, HTTP
from perfstudies.studies.aaa.analysis.timers_pool import Demand, served

ONE = Demand(clients=1, starts=4, gap_ms=10, hold_ms=25, beans=inf, threads=inf, patience_ms=inf, ttl_ms=inf)


def test_without_limits_nobody_waits():
    run = served(ONE)
    assert run["bean_ms"].tolist() == run["start_ms"].tolist() == [0, 10, 20, 30]
    assert run["left_ms"].tolist() == [25, 35, 45, 55]
    assert set(run["layer"]) == {ANSWERED}


def test_beans_are_waited_for_in_order():
    run = served(replace(ONE, beans=1))
    assert run["bean_ms"].tolist() == [0, 25, 50, 75]
    assert run["left_ms"].tolist() == [25, 50, 75, 100]


def test_who_waits_too_long_gets_none_and_leaves_it_to_the_next():
    run = served(replace(ONE, beans=1, patience_ms=15))
    # The third would wait from 20 to 50 and is refused at 35; the fourth would wait from 30 to 50 and is refused at 45.
    assert run["layer"].tolist() == [ANSWERED, ANSWERED, EJB, EJB]
    assert run["left_ms"].tolist() == [25, 50, 35, 45]
    assert run["bean_ms"].isna().tolist() == [False, False, True, True]
    assert served(replace(ONE, beans=1, patience_ms=20))["layer"].tolist() == [ANSWERED, ANSWERED, EJB, ANSWERED]


def test_threads_are_waited_for_before_the_container_s_patience_counts():
    run = served(replace(ONE, beans=1, threads=1, patience_ms=0))
    assert run["bean_ms"].tolist() == [0, 25, 50, 75]


def test_a_client_that_gives_up_takes_nothing_back():
    run = served(replace(ONE, beans=1, ttl_ms=40))
    assert run["layer"].tolist() == [ANSWERED, ANSWERED, HTTP, HTTP]
    assert run["left_ms"].tolist() == [25, 50, 75, 100]


@pytest.mark.parametrize("timer, needed, lost", [(1, 4, 0), (5, 20, 0), (8, 32, 0), (10, 40, 0.2), (20, 80, 0.6)])
def test_needed_beans_by_little_s_law(timer, needed, lost):
    demand = Demand(4, 1000, 20, 20 * timer, 32, 100, 300, 600)
    assert demand.needed == needed
    assert demand.lost_in_the_long_run == pytest.approx(lost)


def test_a_strict_pool_loses_what_little_s_law_says_if_clients_wait():
    run = served(Demand(4, 2000, 20, 400, 32, inf, 300, inf))
    later = run[run["number"] >= 200]
    assert (later["layer"] == EJB).mean() == pytest.approx(0.6, abs=0.01)


def test_demands_are_read_from_the_declaration_with_the_times_really_used(recorded):
    demand = timers_pool.demands(recorded, aaa.TIMERS)
    assert demand["b000-openejb-10"] == Demand(4, 200, 20, 200, 32, 100, 300, 600)
    assert demand["b000-glassfish-10"] == Demand(4, 200, 20, 200, inf, 100, inf, 600)


def test_a_time_to_live_that_is_a_factor_is_read_from_its_level():
    few = made(aaa.FIFTY.select(container=["openejb"], timer=["20"]), 10, blocks=1)
    demand = timers_pool.demands(few, aaa.FIFTY)
    assert {run: one.ttl_ms for run, one in demand.items()} == {
        "b000-openejb-30000-20": 300, "b000-openejb-120000-20": 1200
    }  # fmt: skip


def test_busy_beans_are_those_of_the_record(recorded):
    busy = timers_pool.run_busy(recorded, aaa.TIMERS).set_index("run")
    assert busy.loc["b000-glassfish-20", "busy"] == pytest.approx(80)
    assert busy.loc["b000-openejb-20", "busy"] == pytest.approx(32, abs=0.1)
    halved = replace(recorded, samples=recorded.samples.assign(asm_ms=recorded.samples["asm_ms"] / 2))
    again = timers_pool.run_busy(halved, aaa.TIMERS).set_index("run")
    assert again.loc["b000-glassfish-20", "busy"] == pytest.approx(40)
    assert again.loc["b000-glassfish-20", "predicted_busy"] == pytest.approx(80)


def test_prediction_stands_beside_what_was_measured(recorded):
    row = timers_pool.run_busy(recorded, aaa.TIMERS).set_index("run").loc["b000-openejb-10"]
    assert row["needed"] == 40 and row["pool"] == 32 and row["long_run"] == pytest.approx(20)
    assert row["failed"] == row["predicted_failed"] == pytest.approx(13.5)
    assert row["predicted_first"] == 65


def test_a_server_that_never_gave_a_bean_has_none_busy(recorded):
    none = replace(recorded, samples=recorded.samples.assign(asm_ms=float("nan")))
    assert (timers_pool.run_busy(none, aaa.TIMERS)["busy"] == 0).all()
