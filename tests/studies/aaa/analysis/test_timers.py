import pandas as pd
import pytest

from made.aaa_timers import made
from perfstudies.studies.aaa import declared as aaa
from perfstudies.studies.aaa.analysis import timers
from perfstudies.studies.aaa.analysis.timers import ANSWERED, APPLICATION, EJB, HTTP, STATUS, TCP

STRICT_TEN, STRICT_TWENTY = "OpenEJB, strict pool, timer 10", "OpenEJB, strict pool, timer 20"


@pytest.fixture(scope="module")
def recorded():
    return made(aaa.TIMERS, 200)


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


def test_only_layers_that_ended_requests_are_shown(shares):
    table = timers.answered_table(shares)
    assert table.columns.tolist() == ["Runs", "Requests a run", ANSWERED, EJB, HTTP, "First failed request"]
    assert table.loc["GlassFish, timer 20", ANSWERED] == "100.0 [100.0, 100.0]"
    assert table.loc["GlassFish, timer 20", "First failed request"] == "none"
    assert table.loc[STRICT_TEN, HTTP] == "0.0 [0.0, 0.0]"
    failed = timers.failed_by_layer(shares)
    assert failed.index.tolist() == [STRICT_TEN, STRICT_TWENTY]
    assert failed.loc[STRICT_TEN, EJB] == "100.0 [100.0, 100.0]"


def test_without_failures_the_table_says_so(shares):
    failed = timers.failed_by_layer(shares[shares["container"] == "glassfish"])
    assert failed.index.tolist() == ["None in any setting"]


def test_groups_of_numbers_hold_all_requests_once():
    assert timers.edges(1000, 20).tolist() == list(range(0, 1001, 50))
    assert timers.edges(3, 20).tolist() == [0, 1, 2, 3]
    assert timers.numbers(0, 50) == "1–50"
    assert timers.numbers(4, 5) == "5"


def test_outcomes_by_number_add_up_to_all(recorded):
    drawn = timers.by_number(recorded, 20)
    assert len(drawn) == 20
    assert drawn.T.groupby(level=0, observed=True).sum().to_numpy() == pytest.approx(100)
    assert (STRICT_TEN, HTTP) not in drawn
    calls = recorded.calls[(recorded.calls["setting"] == STRICT_TWENTY) & recorded.calls["number"].between(190, 199)]
    assert drawn[STRICT_TWENTY, EJB].iloc[-1] == pytest.approx(100 * (calls["outcome"] == "soap fault").mean())
    assert drawn.index[-1] == "191–200"


def test_a_panel_a_setting_is_drawn_and_told(recorded):
    drawn = timers.by_number(recorded, 10)
    figure = timers.by_number_figure(drawn, 4)
    assert len(figure.axes) == 8
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [ANSWERED, EJB, HTTP]
    # An area for each layer of the last setting: three layers of ten bars.
    assert len(figure.axes[-1].patches) == 30
    assert "OpenEJB, strict pool, timer 1: 100 % at first, 100 % at the end" in timers.describe_by_number(drawn)


def test_one_run_a_setting_gives_every_table():
    small = made(aaa.TIMERS, 20, blocks=1)
    shares = timers.run_shares(small)
    assert timers.answered_table(shares).loc[STRICT_TEN, ANSWERED] == "100.0 [no interval]"
    assert timers.base(shares).startswith("1 runs of each setting, 640 requests")
