import pandas as pd
import pytest

from made.interceptions import event_request, perf4j_request
from perfstudies.errors import BadLog
from perfstudies.studies.step.logs.interceptions import aggregated, keep, merged, summed


def _visits(*rows):
    frame = pd.DataFrame(rows, columns=["request", "tag", "start_ns", "elapsed_ns"])
    return frame.astype({"request": int, "tag": "category", "start_ns": int, "elapsed_ns": int})


def test_a_moment_in_which_several_visits_are_open_counts_once_in_the_union_and_in_each_in_the_sum():
    # The order in which Hibernate 7 ends the loads of a query: the one that began last first.
    visits = _visits((0, "load", 30, 40), (0, "load", 20, 60), (0, "load", 10, 80), (0, "load", 100, 5))
    assert merged(visits).to_dict() == {(0, "load"): 85}
    assert summed(visits).to_dict() == {(0, "load"): 185}


def test_a_short_visit_within_a_long_one_hides_no_later_gap():
    visits = _visits((0, "load", 0, 100), (0, "load", 10, 5), (0, "load", 90, 20), (0, "load", 200, 1))
    assert merged(visits).to_dict() == {(0, "load"): 111}


def test_visits_that_touch_or_are_empty_add_nothing_twice():
    visits = _visits((0, "load", 0, 10), (0, "load", 10, 10), (0, "load", 15, 0), (0, "load", 20, 0))
    assert merged(visits).to_dict() == {(0, "load"): 20}


def test_requests_and_layers_are_kept_apart():
    visits = _visits((0, "load", 0, 10), (0, "write", 5, 10), (1, "load", 0, 7), (1, "load", 3, 7))
    expected = {(0, "load"): 10, (0, "write"): 10, (1, "load"): 10}
    assert merged(visits).to_dict() == expected
    assert summed(visits).to_dict() == expected | {(1, "load"): 14}


def test_the_study_s_figure_8_becomes_two_records():
    """12 ms, then records of 0 ms from 211 to 226: combined, they last 15 ms."""
    ms = 10**6
    visits = _visits((0, "load", 199 * ms, 12 * ms), *((0, "load", at * ms, 0) for at in (211, 211, 211, 211, 226)))
    assert aggregated(visits).to_dict() == {(0, "load"): 27 * ms}
    assert summed(visits).to_dict() == merged(visits).to_dict() == {(0, "load"): 12 * ms}


@pytest.mark.parametrize(
    "between",
    [(0, "load", 5, 1), (0, "write", 5, 0), (1, "load", 5, 0)],
    ids=["longer", "other layer", "other request"],
)
def test_only_consecutive_records_of_nothing_are_combined(between):
    visits = _visits((0, "load", 0, 0), (0, "load", 3, 0), between, (0, "load", 9, 0), (0, "load", 10, 0))
    found = aggregated(visits)
    assert found[0, "load"] == 3 + 1 + (between[3] if between[:2] == (0, "load") else 0)


def test_combined_records_span_their_time_stamps_in_whatever_order_they_ended():
    assert aggregated(_visits((0, "load", 9, 0), (0, "load", 4, 0), (0, "load", 6, 0))).to_dict() == {(0, "load"): 5}


@pytest.mark.parametrize("rule", [summed, merged, aggregated])
def test_no_visits_take_no_time(rule):
    assert rule(_visits()).empty


def test_of_a_log_the_lines_of_the_requests_that_are_kept_stay_in_the_order_of_their_arrival(tmp_path):
    log = tmp_path / "monitor.log"
    # Two threads' requests one after the other, as a merged log has them: they arrived in turns.
    requests = {(thread, arrived): event_request(thread, arrived) for thread in (1, 2) for arrived in (1, 3)}
    requests |= {(2, 3): event_request(2, 4), (2, 1): event_request(2, 2)}
    cut = "thread[2] tag[si] start[1] elapsed[1] context[]\n"
    log.write_text("".join(requests[one] for one in sorted(requests)) + cut)
    keep(log, range(2))
    assert log.read_text() == event_request(1, 1) + event_request(2, 2)
    assert [path.name for path in tmp_path.iterdir()] == ["monitor.log"]


def test_more_requests_than_a_log_has_are_all_it_has(tmp_path):
    log = tmp_path / "monitor.log"
    log.write_text("".join(perf4j_request(200 * number) for number in range(3)))
    keep(log, range(2, 9))
    assert log.read_text() == perf4j_request(400)


def test_a_request_that_does_not_say_when_it_arrived_is_named(tmp_path):
    log = tmp_path / "monitor.log"
    log.write_text(perf4j_request(0) + "start[1] time[0] tag[filter]\n")
    with pytest.raises(BadLog, match=r"monitor\.log:12.*arrived"):
        keep(log, range(1))
