import lzma

import pandas as pd
import pytest

from perfstudies.errors import BadLog
from perfstudies.studies.aaa.logs import messages

HEAD = ",".join(messages.COLUMNS) + "\n"
START_US = 1_000_000


def agent(at, hold=1000):
    """The messages of one agent sequence that came at a time; the server has it twice, the equipment once."""
    return [
        (at + 100, "aaa", "received", "user", "AAARequest", "s"),
        (at + 100 + hold, "aaa", "sent", "equipment", "Reserve", "s"),
        (at + 300 + hold, "equipment", "received", "aaa", "Reserve", "s"),
        (at + 600 + hold, "equipment", "sent", "aaa", "Reserved", "s"),
        (at + 700 + hold, "aaa", "received", "equipment", "Reserved", "s"),
        (at + 900 + hold, "aaa", "sent", "user", "AAAReply", "s"),
    ]


def frame(*requests):
    rows = sorted(row for request in requests for row in request)
    return pd.DataFrame(rows, columns=list(messages.COLUMNS))


def calls(*spans):
    rows = [{"number": n, "started_us": start, "ended_us": end} for n, (start, end) in enumerate(spans)]
    return pd.DataFrame(rows)


def write(path, rows):
    path.write_text(HEAD + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return path


def test_logs_of_several_parties_become_one_in_the_order_of_time(tmp_path):
    rows = agent(0)
    first = write(tmp_path / "aaa.log", reversed([row for row in rows if row[1] == "aaa"]))
    second = write(tmp_path / "equipment.log", [row for row in rows if row[1] != "aaa"])
    found, truncated = messages.read([first, second])
    assert list(found["at_us"]) == [row[0] for row in rows]
    assert list(found["party"]) == [row[1] for row in rows] and truncated == []


def test_a_cut_line_is_left_out_and_named_also_when_compressed(tmp_path):
    path = tmp_path / "aaa.log.xz"
    path.write_bytes(lzma.compress((HEAD + "1,aaa,sent,user,AAAReply,s\n2,aaa,se").encode()))
    found, truncated = messages.read([path])
    assert (len(found), truncated) == (1, ["aaa.log.xz"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("at_us,party\n", ":1: not a message log"),
        (HEAD + "1,aaa,sent,user\n", ":2: 4 columns"),
        (HEAD + "x,aaa,sent,user,AAAReply,s\n", ":2: at_us: invalid literal"),
        (HEAD + "1,aaa,lost,user,AAAReply,s\n", ":2: direction: 'lost' is none of sent, received"),
    ],
)
def test_a_broken_log_is_named_with_its_line(tmp_path, text, problem):
    (tmp_path / "aaa.log").write_text(text)
    with pytest.raises(BadLog, match=problem):
        messages.read([tmp_path / "aaa.log"])


def test_each_party_is_given_the_time_from_what_came_to_what_it_sent():
    told = frame(agent(START_US), agent(START_US + 5000, hold=2000))
    found = messages.per_request(told, calls((0, 2000), (5000, 9000)), START_US)
    assert found["at_aaa_ms"].tolist() == [1.2, 2.2]
    assert found["at_equipment_ms"].tolist() == [0.3, 0.3]
    assert found["between_ms"].tolist() == pytest.approx([0.5, 1.5])
    assert found["messages"].tolist() == [4, 4]


def test_the_times_of_all_parties_and_between_them_are_the_total():
    told, sent = frame(agent(START_US)), calls((0, 2000))
    assert messages.per_request(told, sent, START_US).drop(columns="messages").sum(axis=1).tolist() == [2.0]


def test_messages_of_no_request_belong_to_none():
    before, within, after = agent(0), agent(START_US), agent(START_US + 50_000)
    told, sent = frame(before, within, after), calls((0, 2000))
    assert messages.counts(told, sent, START_US)["messages user>aaa"] == 1
    assert messages.per_request(told, sent, START_US)["messages"].tolist() == [4]


def test_a_request_without_messages_is_missing_and_not_zero():
    found = messages.per_request(frame(agent(START_US)), calls((0, 2000), (3000, 4000)), START_US)
    assert found.loc[1].isna().all() and found.loc[0].notna().all()


def test_every_message_counts_once():
    told = frame(agent(START_US), agent(START_US + 5000))
    assert messages.counts(told, calls((0, 2000), (5000, 7000)), START_US) == {
        "messages aaa>equipment": 1,
        "messages aaa>user": 1,
        "messages equipment>aaa": 1,
        "messages user>aaa": 1,
    }


def test_a_message_that_did_not_arrive_is_named():
    rows = agent(START_US)
    assert messages.unmatched(frame(rows)) == []
    del rows[2]
    assert messages.unmatched(frame(rows)) == ["aaa sent 1 messages to equipment, where 0 came"]


def test_a_run_without_messages_is_no_error():
    none = frame()
    assert messages.counts(none, calls((0, 1)), START_US) == {} and messages.unmatched(none) == []
    assert messages.per_request(none, calls((0, 1)), START_US)["messages"].isna().all()
