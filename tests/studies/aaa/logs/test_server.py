import pandas as pd
import pytest

from perfstudies.errors import BadLog
from perfstudies.exchange import COLUMNS
from perfstudies.studies.aaa.logs import server

HEADING = (
    "request,client,number,entered_us,ejb_start_us,asm_start_us,asm_end_us,ejb_end_us,left_us,"
    "bean,created,beans_busy,threads_busy,db_us,status\n"
)
TEXT = HEADING + (
    "2,0,1,900500,40,,,,61,,,,3,,BadRequest\n"
    "1,0,0,900000,50,1250,401250,401300,401500,7,1,2,3,900,ok\n"
    "3,,,900600,50,60,70,80,90,7,0,1,1,0,ok\n"
)


@pytest.fixture
def recorded(tmp_path):
    path = tmp_path / "server.csv"
    path.write_text(TEXT)
    return path


@pytest.fixture
def client():
    rows = [
        (0, 0, 0, 10, 402_010, 401.25, "ok", "", 300),
        (0, 1, 0, 20, 220, None, "soap fault", "BadRequest", 200),
        (1, 0, 0, 30, 60_030, None, "refused", "Connection refused", 0),
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).assign(total_ms=[402.0, 0.2, 60.0])


def test_a_record_is_read_in_the_order_of_arrival(recorded):
    frame, truncated = server.read(recorded)
    assert tuple(frame.columns) == server.COLUMNS and truncated == 0
    assert list(frame["request"]) == [1, 2, 3] and list(frame["beans_busy"].isna()) == [False, True, False]


def test_a_cut_last_line_is_set_aside_and_counted(recorded):
    recorded.write_text(TEXT[:-2])
    frame, truncated = server.read(recorded)
    assert (len(frame), truncated) == (2, 1)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("request,client", "request;client", ":1: not a record of the AAA server"),
        (",BadRequest", "", ":2: 14 columns instead of 15"),
        ("900500", "late", ":2: entered_us: invalid literal"),
        (",61,", ",39,", ":2: left_us = 39 comes before"),
        ("401250,401300", "401350,401300", ":3: ejb_end_us = 401300 comes before"),
        (",50,1250", ",-5,1250", ":3: ejb_start_us = -5 comes before"),
        ("1,0,0,900000", "1,0,1,900000", ":3: request 1 of client 0 is on record twice"),
        ("3,,,", "3,1,,", ":4: a client without a number"),
    ],
)
def test_any_other_broken_line_is_named(recorded, old, new, problem):
    recorded.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(BadLog, match=problem):
        server.read(recorded)


def test_both_records_are_joined_to_samples(recorded, client):
    samples = server.samples(client, server.read(recorded)[0], recorded)
    assert tuple(samples.columns) == (*COLUMNS, "total_ms", *server.SERVER_COLUMNS)
    first, second, third = (samples.iloc[number] for number in range(3))
    assert list(first[["servlet_ms", "ejb_wait_ms", "asm_ms", "db_ms"]]) == pytest.approx([401.5, 0.3, 400.0, 0.9])
    assert (first["beans_busy"], first["threads_busy"], first["bean"], first["created"]) == (2, 3, 7, 1)
    assert second["status"] == "BadRequest" and second["servlet_ms"] == 0.061 and second.isna()["asm_ms"]
    assert third["outcome"] == "refused" and third[list(server.SERVER_COLUMNS)].isna().all()


def test_records_of_different_runs_are_not_joined(recorded, client):
    with pytest.raises(BadLog, match="1 requests are not in the clients' record, the first is number 1 of client 0"):
        server.samples(client.drop(index=1), server.read(recorded)[0], recorded)


def test_a_run_without_requests_has_no_samples(recorded, client):
    recorded.write_text(HEADING)
    assert server.samples(client[:0], server.read(recorded)[0], recorded).empty
