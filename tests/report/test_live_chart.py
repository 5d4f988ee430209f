import re

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from perfstudies.exchange import COLUMNS
from perfstudies.notebooks import execute
from perfstudies.report import live_chart
from perfstudies.report.live_chart import LiveChart, View, svg, watching
from perfstudies.site.page import check_page


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def line(number, total_ms=100.0, ejb="90.0", outcome="ok", at_us=None):
    started = 1000 * number if at_us is None else at_us
    return f"0,{number},{started},{started},{int(started + 1000 * total_ms)},{ejb},{outcome},,700\n"


def record(path, *lines):
    path.write_text(",".join(COLUMNS) + "\n" + "".join(lines))
    return path


def polylines(picture):
    return re.findall(r'<polyline [^>]*stroke="(#\w+)"[^>]*points="([^"]*)"', picture)


def test_a_picture_is_shown_at_most_once_a_second_and_only_what_is_new_is_read(tmp_path, clock):
    shown = []
    chart = LiveChart(lambda picture, words: shown.append(words), clock)
    path = record(tmp_path / "client-0.csv", line(0))
    chart([path])
    for clock.now in (0.2, 0.9):
        chart([path])
    assert len(shown) == 1
    record(path, line(0), line(1), line(2))
    clock.now = 1.1
    chart([path])
    assert shown[-1].startswith("Run 1: 3 requests ended, 0 of them failed.")


def test_nothing_is_shown_before_the_first_request_has_ended(tmp_path, clock):
    shown = []
    chart = LiveChart(lambda *given: shown.append(given), clock)
    chart([tmp_path / "client-0.csv"])
    chart.finish()
    assert shown == []


def test_other_records_are_another_run(tmp_path, clock):
    shown = []
    chart = LiveChart(lambda picture, words: shown.append(words), clock)
    chart([record(tmp_path / "a.csv", line(0), line(1))])
    clock.now = 2
    chart([record(tmp_path / "b.csv", line(0, 7.0))])
    assert shown[-1] == (
        "Run 2: 1 requests ended, 0 of them failed. Mean total time of the last 1 answered: 7.0 ms."
    )  # fmt: skip


def test_the_end_is_shown_although_the_last_picture_is_young(tmp_path, clock):
    shown = []
    chart = LiveChart(lambda picture, words: shown.append(words), clock)
    path = record(tmp_path / "a.csv", line(0))
    chart([path])
    record(path, line(0), line(1))
    chart.finish()
    assert "2 requests" in shown[-1]


def test_requests_of_several_clients_stand_in_the_order_in_which_they_ended(tmp_path, clock):
    chart = LiveChart(lambda *_: None, clock)
    first = record(tmp_path / "a.csv", line(0, 50.0, at_us=0), line(1, 10.0, at_us=200_000))
    second = record(tmp_path / "b.csv", line(0, 20.0, at_us=10_000))
    chart([first, second])
    assert chart.view().total_ms == (20.0, 50.0, 10.0)


def test_only_the_last_requests_are_shown_and_all_are_counted(tmp_path, clock):
    chart = LiveChart(lambda *_: None, clock)
    chart([record(tmp_path / "a.csv", *(line(n) for n in range(live_chart.SHOWN + 25)))])
    view = chart.view()
    assert (view.first, len(view.total_ms), view.ended) == (26, live_chart.SHOWN, live_chart.SHOWN + 25)


def test_what_failed_is_counted_and_has_no_time(tmp_path, clock):
    chart = LiveChart(lambda *_: None, clock)
    chart([record(tmp_path / "a.csv", line(0), line(1, 200.0, "", "timed out"), line(2, 300.0, ""))])
    view = chart.view()
    assert view.failed == 1
    assert view.total_ms == pytest.approx((100, np.nan, 300), nan_ok=True)
    assert view.ejb_ms == pytest.approx((90, np.nan, np.nan), nan_ok=True)
    assert svg(view).count("×") == 2  # in the legend, and where it failed


def test_a_broken_record_does_not_end_the_measurement(tmp_path, clock):
    chart = LiveChart(lambda *_: None, clock)
    chart([record(tmp_path / "a.csv", "0,0,x,y,,?,ok,,\n", line(1))])
    (tmp_path / "b.csv").write_text("unknown\n1\n")
    clock.now = 2
    chart([tmp_path / "b.csv"])
    assert chart.view().ended == 1


def test_the_picture_puts_larger_times_higher_and_draws_three_series():
    picture = svg(View(1, (100.0, 200.0), (50.0, 60.0), 1, 2, 0), window=2)
    drawn = dict(polylines(picture))
    assert list(drawn) == [live_chart.EJB, live_chart.TOTAL, live_chart.AVERAGE]
    places = {colour: [tuple(map(float, p.split(","))) for p in points.split()] for colour, points in drawn.items()}
    total, ejb, average = (places[c] for c in (live_chart.TOTAL, live_chart.EJB, live_chart.AVERAGE))
    assert total[1][1] < total[0][1] < ejb[0][1]  # down is up in SVG
    assert average[1][1] == pytest.approx((total[0][1] + total[1][1]) / 2, abs=0.11)
    assert total[0][0] < total[1][0]


def test_the_line_is_broken_where_a_request_failed():
    nan = float("nan")
    drawn = polylines(svg(View(1, (1.0, 2.0, nan, 3.0), (nan,) * 4, 1, 4, 1)))
    assert [len(points.split()) for colour, points in drawn if colour == live_chart.TOTAL] == [2, 2]
    assert not [points for colour, points in drawn if colour == live_chart.EJB]


@pytest.mark.parametrize("times", [(), (float("nan"),), (0.0,)])
def test_there_is_a_picture_whatever_came(times):
    assert svg(View(1, times, times, 1, len(times), 0)).endswith("</svg>")


def test_the_picture_may_stand_in_a_report():
    picture = svg(View(1, (1.0,), (1.0,), 1, 1, 0))
    check_page(picture, "live")
    assert 'role="img" aria-label="Run 1: 1 requests ended' in picture


def test_outside_of_a_notebook_there_is_none():
    with watching() as progress:
        assert progress is None


NOTEBOOK = """
from pathlib import Path
from perfstudies.exchange import COLUMNS
from perfstudies.report import live_chart
live_chart.SECONDS_BETWEEN = 0
path = Path({path!r})
with live_chart.watching() as progress:
    with open(path, "w", buffering=1) as file:
        file.write(",".join(COLUMNS) + "\\n")
        for number in range({requests}):
            file.write(f"0,{{number}},0,0,{{1000 * (number + 1)}},0.5,ok,,7\\n")
            progress([path])
"""


class Listening(NotebookClient):
    """Runs a notebook and keeps the kinds of messages that change what its cells show."""

    def __init__(self, *given, **named):
        super().__init__(*given, kernel_manager_class=execute.OwnKernel, **named)
        self.heard = []

    def process_message(self, message, cell, cell_index):
        if "display" in message["msg_type"]:
            self.heard.append(message["msg_type"])
        return super().process_message(message, cell, cell_index)


@pytest.mark.parametrize("requests", [5, 0])
def test_in_a_notebook_one_output_grows_and_is_marked_as_live(tmp_path, requests):
    source = NOTEBOOK.format(path=str(tmp_path / "client-0.csv"), requests=requests)
    client = Listening(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)]))
    outputs = client.execute().cells[0].outputs
    if not requests:
        assert client.heard == [] and outputs == []
        return
    # One picture a request and a last one at the end, all in the place of the first.
    assert client.heard == ["display_data"] + ["update_display_data"] * requests
    (shown,) = outputs
    assert shown.metadata == {"perfstudies": {"live": True}}
    assert shown.data["text/plain"].startswith("Run 1: 5 requests ended")
    assert shown.data["text/html"].startswith("<svg")
