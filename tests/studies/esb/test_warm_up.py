import pytest

from perfstudies.errors import BadParameter
from perfstudies.studies.esb.warm_up import LEVEL, Target, until_level
from perfstudies.studies.esb.workload.echo import Message


def _windows(*rates):
    told = iter(rates)
    return lambda: next(told)


def test_windows_end_when_two_in_a_row_bring_little_more():
    assert until_level(_windows(100, 200, 300, 310, 314, 400), 10) == [100, 200, 300, 310, 314]


def test_a_plateau_of_one_window_does_not_end_them():
    assert until_level(_windows(100, 102, 200, 190, 205, 400), 10) == [100, 102, 200, 190, 205]


def test_little_steps_that_add_up_go_on():
    rates = [100, 104, 107, 110, 111, 400]
    assert until_level(_windows(*rates), 10) == rates[:5]


def test_the_limit_is_of_the_best_before():
    rates = [100, 100 * LEVEL + 1, 50, 60, 500]
    assert until_level(_windows(*rates), 10) == rates[:4]


def test_there_are_no_more_windows_than_allowed():
    assert until_level(_windows(1, 2, 4, 8, 16), 3) == [1, 2, 4]
    assert until_level(_windows(1), 0) == []


def test_a_load_has_room_for_all_its_messages(tmp_path):
    target = Target("t", "http://127.0.0.1:1/", Message(b"m", {"a": "b"}, b"end"))
    plan = target.plan(tmp_path / "r", 2.0, connections=7, rate=5.0, seed=3)
    assert (plan.message, plan.must_contain, plan.connections, plan.rate, plan.seed) == (b"m", b"end", 7, 5.0, 3)
    assert plan.max_requests == 200_000
    assert target.plan(tmp_path / "r", 0.5, connections=10, messages=50).max_requests == 500
    with pytest.raises(BadParameter, match="duration_s"):
        target.plan(tmp_path / "r", -1.0, 1)
