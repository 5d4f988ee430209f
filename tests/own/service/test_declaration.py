"""What is declared of an own service: plain values in, wrong ones refused by name, bounds that bind."""

import pytest

from perfstudies.errors import BadParameter
from perfstudies.own.service import bounds
from perfstudies.own.service.declaration import Load, Target, as_properties, comparison

TARGET = {"wsdl": "http://127.0.0.1/x?wsdl", "operation": "say"}


def test_settings_change_what_they_name_and_keep_the_rest():
    made = comparison("x", TARGET, {"users": 2}, '{"old": {}, "new": {"arguments": "{\\"text\\": \\"long\\"}"}}', 3)
    assert list(made.targets) == ["old", "new"]
    assert made.targets["old"].arguments is None and made.targets["new"].arguments == {"text": "long"}
    assert {target.wsdl for target in made.targets.values()} == {TARGET["wsdl"]}
    assert made.load.users == 2 and made.runs == 3


def test_open_arrivals_have_more_than_one_sender_unless_told():
    assert comparison("x", TARGET, {"users": None}).load.users == 1
    assert comparison("x", TARGET, {"users": None, "rate_per_s": 5.0}).load.users == 16
    assert comparison("x", TARGET, {"users": 2, "rate_per_s": 5.0}).load.users == 2


def test_two_addresses_need_no_common_one():
    made = comparison("x", {"operation": "say"}, {}, {"a": {"wsdl": "http://127.0.0.1/a"}, "b": {"wsdl": "/b.wsdl"}})
    assert [target.is_file for target in made.targets.values()] == [False, True]


@pytest.mark.parametrize(
    ("target", "load", "settings", "said"),
    [
        ({"operation": "say"}, {}, {}, "name a wsdl"),
        ({"wsdl": "x"}, {}, {}, "an operation"),
        (TARGET, {"user": 2}, {}, "Did you mean 'users'"),
        (TARGET, {}, {"a": {"operatoin": "x"}}, "Did you mean 'operation'"),
        (TARGET, {}, {"../a": {}}, "the name .*use letters"),
        (TARGET, {}, {"a" * 81: {}}, "the name .*at most 80"),
        (TARGET, {}, "{a: 1}", "is not JSON"),
        (TARGET, {}, {"a": {"arguments": "[1]"}}, "must have names"),
        (TARGET | {"user": "me"}, {}, {}, "belong together"),
        (TARGET | {"security": "digest"}, {}, {}, "token-digest"),
        (TARGET, {"users": 0}, {}, "users = 0"),
        (TARGET, {"requests": 1.5}, {}, "requests = 1.5"),
        (TARGET, {"rate_per_s": 0}, {}, "rate_per_s = 0"),
        (TARGET, {"think_s": -1}, {}, "think_s = -1"),
    ],
)
def test_what_makes_no_sense_is_refused(target, load, settings, said):
    with pytest.raises(BadParameter, match=said):
        comparison("x", target, load, settings)


def test_what_decides_a_run_is_told_without_a_password(monkeypatch):
    monkeypatch.setenv("SECRET", "open sesame")
    target = Target("http://127.0.0.1/", "say", {"b": 1, "a": 2}, user="me", password_variable="SECRET")
    told = as_properties(target, Load())
    assert told["arguments"] == '{"a": 2, "b": 1}' and told["password_variable"] == "SECRET"
    assert "open sesame" not in repr(told)
    assert told != as_properties(target, Load(think_s=1))


REMOTE = {"requests": 100, "limit_s": 10}


@pytest.mark.parametrize(
    ("load", "runs", "said"),
    [
        (REMOTE | {"users": 17}, 1, "at most 16 users"),
        (REMOTE | {"rate_per_s": 51.0}, 1, "at most 50 requests a second"),
        ({"requests": 5_001, "limit_s": 10}, 2, "at most 10,000 requests"),
        ({"requests": 100, "limit_s": 301}, 2, "at most 600 s"),
    ],
)
def test_bounds_bind_over_the_whole_comparison(load, runs, said):
    wanted = comparison("x", TARGET, load, None, runs)
    with pytest.raises(BadParameter, match=said):
        bounds.require(wanted, remote=True)
    bounds.require(wanted, remote=False)


def test_what_is_within_the_bounds_is_allowed():
    load = {"requests": 5_000, "limit_s": 300, "users": 16, "rate_per_s": 50}
    bounds.require(comparison("x", TARGET, load, None, 2), remote=True)


def test_closed_users_are_spaced_so_that_together_they_keep_the_rate():
    assert 16 / bounds.spacing_s(16, remote=True) <= bounds.REMOTE.rate_per_s
    assert bounds.spacing_s(16, remote=False) == 0
