from pathlib import Path

import pytest

from perfstudies.errors import BadLog
from perfstudies.studies.step.logs.layer_monitor import Layer, Record
from perfstudies.studies.step.logs.slices import SLICES, impossible, samples

LOG = Path("monitor.log")


def _record(arrived_ns=1, line=1, **ns):
    times = {"filter": 100, "soap": 90, "wsi": 88, "si": 70, "hibernate": 40, "load": 10, "write": 5} | ns
    soap = {
        "name": "searchFlights",
        "outcome": "ok",
        "request_logical_length": "204",
        "response_logical_length": "1220",
    }
    layers = {
        "filter": Layer(times["filter"] * 10**6, {"arrived_ns": str(arrived_ns)}),
        "soap": Layer(times["soap"] * 10**6, soap),
        "wsi": Layer(times["wsi"] * 10**6, {}),
        "si": Layer(times["si"] * 10**6, {}),
        "hibernate": Layer(times["hibernate"] * 10**6, {}),
        "hibernate.load": Layer(times["load"] * 10**6, {}),
        "hibernate.write": Layer(times["write"] * 10**6, {}),
    }
    return Record(17, layers, line)


def test_slices_are_differences_of_nested_layers_and_add_up():
    row = samples([_record()], LOG).iloc[0]
    assert [row[name] for name in SLICES] == [10, 20, 30, 25, 5, 10]
    assert row["request_ms"] == sum(row[name] for name in SLICES) == 100
    assert (row["operation"], row["request_length"], row["response_length"]) == ("searchFlights", 204, 1220)


def test_requests_are_numbered_by_arrival_and_not_by_thread():
    frame = samples(
        [_record(arrived_ns=30, line=1), _record(arrived_ns=10, line=9), _record(arrived_ns=20, line=17)], LOG
    )
    assert frame["line"].tolist() == [9, 17, 1]
    assert frame["request"].tolist() == [0, 1, 2]


def test_a_layer_that_was_not_reached_took_no_time():
    record = _record()
    for tag in ("si", "hibernate", "hibernate.load", "hibernate.write"):
        del record.layers[tag]
    row = samples([record], LOG).iloc[0]
    assert [row[name] for name in SLICES] == [10, 90, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("times", "rule"),
    [
        ({"soap": 101}, "Web > Web Service"),
        ({"si": 95}, "Web Service > Service"),
        ({"hibernate": 71}, "Service > Hibernate"),
        ({"load": 36}, "Hibernate > its reads and writes"),
    ],
)
def test_each_impossible_order_is_a_warning_that_names_the_record(times, rule):
    warnings = impossible(samples([_record(), _record(line=9, **times)], LOG), "run/monitor.log")
    assert len(warnings) == 1
    assert warnings[0].startswith("run/monitor.log:9: ")
    assert rule in warnings[0]


def test_a_record_without_its_outer_layers_is_an_error_with_its_line():
    record = _record(line=5)
    del record.layers["filter"]
    with pytest.raises(BadLog, match="monitor.log:5: .*'filter'"):
        samples([record], LOG)


def test_a_message_that_was_never_parsed_is_a_system_error_of_the_web_layer():
    record = _record()
    for tag in ("soap", "wsi", "si", "hibernate", "hibernate.load", "hibernate.write"):
        del record.layers[tag]
    row = samples([record], LOG).iloc[0]
    assert (row["operation"], row["outcome"], row["web_ms"]) == ("", "system error", 100)


def test_a_record_without_what_the_monitor_notes_is_an_error():
    record = _record()
    del record.layers["soap"].context["name"]
    with pytest.raises(BadLog, match="'name'"):
        samples([record], LOG)
