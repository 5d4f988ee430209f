"""Two addresses measured in turn by one command, whose exit status is the verdict."""

import json

from made import http_peer
from made.command import perfstudies
from perfstudies.cli import app, in_turn

FEW = ("--runs", "4", "--requests", "15")


def test_the_slower_of_two_addresses_is_told_by_the_exit_status(tmp_path, capsys):
    with http_peer.running() as peer:
        quick, slow = f"{peer.address}/quick", f"{peer.address}/slow"
        asked = ("measure", "--url", slow, "--compare-with", quick, *FEW, "--json", str(tmp_path / "told.json"))
        assert perfstudies(*asked) == 1
        assert "slower: new / old" in capsys.readouterr().out
        told = json.loads((tmp_path / "told.json").read_text())
        assert told["verdict"] == "slower" and told["old"]["requests"] == told["new"]["requests"] == 60
        assert perfstudies("measure", "--url", quick, "--compare-with", slow, *FEW) == 0
        # In turn: no address has all its runs before the other.
        paths = [path for _, path, *_ in peer.seen[:120]]
        assert 3 <= sum(one != other for one, other in zip(paths, paths[1:], strict=False)) < 8


def test_a_margin_that_is_none_is_refused_before_anything_is_sent(capsys):
    with http_peer.running() as peer:
        asked = ("measure", "--url", f"{peer.address}/a", "--compare-with", f"{peer.address}/b", *FEW)
        assert perfstudies(*asked, "--margin", "0.9") == 2
        assert "margin = 0.9: must be above 1" in capsys.readouterr().err and peer.seen == []


def test_another_machine_s_bound_on_time_is_shared_by_all_runs(monkeypatch):
    asked = []
    monkeypatch.setattr(in_turn, "measure", lambda wanted, *_: asked.append(wanted) or interrupt())
    addresses = ("measure", "--url", "http://test.example.org/a", "--compare-with", "http://test.example.org/b")
    assert perfstudies(*addresses, *FEW, "--consent", "I may load test.example.org") == app.INTERRUPTED
    assert perfstudies(*addresses, "--runs", "10", "--consent", "I may load test.example.org") == app.INTERRUPTED
    assert [one.load.limit_s for one in asked] == [60, 30]


def interrupt():
    raise KeyboardInterrupt


def test_who_interrupts_is_told_that_nothing_is_kept(monkeypatch, capsys):
    monkeypatch.setattr(in_turn, "measure", lambda *_: interrupt())
    assert perfstudies("measure", "--url", "http://127.0.0.1:9/", "--compare-with", "http://127.0.0.1:9/b") == 130
    assert capsys.readouterr().err == "error: interrupted; nothing is kept\n"


def test_what_cannot_be_compared_is_another_status(capsys):
    assert perfstudies("measure", "--url", "http://127.0.0.1:9/", "--compare-with", "http://127.0.0.1:9/b", *FEW) == 2
    assert "nobody answers at http://127.0.0.1:9/" in capsys.readouterr().err
    assert perfstudies("measure", "--url", "http://127.0.0.1:9/") == 2
    assert perfstudies("measure", "step/users", "--url", "http://127.0.0.1:9/", "--compare-with", "http://x/") == 2
