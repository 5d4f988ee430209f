import gzip

import pytest

from perfstudies.errors import BadLog
from perfstudies.logs import timelog


@pytest.fixture
def log(tmp_path):
    def write(text, name="Total_Timelog"):
        path = tmp_path / name
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    return write


@pytest.mark.parametrize("text", ["512;\n0;\n1204;\n", "512;\r\n0;\r\n1204;\r\n", "512;\n0;\n1204;"])
@pytest.mark.parametrize("name", ["Total_Timelog", "Total_Timelog.gz"])
def test_the_studys_lines_are_read(log, text, name):
    assert list(timelog.read(log(text, name))) == [512, 0, 1204]


def test_an_empty_log_has_no_answers(log):
    assert timelog.read(log("")).empty


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("512;\n498\n", r"Total_Timelog:2: cut: '498\\n' lacks its semicolon"),
        ("512;\n49", "Total_Timelog:2: cut: '49'"),
        ("512;\n\n", "Total_Timelog:2: not a number of milliseconds"),
        ("512;\n-1;\n", "Total_Timelog:2: not a number of milliseconds"),
        ("1.5;\n", "Total_Timelog:1: not a number of milliseconds"),
        ("client,number\n", "Total_Timelog:1: not a number of milliseconds"),
        ("512;498;\n", "Total_Timelog:1: not a number of milliseconds"),
    ],
)
def test_any_other_line_is_named(log, text, problem):
    with pytest.raises(BadLog, match=problem):
        timelog.read(log(text))


def test_both_logs_are_paired_line_by_line(log):
    both = timelog.pair(log("512;\n600;\n"), log("400;\n410;\n", "EJB_Timelog"))
    assert both.to_dict("list") == {"answer": [0, 1], "total_ms": [512, 600], "ejb_ms": [400, 410]}


def test_logs_of_different_runs_are_named(log):
    with pytest.raises(BadLog, match="EJB_Timelog:2: ends here, but .*Total_Timelog has 2 lines"):
        timelog.pair(log("512;\n600;\n"), log("400;\n", "EJB_Timelog"))
