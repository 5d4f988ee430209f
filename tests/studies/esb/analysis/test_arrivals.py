import numpy as np
import pandas as pd
import pytest

from made import esb_loads as made
from perfstudies.load.rate.log import ROW
from perfstudies.studies.esb import waits
from perfstudies.studies.esb.analysis import waiting
from perfstudies.studies.esb.analysis.loads import named
from perfstudies.studies.esb.declared import ARRIVALS
from perfstudies.studies.esb.logs.rate_intervals import Reducer

CONNECTIONS = 50
SECONDS = 8
SHARES = {"open-50": 0.5, "open-80": 0.8, "open-110": 1.1, "open-50-stall": 0.5}
RATE = {"synapse": 1000.0, "camel": 2000.0}


def reduced(rows):
    """Reduce rows of (due, sent, ended in seconds, status) as a client's log is reduced."""
    log = np.zeros(len(rows), ROW)
    for at, (due, sent, ended, status) in enumerate(rows):
        log[at] = (int(due * 1e9), int(sent * 1e9), int(ended * 1e9), 100, 0, status)
    reducer = Reducer()
    reducer.add(log)
    return reducer.intervals()


def test_waits_are_told_from_the_whole_run_and_the_end_of_the_load_too():
    # A hundred messages within 10 ms, one that waited at the client for 1.9 s and ended after the load.
    rows = [(at / 100, at / 100, at / 100 + 0.01, 200) for at in range(1, 101)] + [(0.5, 2.3, 2.4, 200)]
    found = waits.facts(reduced(rows), 2, [])
    assert found["all_response_p50_ms"] == pytest.approx(10, rel=0.005)
    assert found["all_response_max_ms"] == pytest.approx(1900, rel=0.005)
    assert found["all_service_max_ms"] == pytest.approx(100, rel=0.005)
    assert found["all_response_p999_ms"] == found["all_response_max_ms"]
    assert found["all_response_mean_ms"] == pytest.approx((100 * 10 + 1900) / 101, rel=0.005)
    # Little's law counts what ended while messages were due: 100 messages of 10 ms in 2 s.
    assert found["under_way_response"] == pytest.approx(0.5, rel=0.005)
    assert np.isnan(found["stalled_for_s"]) and np.isnan(found["held_up_response"])


def test_messages_held_up_by_a_stop_are_counted_by_both_clocks():
    quick = [(at / 100, at / 100, at / 100 + 0.01, 200) for at in range(1, 101)]
    stuck = [(1.05, 1.05, 1.9, 200)] * 3 + [(1.1, 1.85, 1.9, 200)] * 7 + [(1.5, 1.5, 1.9, 200)] * 2
    lost = [(1.05, 1.05, 1.9, -3)]
    stop = [1.0, 1.9]
    found = waits.facts(reduced(quick + stuck + lost), 2, stop)
    assert found["stalled_for_s"] == pytest.approx(0.9)
    assert (found["held_up_response"], found["held_up_service"]) == (10, 3)


def test_the_tail_of_a_bin_is_that_of_what_ended_in_it():
    rows = [(0.1, 0.1, 0.2, 200)] * 99 + [(0.1, 0.1, 0.4, 200)] + [(0.2, 0.2, 1.2, 200), (0.3, 0.3, 1.3, 503)]
    tails = waits.tail_by_bin(reduced(rows), pd.Series([0, 1, 2], [5, 6, 7]))
    assert tails.index.tolist() == [5, 6, 7] and np.isnan(tails[6])
    assert tails[5] == pytest.approx(100, rel=0.005) and tails[7] == pytest.approx(1000, rel=0.005)


def test_a_run_without_good_replies_has_no_times():
    found = waits.facts(reduced([(0.1, 0.1, 0.2, 503)]), 1, [])
    assert np.isnan(found["all_response_p99_ms"]) and found["under_way_response"] == 0


def _facts(arrivals, rate, service_ms, response_ms, stop_s, hit):
    times = {"service": service_ms, "response": response_ms}
    facts = {
        f"all_{clock}_{name}_ms": factor * times[clock]
        for clock in times
        for name, factor in {"p50": 1, "p90": 2, "p99": 4, "p999": 8, "max": 10, "mean": 1}.items()
    }
    facts |= {f"under_way_{clock}": rate * ms / 1000 for clock, ms in times.items()}
    stopped = arrivals.endswith("stall")
    return facts | {
        "stalled_at_s": 4.0 if stopped else np.nan, "stalled_for_s": stop_s if stopped else np.nan,
        "held_up_response": hit if stopped else np.nan,
        "held_up_service": min(hit, CONNECTIONS) if stopped else np.nan,
    }  # fmt: skip


def arrivals(blocks=4, experiment=ARRIVALS, queue=True):
    """Make runs of engines that answer just so many messages a second, and are stopped for 1 s after 4 s."""
    runs, samples = [], []
    for block in range(blocks):
        for setting in experiment.settings():
            best = RATE[setting["route"]] * (1 + block / 100)
            share = SHARES.get(setting["arrivals"], 0.0)
            offered = share * best
            rate = min(offered, best) if share else best
            service = 1000 * CONNECTIONS / best if share in (0, 1.1) else 5.0
            response = service if share < 1 else 1000 * (offered / best - 1) * SECONDS / 2 + service
            hit = offered * 1.0 / (2 * (1 - share)) if share else CONNECTIONS
            facts = _facts(setting["arrivals"], rate, service, response if queue else service, 1.0, hit)
            facts |= {"rate_per_s": offered, "capacity_per_s": best if share else 0.0}
            one = made.run(block, setting, rate, SECONDS, **facts)
            runs.append(one)
            stopped = setting["arrivals"].endswith("stall")
            answers = [rate / 2] * 8 + ([0, 0, best, best] if stopped and share else [0, 0] if stopped else [])
            answers += [rate / 2] * (16 - len(answers))
            samples += made.bins(one, answers, [10.0] * 8 + [np.nan] * 2 + [900.0] + [10.0] * 5)
    return made.recording(experiment, runs, samples)


@pytest.fixture(scope="module")
def recorded():
    return arrivals()


def _at(recorded, route, arrivals):
    runs = recorded.runs
    return runs[(runs["route"] == route) & (runs["arrivals"] == arrivals)]


def test_the_offered_share_is_that_of_the_block_s_closed_run(recorded):
    shares = waiting.over_closed(recorded.runs)
    assert shares[_at(recorded, "camel", "open-80").index].tolist() == pytest.approx([0.8] * 4)
    assert shares[_at(recorded, "camel", "closed").index].isna().all()
    open_only = recorded.runs[recorded.runs["arrivals"] != "closed"]
    assert waiting.over_closed(open_only).isna().all()


def test_a_rate_that_is_too_high_piles_up_its_surplus(recorded):
    runs = _at(recorded, "camel", "open-110")
    expected = waiting.overload_wait_ms(runs, 0.5)
    assert expected.tolist() == pytest.approx(runs["all_response_p50_ms"].tolist())
    assert expected.mean() == pytest.approx(425, abs=1)  # 10 % of 4 s, and 25 ms
    lower = _at(recorded, "camel", "open-80")
    assert (waiting.overload_wait_ms(lower, 0.5) == lower["all_service_p50_ms"]).all()


def test_a_stop_holds_up_all_that_comes_under_open_arrivals(recorded):
    load = waiting.over_closed(recorded.runs)
    closed, opened = (_at(recorded, "synapse", one) for one in ("closed-stall", "open-50-stall"))
    assert (waiting.expected_held_up(closed, load[closed.index], CONNECTIONS) == CONNECTIONS).all()
    found = waiting.expected_held_up(opened, load[opened.index], CONNECTIONS)
    assert found.tolist() == pytest.approx(opened["held_up_response"].tolist())


def test_no_number_is_expected_where_the_queue_never_goes(recorded):
    runs = recorded.runs[recorded.runs["arrivals"] == "open-50-stall"]
    expected = waiting.expected_held_up(runs, pd.Series(1.2, runs.index), CONNECTIONS)
    assert expected.isna().all()


NAMES = {"route": "Engine", "arrivals": "Arrivals"}


def test_the_course_of_a_stop_is_in_per_cent_of_before_it(recorded):
    course = waiting.course(recorded.samples, named(recorded.runs, ARRIVALS, NAMES))
    stops = ["Closed, engine stopped for 1 s", "Open, 50 %, engine stopped for 1 s"]
    assert {*course.index.get_level_values("Arrivals")} == {*stops}
    line = course["rate"].xs(("Camel", stops[1]), level=["Engine", "Arrivals"])
    assert line.loc[[0.0, 4.0, 5.0, 6.0]].tolist() == pytest.approx([100, 0, 400, 100])
    figure = waiting.course_figure(course, (4.0, 5.0))
    assert len(figure.axes) == 4 and [len(axes.lines) for axes in figure.axes] == [2, 2, 2, 2]


def test_without_a_stop_there_is_no_course():
    few = ARRIVALS.select(route=["camel"], arrivals=["open-50"])
    recorded = arrivals(1, few)
    assert waiting.course(recorded.samples, named(recorded.runs, few, NAMES)).empty
