import pytest

from made.corba import CLIENT, SERVER
from perfstudies.errors import BadLog
from perfstudies.studies.corba.logs import orb


@pytest.fixture
def read(tmp_path):
    def both(server=SERVER, client=CLIENT):
        paths = tmp_path / "server.csv", tmp_path / "client.csv"
        for path, text in zip(paths, (server, client), strict=True):
            path.write_text(text)
        return orb.samples(orb.read_client(paths[1]), orb.read_server(paths[0]), paths[0])

    return both


def test_an_answered_request_has_the_times_of_both_sides(read):
    samples = read()
    first = samples.iloc[0]
    times = [
        "late_ms", "response_ms", "receiver_queue_ms", "hand_over_ms", "receiver_ms", "dispatcher_queue_ms",
        "dispatcher_ms", "servant_ms", "cpu_ms",
    ]  # fmt: skip
    assert first[times].tolist() == pytest.approx([0.1, 5.9, 0.2, 0.2, 0.25, 0.2, 5.1, 5.0, 5.0001])
    assert samples["queue_length"].tolist() == [1, 2] and samples["dispatcher"].tolist() == [0, 0]
    # The receiver was kept from its second part, and the request from its dispatcher, by the one before it.
    assert samples["receiver_ms"].iloc[1] == 2.2 and samples["dispatcher_queue_ms"].iloc[1] == 2.8


def test_a_request_without_an_answer_is_a_call_but_no_sample(read, tmp_path):
    assert read()["number"].tolist() == [0, 1]
    calls = orb.read_client(tmp_path / "client.csv")
    assert calls["outcome"].tolist() == ["ok", "ok", "TIMEOUT"]


def test_the_order_of_lines_means_nothing(read):
    heading, first, second = SERVER.splitlines(keepends=True)
    assert read(heading + second + first).equals(read())


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("number,received", "number;received", r"server.csv:1: not a record of the CORBA server"),
        (SERVER, "", r"server.csv:1: not a record of the CORBA server: it is empty"),
        (SERVER, CLIENT, r"server.csv:1: not a record of the CORBA server: its columns are number, connection"),
        (",1,0\n", ",1\n", r"server.csv:2: 11 columns instead of 12"),
        (",900000,", ",,", r"server.csv:2: removed_ns: invalid literal"),
        (",900000,", ",early,", r"server.csv:2: removed_ns: invalid literal"),
        (",900000,", ",199999,", r"server.csv:2: removed_ns = 199999 comes before"),
        (",250000,", ",199999,", r"server.csv:2: receiver_end_ns = 199999 comes before"),
        (",400000,", ",199999,", r"server.csv:2: dispatched_ns = 199999 comes before"),
        (",8100000,", ",8049999,", r"server.csv:3: replied_ns = 8049999 comes before"),
        ("\n1,3000000,200000", "\n1,3000000,-1", r"server.csv:3: queued_ns = -1 comes before"),
        ("\n1,", "\n0,", r"server.csv:3: request 0 is on record twice"),
        (",2,0\n", ",2,0", r"server.csv:3: a record of the CORBA server that is cut off here"),
    ],
)
def test_a_broken_server_record_is_named_with_its_line(read, old, new, problem):
    assert old in SERVER
    with pytest.raises(BadLog, match=problem):
        read(server=SERVER.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (CLIENT, SERVER, r"client.csv:1: not a record of the CORBA client"),
        ("TIMEOUT", "time out", r"client.csv:4: outcome: 'time out' is neither ok nor the name of an error"),
        (",800000,", ",699999,", r"client.csv:2: sent_ns = 699999 comes before"),
        (",6600000,", ",799999,", r"client.csv:2: ended_ns = 799999 comes before"),
        ("\n2,", "\n1,", r"client.csv:4: request 1 is on record twice"),
        ("TIMEOUT\n", "TIM", r"client.csv:4: a record of the CORBA client that is cut off here"),
    ],
)
def test_a_broken_client_record_is_named_with_its_line(read, old, new, problem):
    assert old in CLIENT
    with pytest.raises(BadLog, match=problem):
        read(client=CLIENT.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("\n0,0,700000", "\n3,0,700000", "request 0 is not in the client's record"),
        ("60004000000,TIMEOUT", "60004000000,ok", "request 2 was answered, but is not here"),
        (",800000,", ",1000001,", "request 0 was received before it was sent"),
        (",6600000,", ",6449999,", "request 0 was answered before it was served"),
    ],
)
def test_records_of_different_runs_are_not_joined(read, old, new, problem):
    assert old in CLIENT
    with pytest.raises(BadLog, match=f"server.csv:1: {problem}: the records are of different runs"):
        read(client=CLIENT.replace(old, new, 1))
