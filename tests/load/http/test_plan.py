import dataclasses

import pytest

from made.plans import BODY, plan
from perfstudies.errors import BadParameter
from perfstudies.load.http.plan import Plan


def test_a_plan_is_read_as_it_was_written(tmp_path):
    made = plan(tmp_path, "http://127.0.0.1/?wsdl", bodies=(BODY, {"type": "ü"}, BODY), total_log=tmp_path / "t")
    made.write(tmp_path / "plan.json")
    assert Plan.read(tmp_path / "plan.json") == made
    assert made.distinct_bodies() == [BODY, {"type": "ü"}] and made.body(1) == {"type": "ü"}
    assert plan(tmp_path, "").body(2) == BODY


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"arrivals": "bursts"}, "Did you mean 'burst'"),
        ({"requests": 0}, "requests = 0"),
        ({"ttl_s": -1}, "ttl_s = -1"),
        ({"gap_ms": -1}, "gap"),
        ({"arrivals": "open"}, "rate above 0"),
        ({"bodies": (BODY, BODY)}, "2 bodies for 3 requests"),
        ({"source": "192.0.2.1"}, "loopback"),
        ({"source": "mac"}, "loopback"),
    ],
)
def test_a_value_that_is_not_allowed_is_named(tmp_path, changes, problem):
    with pytest.raises(BadParameter, match=problem):
        plan(tmp_path, "", **changes)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"bodies": [], "colour": 1}'])
def test_a_file_that_is_no_plan_is_named(tmp_path, text):
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(BadParameter, match="plan"):
        Plan.read(tmp_path / "plan.json")


@pytest.mark.parametrize(
    ("changes", "limit_s", "connections"),
    [
        ({"gap_ms": 2000, "requests": 2000}, 4060, 1000),
        ({"arrivals": "burst"}, 60, 3),
        ({"arrivals": "open", "rate_per_s": 0.5, "outstanding": 2}, 66, 2),
        ({"arrivals": "users", "users": 7}, 600, 7),
        ({"arrivals": "users", "duration_s": 5}, 65, 1),
        ({"limit_s": 1.5}, 1.5, 3),
    ],
)
def test_the_bounds_follow_from_the_plan(tmp_path, changes, limit_s, connections):
    made = plan(tmp_path, "", **changes)
    assert (made.starts_limit_s, made.connections) == (limit_s, connections)
    assert dataclasses.replace(made, limit_s=9).starts_limit_s == 9
