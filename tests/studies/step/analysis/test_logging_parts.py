import pytest

from made.settings import MEASURED, recording
from perfstudies.studies.step.analysis import logging_parts as parts
from perfstudies.studies.step.declared import LOGGING_PARTS

FACTOR = {
    "": 1.0,
    "-no-location": 0.5,
    "-no-console": 0.75,
    "-asynchronous": 1.0,
    "-service-only": 0.1,
    "-other-user": 0.0,
}
COST_MS = {"debug": 100.0, "trace": 4000.0}
INFO_MS = 100.0


def _time_ms(setting):
    level, _, part = setting[parts.OUTPUT].partition("-")
    return INFO_MS + COST_MS.get(level, 0.0) * FACTOR[f"-{part}" if part else ""]


def _requests(setting):
    return 1 if setting[parts.OUTPUT].startswith("trace") else MEASURED


def _facts(setting):
    return {"measured_log_bytes": 5000 * _requests(setting), "console_log_bytes": 7000 * _requests(setting)}


def _made(time_ms=_time_ms, **other):
    return parts.named(recording(LOGGING_PARTS, time_ms, requests=_requests, facts=_facts, **other))


@pytest.fixture(scope="module")
def made():
    return _made()


def _value(cell):
    return float(cell.split(" ")[0].replace(",", ""))


def test_each_output_is_compared_with_info_and_with_its_level_on_the_same_requests(made):
    info, loud = parts.over_info(made.samples), parts.over_loud(made.samples)
    assert len(info) == 12 and len(loud) == 10
    assert info.loc["debug", "ratio"] == pytest.approx(2, rel=0.01)
    assert info.loc["trace", "ratio"] == pytest.approx(41, rel=0.01)
    assert loud.loc["debug-no-location", "ratio"] == pytest.approx(0.75, rel=0.01)
    assert loud.loc["trace-service-only", "ratio"] == pytest.approx(500 / 4100, rel=0.01)


def test_the_part_of_a_cost_that_goes_away_is_found_again(made):
    table = parts.parts_table(made, seed=1)
    removed = table["Cost removed (%)"]
    assert _value(removed["Debug, no location"]) == pytest.approx(50, abs=1)
    assert _value(removed["Trace, no console"]) == pytest.approx(25, abs=1)
    assert _value(removed["Trace, asynchronous"]) == pytest.approx(0, abs=1)
    assert _value(removed["Trace, another user's"]) == pytest.approx(100, abs=0.5)
    assert removed[["Info", "Debug", "Trace"]].isna().all()


def test_bytes_are_those_of_a_measured_request(made):
    table = parts.parts_table(made, seed=1)
    assert table.loc["Trace", "Log file a request (10³ bytes)"] == "5.0 ± 0.0"
    assert table.loc["Debug", "Console a request (10³ bytes)"] == "7.0 ± 0.0"


def test_outputs_that_were_not_measured_are_left_out():
    made = _made(lambda setting: None if "trace" in setting[parts.OUTPUT] else _time_ms(setting), blocks=3)
    assert not [name for name in parts.parts_table(made, seed=1).index if "Trace" in name]
    assert list(parts.ratio_series(parts.over_info(made.samples))) == ["Debug"]
    assert "Debug" in parts.other_users(made) and "Trace" not in parts.other_users(made)


def test_without_info_nothing_can_be_compared_with_it_and_it_is_said():
    made = _made(lambda setting: None if setting[parts.OUTPUT] == "info" else 100.0, blocks=3)
    assert parts.over_info(made.samples).empty
    assert parts.other_users(made).endswith("not measured.")


def test_the_figure_is_put_into_words(made):
    words = parts.describe(parts.ratio_series(parts.over_info(made.samples)))
    assert "Debug: as in the study 2.0" in words
    assert "for another user only 1.0" in words
