"""What a client for high rates has to send: bounds, bytes, and when open arrivals are due."""

import numpy as np
import pytest
from scipy import stats

from made.rate_server import plan
from perfstudies.errors import BadParameter
from perfstudies.load.rate.plan import RatePlan

ADDRESS = "http://127.0.0.1:8280/services/Echo?a=b"


def test_a_request_is_its_headers_and_its_message_byte_for_byte(tmp_path):
    made = plan(ADDRESS, tmp_path, message=b"<ask>\xe2\x82\xac</ask>", headers={"SOAPAction": '"urn:echo"'})
    assert made.request() == (
        b"POST /services/Echo?a=b HTTP/1.1\r\nHost: 127.0.0.1:8280\r\nConnection: keep-alive\r\n"
        b'SOAPAction: "urn:echo"\r\nContent-Length: 14\r\n\r\n<ask>\xe2\x82\xac</ask>'
    )
    assert plan("http://localhost:80", tmp_path).request().startswith(b"POST / HTTP/1.1\r\nHost: localhost:80\r\n")


def test_a_plan_is_read_as_it_was_written(tmp_path):
    made = plan(
        ADDRESS, tmp_path, message=bytes(range(256)), headers={"a": "b"}, must_contain=b"\xff\x00", rate=5.0, seed=7
    )
    made.write(tmp_path / "plan.json")
    assert RatePlan.read(tmp_path / "plan.json") == made


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"message": "!"}', '{"message": "", "must_contain": "", "more": 1}'])
def test_what_is_no_plan_is_refused(tmp_path, text):
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(BadParameter, match="plan.json"):
        RatePlan.read(tmp_path / "plan.json")


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"address": "http://192.0.2.1:80/"}, "loopback"),
        ({"address": "https://127.0.0.1:80/"}, "no http address"),
        ({"address": "http://127.0.0.1:80/a b"}, "no http address"),
        ({"address": "http://127.0.0.1:99999/"}, "no http address"),
        ({"connections": 0}, "connections = 0"),
        ({"connections": 40_000}, "connections = 40000: it must be 1 to 20,000"),
        ({"max_requests": 0}, "max_requests = 0"),
        ({"max_requests": 10**9}, "max_requests"),
        ({"duration_s": 0}, "duration_s = 0"),
        ({"duration_s": 1e9}, "duration_s"),
        ({"duration_s": float("nan")}, "duration_s = nan"),
        ({"timeout_s": -1}, "timeout_s = -1"),
        ({"rate": -1}, "rate = -1"),
        ({"seed": -1}, "seed = -1"),
        ({"rate": 5.0, "requests_per_connection": 3}, "closed clients only"),
        ({"message": bytes(17 << 20)}, "the message's length"),
        ({"must_contain": bytes(300)}, "must_contain"),
        ({"headers": {"content-length": "5"}}, "the client's own"),
        ({"headers": {"a": "b\r\nc: d"}}, "no header field"),
        ({"headers": {"a b": "c"}}, "no header field"),
    ],
)
def test_values_outside_their_bounds_are_refused(tmp_path, values, problem):
    with pytest.raises(BadParameter, match=problem):
        plan(**{"server": ADDRESS, "folder": tmp_path} | values)


def test_the_same_seed_gives_the_same_arrivals_and_a_longer_run_begins_with_them(tmp_path):
    def due(**values):
        return plan(ADDRESS, tmp_path, **{"rate": 20_000.0, "seed": 3, "max_requests": 10**6} | values).schedule_ns()

    assert (due(duration_s=5.0) == due(duration_s=5.0)).all()
    assert (due(duration_s=2.0) == due(duration_s=5.0)[: len(due(duration_s=2.0))]).all()
    assert (due(seed=4)[:100] != due()[:100]).any()
    assert (due(max_requests=1000) == due()[:1000]).all()
    assert due(rate=0.0).size == 0


@pytest.mark.parametrize("rate", [50.0, 5000.0])
def test_open_arrivals_are_a_poisson_process_of_the_rate(tmp_path, rate):
    duration_s = 100_000 / rate
    made = plan(ADDRESS, tmp_path, rate=rate, duration_s=duration_s, seed=5, max_requests=10**6)
    due_s = made.schedule_ns() / 1e9
    assert (np.diff(due_s) >= 0).all() and 0 <= due_s[0] and due_s[-1] < duration_s
    assert abs(len(due_s) - 100_000) < 5 * 100_000**0.5
    assert stats.kstest(np.diff(due_s, prepend=0), "expon", args=(0, 1 / rate)).pvalue > 0.001
    # Exponential gaps could still follow each other in some order: counts of equal times must vary as Poisson's.
    counts = np.histogram(due_s, 1000, (0, duration_s))[0]
    assert 0.85 < counts.var() / counts.mean() < 1.15
