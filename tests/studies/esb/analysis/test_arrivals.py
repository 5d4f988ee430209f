import numpy as np
import pandas as pd
import pytest

from made import esb_loads as made
from perfstudies.load.rate.log import ROW
from perfstudies.studies.esb import waits
from perfstudies.studies.esb.analysis import arrivals as esb_arrivals
from perfstudies.studies.esb.analysis import arrivals_law, arrivals_said, arrivals_stall
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
    found = waits.facts(reduced(rows), {"seconds": 2, "stalled_s": []})
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
    workload = {"seconds": 2, "stalled_s": [1.0, 1.9]}
    found = waits.facts(reduced(quick + stuck + lost), workload)
    assert found["stalled_for_s"] == pytest.approx(0.9)
    assert (found["held_up_response"], found["held_up_service"]) == (10, 3)


def test_the_tail_of_a_bin_is_that_of_what_ended_in_it():
    rows = [(0.1, 0.1, 0.2, 200)] * 99 + [(0.1, 0.1, 0.4, 200)] + [(0.2, 0.2, 1.2, 200), (0.3, 0.3, 1.3, 503)]
    tails = waits.tail_by_bin(reduced(rows), pd.Series([0, 1, 2], [5, 6, 7]))
    assert tails.index.tolist() == [5, 6, 7] and np.isnan(tails[6])
    assert tails[5] == pytest.approx(100, rel=0.005) and tails[7] == pytest.approx(1000, rel=0.005)


def test_a_run_without_good_replies_has_no_times():
    found = waits.facts(reduced([(0.1, 0.1, 0.2, 503)]), {"seconds": 1, "stalled_s": []})
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


def test_the_offered_share_is_that_of_the_block_s_closed_run(recorded):
    table = esb_arrivals.offered_table(recorded, ARRIVALS)
    assert table.loc[("Camel", "Open, 80 %"), "Offered, % of the block's closed run"] == "80.0 ± 0.0"
    assert table.loc[("Camel", "Closed")].tolist()[1:4] == ["–", "–", "–"]
    mean = RATE["synapse"] * 1.015
    assert table.loc[("Synapse", "Open, 110 %"), "Answered meanwhile (1/s)"].startswith(f"{mean:,.0f} ±")
    assert table.loc[("Synapse", "Open, 110 %"), "Offered (1/s)"].startswith(f"{1.1 * mean:,.0f} ±")
    open_only = recorded.runs[recorded.runs["arrivals"] != "closed"]
    assert esb_arrivals.over_closed(open_only).isna().all()


def test_times_stand_by_both_clocks_and_once_where_they_agree(recorded):
    table = esb_arrivals.times_table(recorded, ARRIVALS)
    clocks = table.xs("Synapse").reset_index().groupby("Arrivals")["From"].agg(list).to_dict()
    assert clocks["Closed"] == ["either"] and clocks["Open, 80 %"] == ["when it was due", "when it was sent"]
    hidden = esb_arrivals.hidden_table(recorded, ARRIVALS)
    assert hidden.loc[("Synapse", "Open, 80 %"), "99 % within"] == "1.00 [1.00, 1.00]"
    # 0.1 * 8 s / 2 over about 50 ms.
    assert 8.5 < float(hidden.loc[("Synapse", "Open, 110 %"), "99 % within"].split(" ")[0]) < 9.5
    assert ("Synapse", "Closed") not in hidden.index


def test_little_s_law_gives_the_clients_of_a_closed_load(recorded):
    table = arrivals_law.little_table(recorded, ARRIVALS, CONNECTIONS)
    assert table.loc[("Synapse", "Closed"), "Sent, over connections"] == "1.000 [1.000, 1.000]"
    assert table.loc[("Camel", "Open, 50 %"), "Sent and not answered"].startswith("5.1 ±")
    assert not any("stopped" in name for _, name in table.index)


def test_a_rate_that_is_too_high_piles_up_its_surplus(recorded):
    table = arrivals_law.overload_table(recorded, ARRIVALS).loc["Camel"]
    assert table["50 %, measured over expected"] == "1.00 [1.00, 1.00]"
    assert table["50 % within, by the surplus (ms)"].startswith("425 ±")  # 10 % of 4 s, and 25 ms
    assert table["Surplus (1/s)"].startswith("203 ±")
    lower = recorded.runs[recorded.runs["arrivals"] == "open-80"]
    assert (arrivals_law.overload_wait_ms(lower, 0.5) == lower["all_service_p50_ms"]).all()


def test_a_stop_holds_up_all_that_comes_under_open_arrivals(recorded):
    table = arrivals_stall.held_up_table(recorded, ARRIVALS, CONNECTIONS)
    closed, opened = (table.loc["Synapse"].loc[name] for name in ("Closed, stop", "Open, 50 %, stop"))
    assert (closed["Held up"], closed["Held up, by arithmetic"]) == ("50 ± 0", "50 ± 0")
    assert opened["Held up, by arithmetic"] == opened["Held up"] and opened["Held up"].startswith("508 ±")
    assert opened["Seen from when it was sent"] == "50 ± 0"
    assert opened["Held up (%)"] == "12.50 [12.50, 12.50]"
    assert closed["Held up (%)"].startswith("0.6")


def test_no_number_is_expected_where_the_queue_never_goes(recorded):
    runs = recorded.runs[recorded.runs["arrivals"] == "open-50-stall"]
    expected = arrivals_law.expected_held_up(runs, pd.Series(1.2, runs.index), CONNECTIONS)
    assert expected.isna().all()


def test_the_course_of_a_stop_is_in_per_cent_of_before_it(recorded):
    course = arrivals_stall.course(recorded, ARRIVALS)
    assert {*course.index.get_level_values("Arrivals")} == {"Closed, stop", "Open, 50 %, stop"}
    line = course["rate"].xs(("Camel", "Open, 50 %, stop"), level=["Engine", "Arrivals"])
    assert line.loc[[0.0, 4.0, 5.0, 6.0]].tolist() == pytest.approx([100, 0, 400, 100])
    assert arrivals_stall.stop_s(recorded) == (4.0, 5.0)
    figure = arrivals_stall.course_figure(course, (4.0, 5.0))
    assert len(figure.axes) == 4 and [len(axes.lines) for axes in figure.axes] == [2, 2, 2, 2]
    assert "Synapse, Closed, stop: answers fall to 0 % and rise to 100 %" in arrivals_stall.describe_course(course)
    tails = arrivals_stall.tails_table(recorded, ARRIVALS)
    assert tails.xs("Synapse").index.tolist() == ["Closed", "Closed, stop", "Open, 50 %", "Open, 50 %, stop"]


def test_figures_have_a_panel_an_engine(recorded):
    drawn = esb_arrivals.drawn(recorded, ARRIVALS)
    assert len(drawn) == 2 * 6 * 4
    assert len(esb_arrivals.times_figure(drawn).axes[0].containers) == 4
    shares = esb_arrivals.by_share(drawn)
    assert len(shares) == 2 * 4 * 2
    figure = esb_arrivals.share_figure(shares)
    assert [axes.get_title() for axes in figure.axes] == ["Synapse", "Camel"]
    open_line = figure.axes[0].containers[0].lines[0]
    assert open_line.get_xdata() == pytest.approx([50, 80, 110])
    assert "at 110 %" in esb_arrivals.describe_share(shares) and "closed" in esb_arrivals.describe_share(shares)
    assert "Synapse, Closed: 50 % within, from when it was due: " in esb_arrivals.describe_times(drawn)


def test_what_was_found_is_computed(recorded):
    found = arrivals_said.found_table(recorded, ARRIVALS, CONNECTIONS)["Found"]
    said = found.xs("Synapse", level="Engine")
    held_up = said["How many messages does a stop hold up?"]
    assert held_up.startswith("Closed 0.6") and held_up.endswith("open at half the rate 12.50 [12.50, 12.50] %.")
    assert said["Does the 99 % quantile of a closed load tell of the stop?"].startswith("It is not told apart")
    assert "its mean time is 50.0 [50.0, 50.0]" in said["Do a closed load's times follow from its rate?"]
    half = said["What does a closed load say of times at half the rate?"]
    assert half.startswith("99 % within 197.1 ms under the closed load and 20.0 ms at 50 % of its rate, 9.85 [")
    hidden = said["What does a clock hide that starts when a message is sent?"]
    assert "ms from when they were due and 197.1 ms from when they were sent" in hidden
    assert found["Do messages fail?", "All"].startswith("None of ")


def test_one_engine_without_a_stop_is_enough():
    few = ARRIVALS.select(route=["camel"], arrivals=["open-50"])
    recorded = arrivals(1, few)
    assert arrivals_stall.course(recorded, few).empty
    assert arrivals_stall.held_up_table(recorded, few, CONNECTIONS).index.tolist() == ["No stop was measured"]
    assert arrivals_law.overload_table(recorded, few).index.tolist() == ["Not measured"]
    found = arrivals_said.found_table(recorded, few, CONNECTIONS)["Found"]
    assert found["How many messages does a stop hold up?", "Camel"] == "Not measured."
    esb_arrivals.share_figure(esb_arrivals.by_share(esb_arrivals.drawn(recorded, few)))
