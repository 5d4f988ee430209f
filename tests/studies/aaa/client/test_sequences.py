"""The four sequences against parties that a test made, which speak the real ones' descriptions."""

import time
from types import SimpleNamespace

import pandas as pd
import pytest

from made.parties import EJB_TIME, serving
from perfstudies.errors import BadParameter, SystemFailed
from perfstudies.exchange import COLUMNS
from perfstudies.studies.aaa.client import sequences
from perfstudies.studies.aaa.client.sequences import run_sequence

RIGHT = {
    "ticket_expired": "TicketExpired",
    "ticket_tampered": "TicketTampered",
    "ticket_replayed": "TicketReplayed",
}


@pytest.fixture
def parties(monkeypatch):
    with serving() as (made, wsdls):
        made.wsdls = wsdls
        # A ticket lives long enough to be used by a busy machine; until it has expired nobody waits really.
        clock = SimpleNamespace(monotonic_ns=time.monotonic_ns, time=made.time, sleep=made.sleep)
        monkeypatch.setattr(sequences, "time", clock)
        yield made


def run(parties, tmp_path, kind, requests=3, **more):
    found = run_sequence(kind, *parties.wsdls, requests, tmp_path / "client.csv", 5, **more)
    return found, pd.read_csv(tmp_path / "client.csv", keep_default_na=False)


@pytest.mark.parametrize(
    ("kind", "exchanges"),
    [
        ("agent", [("aaa", "AAARequest")]),
        ("pull", [("equipment", "Request")]),
        ("push", [("aaa", "AAARequest"), ("equipment", "RequestWithTicket")]),
        ("roaming", [("aaa", "AAARequest")]),
    ],
)
def test_a_user_makes_the_exchanges_of_the_sequence_in_their_order(parties, tmp_path, kind, exchanges):
    found, record = run(parties, tmp_path, kind)
    assert tuple(record.columns) == COLUMNS
    assert record["outcome"].tolist() == ["ok"] * 3 and record["number"].tolist() == [0, 1, 2]
    # Before them are three exchanges with a ticket and those that gave the two, after them one.
    sent = parties.seen[5:-1]
    assert [(party, operation) for party, operation, _ in sent] == exchanges * 3
    assert [name for _, _, name in sent] == [f"0/{number}" for number in range(3) for _ in exchanges]
    assert {name: found[name] for name in RIGHT} == RIGHT


def test_the_ejb_time_is_that_of_the_users_own_server(parties, tmp_path):
    assert run(parties, tmp_path, "push")[1]["ejb_ms"].astype(float).tolist() == [float(EJB_TIME)] * 3
    assert run(parties, tmp_path, "pull")[1]["ejb_ms"].tolist() == [""] * 3


def test_requests_come_one_after_the_other_and_their_times_count_from_the_first(parties, tmp_path):
    before = time.monotonic_ns()
    found, record = run(parties, tmp_path, "push", requests=10)
    assert before < found["start_ns"] < time.monotonic_ns()
    assert record["intended_us"][0] == 0
    assert (record["intended_us"][1:].to_numpy() == record["ended_us"][:-1].to_numpy()).all()
    assert (record["started_us"] >= record["intended_us"]).all()
    assert (record["ended_us"] > record["started_us"]).all()


def test_a_ticket_that_is_accepted_is_told_as_such(parties, tmp_path):
    parties.careless = True
    found, _ = run(parties, tmp_path, "agent")
    assert {found[name] for name in RIGHT} == {"yes"}


def test_without_tickets_nothing_is_made_up_and_a_push_fails(parties, tmp_path):
    parties.ticketless = True
    found, record = run(parties, tmp_path, "push")
    assert {found["ticket_expired"], found["ticket_tampered"]} == {"no ticket was given"}
    assert found["ticket_replayed"] == "the first use was answered no ticket was given"
    assert record[["outcome", "detail"]].drop_duplicates().values.tolist() == [["soap fault", "ServerFailed"]]
    assert "RequestWithTicket" not in {operation for _, operation, _ in parties.seen}


def test_a_ticket_that_lives_too_long_is_not_waited_for(parties, tmp_path, monkeypatch):
    monkeypatch.setattr(sequences, "LONGEST_WAIT_S", 1)
    parties.lifetime_s = 3600
    found, _ = run(parties, tmp_path, "agent")
    assert found["ticket_expired"] == "not tried: it lives too long"
    assert parties.ahead_s == 0


def test_a_service_that_is_not_granted_ends_the_run_with_the_reason(parties, tmp_path):
    parties.refused_from = 2
    with pytest.raises(SystemFailed, match="request 2 was not granted: too much"):
        run(parties, tmp_path, "agent", requests=5)
    assert len(pd.read_csv(tmp_path / "client.csv")) == 3


def test_a_few_lost_requests_are_recorded_and_many_in_a_row_end_the_run(parties, tmp_path, monkeypatch):
    monkeypatch.setattr(sequences, "GIVE_UP", 4)
    parties.hung_up_from = 3
    with pytest.raises(SystemFailed, match="4 requests in a row had no reply"):
        run(parties, tmp_path, "agent", requests=50)
    outcomes = pd.read_csv(tmp_path / "client.csv")["outcome"].tolist()
    assert outcomes[:3] == ["ok"] * 3 and len(outcomes) == 7 and "ok" not in outcomes[3:]


def test_progress_is_told_between_requests(parties, tmp_path):
    told = []
    run(parties, tmp_path, "agent", progress=lambda paths: told.append(len(paths[0].read_text().splitlines())))
    assert told == [2, 3, 4]


def test_an_unknown_sequence_is_refused_with_those_that_are(parties, tmp_path):
    with pytest.raises(BadParameter, match="agent, pull, push, roaming"):
        run(parties, tmp_path, "poll")
    assert parties.seen == []


def test_more_bandwidth_keeps_the_signature_and_changes_what_was_signed(parties):
    ticket = parties.issue()
    changed = sequences.more_bandwidth(ticket)
    assert changed != ticket and changed.partition(".")[2] == ticket.partition(".")[2]
    assert sequences.more_bandwidth(changed).partition(".")[0] != changed.partition(".")[0]
    assert sequences.not_after_s(changed) == sequences.not_after_s(ticket)


@pytest.mark.parametrize("text", ["", "nothing", "AAAA.BBBB", "\xff"])
def test_what_is_no_ticket_is_named(text):
    with pytest.raises(SystemFailed, match="ticket"):
        sequences.not_after_s(text)
