import pandas as pd
import pytest

from perfstudies.studies.aaa.analysis import timers
from perfstudies.studies.aaa.analysis.timers import ANSWERED, APPLICATION, EJB, HTTP, STATUS, TCP


@pytest.fixture(scope="module")
def shares(recorded):
    return timers.run_shares(recorded)


@pytest.mark.parametrize(
    "outcome, detail, layer",
    [
        ("ok", "", ANSWERED),
        ("soap fault", "NoBean", EJB),
        ("soap fault", "NoBean: no instance within 300 ms", EJB),
        ("soap fault", "BadRequest", APPLICATION),
        ("soap fault", None, APPLICATION),
        ("timed out", "NoBean", HTTP),
        ("refused", "ECONNREFUSED", TCP),
        ("lost", "", TCP),
        ("http error", "503", STATUS),
    ],
)
def test_a_request_is_put_down_to_the_layer_that_ended_it(outcome, detail, layer):
    assert timers.layers(pd.DataFrame({"outcome": [outcome], "detail": [detail]})).tolist() == [layer]


def test_shares_of_a_run_are_its_requests(recorded, shares):
    row = shares.set_index("run").loc["b001-openejb-20"]
    calls = recorded.calls[recorded.calls["run"] == "b001-openejb-20"]
    assert row["sent"] == len(calls) == 800
    assert row[ANSWERED] == pytest.approx(100 * (calls["outcome"] == "ok").mean())
    assert row[EJB] == pytest.approx(100 * (calls["detail"] == "NoBean").mean())
    assert row[list(timers.LAYERS)].sum() == pytest.approx(100)
    assert row["first_failed"] == calls.loc[calls["outcome"] != "ok", "number"].min() + 1
    assert pd.isna(shares.set_index("run").loc["b001-glassfish-20", "first_failed"])


def test_groups_of_numbers_hold_all_requests_once():
    assert timers.edges(1000, 20).tolist() == list(range(0, 1001, 50))
    assert timers.edges(3, 20).tolist() == [0, 1, 2, 3]
    assert timers.numbers(0, 50) == "1–50"
    assert timers.numbers(4, 5) == "5"
